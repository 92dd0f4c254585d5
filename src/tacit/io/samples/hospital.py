"""A made-up hospital: who was admitted, from where, and with what.

Every row is one admission. The quasi-identifiers are ``zip``, ``age`` and ``sex``, the sensitive
attribute is ``disease``; ``admission`` and ``ward`` have no role, and ``patient_id`` and ``name``
are identifiers, which the table does not hold and the frame does. Some diagnoses never occur in
some groups of people (see :mod:`tacit.io.samples.hospital`), which is what a reader of a
bucketized table would know. No row is about a real person.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl

from tacit.data.column import Column, EncodedSource
from tacit.data.hierarchy import Hierarchy, from_parents
from tacit.data.table import Roles, Table
from tacit.io.hierarchies import build_flat, build_intervals, build_prefixes
from tacit.io.samples import SEED, Draws, Small, choice_table, without_gaps
from tacit.ranges import Whole, check
from tacit.typing import AnyArray, Floats

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


BANDS = (0, 5, 15, 25, 40, 50, 65, 80)
"""The first age of each band of age."""
SEXES = ("female", "male")
REGIONS = ("country", "town")

_ALL = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
_CHILD = (8.0, 6.0, 0.6, 0.2, 0.1, 0.05, 0.02, 0.0)
_FERTILE = (0.0, 0.0, 4.0, 6.0, 1.0, 0.0, 0.0, 0.0)
_ADULT = (0.0, 0.1, 1.0, 1.4, 1.6, 1.4, 1.0, 0.7)
_MIDDLE = (0.0, 0.0, 0.2, 0.8, 1.6, 2.2, 1.8, 1.2)
_LATE = (0.0, 0.0, 0.0, 0.2, 0.8, 2.0, 2.8, 3.0)
_OLD = (0.0, 0.0, 0.0, 0.0, 0.1, 0.6, 3.0, 7.0)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How often a diagnosis is made, and where it is treated.

    ``ages`` has a factor per band of ``BANDS``; ``female``, ``male``, ``country`` and ``town`` are
    factors as well.
    """

    name: str
    ward: str
    share: float
    ages: tuple[float, ...] = _ALL
    female: float = 1.0
    male: float = 1.0
    country: float = 1.0
    town: float = 1.0

    def factor(self, *, sex: str, band: int, region: str) -> float:
        """The weight of the diagnosis among people of this sex, band of age and region."""
        by_sex = self.female if sex == "female" else self.male
        by_region = self.country if region == "country" else self.town
        return self.share * by_sex * self.ages[band] * by_region


DIAGNOSES = (
    Diagnosis("Alzheimer's disease", "geriatrics", 2.6, _OLD, female=1.3),
    Diagnosis("appendicitis", "surgery", 3.0, (0.5, 2.5, 2.5, 1.2, 0.8, 0.6, 0.4, 0.3)),
    Diagnosis("arthrosis", "orthopaedics", 4.0, _LATE, female=1.2),
    Diagnosis("asthma", "pneumology", 3.5, (1.5, 2.5, 1.2, 1.0, 0.8, 0.8, 0.7, 0.6), country=0.8, town=1.2),
    Diagnosis("breast cancer", "oncology", 3.2, _MIDDLE, female=1.0, male=0.01),
    Diagnosis("bronchitis", "pneumology", 5.0, (2.0, 1.2, 0.7, 0.7, 0.9, 1.0, 1.3, 1.5)),
    Diagnosis("chickenpox", "paediatrics", 1.2, _CHILD),
    Diagnosis("childbirth", "obstetrics", 5.0, _FERTILE, male=0.0),
    Diagnosis("colon cancer", "oncology", 2.2, _LATE, male=1.2),
    Diagnosis("concussion", "surgery", 2.4, (1.5, 2.2, 1.6, 0.9, 0.7, 0.6, 0.8, 1.0), male=1.3),
    Diagnosis("COPD", "pneumology", 2.8, _LATE, male=1.3),
    Diagnosis("depression", "psychiatry", 4.2, _ADULT, female=1.4),
    Diagnosis("diabetes", "internal medicine", 5.5, (0.2, 0.4, 0.4, 0.7, 1.2, 1.8, 2.0, 1.6)),
    Diagnosis("epilepsy", "neurology", 1.6),
    Diagnosis("fracture", "orthopaedics", 6.0, (0.7, 1.8, 1.1, 0.8, 0.8, 0.9, 1.2, 2.0)),
    Diagnosis("gallstones", "surgery", 3.2, _ADULT, female=1.8),
    Diagnosis("gastritis", "internal medicine", 4.8, (0.3, 0.5, 1.0, 1.2, 1.2, 1.1, 1.0, 0.8)),
    Diagnosis("gout", "internal medicine", 1.8, _MIDDLE, female=0.3),
    Diagnosis("heart attack", "cardiology", 4.5, _LATE, female=0.6, male=1.3),
    Diagnosis("HIV", "infectiology", 0.9, _ADULT, male=2.0, country=0.6, town=1.4),
    Diagnosis("hypertension", "cardiology", 6.0, _LATE),
    Diagnosis("influenza", "infectiology", 6.5, (1.6, 1.3, 0.8, 0.8, 0.8, 0.9, 1.2, 1.6)),
    Diagnosis("kidney stones", "urology", 2.6, _ADULT, male=1.6),
    Diagnosis("Lyme disease", "infectiology", 2.4, country=1.6, town=0.0),
    Diagnosis("migraine", "neurology", 2.8, (0.0, 0.6, 1.4, 1.6, 1.4, 0.9, 0.4, 0.2), female=2.0),
    Diagnosis("miscarriage", "obstetrics", 1.4, _FERTILE, male=0.0),
    Diagnosis("otitis media", "paediatrics", 1.8, _CHILD),
    Diagnosis("ovarian cancer", "oncology", 4.5, (0.0, 0.0, 0.3, 0.8, 1.4, 1.8, 1.6, 1.2), male=0.0),
    Diagnosis("pneumonia", "pneumology", 4.5, (1.5, 0.8, 0.5, 0.5, 0.8, 1.1, 1.8, 2.6)),
    Diagnosis("prostate cancer", "oncology", 3.4, _LATE, female=0.0),
    Diagnosis("stroke", "neurology", 3.6, _LATE),
)
"""Every diagnosis the hospital makes."""

