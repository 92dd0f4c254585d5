"""The hierarchy workshop in a real browser: by mouse, by keyboard alone, by paste, and across a stop."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tacit.data.hierarchy import Hierarchy
from tacit.errors import InputError
from tacit.io.hierarchies import read_hierarchy
from tacit.surface.page import forms
from tacit.surface.page.session import ITEMS, DataSet, HierarchyChoice
from tacit.surface.page.worker import hierarchy, look
from tacit.surface.recipe.text import to_toml
from tests.bad_input.case import Case
from tests.bad_input.hierarchies import CASES, DRINKS

from .conftest import Served, leave
from .test_browser import Person, person, verified, violations
from .test_journeys import orders
from .test_project import sent, serving

__all__ = ["person"]

SHEETS = [case for case in CASES if case.name.startswith("sheet of levels")]
GOODS = (
    "Beer dark",
    "Beer pale",
    "Beer wheat",
    "Bread rye",
    "Bread white",
    "Milk low fat",
    "Milk oat",
    "Milk whole",
)


@pytest.fixture
def drinks(served: Served) -> Iterator[DataSet]:
    """Baskets whose items are known."""
    folder = served.session.new_folder()
    name = folder.name
    (folder / "data.dat").write_text("".join(f"{one}\n" for one in DRINKS))
    data = served.session.add(DataSet(name, "drinks.dat", folder, str(folder / "data.dat"), 9, "baskets"))
    data.values_file.write_text(json.dumps({ITEMS: list(DRINKS)}))
    yield data
    served.session.data.pop(name, None)
    shutil.rmtree(folder, ignore_errors=True)


def kept(data: DataSet) -> Hierarchy:
    """The tree that a run would use."""
    file = data.hierarchies[ITEMS].file
    assert file is not None
    return read_hierarchy(file)


def way(tree: Hierarchy, leaf: str) -> list[str]:
    return [tree.labels[node] for node in tree.ancestors(tree.index[leaf])]


@pytest.mark.parametrize("case", SHEETS, ids=str)
def test_every_way_a_pasted_tree_can_be_wrong(case: Case, served: Served, drinks: DataSet) -> None:
    sheet = case.files["h.csv"].decode()
    told = sent(served, f"/data/{drinks.id}/hierarchy-paste", {"column": "", "sheet": sheet})
    if case.code is None:
        tree = kept(drinks)
        assert set(DRINKS) <= set(tree.labels[: tree.n_leaves])
        return
    error = told["error"]
    assert (error["code"], error["field"]) == (case.code, "sheet")
    text = " ".join(str(error[part]) for part in ("message", "where", "hint"))
    assert "--" not in text and str(drinks.folder) not in text and "h.csv" not in text
    if "line" in (error["where"] or {}):
        (here,) = [line for line in error["excerpt"] if line["here"]]
        assert here["text"] == sheet.splitlines()[error["where"]["line"] - 1]
    assert ITEMS not in drinks.hierarchies


def test_an_edited_tree_has_a_leaf_for_every_value_and_is_a_tree(served: Served, drinks: DataSet) -> None:
    address = f"/data/{drinks.id}/hierarchy-edited"
    for lines, code in (
        ("child,parent\nale,*\nrye,*\n", "hierarchy-missing-leaf"),
        ("child,parent\nale,x\nx,ale\n", "hierarchy-cycle"),
        ("child,parent\nale,*\nstout,+\nrye,*\n", "hierarchy-roots"),
        ("", "hierarchy-empty"),
    ):
        assert sent(served, address, {"column": "", "tree": lines})["error"]["code"] == code
    assert ITEMS not in drinks.hierarchies
    good = 'child,parent\n"ale","beer, ""all"""\n"stout","beer, ""all"""\n"beer, ""all""","*"\n"rye","*"\n'
    assert "3 values" in sent(served, address, {"column": "", "tree": good})["state"]
    assert way(kept(drinks), "ale") == ['beer, "all"', "*"]
    told = json.loads(served.ask("GET", f"/data/{drinks.id}/tree?column=", served.credentials).body)
    assert set(told["labels"][: told["leaves"]]) == set(DRINKS) and told["unused"] == []
    # Going back is going back to the same file, so that what was run with it is the latest again.
    first = drinks.hierarchies[ITEMS].file
    sent(served, address, {"column": "", "tree": "child,parent\nale,*\nstout,*\nrye,*\n"})
    assert drinks.hierarchies[ITEMS].file != first
    sent(served, address, {"column": "", "tree": good})
    assert drinks.hierarchies[ITEMS].file == first and first is not None and first.is_file()


