"""Each text format of transactions, against a slow obvious reader and case by case."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.transactions import Transactions
from tacit.errors import InputError, TacitError, UsageError
from tacit.io.readers.transactions import read_transactions
from tacit.surface.cli.flags import DataFlags
from tacit.surface.reading import is_transactions
from tests.oracles import transactions as oracle

SETTINGS = settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read(tmp_path: Path, content: str | bytes, name: str = "x.dat", **options: object) -> Transactions:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_transactions(path, **options)


def sets(records: list[list[str]]) -> list[frozenset[str]]:
    return [frozenset(record) for record in records]


@SETTINGS
@given(st.text(st.sampled_from("10a- \t\r\né"), max_size=60))
def test_fimi_is_split_as_the_definition_says(tmp_path: Path, text: str) -> None:
    expected = oracle.fimi(text)
    if not any(expected):
        with pytest.raises(InputError) as caught:
            read(tmp_path, text)
        assert caught.value.code in ("empty-file", "no-items")
        return
    found = read(tmp_path, text)
    assert found.sets() == sets(expected)
    assert found.format == "dat"


@SETTINGS
@given(st.text(st.sampled_from('a1, "\t\n\r;é'), max_size=40))
def test_baskets_are_split_as_csv(tmp_path: Path, text: str) -> None:
    expected = oracle.baskets(text)
    try:
        found = read(tmp_path, text, "x.basket", twins="keep", delimiter=",").sets()
    except InputError as error:
        assert expected is None or error.code in ("empty-file", "no-items", "empty-item", "csv-delimiter")
        assert error.code != "empty-item" or any(not name.strip() for row in expected or [] for name in row)
        assert (error.code in ("csv-open-quote", "csv-stray-quote")) == (expected is None)
        assert (error.code in ("empty-file", "no-items")) == (expected is not None and not any(expected))
        return
    assert expected is not None
    assert found == sets(expected)


@SETTINGS
@given(
    st.lists(
        st.one_of(
            st.lists(st.text(max_size=5)),
            st.lists(st.integers(-5, 10**20)),
            st.fixed_dictionaries(
                {"id": st.text(max_size=3), "items": st.lists(st.text(min_size=1, max_size=5))}
            ),
        ),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_json_lines_are_read_as_the_standard_library_does(
    tmp_path: Path, rows: list[object], ascii_only: bool
) -> None:
    text = "\n".join(json.dumps(row, ensure_ascii=ascii_only) for row in rows)
    expected = oracle.json_lines(text)
    try:
        found = read(tmp_path, text, "x.jsonl", twins="keep")
    except InputError as error:
        names = [name for record in expected for name in record]
        allowed = {
            "no-items": not names,
            "empty-item": any(not name.strip() for name in names),
            "json-two-kinds": any(name.lstrip("-").isdigit() for name in names),
            "text-nul": "\0" in "".join(names),
        }
        assert allowed.get(error.code, False)
        return
    assert found.sets() == sets(expected)


JSON_TEXT = st.text(st.sampled_from('[]{}",:0123.eE-+\\untrfalsd '), max_size=14)


@SETTINGS
@given(st.one_of(JSON_TEXT, JSON_TEXT.map(lambda text: f'{{"items": [], "x": {text}}}')))
def test_what_is_not_json_is_refused_and_what_is_json_is_not_called_malformed(
    tmp_path: Path, text: str
) -> None:
    try:
        parsed = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    except json.JSONDecodeError:
        parsed = None
    try:
        read(tmp_path, text + "\n", "x.jsonl")
    except InputError as error:
        malformed = error.code == "json-malformed"
        assert malformed == (not isinstance(parsed, list | dict))


def test_line_ends_are_all_accepted(tmp_path: Path) -> None:
    assert read(tmp_path, "1 2\r\n3\r4\n\n5").sets() == sets([["1", "2"], ["3"], ["4"], [], ["5"]])


def test_a_trailing_line_end_is_no_transaction_and_an_empty_line_is(tmp_path: Path) -> None:
    assert len(read(tmp_path, "1\n")) == 1
    found = read(tmp_path, "1\n\n")
    assert len(found) == 2
    assert found.notes == ("1 transaction is empty and kept.",)


def test_two_spellings_of_a_number_are_two_items_with_a_note(tmp_path: Path) -> None:
    found = read(tmp_path, "1 01\n")
    assert found.vocabulary == ("01", "1")
    assert any("'01', '1'" in note for note in found.notes)


def test_items_are_numbered_by_size_where_all_are_whole_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, "10 9 100000000000000000000\n").vocabulary == ("9", "10", "100000000000000000000")
    assert read(tmp_path, "10 9 a\n").vocabulary == ("10", "9", "a")


def test_negative_numbers_in_fimi_are_names_with_a_note(tmp_path: Path) -> None:
    found = read(tmp_path, "3 -1 -2\n")
    assert found.vocabulary == ("-1", "-2", "3")
    assert any("sequences" in note for note in found.notes)


@pytest.mark.ci
def test_a_transaction_longer_than_any_block(tmp_path: Path) -> None:
    numbers = list(range(1_000_000))
    found = read(tmp_path, "5\n" + " ".join(map(str, reversed(numbers))) + "\n7 5\n")
    assert found.lengths.tolist() == [1, 1_000_000, 2]
    assert found.items[1:1_000_001].tolist() == numbers
    as_json = read(tmp_path, '["5"]\n' + json.dumps(list(map(str, numbers[:50_000]))) + "\n[]\n", "x.jsonl")
    assert as_json.lengths.tolist() == [1, 50_000, 0]


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_files(tmp_path: Path, pack: object) -> None:
    found = read(tmp_path, pack(b"1 2\n2\n"), "x.dat.gz" if pack is gzip.compress else "x.dat.zst")  # type: ignore[operator]
    assert found.sets() == sets([["1", "2"], ["2"]])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 2\n")))
    assert read_transactions("-", format="dat").sets() == sets([["1", "2"]])
    with pytest.raises(UsageError, match="Name the format"):
        read_transactions("-")


def test_spmf_names_and_remarks(tmp_path: Path) -> None:
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple pie\n@ITEM=2=a=b\n% remark\n1 2\n#1 2\n\n3\n"
    assert read(tmp_path, text, "x.spmf").sets() == sets([["apple pie", "a=b"], [], ["3"]])


def test_a_remark_between_two_line_ends_leaves_both(tmp_path: Path) -> None:
    text = "1\r# remark\n2\n% at the end"
    assert read(tmp_path, text, "x.spmf").sets() == sets([["1"], ["2"]])


def test_a_basket_header_is_skipped_on_request(tmp_path: Path) -> None:
    assert read(tmp_path, "items\na,b\n", "x.csv", header=True).sets() == sets([["a", "b"]])
    assert len(read(tmp_path, "items\na,b\n", "x.csv")) == 2


def test_basket_cells_with_quotes_delimiters_and_line_ends(tmp_path: Path) -> None:
    found = read(tmp_path, '"a,b", c ,"d ""e"""\n,,\n"x\ny",c\n', "x.basket")
    assert found.sets() == sets([["a,b", "c", 'd "e"'], [], ["x\ny", "c"]])


