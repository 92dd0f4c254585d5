"""What data nobody had developed with showed: each defect by the smallest case that has it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.data.table import table_from_frame
from tacit.errors import InfeasibleError
from tacit.judging.profile import profile_table
from tacit.random.key import Key
from tacit.surface.cli import main


def values_by_chance(n_rows: int = 2400, towns: int = 40) -> pl.DataFrame:
    """Values that have nothing to do with towns, each of which lacks some of them all the same."""
    generator = np.random.default_rng(7)
    shares = np.array([0.2, 0.2, 0.15, 0.15, 0.1, 0.06, 0.05, 0.04, 0.03, 0.02])
    return pl.DataFrame(
        {
            "town": generator.choice([f"t{number}" for number in range(towns)], n_rows),
            "sex": generator.choice(["f", "m"], n_rows),
            "disease": generator.choice([f"d{number}" for number in range(10)], n_rows, p=shares),
            "job": generator.choice([f"j{number}" for number in range(12)], n_rows),
        }
    )


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    return values_by_chance()


def test_a_refusal_over_chance_rules_names_the_correction() -> None:
    rare = values_by_chance(1600, 80).filter(pl.col("disease").is_in(["d0", "d1", "d2", "d3", "d4"]))
    with pytest.raises(InfeasibleError) as refused:
        tacit.bucketize(rare, quasi=["town", "sex"], sensitive="disease", l=5, key=Key.from_seed(1))
    assert "correction='alike'" in str(refused.value.hint)
    assert "ℓ = 5 is feasible" in str(refused.value.hint)


def test_the_manifest_lists_as_many_rules_as_it_says(people: pl.DataFrame) -> None:
    made = tacit.bucketize(people, quasi=["town", "sex"], sensitive="disease", l=3, key=Key.from_seed(1))
    listed = made.manifest.reader["rules"]
    assert listed
    assert f"the {len(listed)} stated rules" in made.manifest.reader_words


def test_with_two_sensitive_columns_hardly_a_row_is_above_one_in_l(people: pl.DataFrame) -> None:
    """Nobody is bound by a rule here, so that buckets can be as even as Anatomy's."""
    made = tacit.bucketize(
        people,
        quasi=["sex"],
        sensitive=["disease", "job"],
        l=4,
        key=Key.from_seed(1),
    )
    assert made.figures["risks"]["posterior"]["above"] <= 0.01


def test_frequent_items_that_vanish_are_counted() -> None:
    """Every a and b stand together, so that one of them goes with the pair."""
    baskets = [{"a", "b"}] * 6 + [{"c"}] * 6
    made = tacit.hide(baskets, patterns=[{"a", "b"}], min_support=6, key=Key.from_seed(1))
    assert (made.utility().items, made.utility().items_lost) == (3, 1)


