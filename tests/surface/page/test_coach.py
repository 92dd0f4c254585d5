"""The coach: terms are explained once in a step, and advice is computed from the data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tacit.surface.catalogue import catalogue, speaking
from tacit.surface.page import outcome_view
from tacit.surface.page.coach import START, Coach, advice
from tacit.surface.page.session import DataSet
from tacit.surface.page.views import SAMPLES
from tests.conftest import REPOSITORY
from tests.surface.test_catalogue import texts

from .conftest import Served


def table(tmp_path: Path, **held: int) -> DataSet:
    """A table of 100 rows whose columns hold their commonest value so often; all of them are sensitive."""
    data = DataSet("1", "a.csv", tmp_path, "a.csv", 9, "table", roles=dict.fromkeys(held, "sensitive"))
    data.columns = [{"name": name, "card": {"commonest": rows}} for name, rows in held.items()]
    data.seen = {"profile": {"rows": 100}}
    return data


def test_a_term_is_a_button_the_first_time_in_a_step() -> None:
    coach = Coach()
    marked = coach("Quasi-identifiers <b> are known; a quasi-identifier is no name (k).")
    assert marked.count("<button") == 2 and "&lt;b&gt;" in marked
    assert 'aria-describedby="term-quasi">Quasi-identifiers</button>' in marked
    assert 'aria-describedby="term-k">k</button>' in marked
    assert coach("Quasi-identifiers again") == "Quasi-identifiers again"
    coach.begin()
    assert "<button" in coach("Quasi-identifiers again")


def test_words_that_only_hold_a_term_are_none() -> None:
    assert Coach()("Classical and bucketful; 5 m from t to k") == "Classical and bucketful; 5 m from t to k"


def test_a_label_has_its_term_beside_it_with_a_name_to_hear() -> None:
    beside = Coach().beside("Largest posterior")
    assert 'aria-describedby="term-posterior"' in beside and "What is “posterior”?" in beside
    with speaking("de"):
        assert "Was heißt" in Coach().beside("Support eines Musters")


def test_the_largest_l_is_that_of_the_commonest_value(tmp_path: Path) -> None:
    told = advice(table(tmp_path, disease=20, ward=26), "bucketize", "l")
    assert told is not None
    assert (
        "At most 3 is possible here" in told["told"][1] and "ward stands in 26 of 100 rows" in told["told"][1]
    )
    assert told["use"]["cure"]["fields"] == {"l": "3"}
    told = advice(table(tmp_path, disease=50), "bucketize", "l")
    assert told is not None and told["use"]["cure"]["fields"] == {"l": "2"}
    told = advice(table(tmp_path, disease=51), "bucketize", "l")
    assert told is not None and told["use"] is None  # no ℓ of 2 or more is feasible


def test_k_is_told_with_what_standards_ask(tmp_path: Path) -> None:
    told = advice(table(tmp_path, disease=20), "generalize_table", "k")
    assert told is not None
    assert any("EMA Policy 0070" in line and "asks for 11" in line for line in told["told"])
    assert "at most 9 groups" in told["told"][-1]


def test_m_is_told_with_who_is_singled_out(tmp_path: Path) -> None:
    data = DataSet("1", "a.dat", tmp_path, "a.dat", 9, "baskets")
    seen = {"transactions": 50, "average": 3.25, "longest": 7, "unique_by": [0.1, 0.6, None]}
    data.seen = {"profile": seen}
    told = advice(data, "generalize", "m")
    assert told is not None
    assert "3.2 items on average and 7 at most" in told["told"][1]
    assert told["told"][-1].startswith("As they stand, 2 known items single out 60")
    assert advice(data, "hide", "min_support") is None


def test_the_advice_begins_where_the_documentation_does() -> None:
    page = (REPOSITORY / "docs" / "explanation" / "choosing.md").read_text(encoding="utf-8")
    rows = {"k": r"\| k, to the public \|[^|]*\| (\d+) \|", "l": r"\| ℓ \|[^|]*\| (\d+) \|"}
    rows["m"] = r"\| m \|[^|]*\| (\d+) \|"
    for name, row in rows.items():
        found = re.search(row, page)
        assert found is not None and int(found[1]) == START[name]
        assert str(START[name]) in catalogue()["page"]["advice"][f"{name}_start"]


def run(name: str, *, method: str = "generalize", l: str = "3", **figures: float) -> Any:
    return SimpleNamespace(
        result={"figures": figures}, about={"method": method, "name": name, "parameters": {"l": l}}
    )


def test_better_and_worse_follow_the_direction_of_each_figure() -> None:
    shown, others = run("a", ncp=0.2, items=7), [run("b", ncp=0.1, items=5), run("c", ncp=0.2, items=9)]
    rows = {
        row["name"]: [cell["is"] for cell in row["others"]] for row in outcome_view._compared(shown, others)
    }
    assert rows["Loss of detail (NCP)"] == ["better", ""]
    assert rows["Different items left"] == ["worse", "better"]


def test_what_is_about_another_promise_is_neither_better_nor_worse() -> None:
    shown = run("a", method="bucketize", vulnerable=5, suppressed=0.1)
    others = [run(l, method="bucketize", l=l, vulnerable=2, suppressed=0.2) for l in ("3", "4")]
    rows = {
        row["name"]: [cell["is"] for cell in row["others"]] for row in outcome_view._compared(shown, others)
    }
    assert rows["Rows with fewer than ℓ values"] == ["better", ""]
    assert rows["Rows left out for the promise"] == ["worse", "worse"]


def test_a_run_without_a_name_gets_one_that_is_free() -> None:
    assert outcome_view.new_name([run("Run 1"), run("Run 3")]) == "Run 2"


@pytest.mark.parametrize(
    ("accept", "cookie", "language"),
    [
        ("de-AT,de;q=0.9,en;q=0.8", "", "de"),
        ("fr,en;q=0.8", "", "en"),
        ("de", "en", "en"),
        ("", "de", "de"),
        ("", "xx", "en"),
    ],
)
def test_the_language_is_the_one_chosen_or_the_browsers(
    served: Served, accept: str, cookie: str, language: str
) -> None:
    headers = served.credentials | {"accept-language": accept}
    headers["cookie"] += f"; tacit-language={cookie}"
    page = served.ask("GET", "/", headers).body.decode()
    assert f'<html lang="{language}">' in page


class German(HTMLParser):
    """What a page says outside of what it marks as English."""

    def __init__(self) -> None:
        super().__init__()
        self.languages: list[tuple[str, str]] = []
        self.told: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        above = self.languages[-1][1] if self.languages else ""
        if tag not in ("meta", "link", "input"):
            self.languages.append((tag, dict(attrs).get("lang") or above))

    def handle_endtag(self, tag: str) -> None:
        while self.languages.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not self.languages or self.languages[-1][1] == "de":
            self.told.append(data)


def test_no_german_page_holds_an_english_sentence(served: Served) -> None:
    headers = served.credentials | {"accept-language": "de"}
    with speaking("en"):
        english = {text for _, text in texts(catalogue()["page"]) if " " in text.strip() and "{" not in text}
    asked = served.credentials | {"content-type": "application/json"}
    told = [served.ask("POST", "/samples", asked, json.dumps({"name": name}).encode()) for name in SAMPLES]
    data = [json.loads(one.body)["location"] for one in told]
    for one in data:
        served.wait(served.session.data[one.rpartition("/")[2]].look.id)
    for address in ("/", "/ledger", *data):
        page = German()
        page.feed(served.ask("GET", address, headers).body.decode())
        assert len(page.told) > 50
        assert [text for text in english if text in " ".join(page.told)] == []


def test_a_language_that_we_do_not_speak_is_refused(served: Served) -> None:
    headers = served.credentials | {"content-type": "application/json"}
    assert served.ask("POST", "/language", headers, b'{"language": "tlh"}').status == 400
    answer = served.ask("POST", "/language", headers, b'{"language": "de"}')
    assert answer.status == 200 and "tacit-language=de" in answer.headers["set-cookie"]