@pytest.mark.parametrize(("name", "delimiter"), [("x.basket", ";"), ("x.basket", "|"), ("x.basket", " ")])
def test_other_delimiters(tmp_path: Path, name: str, delimiter: str) -> None:
    text = f"a{delimiter}b\nb\n"
    assert read(tmp_path, text, name, delimiter=delimiter).sets() == sets([["a", "b"], ["b"]])
    assert read(tmp_path, "a\tb\n", "x.tsv").sets() == sets([["a", "b"]])


def test_the_sensitive_field_of_json_objects(tmp_path: Path) -> None:
    lines = (
        '{"items": ["a"], "größe": "x"}',
        '{"gr\\u00f6\\u00dfe": null, "items": []}',
        '{"gr\\u00F6\\u00DFe": 3, "items": ["b"]}',
    )
    text = "\n".join(lines)
    found = read(tmp_path, text, "x.jsonl", sensitive="größe")
    assert found.sensitive is not None
    assert found.sensitive.to_series().to_list() == ["x", None, "3"]
    assert read(tmp_path, '{"basket": ["a"]}', "x.jsonl", item="basket").sets() == sets([["a"]])


def test_twins_are_refused_folded_or_kept(tmp_path: Path) -> None:
    text = "Milk milk\nmilk\n"
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.code == "text-case-twins"
    assert caught.value.where is not None
    assert caught.value.where.line == 1
    assert read(tmp_path, text, twins="keep").vocabulary == ("Milk", "milk")
    folded = read(tmp_path, text, twins="fold")
    assert folded.vocabulary == ("milk",)
    assert folded.lengths.tolist() == [1, 1]


