"""A made-up hospital: who was admitted, from where, and with what.

Every row is one admission. The quasi-identifiers are ``zip``, ``age`` and ``sex``, the sensitive
attribute is ``disease``; ``admission`` and ``ward`` have no role, and ``patient_id`` and ``name``
are identifiers, which the table does not hold and the frame does. Some diagnoses never occur in
some groups of people (see :mod:`tacit.io.samples.diagnoses`), which is what a reader of a
bucketized table would know. No row is about a real person.
"""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl

from tacit.data.column import Column
from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.sources import EncodedSource
from tacit.data.table import Roles, Table
from tacit.io.hierarchies import build_flat, build_intervals, build_prefixes
from tacit.io.samples.diagnoses import BANDS, DIAGNOSES, KINDS, REGIONS, SEXES, weights
from tacit.io.samples.draws import SEED, Draws, Small, choice_table, without_gaps
from tacit.io.samples.names import FIRST_NAMES, LAST_NAMES
from tacit.ranges import Whole, check
from tacit.typing import AnyArray

RANGES = {"rows": Whole(1, 100_000_000), "seed": SEED}

QUASI = ("zip", "age", "sex")
SENSITIVE = ("disease",)


def hospital(rows: int = 1000, seed: int = 0) -> Table:
    """The sample as a table with roles and hierarchies, identifiers left out.

    >>> table = hospital(rows=500)
    >>> table.names
    ('zip', 'age', 'sex', 'admission', 'ward', 'disease')
    """
    columns = [_packed(name, codes, values) for name, (codes, values) in _drawn(rows, seed).items()]
    return Table(
        EncodedSource(columns, rows),
        Roles(quasi=QUASI, sensitive=SENSITIVE),
        hospital_hierarchies(),
        origin="sample:hospital",
    )


def hospital_frame(rows: int = 1000, seed: int = 0) -> pl.DataFrame:
    """The same rows as a frame with the identifiers, as the hospital itself would hold them."""
    drawn = _drawn(rows, seed)
    sex_codes, _ = drawn["sex"]
    identifiers = [_patient_ids(rows, seed), _names(sex_codes, seed)]
    return pl.DataFrame(
        identifiers + [values.gather(codes).alias(name) for name, (codes, values) in drawn.items()]
    )


def hospital_hierarchies() -> dict[str, Hierarchy]:
    """A hierarchy for each quasi-identifier and for the disease, over every value the sample can hold."""
    return {
        "zip": build_prefixes(ZIPS, lengths=(4, 3, 2), name="zip"),
        "age": build_intervals(range(AGES), width=5, nesting=(2, 2), name="age"),
        "sex": build_flat(SEXES, name="sex"),
        "disease": from_parents(_kinds_of_disease(), name="disease"),
    }


def _kinds_of_disease() -> dict[str, str]:
    """The parent of each diagnosis and of each kind."""
    parents = {one.name: KINDS[one.ward] for one in DIAGNOSES}
    return parents | dict.fromkeys(dict.fromkeys(parents.values()), "*")


AGES = 100
"""Ages run from 0 to this, left out."""
_FIRST_DAY = date(2024, 1, 1)
_DAYS = 731

# Areas by the first three digits: the town is the area of 131 and 132. The share is of admissions.
_AREAS = {"130": 14, "131": 22, "132": 18, "133": 9, "137": 8, "138": 6, "148": 15, "149": 8}
_TOWN = ("131", "132")
_ENDINGS = ("01", "04", "12", "17", "23", "36", "50", "68")
ZIPS = tuple(area + ending for area in _AREAS for ending in _ENDINGS)
"""The postal codes, in order."""

# Admissions by band of age, for women and men; inside a band every age is as likely.
_ADMISSIONS = {"female": (6, 6, 11, 20, 11, 17, 17, 12), "male": (8, 8, 9, 13, 12, 22, 19, 9)}
_FEMALE_SHARE = 0.53