KINDS = {
    "cardiology": "heart and vessels",
    "geriatrics": "nerves and mind",
    "infectiology": "infection",
    "internal medicine": "metabolism and digestion",
    "neurology": "nerves and mind",
    "obstetrics": "pregnancy",
    "oncology": "cancer",
    "orthopaedics": "bones and injuries",
    "paediatrics": "infection",
    "pneumology": "airways",
    "psychiatry": "nerves and mind",
    "surgery": "bones and injuries",
    "urology": "metabolism and digestion",
}
"""The kind of disease that each ward treats."""


def weights() -> Floats:
    """Shape (regions, sexes, bands, diagnoses): the weight of each diagnosis in each group of people."""
    return np.array(
        [
            [
                [
                    [one.factor(sex=sex, band=band, region=region) for one in DIAGNOSES]
                    for band in range(len(BANDS))
                ]
                for sex in SEXES
            ]
            for region in REGIONS
        ]
    )


_FEMALE = """
Ada Agnes Alice Amina Anna Beatriz Carla Chiara Clara Daria Edith Elena Emma Esra Eva Fatima Flora Greta
Hana Helen Ida Ines Irene Jana Julia Karin Laura Lena Lucia Maja Marta Mei Mira Nadia Nina Nora Olga Paula
Rosa Ruth Sara Selma Sofia Tara Thea Vera Wanda Xenia Yara Zoe
"""
_MALE = """
Adam Ali Anton Arthur Bruno Carl Cem Daniel David Diego Edgar Elias Emil Erik Felix Franz George Hamid
Hugo Igor Ivan Jakob Jan Joel Jonas Karl Kofi Leo Liam Luca Luis Marc Mateo Max Milan Nils Noah Omar Oscar
Otto Paul Peter Ravi Robert Samuel Simon Theo Tom Victor Yusuf
"""
_LAST = """
Abbott Acar Adler Almeida Amato Anders Arslan Bailey Baker Bauer Becker Berg Bianchi Blum Borg Brandt
Brown Carter Castro Chen Clark Conti Cooper Costa Cruz Dahl Diaz Doyle Dubois Eder Ekman Ellis Farkas
Fischer Flores Fontana Foster Frank Garcia Graf Greco Gruber Haas Hansen Harris Hofer Horvat Huber Ito
Jansen Jensen Jones Kaya Keller Khan Kim Klein Koch Kovac Kraus Lang Larsen Lee Lehner Lopez Lund Maier
Marino Martin Mayer Meyer Moore Moser Nagy Novak Okafor Olsen Ortiz Patel Perez Petrov Popov Reyes Ricci
Rossi Roth Ruiz Russo Sato Schmid Silva Singh Smith Steiner Suzuki Svoboda Tanaka Taylor Varga Vogel
Wagner Walker Weber Winter Wolf Wong Wright Yilmaz Young Zeller
"""

FIRST_NAMES = {"female": tuple(_FEMALE.split()), "male": tuple(_MALE.split())}
"""First names by sex."""
LAST_NAMES = tuple(_LAST.split())
