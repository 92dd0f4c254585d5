"""Reproduced papers as files: data that can be read back, pictures and a page that do nothing."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from papers.experiment import Figure, Finding, Reproduction, Rows
from papers.writing import Written, write
from tacit.showing.chart import line_chart

HOSTILE = "<script>alert(1)</script> & \"quoted\" 'x' =1+1"


@dataclass(frozen=True)
class Point:
    k: int
    loss: float
    method: str
    safe: bool


def paper(name: str = "km", *, hostile: str = HOSTILE) -> Reproduction:
    rows = Rows.of([Point(2, 1 / 3, hostile, True), Point(5, 0.5, "other", False)])
    chart = line_chart(rows.records(), x="k", y="loss", series="method", title=hostile, caption=hostile)
    findings = (
        Finding.number("first", printed=3, ours=3, why="-"),
        Finding.number(hostile, printed=3, ours=5, why=hostile),
    )
    return Reproduction(
        name=name,
        title="A paper",
        citation="Somebody. 2008.",
        data=(hostile,),
        figures=(
            Figure("figure-1", f"Figure 1 {hostile}", hostile, rows, (chart, chart), findings),
            Figure("table-1", "Table 1", "A table.", rows),
        ),
        quick=True,
        seconds=1.5,
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write([paper()], tmp_path_factory.mktemp("written") / "out", page="km")


def test_every_file_is_there_and_nothing_else(written: Written) -> None:
    folder = written.folder
    assert written.page == folder / "km.html"
    names = ["figure-1.csv", "figure-1-a.svg", "figure-1-b.svg", "table-1.csv"]
    assert list(written.files) == [folder / "km" / name for name in names]
    found = {path for path in folder.rglob("*") if path.is_file()}
    assert found == set(written.files) | {folder / "km.html"}


def test_the_data_read_back(written: Written) -> None:
    with written.files[0].open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    assert lines[0] == ["k", "loss", "method", "safe"]
    assert lines[1] == ["2", "0.3333333333", HOSTILE, "yes"]
    assert lines[2] == ["5", "0.5", "other", "no"]


def test_pictures_do_nothing(written: Written) -> None:
    for file in written.files:
        if file.suffix == ".svg":
            root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
            names = {element.tag.rsplit("}", 1)[-1] for element in root.iter()}
            assert not names & {"script", "foreignObject", "image", "use", "a"}
            for element in root.iter():
                for attribute, value in element.attrib.items():
                    assert not attribute.startswith("on")
                    assert "http" not in value and "url(" not in value.replace("url(#", "")


def test_the_page_does_nothing(written: Written) -> None:
    html = written.page.read_text(encoding="utf-8")
    assert "default-src 'none'" in html
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", html)
    assert not re.search(r"\son\w+\s*=", html)
    assert html.count("<svg") == 2
    assert "1 finding agrees, 1 differs." in html
    assert "quick run" in html


def test_the_text_says_what_agrees_and_why_not(written: Written) -> None:
    text = str(written)
    assert "agrees      first: 3; the paper: 3" in text
    assert text.count("differs     ") == 1
    assert max(map(len, text.splitlines())) <= 110 or str(written.page) in text


def test_one_paper_leaves_the_page_of_another_alone(tmp_path: Path) -> None:
    write([paper("km", hostile="x")], tmp_path, page="km")
    before = (tmp_path / "km.html").read_bytes()
    write([paper("hiding", hostile="y")], tmp_path, page="hiding")
    assert (tmp_path / "km.html").read_bytes() == before
    write([paper("km", hostile="z")], tmp_path, page="km")
    assert (tmp_path / "km.html").read_bytes() != before