def ordered(person: Person) -> Any:
    """An order list with a proposed tree, open in the editor.

    The workers' tasks run here; that the page has them run is for the journeys to show.
    """
    session, page = person.served.session, person.page
    folder = session.new_folder()
    name = folder.name
    file, reading = folder / "data.csv", {"record": "order", "item": "product"}
    file.write_text(orders(60))
    data = session.add(DataSet(name, "orders.csv", folder, str(file), file.stat().st_size, "long", reading))
    task = {"recipe": to_toml(forms.bare_recipe(data)), "table": False, "values": str(data.values_file)}
    data.seen = look(task | {"confirmed": None}, lambda what, share: None)
    tree = data.new_file()
    told = {"column": ITEMS, "proposing": {"file": str(tree), "k": None, "table": False}}
    made = hierarchy(task | told, lambda what, share: None)
    data.hierarchies[ITEMS] = HierarchyChoice(None, tree, "items-proposed.csv", made["tree"], made["check"])
    page.goto(f"{person.served.address}/data/{name}#step-3")
    page.get_by_role("button", name="Edit this tree").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=treeitem]:focus")
    return page


def newest(served: Served) -> DataSet:
    return list(served.session.data.values())[-1]


def saved(page: Any, data: DataSet, leaf: str, above: list[str]) -> None:
    """Wait until the tree on the server has this way up."""
    for _ in range(200):
        with suppress(InputError):  # the server puts a new file in the place of the one that is looked at
            if data.hierarchies[ITEMS].file is not None and way(kept(data), leaf) == above:
                return
        page.wait_for_timeout(100)
    assert way(kept(data), leaf) == above


def row(page: Any, label: str) -> Any:
    return page.locator(f"[role=treeitem][data-label='{label}']")


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.dataset.label ?? document.activeElement.tagName"))


