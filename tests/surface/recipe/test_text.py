"""Recipes as text: written and read back, and the place of every key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.surface.recipe.load import locate, parse_recipe
from tacit.surface.recipe.model import Recipe
from tacit.surface.recipe.section import KeyPath
from tacit.surface.recipe.text import to_toml
from tests.bad_input.recipes import BASIC, HIDE, RULES, SETS
from tests.strategies.recipes import recipes


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recipes)
def test_what_is_written_is_read_back(recipe: Recipe) -> None:
    text = to_toml(recipe)
    again = parse_recipe(text)
    assert again == recipe
    assert to_toml(again) == text


def test_a_count_stays_a_count_and_a_share_a_share() -> None:
    """1 and 1.0 are equal numbers and different supports."""
    text = (
        'source.path = "b"\n[[release]]\nmethod = "hide"\noutput = "o"\npatterns = ["a"]\nmin_support = {}\n'
    )
    for written, kind in (("1", int), ("1.0", Decimal), ("1e0", Decimal)):
        once = parse_recipe(text.format(written))
        again = parse_recipe(to_toml(once))
        assert type(once.release[0].min_support) is type(again.release[0].min_support) is kind


def paths(values: Any, way: KeyPath = ()) -> Iterator[KeyPath]:
    """Every way to a value that is written down."""
    entries = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in entries:
        yield (*way, key)
        if isinstance(value, dict | list):
            yield from paths(value, (*way, key))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(recipes)
def test_every_key_has_its_place(recipe: Recipe) -> None:
    text = to_toml(recipe)
    found = locate(text).found
    assert set(found) == set(paths(tomllib.loads(text)))
    lines = text.split("\n")
    for way, (line, column) in found.items():
        there = lines[line - 1][column - 1 :]
        if isinstance(way[-1], str) and not there.startswith("["):
            assert way[-1] in tomllib.loads(there.partition(" = ")[0] + " = 0"), way


STRANGE = '''\
a.b."c d" = 1 # a comment = with [signs]
'single' = """
text = "not a key"
[not.a.table]
"""
list = [ 1, # one
  [2, 3], { x = 1, y = { z = "}" } },
  'a]', "b\\"]", ]
[t] # a table
x = \'\'\'
y = 1\'\'\'
[t.u]
x = 2020-01-01T00:00:00Z
[[r]]
x = 1
[[r]]
x = 2
[r.s]
x = 3
[[r.v]]
x = 4
[[r.v]]
x.y.z = 5
'''


def test_places_in_a_strange_text() -> None:
    found = locate(STRANGE).found
    assert set(found) == set(paths(tomllib.loads(STRANGE)))
    lines = STRANGE.split("\n")
    wanted: dict[KeyPath, str] = {
        ("a", "b", "c d"): 'a.b."c d"',
        ("list", 0): "1, # one",
        ("list", 1, 1): "3],",
        ("list", 2, "y", "z"): 'z = "}"',
        ("list", 4): '"b',
        ("t", "x"): "x = '''",
        ("t", "u", "x"): "x = 2020",
        ("r", 1, "x"): "x = 2",
        ("r", 1, "s", "x"): "x = 3",
        ("r", 1, "v", 1, "x", "y"): "x.y.z",
    }
    for way, start in wanted.items():
        line, column = found[way]
        assert lines[line - 1][column - 1 :].startswith(start), way


KEYS = ["a", "b", '"a b"', "'c'", "a.b", "b . a", "d-1", '""', '"x#y"', '"]"', 'a."b.c".d']
VALUES = [
    "1",
    "1.5",
    "true",
    '"x"',
    '"a # b"',
    "'[x'",
    '"""\nk = 1\n"""',
    "'''\n[t]\n'''",
    "[]",
    '[ # c\n 1,\n "]", ]',
    "{}",
    '{ a = 1, b = "}" }',
    '{ a.b = [1, {c = 2}], "x y" = 3 }',
    "2020-01-01",
    "1979-05-27 07:32:00",
    "[[1],[2,[3]]]",
    '"\\"q\\""',
    '""""two quotes"" and more"""',
    "inf",
    "0x1F",
    '"""x\\""" y"""',
    "[{a=1},{b=[{}]}]",
    '"""a""""',
]
signs = st.sampled_from
toml_lines = st.one_of(
    signs(KEYS).map("[{}]  # c".format),
    signs(KEYS).map("[[ {} ]]".format),
    signs(["", "# comment [x] = 1"]),
    st.builds(
        "{}{}{}{}{}".format,
        signs(["", "\t"]),
        signs(KEYS),
        signs(["=", " = "]),
        signs(VALUES),
        signs(["", ' # "']),
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(toml_lines, min_size=1, max_size=8).map("\n".join))
def test_places_in_any_text_that_the_reader_takes(text: str) -> None:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(locate(text).found) == set(paths(values))


PIECES = [
    '"',
    "=",
    "[",
    "]",
    "{",
    "\n",
    "#",
    "'",
    "1",
    "0.5",
    "true",
    ".",
    "é",
    "\\",
    "nan",
    "1e999",
    "2020-01-01",
    '"""',
    "\n[source]\n",
    "\n[[release]]\n",
    "\nlimits = 5\n",
    "\nhierarchies = [1]\n",
    "\nby = 1\n",
    "\x00",
    "",
]


@settings(max_examples=200, deadline=None)
@given(
    signs([BASIC, SETS, HIDE, RULES]), st.lists(st.tuples(st.floats(0, 1), signs([0, 1, 9]), signs(PIECES)))
)
def test_a_damaged_recipe_is_read_or_refused_in_our_words(text: str, damage: list[Any]) -> None:
    for share, length, piece in damage:
        start = int(share * len(text))
        text = text[:start] + piece + text[start + length :]
    try:
        parse_recipe(text)
    except TacitError as error:
        assert error.exit_code in (2, 3) and error.message[0].isupper() | error.message.startswith("[")


def test_a_key_that_is_not_there_is_said_to_be_in_its_table() -> None:
    place = locate("[a]\nb = 1\n", file="r.toml").at(("a", "c", "d"))
    assert (place.file, place.line) == ("r.toml", 1)


CANARY = "canary-7f3a"


@pytest.mark.parametrize(
    "text",
    [
        f'source.path = ["{CANARY}"]\n',
        f'source.path = "a"\n[[release]]\nmethod = "hide"\npatterns = [["{CANARY}"]]\n',
        f'source.path = "a"\nknowledge = "{CANARY}"\n',
        f'source.path = "a"\nrelease = ["{CANARY}"]\n',
        f'source.path = "{CANARY}\n',
        f'source.path = "a"\n[[release]]\nmethod = "bucketize"\nl = "{CANARY}"\noutput = "o"\n',
    ],
)
def test_values_that_may_be_secret_are_not_repeated(text: str) -> None:
    with pytest.raises(TacitError) as caught:
        parse_recipe(text, file="r.toml")
    error: BaseException | None = caught.value
    while error is not None:  # nor do the errors behind it
        assert CANARY not in str(error)
        error = error.__cause__ or error.__context__


def test_all_mistakes_are_counted_and_the_first_is_named() -> None:
    text = 'source.path = "a"\nsource.qasi = []\n[[release]]\nmethod = "bucketize"\nl = 1\noutput = 3\n'
    with pytest.raises(TacitError) as caught:
        parse_recipe(text, file="r.toml")
    assert caught.value.where is not None and caught.value.where.line == 2
    assert caught.value.hint is not None and caught.value.hint.endswith("2 more mistakes follow.")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_of_other_systems(ending: str, mark: str, tmp_path) -> None:
    from tacit.surface.recipe.load import open_recipe

    file = tmp_path / "r.toml"
    text = mark + 'source.path = "a"\n\n[[release]]\nmethod = "bucketize"\nl = 1\noutput = "o"\n'
    file.write_bytes(text.replace("\n", ending).encode())
    with pytest.raises(TacitError) as caught:
        open_recipe(file)
    assert caught.value.where is not None and caught.value.where.line == 5