def test_the_time_of_the_whole_command_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "people.csv"
    values_by_chance(300, 5).write_csv(table)
    command = ["generalize", str(table), "--quasi", "town,sex", "-k", "3", "--drop", "job,disease"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["seconds_in_all"] >= told["seconds"]
    assert main(command) == 0
    assert " s in all." in capsys.readouterr().out


def test_amounts_and_constants_identify_nobody() -> None:
    generator = np.random.default_rng(3)
    survey = pl.DataFrame(
        {
            "sampling_weight": ["1.0"] * 200,
            "expend": [f"{amount:.2f}" for amount in generator.gamma(2.0, 900.0, 200)],
            "region": generator.choice(["n", "s", "e", "w"], 200),
        }
    )
    roles = {column.name: column.role for column in profile_table(table_from_frame(survey)).columns}
    assert roles["sampling_weight"] == "none"
    assert roles["expend"] != "identifier"


def test_lines_of_items_in_a_text_file_are_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "baskets.txt").write_text("beer chips\nbeer\nbeer chips milk\nmilk\n" * 5)
    assert main(["profile", str(tmp_path / "baskets.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["transactions"] == 20


@pytest.mark.parametrize(
    ("record", "item"),
    [
        ("order", "product"),
        ("Bestellnr.", "Artikelbezeichnung"),
        ("Rechnungsnummer", "Produktname"),
        ("Bon", "Ware"),
        ("InvoiceNo", "Description"),
    ],
)
@pytest.mark.parametrize("sign", [",", ";"])
def test_a_list_of_orders_is_read_as_sets(tmp_path: Path, sign: str, record: str, item: str) -> None:
    lines = [(order, what) for order in range(20) for what in ("beer", "chips", f"milk {order % 4}")]
    text = "".join(f"{order}{sign}{what}\n" for order, what in [(record, item), *lines])
    (tmp_path / "orders.csv").write_text(text)
    found = tacit.read_transactions(tmp_path / "orders.csv")
    assert (len(found), len(found.vocabulary)) == (20, 6)
    assert "an item a line" in found.notes[0] and repr(record) in found.notes[0]
    said_otherwise = tacit.read_transactions(tmp_path / "orders.csv", format="basket")
    assert len(said_otherwise) == 61
    (tmp_path / "baskets.csv").write_text("beer,chips\nbeer,milk\nchips,milk\n" * 9)
    assert len(tacit.read_transactions(tmp_path / "baskets.csv")) == 27


def test_a_release_of_such_a_list_is_verified_with_it(tmp_path: Path) -> None:
    lines = "".join(f"{order},{what}\n" for order in range(20) for what in ("beer", f"milk {order % 4}"))
    (tmp_path / "orders.csv").write_text(f"order,product\n{lines}")
    (tmp_path / "tree.csv").write_text("beer;drinks;*\n" + "".join(f"milk {n};milk;*\n" for n in range(4)))
    baskets = tacit.read_transactions(tmp_path / "orders.csv", hierarchy=tmp_path / "tree.csv")
    tacit.generalize(baskets, k=6, m=1).save(tmp_path / "out", accept_weak=True)
    assert tacit.verify(tmp_path / "out", original=tmp_path / "orders.csv").verdict == "kept"


def orders(number: int) -> list[tuple[int, str]]:
    return [(order, what) for order in range(number) for what in ("beer", f"milk {order % 4}", "chips")]


ONCE = [(order, f"once {order}") for order in range(9000)]  # more than the beginning that is looked at


@pytest.mark.parametrize(
    ("title", "lines"), [("", orders(30)), ("Orders of May,,\n", orders(30)), ("", ONCE + orders(9000))]
)
def test_a_list_is_known_by_command_recipe_and_library_alike(
    title: str, lines: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(f"{title}order,product,town\n" + "".join(f"{order},{what},x\n" for order, what in lines))
    wanted = f"{len({order for order, _ in lines}):,} transactions"
    asked = 'method = "generalize"\nk = 2\nm = 1\npropose = true\noutput = "out"\n'
    (tmp_path / "recipe.toml").write_text(f'[source]\npath = "orders.csv"\n\n[[release]]\n{asked}')
    by_command = ["generalize", str(file), "-k", "2", "-m", "1", "--propose", "--dry-run"]
    for command in (by_command, ["run", str(tmp_path / "recipe.toml"), "--dry-run"]):
        assert main(command) == 0
        told = capsys.readouterr()
        assert wanted in told.out and "an item a line" in told.err
    found = tacit.read_transactions(file)
    assert f"{len(found):,} transactions" == wanted and "an item a line" in found.notes[0]


def test_generalize_of_such_a_list_by_its_name(tmp_path: Path) -> None:
    lines = "".join(f"{order},{what}\n" for order in range(20) for what in ("beer", f"milk {order % 4}"))
    (tmp_path / "orders.csv").write_text(f"order,product\n{lines}")
    assert tacit.generalize(tmp_path / "orders.csv", k=5, m=2, propose=True).manifest.promise["m"] == 2
    for sample, unused in (("hospital:60", {"m": 2}), ("supermarket:60", {"l": 2})):
        with pytest.raises(tacit.TacitError) as refused:
            tacit.generalize(tacit.load_sample(sample), k=3, **unused)
        assert refused.value.code == "parameter-unused"


def test_names_in_an_spmf_file_and_a_tree_of_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.spmf").write_text("@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=pear\n1 2\n1\n2\n1 2\n")
    (tmp_path / "tree.csv").write_text("1;fruit;*\n2;fruit;*\n")
    tree = ["--hierarchy", str(tmp_path / "tree.csv")]
    assert main(["generalize", str(tmp_path / "x.spmf"), *tree, "-k", "2", "-m", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 2


def test_hints_at_the_command_line_name_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "twins.dat").write_text("Milk milk\nmilk\n")
    assert main(["mine", "itemsets", str(tmp_path / "twins.dat"), "--min-support", "1"]) == 3
    assert "--twins fold" in capsys.readouterr().err


def test_a_value_with_a_comma_is_quoted_in_a_message(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_text("Rome;Europe;*\n")
    towns = pl.DataFrame({"town": ["New York, NY", "Rome"]})
    with pytest.raises(tacit.TacitError, match="'New York, NY'"):
        tacit.generalize(tacit.read_table(towns, quasi=["town"], hierarchies=tmp_path), k=2)


def test_a_seeded_release_is_told_not_to_be_for_publication(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.dat").write_text("a b c\na b\nb c\na c\n" * 3)
    (tmp_path / "secret.txt").write_text("a b\n")
    asked = ["--patterns", str(tmp_path / "secret.txt"), "--min-support", "3", "--seed", "3"]
    assert main(["hide", str(tmp_path / "b.dat"), *asked, "--output", str(tmp_path / "out")]) == 0
    assert "not for publication" in capsys.readouterr().out


def test_a_release_that_says_nothing_asks_for_a_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.dat").write_text("a1\nb1\n")
    (tmp_path / "tree.csv").write_text("a1;a;*\nb1;b;*\n")
    asked = ["generalize", str(tmp_path / "b.dat"), "--hierarchy", str(tmp_path / "tree.csv")]
    asked += ["-k", "2", "-m", "1", "--output", str(tmp_path / "out")]
    assert main(asked) == 4
    told = capsys.readouterr().err
    assert "published as the root" in told and "--accept-weak" in told
    assert not (tmp_path / "out").exists()
    assert main([*asked, "--accept-weak"]) == 0
