"""Values that look alike never count as two: for the verifier, and for the verbs before it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacit
from tacit.data.spelling import _shortest_number, appearance, refuse_look_alikes
from tacit.errors import InputError
from tacit.random.key import Key
from tacit_verify.twins import check_values, looks, twins
from tacit_verify.verifying import verify
from tests.cases import cases
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
    "a typographic apostrophe": ("Crohn's", "Crohn\u2019s"),
    "an acute accent for an apostrophe": ("Crohn's", "Crohn\u00b4s"),
    "quotation marks": ("\u201cflu\u201d", "\u201eflu''"),
    "a hyphen": ("co-morbid", "co\u2010morbid"),
    "a no-break hyphen": ("co-morbid", "co\u2011morbid"),
    "a dash": ("20-30", "20\u201330"),
    "a minus sign": ("-5", "\u22125.0"),
    "a ligature": ("fibrosis", "\ufb01brosis"),
    "a Cyrillic letter": ("cancer", "c\u0430ncer"),
    "all letters Cyrillic": ("COPE", "\u0421\u041e\u0420\u0415"),
    "a Cyrillic capital": ("Burn", "\u0412urn"),
    "a Greek letter": ("fever", "fe\u03bder"),
    "a Greek capital": ("Nausea", "\u039dausea"),
    "all letters Greek": ("NOT", "\u039d\u039f\u03a4"),
    "an accent over a Greek capital": ("\u00c9TAT", "\u0388TAT"),
    "case in Greek": ("\u039d\u039f\u03a4", "\u03bd\u03bf\u03c4"),
    "case in Russian": ("\u0412\u0418\u0427", "\u0432\u0438\u0447"),
    "what is not assigned and not shown": ("flu", "flu\U000e0fff"),
    "a private character": ("flu", "flu\ue000"),
    "a palochka": ("HIV", "H\u04c0V"),
    "a lunate sigma": ("Cancer", "\u03f9ancer"),
    "a small capital": ("cold", "c\u1d0fld"),
    "an Armenian letter": ("cold", "c\u0585ld"),
    "a saltillo": ("Crohn's", "Crohn\ua78cs"),
    "a blank before a sign": ("5%", "5 %"),
    "a blank behind a sign": ("<5", "< 5"),
    "blanks round a sign": ("A/B", "A / B"),
    "blanks between signs": ("a (+)", "a(+ )"),
    "a blank before a unit that is a sign": ("37°C", "37 °C"),
    "a no-break space before a sign": ("5%", "5\u00a0%"),
    "a percentage": ("5%", "5.0 %"),
    "a decimal comma": ("1.5", "1,5"),
    "a decimal comma and noughts": ("0.50", "0,5"),
    "a decimal comma below one": (".5", ",500"),
    "a decimal comma in full width": ("1.5", "\uff11\uff0c\uff15"),
    "a raised unit": ("kg/m2", "kg/m²"),
    "a lowered number": ("H2O", "H₂O"),
    "a fraction": ("1/2", "½"),
    "a mixed fraction": ("1 1/2", "1½"),
}
APART = [
    ("flu", "flux"),
    ("1", "10"),
    ("1", "-1"),
    ("é", "e"),
    ("1.0", "1.01"),
    ("", "0"),
    ("1.2.3", "1.2.30"),
    ("20-30", "2030"),
    ("flu", "fl"),
    ("10²", "102"),
    ("10⁻²", "10-2"),
    ("10₂", "102"),
    ("log₁₀2", "log102"),
    ("1½", "11/2"),
    ("1①", "11"),
    ("1.5", "15"),
    ("1,5", "15"),
    ("1,000", "1"),
    ("1,500", "1.5"),
    ("1,5", "1,50,0"),
    ("5%", "5"),
    ("0%", "0"),
    ("5%", "0.05"),
    ("E11.0", "E11"),
    ("I10", "I1O"),
    ("A 1", "A1"),
    ("a b", "ab"),
    ("é a", "éa"),
]
NATURAL = {
    "Russian": "ветер ваза вода нос нож рот рост тест тесто мост место сон сом кот код сор хор ров вор"
    " Вера вера-нет Нина Тамара Марк Ольга Олег уксус ухо эхо хвост насморк астма грипп корь ВИЧ",
    "Greek": "νερό νέος ηλίας ήλιος υγεία μήνας μέλι τοίχος τόπος ρόδι χώρα χορός βάζο ζώνη εννέα ένα"
    " Νίκος Ηλέκτρα Υγρός Μαρία Ελένη Βήτα Ζωή πυρετός γρίπη βήχας άσθμα αναιμία ουρία ηπατίτιδα",
    "Greek capitals": "Η Ν Γ Υ ΗΜΕΡΑ ΝΥΧΤΑ ΤΗ ΤΝ",
    "Mongolian": "ус үс уул үүл хур хүр бур бүр",
    "mixed": "Crohn flu naïve café Grippe Straße 20–30 30–40 α-thalassemia β-thalassemia TNF-α TNF-β O-neg",
}
"""Words of one language each, which nobody takes for each other."""


@pytest.mark.parametrize("language", NATURAL)
def test_words_of_one_language_are_not_alike(language: str) -> None:
    words = NATURAL[language].split()
    assert list(twins(words)) == []
    refuse_look_alikes("disease", words)
    read = tacit.table_from_frame(pl.DataFrame({"a": words}), quasi="a")
    assert read.notes == ()


@pytest.mark.parametrize("difference", ALIKE)
def test_tool_and_verifier_fold_alike(difference: str) -> None:
    """What is one for the verifier is one for the tool, or a release would be refused after it is made."""
    one, other = (_shortest_number(appearance(text)) for text in ALIKE[difference])
    assert (one == other) == (looks(ALIKE[difference][0]) == looks(ALIKE[difference][1]))


@settings(max_examples=cases(900), deadline=None)
@given(
    st.lists(
        st.text(st.sampled_from("aАаαBВβΒNΝνηn'’-–− 1.0,5%²₂½/①⁻€(\u0301\ufb01fi\u200b\uff11"), max_size=5),
        max_size=6,
    )
)
def test_tool_and_verifier_find_the_same_twins(texts: list[str]) -> None:
    distinct = list(dict.fromkeys(texts))
    found = next(twins(distinct), None)
    try:
        refuse_look_alikes("x", distinct)
    except InputError:
        assert found is not None
    else:
        assert found is None


def test_what_looks_alike_is_noted_and_folded() -> None:
    frame = people("Crohn's").vstack(people("Crohn\u2019s")[:2])
    noted = tacit.table_from_frame(frame, quasi="disease")
    assert any("Crohn's" in note and "\\u2019" in note for note in noted.notes)
    folded = tacit.table_from_frame(frame, quasi="age", sensitive="disease", twins="fold")
    assert list(folded.column("disease").texts) == ["Crohn's", "gout"]
    with pytest.raises(InputError) as caught:
        tacit.bucketize(tacit.table_from_frame(frame, quasi="age", sensitive="disease"), l=2)
    assert caught.value.code == "sensitive-twins" and "\\u2019" in str(caught.value)


@pytest.mark.parametrize("difference", ALIKE)
def test_what_looks_alike(difference: str) -> None:
    one, other = ALIKE[difference]
    assert len(list(twins([one, other]))) == 1
    with pytest.raises(InputError) as caught:
        refuse_look_alikes("disease", [one, "cough", other])
    assert caught.value.code == "sensitive-twins"


def test_what_does_not() -> None:
    for pair in APART:
        assert looks(pair[0]) != looks(pair[1]) and not list(twins(pair))
        refuse_look_alikes("disease", pair)
    assert list(twins([None, ""])) == ["None and '' look alike"]
    assert check_values(["disease"], []).ok  # nor do those of no rows


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
    cells = [line.split(",") for line in lines]
    held = [(int(group), {"cough": other, "gout": one}[value], count) for group, value, count in cells]
    written = [f'{a},"{b}",{c}' if "," in b else f"{a},{b},{c}" for a, b, c in sorted(held)]
    (folder / "st.csv").write_text("\n".join([header, *written]) + "\n")
    resign(folder)
    assert "values" in {check.name for check in verify(folder) if check.ok is False}


def test_verbs_refuse_kept_twins() -> None:
    table = tacit.table_from_frame(people("Gout"), quasi="age", sensitive="disease", twins="keep")
    for publish in (
        lambda: tacit.bucketize(table, l=2),
        lambda: tacit.safe_rules(table, min_support=1, min_confidence=0.1, max_posterior=0.9),
    ):
        with pytest.raises(InputError) as caught:
            publish()
        assert caught.value.code == "sensitive-twins"