def _drawn(rows: int, seed: int) -> dict[str, tuple[AnyArray, pl.Series]]:
    """Codes and values of each column, in the order of the table; the values are sorted."""
    check("hospital", RANGES, rows=rows, seed=seed)
    sex = choice_table([_FEMALE_SHARE, 1 - _FEMALE_SHARE])[Draws(seed, "sex").halves(rows)]
    zip_code = choice_table(_zip_weights())[Draws(seed, "zip").halves(rows)]
    age = Draws(seed, "age").choices(np.array([_age_weights(name) for name in SEXES]), sex)
    town = np.array([code[:3] in _TOWN for code in ZIPS], dtype=np.uint8)[zip_code]
    band = (np.searchsorted(BANDS, np.arange(AGES), side="right") - 1).astype(np.uint8)[age]
    group = (town * np.uint8(len(SEXES)) + sex) * np.uint8(len(BANDS)) + band
    tables = weights().reshape(len(REGIONS) * len(SEXES) * len(BANDS), len(DIAGNOSES))
    disease = Draws(seed, "disease").choices(tables, group)
    names = sorted(range(len(DIAGNOSES)), key=lambda one: DIAGNOSES[one].name.encode())
    wards = sorted({one.ward for one in DIAGNOSES}, key=str.encode)
    ward = np.array([wards.index(one.ward) for one in DIAGNOSES], dtype=np.uint8)[disease]
    days = pl.date_range(
        _FIRST_DAY, _FIRST_DAY.replace(year=_FIRST_DAY.year + 2), "1d", closed="left", eager=True
    )
    return {
        "zip": (zip_code, pl.Series(ZIPS)),
        "age": (age, pl.Series(range(AGES), dtype=pl.Int64)),
        "sex": (sex, pl.Series(SEXES)),
        "admission": (Draws(seed, "admission").below(_DAYS, rows), days),
        "ward": (ward, pl.Series(wards)),
        "disease": (
            np.argsort(names).astype(np.uint8)[disease],
            pl.Series([DIAGNOSES[one].name for one in names]),
        ),
    }


def _zip_weights() -> list[float]:
    """The share of each postal code: its area's, more for the first endings than for the last."""
    endings = range(len(_ENDINGS), 0, -1)
    return [share * rank for share in _AREAS.values() for rank in endings]


def _age_weights(sex: str) -> list[float]:
    """The share of each age among the admissions of a sex."""
    ends = (*BANDS[1:], AGES)
    return [
        share / (end - start)
        for start, end, share in zip(BANDS, ends, _ADMISSIONS[sex], strict=True)
        for _ in range(start, end)
    ]


def _packed(name: str, codes: AnyArray, values: pl.Series) -> Column:
    """The column over the values that do occur."""
    packed, present = without_gaps(codes, len(values))
    return Column(name, packed, values.filter(pl.Series(present)))


def _patient_ids(rows: int, seed: int) -> pl.Series:
    """A number of nine digits per row, no two alike, in no order that shows."""
    # Multiplying by a number coprime to 10 permutes the residues modulo a power of 10.
    start = int(Draws(seed, "patient_id").below(10**9, 1)[0])
    numbers = (np.arange(rows, dtype=np.int64) * 387_420_489 + start) % 10**9
    return pl.Series("patient_id", numbers + 10**9).cast(pl.String).str.replace("1", "P", literal=True)


def _names(sex_codes: Small, seed: int) -> pl.Series:
    """A first and a last name per row; the first name goes with the sex."""
    # Full names: first by sex, then by last name, so that one gather writes a row.
    full = pl.Series(
        [f"{first} {last}" for sex in SEXES for first in FIRST_NAMES[sex] for last in LAST_NAMES]
    )
    each = len(full) // len(SEXES)
    return full.gather(
        sex_codes.astype(np.int64) * each + Draws(seed, "name").below(each, len(sex_codes))
    ).alias("name")
