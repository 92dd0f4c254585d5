"""Forty files as people have them, made here: what is in each, and whether a person would ask about it."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Row = tuple[str | None, ...]
NAMES = ("Name", "Alter", "Aufnahme", "Betrag", "Diagnose")
PEOPLE = ("Müller", "Weiß", "Jäger", "Schröder", "Groß", "Köhler", "Böhm", "Süß")
DISEASES = ("Grippe", "Übelkeit", "Husten", "Knöchelbruch")


@dataclass(frozen=True)
class Messy:
    """A file, and what reading it has to give: a table's rows, or sets."""

    name: str
    data: bytes
    names: tuple[str, ...] = NAMES
    rows: tuple[Row, ...] | None = None
    sets: tuple[frozenset[str], ...] | None = None
    long: tuple[str, str] | None = None
    """The columns that a list of items must be found to have."""
    asked: bool = False
    """Whether a person would ask how to read it."""


def day(number: int) -> datetime.date:
    return datetime.date(2023, 1, 1) + datetime.timedelta(days=37 * number)


def truth(count: int = 40) -> list[Row]:
    """The rows of the clinic: name, age, day, amount, diagnosis."""
    return [
        (
            f"{PEOPLE[row % 8]} {row}",
            str(20 + 7 * row % 61),
            day(row).isoformat(),
            f"{(row * 104729 % 400000) / 100:.2f}",
            DISEASES[row % 4],
        )
        for row in range(count)
    ]


def german_number(text: str) -> str:
    return text.replace(".", ",")


def grouped(text: str, group: str, point: str) -> str:
    whole, _, rest = text.partition(".")
    return f"{int(whole):,}".replace(",", group) + point + rest


def text_of(
    rows: Sequence[Row],
    *,
    sign: str = ";",
    number: Callable[[str], str] = german_number,
    date: str = "%d.%m.%Y",
    missing: str = "",
    above: Sequence[str] = (),
    below: Sequence[str] = (),
    quote: str = "",
    names: Sequence[str] = NAMES,
    end: str = "\n",
) -> str:
    """The clinic's table as a program of some country writes it."""

    def cell(place: int, text: str | None) -> str:
        if text is None:
            return missing
        if place == 2:
            return datetime.date.fromisoformat(text).strftime(date)
        if place == 3:
            text = number(text)
        return f"{quote}{text}{quote}" if quote and (sign in text or place == 0) else text

    lines = [sign.join(names)] + [sign.join(cell(*pair) for pair in enumerate(row)) for row in rows]
    return end.join([*above, *lines, *below]) + end


def with_missing(rows: Sequence[Row], place: int, every: int = 5) -> list[Row]:
    """The rows with a cell missing here and there."""
    return [
        row if number % every else (*row[:place], None, *row[place + 1 :]) for number, row in enumerate(rows)
    ]


def workbook(*sheets: tuple[str, Sequence[Sequence[Any]]]) -> bytes:
    import xlsxwriter

    content = io.BytesIO()
    with xlsxwriter.Workbook(content, {"default_date_format": "dd.mm.yyyy"}) as book:
        for name, rows in sheets:
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return content.getvalue()


def typed(rows: Sequence[Row], missing: object = None) -> list[list[Any]]:
    """The rows as a workbook holds them."""
    return [
        [
            name,
            missing if age is None else int(age),
            None if date is None else datetime.date.fromisoformat(date),
            None if amount is None else float(amount),
            disease,
        ]
        for name, age, date, amount, disease in rows
    ]


