"""The verifier's readers: plain text in, texts out, and a refusal where the file is not plain."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit_verify import reading
from tacit_verify.reading import (
    Unreadable,
    agrees,
    apart,
    check_order,
    count_sets,
    header,
    repeated,
    rows,
    transactions,
)

CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\ufeff"), max_size=6)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(st.none() | CELLS, min_size=width, max_size=width).map(tuple), max_size=8)
)


def _written(cell: str | None) -> str:
    """A cell as CSV: quoted where it must be, and where it is empty without being missing."""
    if cell is None:
        return ""
    plain = cell and not set(cell) & set('",\r\n')
    return cell if plain else '"' + cell.replace('"', '""') + '"'


@given(TABLES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_rows_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[str | None, ...]], ending: str
) -> None:
    """Every cell comes back, and a missing one is told from an empty text."""
    names = [f"column {place}" for place in range(len(table[0]) if table else 2)]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in [names, *table]:
            file.write(",".join(map(_written, row)) + ending)
    assert list(rows(path, names)) == table
    assert [row[0] for row in rows(path, names[-1:])] == [row[-1] for row in table]


@given(st.data(), TABLES, st.integers(0, 3), st.none() | st.sampled_from('",\r\n0 \ufeff_'))
def test_tables_are_cut_beside_a_number_as_their_rows_are_read(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    table: list[tuple[str | None, ...]],
    place: int,
    strange: str | None,
) -> None:
    """Cut or read cell by cell, the rows are the same, and refused alike where a sign is put among them."""
    names = [f"column {at}" for at in range(len(table[0]) if table else 2)]
    names.insert(place, "group")
    place = names.index("group")
    numbers = [
        data.draw(st.integers(-1, 12)) for _ in table
    ] * 2  # the rows twice: what is alike is made once
    lines = [[*row[:place], str(n), *row[place:]] for row, n in zip(table * 2, numbers, strict=True)]
    text = "".join(",".join(map(_written, line)) + "\n" for line in lines)
    if strange is not None:
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + strange + text[at:]
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes((",".join(names) + "\n" + text).encode())
    try:
        wanted = [
            (int(row[place] or ""), row[:place] + row[place + 1 :]) for row in _plain(path, names, place)
        ]
    except ValueError:
        with pytest.raises(Unreadable):
            list(apart(path, names, place, tuple))
    else:
        assert list(apart(path, names, place, tuple)) == wanted


def _plain(path: Path, names: list[str], place: int) -> list[tuple[str | None, ...]]:
    """The rows of a published table, with plain numbers in one column."""
    found = list(rows(path, names, published=True))
    if any(str(int(row[place] or "")) != row[place] for row in found):
        raise ValueError
    return found


def test_columns_are_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\ufeffzip,age\n1,2\n3,4\n", encoding="utf-8")
    assert list(rows(tmp_path / "t.csv", ["age", "zip"])) == [("2", "1"), ("4", "3")]
    (tmp_path / "u.csv").write_text("zip,age\n")
    assert header(tmp_path / "u.csv") == ("zip", "age")
    assert list(rows(tmp_path / "u.csv", ["age"])) == []
    (tmp_path / "v.csv").write_text('zip,age\n"1\n\n""2""",3\n,""\n')
    assert list(rows(tmp_path / "v.csv", ["zip", "age"])) == [('1\n\n"2"', "3"), (None, "")]


@pytest.mark.parametrize(
    "text",
    [
        *("zip,age\n1\n", "zip,age\n1,2,3\n", "zip,zip\n1,2\n", "zip\n1\n", "", 'zip,age\n"1,2\n'),
        *('zip,age\n"1"0,2\n', 'zip,age\n1"0","2\n', "zip,age\n1,2\n\n3,4\n", b"zip,age\n1,\xff\n"),
    ],
)
def test_a_table_that_is_not_one_is_refused(text: str | bytes, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(Unreadable):
        list(rows(tmp_path / "t.csv", ["zip", "age"]))


def test_a_quote_that_is_never_closed_is_refused_at_once(tmp_path: Path) -> None:
    """In time that grows with the file, and not with its square."""
    (tmp_path / "t.csv").write_text('zip,age\n"1,2\n' + "13053,some disease of the heart\n" * 30_000)
    before = time.process_time()
    with pytest.raises(Unreadable, match="not closed"):
        list(rows(tmp_path / "t.csv", ["zip", "age"]))
    assert time.process_time() - before < 1


def test_transactions_keep_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "t.dat").write_text("1 2 3\n\n7\n")
    assert list(transactions(tmp_path / "t.dat")) == [["1", "2", "3"], [], ["7"]]


