"""Tables of JSON: an object a line, or all in one array."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.surface.reading import is_transactions

LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)
CELLS = st.none() | st.booleans() | st.integers() | LETTERS
ROWS = st.lists(st.dictionaries(st.sampled_from("abc"), CELLS, min_size=1), min_size=1, max_size=8)


@given(ROWS, st.booleans(), st.booleans())
def test_every_cell_is_the_text_that_stands_there(tmp_path_factory, rows, whole, escaped) -> None:
    file = tmp_path_factory.mktemp("json") / "people.json"
    texts = [json.dumps(row, ensure_ascii=escaped) for row in rows]
    file.write_text(f"[{', '.join(texts)}]" if whole else "\n".join(texts), encoding="utf-8", newline="")
    read = tacit.read_table(file, recognize=False, twins="keep").to_polars()
    assert sorted(read.columns) == sorted({name for row in rows for name in row})
    for row, found in zip(rows, read.to_dicts(), strict=True):
        for name, cell in found.items():
            value = row.get(name)
            assert cell == (value if isinstance(value, str | None) else json.dumps(value))


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('{"a": [1]}', "json-nested", 1),
        ('{"a": 1}\n{"a": {"b": 1}}', "json-nested", 2),
        ('{"a": 1, "a": 2}', "json-field-twice", 1),
        ('{"a": 1}\n[2]', "json-malformed", 2),
        ('{"a": 1}\n\n{"a": 1}', "json-malformed", 2),
        ('[{"a": 1},\n{"b" 2}]', "json-malformed", None),
        ('[{"a": 1}, 3]', "json-malformed", None),
        ('{"a": "\\ud800"}', "text-surrogate", 1),
        ('{"a": "x\\u0000"}', "text-nul", 1),
        ('{"a": NaN}', "json-malformed", 1),
        ("a,b\n1,2\n", "file-format", None),
        ("{}", "no-rows", None),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(
    text: str, code: str, line: int | None, tmp_path: Path
) -> None:
    file = tmp_path / "people.json"
    file.write_text(text)
    with pytest.raises(tacit.TacitError) as caught:
        tacit.read_table(file)
    assert (caught.value.code, caught.value.where and caught.value.where.line) == (code, line)


@pytest.mark.parametrize("suffix", ["json", "jsonl", "ndjson"])
def test_what_is_written_is_read_again(suffix: str, tmp_path: Path) -> None:
    table = tacit.read_table("sample:hospital")
    file, packed = tmp_path / f"people.{suffix}", tmp_path / f"packed.{suffix}.gz"
    tacit.write_table(table, file)
    packed.write_bytes(gzip.compress(file.read_bytes()))
    for each in (file, packed):
        assert tacit.read_table(each).to_polars().equals(table.to_polars().cast(pl.String))
        assert not is_transactions(str(each))


@pytest.mark.parametrize("text", ['["a", "b"]\n', '{"items": ["a"]}\n', '{"day": "x", "items": []}\n'])
def test_lines_of_items_are_transactions(text: str, tmp_path: Path) -> None:
    file = tmp_path / "baskets.jsonl"
    file.write_text(text)
    assert is_transactions(str(file))


def test_a_table_of_json_holds_no_transactions(tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text('{"age": 88, "told": "[nothing]"}\n')
    assert not is_transactions(str(file))
    with pytest.raises(tacit.InputError, match="a table is read with its columns named"):
        tacit.read_transactions(file)


def test_a_table_of_json_is_released_like_one_of_text(tmp_path: Path) -> None:
    table = tacit.read_table("sample:hospital")
    released = []
    for name in ("people.csv", "people.jsonl"):
        tacit.write_table(table, tmp_path / name)
        read = tacit.read_table(tmp_path / name, quasi="zip, age, sex", sensitive="disease")
        release = tacit.generalize(read, k=5)
        release.save(tmp_path / "out", overwrite=True, acknowledge_composition=True, reason="the same people")
        checks = tacit.verify(tmp_path / "out", original=tmp_path / name).checks
        assert [check for check in checks if check.verdict == "broken"] == []
        released.append(release.table)
    assert released[0].equals(released[1])
