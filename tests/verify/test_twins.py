"""Values that look alike never count as two: for the verifier, and for the verbs before it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import tacit
from tacit.data.spelling import refuse_look_alikes
from tacit.errors import InputError
from tacit.random.key import Key
from tacit_verify.twins import looks, twins
from tacit_verify.verifying import verify
from tests.methods.bucketize.releases import resign, write

ALIKE = {
    "an invisible character": ("flu", "flu\u200b"),
    "a soft hyphen": ("flu", "f\u00adlu"),
    "a filler": ("flu", "flu\u3164"),
    "a variation selector": ("flu", "flu\ufe0e"),
    "a mark of direction": ("flu", "\u202eflu"),
    "case": ("flu", "FLU"),
    "ß": ("Fuß", "FUSS"),
    "the Unicode form": ("\u00e9", "e\u0301"),
    "width": ("flu", "\uff46\uff4c\uff55"),
    "blanks around": ("flu", " flu\t"),
    "two blanks": ("bird flu", "bird  flu"),
    "a no-break space": ("bird flu", "bird\u00a0flu"),
    "one and one point nought": ("1", "1.0"),
    "zeros before": ("7", "007"),
    "a plus sign": ("7", "+7"),
    "an exponent": ("1200", "1.2e3"),
    "no digit before the point": ("0.5", ".50"),
    "minus nought": ("0", "-0.0"),
    "the smallest signs": ("0", "0e5"),
}
APART = [
    ("flu", "flux"),
    ("1", "10"),
    ("1", "-1"),
    ("é", "e"),
    ("1.0", "1.01"),
    ("", "0"),
    ("1.2.3", "1.2.30"),
]


@pytest.mark.parametrize("difference", ALIKE)
def test_what_looks_alike(difference: str) -> None:
    one, other = ALIKE[difference]
    assert looks(one) == looks(other) and len(list(twins([one, other]))) == 1
    with pytest.raises(InputError) as caught:
        refuse_look_alikes("disease", [one, "cough", other])
    assert caught.value.code == "sensitive-twins"


def test_what_does_not() -> None:
    for pair in APART:
        assert looks(pair[0]) != looks(pair[1]) and not list(twins(pair))
        refuse_look_alikes("disease", pair)
    assert list(twins([None, ""])) == ["None and '' look alike"]


def people(second: str) -> pl.DataFrame:
    rows = [(age, value) for age in ("30", "40", "50") for value in ("gout", second)]
    return pl.DataFrame(rows, schema=["age", "disease"], orient="row")


@pytest.mark.parametrize("difference", ALIKE)
def test_spellings_do_not_make_a_group_diverse(difference: str, tmp_path: Path) -> None:
    """Two values in every group; then one of them is spelled like the other."""
    table = tacit.table_from_frame(people("cough"), quasi="age", sensitive="disease")
    folder = write(tacit.bucketize(table, l=2, key=Key.from_seed(1)), tmp_path / "out")
    assert [check for check in verify(folder) if check.ok is False] == []
    one, other = ALIKE[difference]
    header, *lines = (folder / "st.csv").read_text().splitlines()
    cells = [line.replace("cough", other).replace("gout", one).split(",") for line in lines]
    text = "\n".join([header, *(",".join(line) for line in sorted(cells, key=lambda c: (int(c[0]), c[1:])))])
    (folder / "st.csv").write_text(text + "\n")
    resign(folder)
    assert "ℓ" in {check.name for check in verify(folder) if check.ok is False}


def test_verbs_refuse_kept_twins() -> None:
    table = tacit.table_from_frame(people("Gout"), quasi="age", sensitive="disease", twins="keep")
    for publish in (
        lambda: tacit.bucketize(table, l=2),
        lambda: tacit.safe_rules(table, min_support=1, min_confidence=0.1, max_posterior=0.9),
    ):
        with pytest.raises(InputError) as caught:
            publish()
        assert caught.value.code == "sensitive-twins"
