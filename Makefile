# Every target makes what it needs from a bare clone, the virtual environment included.
# `make` alone lists them.

VENV   := .venv
PYTHON := $(VENV)/bin/python
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check
export TACIT_DATA ?= $(wildcard ../shared/data)

.PHONY: help demo test check cover bench soak clean
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

demo: $(VENV)/tacit ## Run every part of Tacit on built-in data
	@echo "Running every part of Tacit on data it makes itself (the first run compiles for a minute) ..."
	@$(VENV)/bin/tacit demo

test: $(VENV)/everything ## Run the tests (a few minutes on two cores)
	@echo "Running the tests on all cores; what needs something this machine has not is skipped with a message ..."
	@$(PYTHON) -m pytest -n auto --dist loadgroup -r s

check: $(VENV)/everything ## Check format, lint, types and layers
	@echo "Checking format and lint (ruff), types (mypy), layers (import-linter) ..."
	@$(VENV)/bin/ruff format --check src tests benchmarks examples
	@$(VENV)/bin/ruff check src tests benchmarks examples
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

cover: $(VENV)/everything ## Measure that the tests reach every branch of the verifier
	@$(PYTHON) -m coverage run --branch --source tacit_verify --data-file $(VENV)/coverage -m pytest tests/verify \
		--ignore tests/verify/test_originals.py --ignore tests/verify/test_signing.py \
		--deselect tests/verify/test_generalized.py::test_random_releases_pass
	@$(PYTHON) -m coverage report --data-file $(VENV)/coverage --show-missing --fail-under 100

bench: $(VENV)/peers ## Measure against the peers, in one run
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(PYTHON) $$file || exit 1; done

soak: $(VENV)/everything ## Run the slow tests as well (hours; TACIT_SOAK=20000 random inputs for less)
	@echo "Random inputs, faults, spoiled files and mutants of the code; a table of what was tried comes last ..."
	@$(PYTHON) -m pytest -n auto --dist loadgroup -m 'slow or not slow' -r s

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
