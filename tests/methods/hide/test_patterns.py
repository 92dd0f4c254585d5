"""Secrets as people write them, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit
from tacit.data.transactions import transactions_from_sets
from tacit.errors import InputError
from tacit.methods.hide.solve.patterns import Secret, SecretRule, read_secret

BASKETS = transactions_from_sets([{"beer", "chips", "whole milk"}, {"beer", "7"}, {"chips"}])
# 0: "7", 1: "beer", 2: "chips", 3: "whole milk"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([{"beer", "chips"}], Secret(((1, 2),))),
        ([["chips", "beer"], ("beer", "chips")], Secret(((1, 2),))),
        (["beer, whole milk"], Secret(((1, 3),))),
        (["beer chips"], Secret(((1, 2),))),
        (["whole milk"], Secret(((3,),))),
        (["7"], Secret(((0,),))),
        ([{7, "beer"}], Secret(((0, 1),))),
        (["beer, chips => whole milk"], Secret((), (SecretRule((1, 2), (3,)),))),
        (["beer ⇒ chips"], Secret((), (SecretRule((1,), (2,)),))),
        ([({"beer"}, {"chips"})], Secret((), (SecretRule((1,), (2,)),))),
    ],
)
def test_what_is_understood(given: list[object], wanted: Secret) -> None:
    assert read_secret(given, BASKETS) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('"wine, red", cheese', Secret(((2, 3),))),
        (' cheese ,"wine, red" ', Secret(((2, 3),))),
        ('"wine, red" => cheese', Secret((), (SecretRule((3,), (2,)),))),
        ('"12"" pizza, large"', Secret(((0,),))),
        ('5" pipe, cheese,', Secret(((1, 2),))),
        ('"cheese"', Secret(((2,),))),
        ('"cheese" "wine, red"', Secret(((2, 3),))),
        ('"cheese"=>"5"" pipe"', Secret((), (SecretRule((2,), (1,)),))),
    ],
)
def test_an_item_that_holds_a_comma_stands_in_quotes(line: str, wanted: Secret) -> None:
    baskets = transactions_from_sets([{'12" pizza, large', '5" pipe', "cheese", "wine, red"}])
    assert read_secret([line], baskets) == wanted
    with pytest.raises(InputError, match="No transaction holds 'wine', 'red'"):
        read_secret(["wine, red"], baskets)


def test_what_looks_like_syntax_may_be_in_a_name() -> None:
    baskets = transactions_from_sets([{'5" pipe', '6" pipe', "a=>b", "sex=male", "age 30"}])
    names = baskets.vocabulary

    def read(line: str) -> set[str]:
        secret = read_secret([line], baskets)
        return {
            names[code] for one in (*secret.patterns, *(rule.items for rule in secret.rules)) for code in one
        }

    assert read('5" pipe, 6" pipe') == {'5" pipe', '6" pipe'}
    assert read('"a=>b", sex=male') == {"a=>b", "sex=male"}
    assert read('"sex=male" => "age 30"') == {"sex=male", "age 30"}
    assert read("age 30") == read('"age 30"') == {"age 30"}


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("﻿# for the board only\nbeer, chips\n\n  # not this\nbeer => whole milk\nbeer chips\n")
    assert read_secret(path, BASKETS) == Secret(((1, 2),), (SecretRule((1,), (3,)),))


def test_mined_patterns_and_rules() -> None:
    itemsets = tacit.mine_itemsets(BASKETS, min_support=1, min_length=2)
    rules = tacit.mine_rules(BASKETS, min_support=1, min_confidence=0.9)
    secret = read_secret([itemsets[0], next(iter(rules))], BASKETS)
    assert (len(secret.patterns), len(secret.rules)) == (1, 1)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([], "pattern-malformed"),
        ("beer, chips", "pattern-malformed"),
        ([set()], "pattern-empty"),
        (["beer => "], "pattern-empty"),
        ([17], "pattern-malformed"),
        ([{"bear"}], "unknown-item"),
        (["beer => beer"], "rule-sides"),
    ],
)
def test_what_is_refused(given: object, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_secret(given, BASKETS)
    assert caught.value.code == code


def test_a_bad_line_is_named_and_a_missing_file_too(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text("beer, chips\nbeer, bear\n")
    with pytest.raises(InputError) as caught:
        read_secret(path, BASKETS)
    assert caught.value.where is not None
    assert caught.value.where.line == 2
    with pytest.raises(InputError) as caught:
        read_secret(tmp_path / "none.txt", BASKETS)
    assert caught.value.code == "patterns-unreadable"
