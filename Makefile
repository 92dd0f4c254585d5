# Every target makes what it needs from a bare clone, the virtual environment included.
# `make` alone lists them.

VENV   := .venv
PYTHON := $(VENV)/bin/python
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check
export TACIT_DATA ?= $(wildcard ../shared/data)

.PHONY: help demo test suites check cover bench papers docs package soak clean
help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/tacit: pyproject.toml
	@echo "Making the virtual environment $(VENV) and installing Tacit ..."
	@test -x $(PYTHON) || python3 -m venv $(VENV)
	@$(PIP) -e .
	@touch $@

$(VENV)/everything: $(VENV)/tacit
	@echo "Installing what the tests and the checks use ..."
	@$(PIP) -e '.[all,spark,test,check]'
	@touch $@

$(VENV)/peers: $(VENV)/everything
	@echo "Installing the tools that the benchmarks compare with ..."
	@$(PIP) -e '.[bench]'
	@touch $@

# These pin old packages, so they live apart: see benchmarks/table.py.
.venv-peers/peers: Makefile
	@echo "Making .venv-peers for the tools that cannot live beside Tacit ..."
	@test -x .venv-peers/bin/python || python3 -m venv .venv-peers
	@.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check \
		'pami>=2024.7' 'pycanon>=1.0' 'anjana>=1.0' 'anonypy>=0.2' 'anonypyx>=0.2' || echo "Some could not be installed; their rows will say so."
	@touch $@

$(VENV)/documents: $(VENV)/everything
	@echo "Installing what builds the documentation ..."
	@$(PIP) -e '.[docs]'
	@touch $@

demo: $(VENV)/tacit ## Run every part of Tacit on built-in data
	@echo "Running every part of Tacit on data it makes itself (the first run compiles for a minute) ..."
	@$(VENV)/bin/tacit demo

test: $(VENV)/everything ## Run the tests (six minutes on two cores)
	@echo "Running the tests on all cores; what needs something this machine has not is skipped with a message ..."
	@$(PYTHON) -m tests.suites test

suites: $(VENV)/everything ## Run what takes too long for 'make test', suite by suite (ONLY="spark browser" for some)
	@$(PYTHON) -m tests.suites $(ONLY)

check: $(VENV)/everything ## Check format, lint, types and layers
	@echo "Checking format and lint (ruff), types (mypy), layers (import-linter) ..."
	@$(VENV)/bin/ruff format --check src papers tests benchmarks examples docs
	@$(VENV)/bin/ruff check src papers tests benchmarks examples docs
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

cover: $(VENV)/everything ## Measure that the tests reach every branch of the verifier
	@$(PYTHON) -m coverage run --branch --source tacit_verify --data-file $(VENV)/coverage -m pytest -m 'not slow' tests/verify \
		tests/methods/test_cohort_series.py tests/methods/test_series_refused.py \
		tests/methods/bucketize/test_series.py tests/methods/bucketize/test_coarser.py \
		--ignore tests/verify/test_originals.py --ignore tests/verify/test_signing.py \
		--deselect tests/verify/test_generalized.py::test_random_releases_pass
	@$(PYTHON) -m coverage report --data-file $(VENV)/coverage --show-missing --fail-under 100

bench: $(VENV)/peers .venv-peers/peers ## Measure against the peers in one run, compare with benchmarks/RESULTS.md and write it
	@echo "Every benchmark beside its peers, under twenty minutes on two cores (ONLY=mining for one, QUICK=1 for a try) ..."
	@$(PYTHON) benchmarks/run.py $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY)) $(if $(ACCEPT),--accept)

papers: $(VENV)/everything ## Make the papers' figures again, beside what they print (half an hour; QUICK=1 for a try)
	@$(PYTHON) -m papers $(if $(QUICK),--quick)

docs: $(VENV)/documents ## Build the documentation site into docs/_build, warnings as errors
	@$(VENV)/bin/sphinx-build -q -W --keep-going -b html docs docs/_build
	@$(PYTHON) docs/check_site.py docs/_build
	@echo "Open docs/_build/index.html in a browser."

package: $(VENV)/everything ## Build the wheel and the source archive, try both in clean environments
	@$(PYTHON) -m pytest -m 'slow or not slow' tests/packaging

soak: $(VENV)/everything ## Run the slow tests as well (hours; TACIT_SOAK=20000 for so many more random inputs)
	@echo "Random inputs, going on where tests/soak/runs.json says that earlier runs stopped ..."
	@$(PYTHON) -m tests.soak.running $(if $(TACIT_SOAK),--more $(TACIT_SOAK))
	@echo "Mutants of the code, going on where tests/mutation/runs.json says that earlier runs stopped ..."
	@$(PYTHON) -m tests.mutation.running $(if $(TACIT_MUTANTS),--sample $(TACIT_MUTANTS))
	@echo "Faults and spoiled files; a table of what was tried comes last ..."
	@TACIT_CASES=all $(PYTHON) -m pytest -n auto -m 'slow or not slow' -r s

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .venv-peers docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
