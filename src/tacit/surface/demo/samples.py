"""The data of the demo: a hospital and a supermarket, written as files and profiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tacit.data.table import Table
from tacit.io.hierarchies import write_hierarchy
from tacit.io.readers import read_table, read_transactions
from tacit.io.samples.hospital import hospital, hospital_frame
from tacit.io.samples.supermarket import supermarket
from tacit.io.writers import write_table, write_transactions
from tacit.judging.profile import profile
from tacit.showing.text import as_text

PATIENTS = 5_000
BASKETS = 5_000


def patients_of(folder: Path, *, hierarchies: bool = True) -> Table:
    """The hospital's patients as the demo wrote them."""
    return read_table(
        folder / "patients.csv",
        quasi=["zip", "age", "sex"],
        sensitive="disease",
        identifiers=["patient_id", "name"],
        hierarchies=folder / "hierarchies" if hierarchies else None,
    )


def chapter(folder: Path, say: Callable[[str], None]) -> None:
    """Write both data sets with their hierarchies, read them back, and profile them."""
    patients, baskets = folder / "patients.csv", folder / "baskets.dat"
    (folder / "hierarchies").mkdir(exist_ok=True)
    write_table(hospital_frame(PATIENTS, seed=0), patients, overwrite=True)
    for name, hierarchy in hospital(PATIENTS, seed=0).hierarchies.items():
        write_hierarchy(hierarchy, folder / "hierarchies" / f"{name}.csv", overwrite=True)
    shop = supermarket(BASKETS, seed=0)
    assert shop.hierarchy is not None
    write_transactions(shop, baskets, overwrite=True)
    write_hierarchy(shop.hierarchy, folder / "products.csv", overwrite=True)

    say(f"$ tacit profile {patients}\n")
    say(as_text(profile(read_table(patients))))
    say(f"\n$ tacit profile {baskets} --hierarchy {folder / 'products.csv'}\n")
    say(as_text(profile(read_transactions(baskets, hierarchy=folder / "products.csv"))))