def test_a_header_is_no_twin(tmp_path: Path) -> None:
    assert read(tmp_path, "Milk\nmilk,bread\n", "x.csv", header=True).vocabulary == ("bread", "milk")


def test_multisets(tmp_path: Path) -> None:
    assert read(tmp_path, "milk milk bread\nmilk\n", multiset=True).sets() == sets(
        [["milk×2", "bread"], ["milk"]]
    )


def test_a_hierarchy_must_have_a_leaf_for_every_item(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("child,parent\n1,odd\n3,odd\n2,even\nodd,all\neven,all\n")
    assert read(tmp_path, "1 2\n", hierarchy=tmp_path / "h.csv").hierarchy is not None
    with pytest.raises(InputError) as caught:
        read(tmp_path, "1 4\n", hierarchy=tmp_path / "h.csv")
    assert caught.value.code == "hierarchy-missing-leaf"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"record": "r", "format": "dat"}, "option-format"),
        ({"sensitive": "s"}, "option-format"),
        ({"delimiter": ","}, "option-format"),
        ({"header": True}, "option-format"),
        ({"twins": "merge"}, "parameter-range"),
        ({"format": "xml"}, "parameter-range"),
        ({"format": "basket", "delimiter": '"'}, "parameter-range"),
        ({"format": "basket", "delimiter": "é"}, "parameter-range"),
        ({"encoding": "klingon"}, "unknown-encoding"),
    ],
)
def test_options_out_of_place(tmp_path: Path, options: dict[str, object], code: str) -> None:
    with pytest.raises(TacitError) as caught:
        read(tmp_path, "1 2\n", **options)
    assert caught.value.code == code
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("file", "records", "items", "longest"),
    [
        ("BMS-WebView-1.dat", 59_602, 497, 267),
        ("BMS-WebView-2.dat", 77_512, 3_340, 161),
        ("T10I4D100K.dat", 100_000, 870, 29),
        ("groceries/Groceries.dat", 9_835, 169, 32),
    ],
)
def test_public_data_have_the_counts_they_are_known_by(
    public_data: Path, file: str, records: int, items: int, longest: int
) -> None:
    found = read_transactions(public_data / file)
    assert (len(found), found.n_items, int(found.lengths.max())) == (records, items, longest)


def test_a_text_file_is_known_by_its_lines(tmp_path: Path) -> None:
    sets, towns = tmp_path / "clicks.txt", tmp_path / "towns.txt"
    sets.write_text("1 5 9\n5\n1 9\n2 3 5 9\n")
    towns.write_text("town\nNew York\nBoston\nBoston\n")
    assert len(read_transactions(sets)) == 4
    flags = DataFlags()
    assert is_transactions(str(sets), flags)
    assert not is_transactions(str(towns), flags)
    assert not is_transactions(str(tmp_path / "nowhere.txt"), flags)
    with pytest.raises(UsageError, match="does not tell how its transactions are laid out"):
        read_transactions(towns)


def test_a_hierarchy_of_spmf_items_may_name_them_or_number_them(tmp_path: Path) -> None:
    path = tmp_path / "x.spmf"
    path.write_text("@ITEM=1=apple\n@ITEM=2=beer, dark\n1 2\n2\n1\n")
    for leaves in (("1", "2"), ("apple", "beer, dark")):
        tree = tmp_path / "tree.csv"
        tree.write_text("".join(f'"{leaf}";group{place};*\n' for place, leaf in enumerate(leaves)))
        transactions = tacit.read_transactions(path, hierarchy=tree)
        assert transactions.vocabulary == ("apple", "beer, dark")
        assert transactions.hierarchy is not None
        assert set(transactions.vocabulary) < set(transactions.hierarchy.labels)