def test_by_keyboard_alone(person: Person) -> None:
    page = ordered(person)
    data, keys = newest(person.served), page.keyboard
    assert violations(page) == []
    page.emulate_media(color_scheme="light")
    assert focused(page) == "*" and row(page, "Beer").get_attribute("aria-expanded") == "true"
    for key, there in (
        ("ArrowDown", "Beer"), ("ArrowRight", "Beer dark"), ("ArrowLeft", "Beer"), ("ArrowLeft", "Beer"),
        ("ArrowDown", "Bread"), ("End", "Milk whole"), ("Home", "*"), ("m", "Milk"),
    ):  # fmt: skip
        keys.press(key)
        assert focused(page) == there
    assert row(page, "Beer").get_attribute("aria-expanded") == "false"
    # Rename: a name that is taken is refused beside the field.
    keys.press("F2")
    keys.type("Bread")
    keys.press("Enter")
    assert "There is a group “Bread” already" in page.locator(".mistake").inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-invalid')") == "true"
    keys.press("Control+a")
    keys.type("Dairy")
    keys.press("Enter")
    assert focused(page) == "Dairy"
    saved(page, data, "Milk oat", ["Dairy", "*"])
    # A group of two that were picked, named by typing.
    keys.press("ArrowDown")
    keys.press("Shift+ArrowDown")
    keys.press("Insert")
    keys.type("Fancy")
    keys.press("Enter")
    assert focused(page) == "Fancy" and "2 values" in row(page, "Fancy").inner_text()
    saved(page, data, "Milk oat", ["Fancy", "Dairy", "*"])
    # Move it: pick up, go, put down.
    keys.press("Control+x")
    keys.press("Home")
    keys.press("b")
    assert focused(page) == "Beer"
    keys.press("Control+v")
    saved(page, data, "Milk oat", ["Fancy", "Beer", "*"])
    assert focused(page) == "Fancy"
    # Merge it into another, from a list; take another away; take that back.
    page.get_by_role("button", name="Merge into").focus()
    keys.press("Enter")
    keys.type("Bread")
    keys.press("Tab")
    keys.press("Enter")
    saved(page, data, "Milk oat", ["Bread", "*"])
    assert focused(page) == "Bread"
    keys.press("Delete")
    saved(page, data, "Bread rye", ["*"])
    assert focused(page) == "*"
    keys.press("Control+z")
    saved(page, data, "Bread rye", ["Bread", "*"])
    keys.press("Control+z")
    keys.press("Control+z")
    saved(page, data, "Milk oat", ["Fancy", "Dairy", "*"])
    keys.press("Control+y")
    saved(page, data, "Milk oat", ["Fancy", "Beer", "*"])
    # Values stay what they are, and an empty group is not kept.
    keys.press("Home")
    keys.press("Insert")
    keys.type("Nothing yet")
    keys.press("Enter")
    assert "not kept" in page.locator(".told").inner_text()
    tree = kept(data)
    assert sorted(tree.labels[: tree.n_leaves]) == sorted(GOODS) and "Nothing yet" not in tree.labels
    for width in (360, 640, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_by_mouse_and_by_paste(person: Person) -> None:
    page = ordered(person)
    data = newest(person.served)
    row(page, "Beer pale").drag_to(row(page, "Bread"))
    saved(page, data, "Beer pale", ["Bread", "*"])
    row(page, "Milk oat").click()
    row(page, "Milk whole").click(modifiers=["Control"])
    row(page, "Milk whole").drag_to(row(page, "Beer wheat"))  # a value stands for its group
    saved(page, data, "Milk whole", ["Beer", "*"])
    row(page, "Bread").drag_to(row(page, "Milk"))
    saved(page, data, "Beer pale", ["Bread", "Milk", "*"])
    row(page, "Milk").drag_to(row(page, "Bread"))  # a group cannot go into itself
    page.get_by_role("button", name="Undo").click()
    saved(page, data, "Beer pale", ["Bread", "*"])
    page.get_by_role("button", name="Undo").click()
    saved(page, data, "Milk whole", ["Milk", "*"])

    # Pasted rows that are wrong are told at the field; right ones are the tree, and can be taken back.
    page.locator("#tree-paste-0 summary").click()
    box = page.locator("textarea[name=sheet]")
    rows = [f"{one}\t{'Drink' if one.startswith('Beer') else 'Food'}" for one in GOODS]
    box.fill("\n".join([*rows[:-1], "Milk whole\tDrink\tEverything else"]))
    page.get_by_role("button", name="Take these rows").click()
    page.wait_for_selector("#tree-paste-0 .error")
    error = page.locator("#tree-paste-0 .error")
    assert "line 8" in error.inner_text() and "'Drink'" in error.inner_text()
    assert error.locator(".here").inner_text().startswith("8") and person.focused() == "sheet"
    box.fill("\n".join(["Product\tKind", *rows]))
    page.get_by_role("button", name="Take these rows").click()
    saved(page, data, "Milk whole", ["Food", "*"])
    row(page, "Drink").wait_for()
    page.get_by_role("button", name="Undo").click()
    saved(page, data, "Milk whole", ["Milk", "*"])
    person.complaints[:] = [text for text in person.complaints if "status of 422" not in text]


def test_a_stop_in_the_middle_and_on(browser: Any, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    with serving(folder) as first:
        somebody = Person(browser, first)
        page = ordered(somebody)
        row(page, "Beer").click()
        page.keyboard.press("F2")
        page.keyboard.type("Ale")
        page.keyboard.press("Enter")
        saved(page, newest(first), "Beer pale", ["Ale", "*"])
        leave(somebody)
    with serving(folder) as second:
        somebody = Person(browser, second)
        (data,) = second.session.data.values()
        somebody.page.goto(f"{second.address}/data/{data.id}#step-3")
        somebody.page.get_by_role("button", name="Edit this tree").click()
        row(somebody.page, "Ale").wait_for()
        somebody.make()
        release = somebody.publish(tmp_path / "out")
        assert verified(release) and not somebody.complaints
        leave(somebody)