def test_only_spaces_and_tabs_part_the_items_of_a_line(tmp_path: Path) -> None:
    """As in the toolkit: a name may hold a no-break space, or another character that is white in print."""
    (tmp_path / "t.dat").write_text(
        " milk\u00a0rice  tea\t\u3000\r\na\x0bb\x1c\x85", encoding="utf-8", newline=""
    )
    assert list(transactions(tmp_path / "t.dat")) == [["milk\u00a0rice", "tea", "\u3000"], ["a\x0bb\x1c\x85"]]


def test_order() -> None:
    assert check_order("t", []).ok
    assert check_order("t", [("a", "b"), ("a", "b"), ("a", "c"), ("b", "a")]).ok
    assert check_order("t", [["10"], ["9"]]).ok  # by text, not by number
    assert not check_order("t", [["9"], ["10"]]).ok
    assert not check_order("t", [("a", "c"), ("a", "b")]).ok


def test_a_name_that_says_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("1 2\n")
    with pytest.raises(Unreadable, match=r"does not end in \.dat"):
        list(transactions(tmp_path / "t.txt"))
    (tmp_path / "t.jsonl").write_text('{"goods": ["1"]}\n')
    with pytest.raises(Unreadable):
        list(transactions(tmp_path / "t.jsonl"))


EMPTY_OR_QUOTED = ["a,,b", 'a,""', ",", '""', 'a,"b"']
UNQUOTED = ["a,b c,d\r", "a\rb", "a;b", "b,a|b", "a\tb", " a", "a, b", "a ,b", "a "]


@pytest.mark.parametrize("line", EMPTY_OR_QUOTED + UNQUOTED)
def test_published_baskets_are_written_in_one_way(line: str, tmp_path: Path) -> None:
    """An empty item, or quotes that need not be, would say something that is no item; an original may."""
    (tmp_path / "t.csv").write_text(f'a,b\n\n"c,d"\n{line}\n', newline="")
    assert list(transactions(tmp_path / "t.csv"))[:3] == [["a", "b"], [], ["c,d"]]
    with pytest.raises(Unreadable):
        list(transactions(tmp_path / "t.csv", published=True))
    (tmp_path / "t.csv").write_text('a,b\n\n"c,d"\n')
    assert list(transactions(tmp_path / "t.csv", published=True)) == [["a", "b"], [], ["c,d"]]


@pytest.mark.parametrize("name", ["t.dat", "t.csv"])
def test_parts_of_a_file_show_every_line_once_and_every_step_of_the_order(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "AT_ONCE", 3)
    file, seeded = tmp_path / name, random.Random(4)
    for _ in range(200):
        lines = sorted(seeded.choices("abcdefghijkl", k=seeded.randint(1, 30)))
        if name == "t.csv":
            lines = ['"\n\n"' if line == "a" else line for line in lines]
        in_order = seeded.random() < 0.3
        if not in_order:
            at = seeded.randrange(len(lines))
            lines[at:] = [*lines[at + 1 :], lines[at]]
            in_order = lines == sorted(lines)
        file.write_text("".join(line + "\n" for line in lines))
        parts = seeded.randint(1, 4)
        found = [list(repeated(file, (part, parts), published=True)) for part in range(parts)]
        held = Counter(item for some in found for (item,), times in some for _ in range(times))
        assert held == Counter(line.strip('"') for line in lines)
        steps = {(one, other) for some in found for ((one,), _), ((other,), _) in pairwise(some)}
        assert all(
            (one.strip('"'), other.strip('"')) in steps for one, other in pairwise(lines) if one != other
        )
        names, _, _, (sets, order) = count_sets(file, {})
        assert (names, sets.ok, order.ok) == (held, True, in_order)


def test_the_transaction_that_is_out_of_order_is_named(tmp_path: Path) -> None:
    file = tmp_path / "transactions.dat"
    file.write_text("1 2\n1 2\n2 10\n10 2\n1\n")
    sets, order = reading.count_sets(file, {})[3]
    assert (sets.ok, order.ok) == (False, False)
    assert "transaction 4 is not a set in order" in sets.detail
    assert "number 4 sorts before the one above it" in order.detail


def test_a_quote_is_a_letter_where_there_are_no_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.dat"
    path.write_text('a "x\nb\n')
    assert [*transactions(path)] == [["a", '"x'], ["b"]]


@pytest.mark.parametrize(
    ("stated", "counted", "may_be"),
    [
        (1234, 1234, True),
        (1200, 1234, True),  # two digits
        (1300, 1234, True),  # up, to as many tens as leave two digits
        (1240, 1234, False),
        (20, 12, True),
        (0.12, 0.1234, True),
        (0.13, 0.1234, True),  # percents, up
        (0.14, 0.1234, False),
        (0.07, 0.07, True),
        (0.08, 0.07, False),
        (0, 0, True),
        (1, 0, False),
        (True, 1, False),
        ("1", 1, False),
        (None, 0, False),
    ],
)
def test_a_figure_is_what_was_counted_or_on_a_grid(stated: object, counted: float, may_be: bool) -> None:
    assert agrees(stated, counted) is may_be
