"""Whatever a file holds, reading it gives a value or one of Tacit's own errors: never another, never a hang.

``make test`` tries a few hundred spoiled files of each reader, ``make soak`` thousands.
"""

from __future__ import annotations

import gzip
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings

import tacit
from tacit.errors import TacitError
from tacit.io.hierarchies import read_hierarchy
from tacit.methods.disclose.rules_file import read_facts, read_rules, rules_as_published
from tacit.methods.disclose.solve.population import population_of
from tacit.mining.amendment import add_rules, read_lines
from tacit.random.key import load_key
from tacit.release.manifest import Manifest
from tacit.surface.recipe.load import open_recipe
from tests.faults.writers import example_baskets, example_table
from tests.fuzz.spoiling import spoiled
from tests.tally import Tally

CORPUS = Path(__file__).parent / "corpus"
PATIENCE = 20
"""Seconds after which a reader counts as hanging."""

BASKETS = example_baskets()
TABLE = example_table()
POPULATION = population_of(TABLE)


def _columns(path: Path) -> object:
    return tacit.read_table(path).to_polars()


def _with_roles(path: Path) -> object:
    return tacit.read_table(path, quasi=["zip", "sex"], sensitive="illness", nulls="suppress", twins="fold")


def _read(**options: Any) -> Callable[[Path], object]:
    return lambda path: tacit.read_transactions(path, **options)


def _scored(path: Path) -> object:
    return rules_as_published(POPULATION, read_rules(path))


def _negative(path: Path) -> object:
    read_lines(path)
    return add_rules(tacit.mine_negative_rules(TABLE), TABLE, path)


def _hidden(path: Path) -> object:
    from tacit.methods.hide.solve.patterns import read_secret

    return read_secret(path, BASKETS)


def _key(path: Path) -> object:
    path.chmod(0o600)
    return load_key(path)


# The reader, the folder of its corpus, and the name of the file, which says the format.
READERS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "csv": (_columns, "table", "a.csv"),
    "csv with roles": (_with_roles, "table", "a.csv"),
    "tsv": (_columns, "table", "a.tsv"),
    "dat": (_read(), "baskets", "a.dat"),
    "dat, folding twins": (_read(twins="fold"), "baskets", "a.dat"),
    "basket": (_read(), "baskets", "a.basket"),
    "basket with a header": (_read(format="basket", header=True), "baskets", "a.csv"),
    "spmf": (_read(), "spmf", "a.spmf"),
    "long": (_read(record="person", item="product", sensitive="illness"), "long", "a.csv"),
    "jsonl": (_read(), "jsonl", "a.jsonl"),
    "jsonl with a field": (_read(item="items", sensitive="illness"), "jsonl", "a.jsonl"),
    "json table": (_columns, "json", "a.json"),
    "hierarchy": (read_hierarchy, "hierarchy", "a.csv"),
    "rules": (_scored, "rules", "a.txt"),
    "facts": (read_facts, "facts", "a.txt"),
    "negative rules": (_negative, "negative", "a.txt"),
    "patterns": (_hidden, "patterns", "a.txt"),
    "recipe": (open_recipe, "recipe", "a.toml"),
    "key": (_key, "key", "key"),
    "manifest": (
        lambda path: Manifest.from_json(path.read_bytes().decode("utf-8", "replace")),
        "manifest",
        "a",
    ),
}
COMPRESSED = ("csv", "dat", "jsonl", "hierarchy")


def corpus(name: str) -> list[bytes]:
    """The files of a corpus, in a fixed order."""
    if name == "manifest":
        text = tacit.bucketize(TABLE, l=2, key=tacit.Key.from_seed(1)).manifest.to_json()
        return [text.encode()]
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


@contextmanager
def patience() -> Iterator[None]:
    """Fail where the block takes too long."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"no answer within {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def read_in_order(read: Callable[[Path], object], path: Path) -> None:
    """The law: a value, or an error with a code and a sentence that shows nothing of the inside."""
    try:
        with patience():
            read(path)
    except TacitError as error:
        assert error.code and error.message.rstrip()[-1] in ".?!"
        assert "Traceback" not in str(error)
        assert len(str(error)) < 5_000


def fuzz(name: str, count: int, path: Path, tally: Tally, *, pack: Callable[[bytes], bytes] = bytes) -> None:
    read, folder, _ = READERS[name]
    tried = 0

    @seed(count)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(spoiled([pack(content) for content in corpus(folder)]))
    def law(content: bytes) -> None:
        nonlocal tried
        tried += 1
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        read_in_order(read, path)

    try:
        law()
    finally:
        tally("fuzzed inputs", name, tried=tried)


@pytest.mark.parametrize("name", READERS)
def test_every_file_of_the_corpus_is_read(name: str, tmp_path: Path) -> None:
    """So that what is spoiled was something before: at least one file of each corpus is right."""
    read, folder, file = READERS[name]
    accepted = 0
    for content in corpus(folder):
        (tmp_path / file).write_bytes(content)
        try:
            read(tmp_path / file)
            accepted += 1
        except TacitError:
            (tmp_path / file).unlink()
            continue
        (tmp_path / file).unlink()
    assert accepted


@pytest.mark.parametrize("count", [150, pytest.param(5_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", READERS)
def test_spoiled_files(name: str, count: int, tmp_path: Path, tally: Tally) -> None:
    fuzz(name, count, tmp_path / READERS[name][2], tally)


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COMPRESSED)
def test_spoiled_compressed_files(name: str, count: int, tmp_path: Path, tally: Tally) -> None:
    path = tmp_path / f"{READERS[name][2]}.gz"
    fuzz(name, count, path, tally, pack=lambda content: gzip.compress(content, mtime=0))