def as_read(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows as a workbook gives them back: numbers without needless zeros."""
    return tuple(
        (name, age, date, None if amount is None else str(float(amount)), disease)
        for name, age, date, amount, disease in rows
    )


def encoded() -> Iterator[Messy]:
    rows = tuple(truth())
    text = text_of(rows)
    for encoding in (
        "latin-1",
        "cp1252",
        "mac-roman",
        "utf-8",
        "utf-8-sig",
        "utf-16",
        "utf-16-le",
        "utf-16-be",
    ):
        yield Messy(f"{encoding}.csv", text.encode(encoding), rows=rows)
    yield Messy("returns.csv", text_of(rows, end="\r\n").encode("cp1252"), rows=rows)
    few = [(f"caf\xe9 {number}", *row[1:4], "flu") for number, row in enumerate(rows)]
    yield Messy("accent.csv", text_of(few).encode("latin-1"), rows=tuple(few))
    bare = "a;b\n1;\xe9\n2;\xe8\n3;\xe9\n".encode("latin-1")
    yield Messy("bare-letters.csv", bare, asked=True)


def separated() -> Iterator[Messy]:
    rows = tuple(truth())
    points = {"number": str, "date": "%Y-%m-%d"}
    for name, sign in (("semicolons", ";"), ("tabs", "\t"), ("bars", "|")):
        yield Messy(f"{name}.csv", text_of(rows, sign=sign).encode(), rows=rows)
        yield Messy(f"{name}.txt", text_of(rows, sign=sign, **points).encode(), rows=rows)  # type: ignore[arg-type]
    commas = text_of(rows, sign=",", **points)  # type: ignore[arg-type]
    yield Messy("commas.csv", commas.encode(), rows=rows)
    yield Messy("commas.tsv", commas.encode(), rows=rows)
    yield Messy("quoted.csv", text_of(rows, sign=",", quote='"').encode(), rows=rows)
    yield Messy("single-quotes.csv", text_of(rows, quote="'").encode(), rows=rows)
    comma_names = [(f"{row[0]}, Dr.", *row[1:]) for row in rows]
    named = text_of(comma_names, names=("Name, Titel", *NAMES[1:]))
    yield Messy(
        "names-with-commas.csv", named.encode(), names=("Name, Titel", *NAMES[1:]), rows=tuple(comma_names)
    )


def spelled() -> Iterator[Messy]:
    rows = tuple(truth())
    yield Messy("thousands-de.csv", text_of(rows, number=lambda x: grouped(x, ".", ",")).encode(), rows=rows)
    us = text_of(rows, sign="\t", number=lambda x: grouped(x, ",", "."), date="%m/%d/%Y")
    yield Messy("thousands-us.tsv", us.encode(), rows=rows)
    swiss = text_of(rows, number=lambda x: grouped(x, "'", "."))
    yield Messy("thousands-ch.csv", swiss.encode(), rows=rows)
    yield Messy("days-uk.csv", text_of(rows, sign=",", number=str, date="%d/%m/%Y").encode(), rows=rows)
    early = [(*row[:2], f"2023-0{1 + n % 9}-0{1 + n % 7}", *row[3:]) for n, row in enumerate(rows)]
    kept = tuple(
        (*row[:2], datetime.date.fromisoformat(str(row[2])).strftime("%m/%d/%Y"), *row[3:]) for row in early
    )
    told = text_of(early, sign=",", number=str, date="%m/%d/%Y")
    yield Messy("days-either-way.csv", told.encode(), rows=kept, asked=True)


def surrounded() -> Iterator[Messy]:
    rows = tuple(truth())
    title = ("Klinik Nord", "Entlassungen 2023", "")
    total = ("Summe;;;12345,67;",)
    yield Messy("titled.csv", text_of(rows, above=title).encode("cp1252"), rows=rows)
    wide = ("Klinik Nord;;;;", ";;;;")
    yield Messy("titled-by-excel.csv", text_of(rows, above=wide).encode(), rows=rows)
    blank = text_of(rows).replace(";".join(NAMES), " ; ".join(NAMES) + "  ", 1)
    yield Messy("blanks-in-header.csv", blank.encode(), rows=rows)
    yield Messy("total.csv", text_of(rows, below=total).encode(), rows=rows)
    foot = (*total, "", "Quelle: eigene Erhebung")
    yield Messy("titled-and-footed.csv", text_of(rows, above=title, below=foot).encode("latin-1"), rows=rows)


def missing() -> Iterator[Messy]:
    rows = truth()
    for name, place, word in (
        ("words", 4, "k.A."),
        ("NA", 1, "NA"),
        ("nines", 1, "9999"),
        ("minus", 1, "-1"),
    ):
        holes = with_missing(rows, place)
        yield Messy(f"missing-{name}.csv", text_of(holes, missing=word).encode(), rows=tuple(holes))
    holes = with_missing(rows, 3)
    yield Messy("missing-amounts.csv", text_of(holes, missing="n/a").encode(), rows=tuple(holes))


def workbooks() -> Iterator[Messy]:
    rows = truth()
    cover = ("Deckblatt", [["Klinik Nord"], ["Stand: heute"]])
    sheet = [list(NAMES), *typed(rows)]
    yield Messy("cover.xlsx", workbook(cover, ("Daten", sheet)), rows=as_read(rows))
    wide = [tuple(f" {name} " for name in NAMES), *sheet[1:]]
    yield Messy("blanks-in-header.xlsx", workbook(("Daten", wide)), rows=as_read(rows))
    around = [["Klinik Nord"], [], *sheet, ["Summe", None, None, 99.5]]
    yield Messy("titled.xlsx", workbook(("Daten", around)), rows=as_read(rows))
    holes = with_missing(rows, 1)
    told = [list(NAMES), *typed(holes, missing="k.A.")]
    yield Messy("missing.xlsx", workbook(("Daten", told)), rows=as_read(holes))
    yield Messy("two-years.xlsx", workbook(("2022", sheet), ("2023", sheet)), asked=True)


def sets() -> Iterator[Messy]:
    items = ("Brot", "Milch", "Käse", "Äpfel", "Bier", "Windeln", "Nüsse")
    baskets = [[items[(n * step) % 7] for step in range(1, 2 + n % 6)] for n in range(60)]
    held = tuple(map(frozenset, baskets))
    for name, sign, encoding in (("semicolons.csv", ";", "cp1252"), ("commas.txt", ",", "utf-8")):
        text = "\n".join(map(sign.join, baskets)) + "\n"
        yield Messy(f"baskets-{name}", text.encode(encoding), sets=held)
    lines = [
        f"{1000 + n};{item};{n % 3},50" for n, basket in enumerate(baskets) for item in sorted(set(basket))
    ]
    order = "Bestellung;Artikel;Preis\n" + "\n".join(lines) + "\n"
    yield Messy("orders.csv", order.encode("cp1252"), sets=held, long=("Bestellung", "Artikel"))


def messy_files() -> list[Messy]:
    """All of them."""
    makers = (encoded, separated, spelled, surrounded, missing, workbooks, sets)
    return [file for maker in makers for file in maker()]
