"""What the hospital sample knows of medicine: how often each diagnosis is made, and for whom never.

A diagnosis has a share of its own, a factor for each sex, one for each band of age and one for
town and country. A factor of 0 means never: men do not get ovarian cancer, nobody gives birth
outside 15-49, Alzheimer's disease does not come before 40. Figures are made up, of a
plausible size, and large enough that the impossible shows in a thousand rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.typing import Floats

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
