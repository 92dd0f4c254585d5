"""Columns that identify people or say too much of them, by their names and by the form of their values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tacit.data.column import Column
from tacit.judging.roles import IDENTIFYING, words_of

NUMBERED = IDENTIFYING | {
    "fax", "beneficiary", "licence", "license", "certificate", "vehicle", "plate", "vin", "device", "serial",
    "url", "web", "website", "fingerprint", "voice", "biometric", "photo", "image", "face", "record",
    "insurance",
}  # fmt: skip
"""The kinds of identifiers that 45 CFR § 164.514(b)(2) lists, as columns are called."""
PLACES = {
    "address", "street", "city", "town", "county", "precinct", "parish", "village", "municipality",
    "district", "latitude", "longitude", "geocode", "lat", "lon",
}  # fmt: skip
POSTAL = {"zip", "zipcode", "postcode", "postal", "plz"}
AGES = {"age", "alter", "edad"}
FORMS = (
    re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE),
    re.compile(r"https?://\S+", re.IGNORECASE),
    re.compile(r"\d{1,3}(\.\d{1,3}){3}"),
    re.compile(r"\d{3}-\d{2}-\d{4}"),
    re.compile(r"\+?\d[\d ()/-]{7,}\d"),
)
"""Addresses of mail, web and network, social security and telephone numbers."""
DATE = re.compile(r"\d{4}-\d{1,2}(-\d{1,2})?([T ].*)?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}")


def identifier_columns(columns: Iterable[Column]) -> list[str]:
    """Columns that look like an identifier of a person."""
    return [
        column.name
        for column in columns
        if words_of(column.name) & NUMBERED - PLACES
        or (_looks(column, FORMS) and not _looks(column, (DATE,)))  # dates are digits with dashes, too
    ]


def fine_places(columns: Iterable[Column]) -> list[str]:
    """Columns with a place smaller than a state; three digits of a postal code are none."""
    found = []
    for column in columns:
        words = words_of(column.name)
        if words & PLACES or (words & POSTAL and any(len(digits) > 3 for digits in _digits(column))):
            found.append(column.name)
    return found


def small_places(columns: Iterable[Column], areas: Iterable[str]) -> list[str]:
    """Postal columns with an area in which few people live."""
    small = set(areas)
    return [
        column.name
        for column in columns
        if words_of(column.name) & POSTAL and any(digits[:3] in small for digits in _digits(column))
    ]


def fine_dates(columns: Iterable[Column]) -> list[str]:
    """Columns with dates that are finer than a year."""
    return [column.name for column in columns if column.values.dtype.is_temporal() or _looks(column, (DATE,))]


def old_ages(columns: Iterable[Column]) -> list[str]:
    """Columns of ages with one above 89."""
    found = []
    for column in columns:
        if words_of(column.name) & AGES:
            ages = [text for text in column.texts if text is not None and re.fullmatch(r"\d+(\.\d+)?", text)]
            if any(float(age) > 89 for age in ages):
                found.append(column.name)
    return found


def _digits(column: Column) -> list[str]:
    return [re.sub(r"\D", "", text) for text in column.texts if text]


def _looks(column: Column, forms: Iterable[re.Pattern[str]]) -> bool:
    """Whether at least half of the values have one of some forms."""
    texts = [text.strip() for text in column.texts if text]
    return bool(texts) and any(
        2 * sum(form.fullmatch(text) is not None for text in texts) >= len(texts) for form in forms
    )
