"""Whole ways through the page in a real browser, as somebody goes who has read nothing about it."""

from __future__ import annotations

import random
from pathlib import Path
from time import monotonic

from .test_browser import Person, person, verified

__all__ = ["person"]

MINUTES = 300
"""Seconds that a whole way may take."""


def discharges(rows: int = 400) -> bytes:
    """What a German hospital's system writes: a title, semicolons, decimal commas, days first, no UTF-8."""
    draw = random.Random(3)
    places = ["01067 Dresden", "04109 Leipzig", "80331 München", "50667 Köln"]
    illnesses = ["Grippe", "Angina", "Bronchitis", "Gastritis", "Migräne", "Ödem"]
    lines = ["Entlassungen 2. Quartal", "", "Fallnr;Geburtsdatum;Geschlecht;Ort;Verweildauer;Diagnose"]
    for number in range(rows):
        born = f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1940, 2005)}"
        stay = f"{draw.randint(1, 20)},{draw.randint(0, 9)}"
        lines.append(
            f"F{number:05};{born};{draw.choice('mw')};{draw.choice(places)};{stay};{draw.choice(illnesses)}"
        )
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


def orders(customers: int = 300) -> str:
    """A shop's order list, a line for each thing bought."""
    draw = random.Random(4)
    kinds = {
        "Milk": ("whole", "low fat", "oat"),
        "Bread": ("white", "rye"),
        "Beer": ("pale", "dark", "wheat"),
    }
    goods = [f"{kind} {sort}" for kind, sorts in kinds.items() for sort in sorts]
    lines = ["order,product"]
    for number in range(customers):
        lines += [f"{number},{one}" for one in draw.sample(goods, draw.randint(1, 4))]
    return "\n".join(lines) + "\n"


def test_from_a_german_file_to_a_coarser_table_with_a_dossier(person: Person, tmp_path: Path) -> None:
    page, started = person.page, monotonic()
    person.bring("Entlassungen.csv", discharges())
    told = page.locator("#step-2").inner_text()
    assert "Windows-1252" in told and "Migräne" in told and "80331 München" in told
    person.go(3)
    page.get_by_role("button", name="Confirm these roles").click()
    page.wait_for_selector("#step-4 form", state="attached")
    person.go(4)
    page.locator("label.choice", has_text="coarser").click()
    page.get_by_label("Fewest rows that look alike").filter(visible=True).fill("11")
    person.make()
    person.go(6)
    assert "11 rows are alike" in page.locator("#step-6 .promise").inner_text()
    person.go(7)
    page.get_by_text("For the dossier that somebody signs").click()
    page.get_by_label("Standard").filter(visible=True).select_option(index=1)
    release = person.publish(tmp_path / "out")
    assert verified(release)
    assert "F00007" not in "".join(path.read_text() for path in release.iterdir())
    assert b"sign" in person.download("report.html").lower()
    assert monotonic() - started < MINUTES


def test_from_an_order_list_to_sets_with_a_tree(person: Person, tmp_path: Path) -> None:
    page, started = person.page, monotonic()
    person.bring("orders.csv", orders())
    page.get_by_role("button", name="Read it as transactions").click()
    page.wait_for_selector("#step-2 .tiles:has-text('Different items')")
    person.go(3)
    page.get_by_role("button", name="Propose a tree").click()
    page.wait_for_selector("#step-3 .tree summary:has-text('Beer')")
    person.settled()
    person.make()
    assert "still faces at least" in page.locator("#step-6 .promise").inner_text()
    assert verified(person.publish(tmp_path / "out"))
    assert monotonic() - started < MINUTES
