"""Columns that identify people or say too much of them, by their names and by the form of their values.

A look at a column answers with why it is so, with nothing where it is not, or with a doubt: where values of
a column that ought to be looked into cannot be read, nothing is known of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tacit.data.column import Column
from tacit.data.transactions import words_of
from tacit.judging.risk.classes import numbers_in
from tacit.judging.risk.standards import Standard
from tacit.judging.roles import IDENTIFYING, guess_roles

NUMBERED = IDENTIFYING | {
    "fax", "beneficiary", "licence", "license", "certificate", "vehicle", "plate", "vin", "device", "serial",
    "url", "web", "website", "fingerprint", "voice", "biometric", "photo", "image", "face", "record",
    "insurance", "initials", "username", "login", "imei", "cellphone", "fullname", "pid",
}  # fmt: skip
"""The kinds of identifiers that 45 CFR § 164.514(b)(2) lists, as columns are called."""
JOINED = re.compile(
    r"(patient|person|subject|member|user|client|customer|case|record|study|encounter|visit|hospital|medical"
    r"|full|last|first|sur|nick|maiden|birth)(id|ids|name|names|no|nr|num|number|code)"
)
"""The same where words are written together."""
PLACES = {
    "address", "street", "city", "town", "county", "precinct", "parish", "village", "municipality",
    "district", "latitude", "longitude", "geocode", "lat", "lon", "lng", "tract", "borough", "neighborhood",
    "neighbourhood", "suburb", "geohash", "gps", "ort", "wohnort", "stadt", "gemeinde", "landkreis", "ville",
    "commune", "ciudad", "citta", "comune", "adresse", "strasse", "direccion", "indirizzo",
}  # fmt: skip
POSTAL = ("zip", "postcode", "postal", "plz", "postleit", "zcta", "postnummer")
"""How a word for a postal code begins."""
AGES = re.compile(
    r"age(s|d|group|groups|grp|range|band|cat|category|class|bracket|bin|yrs|years)?|alter(s|sgruppe|sklasse)?"
    r"|edad|eta|idade|leeftijd|(patient|person|subject|current|admission|diagnosis|onset|death)age"
)
DATED = {
    "date", "dates", "datum", "fecha", "dob", "dod", "doa", "birthdate", "birthday", "datetime", "timestamp",
    "geburtsdatum", "geburtstag", "aufnahmedatum", "entlassdatum", "month", "monat", "mois", "mes", "quarter",
    "quartal", "week", "woche", "weekday", "day", "tag",
}  # fmt: skip
"""Words of columns that hold dates or parts of dates."""
SILENT = re.compile(
    r"\*+|\[\*\]|[?#–—-]+|\.+|x+|any|all|n/?a\.?|nan|null|none|missing|unknown|unbekannt|inconnu|other|refused"
    r"|not (known|stated|recorded|reported|available|applicable)|suppressed|redacted|withheld",
    re.IGNORECASE,
)
"""What a cell holds that says nothing."""
ADDRESS = (
    r"(?i)[^@\s]@[^@\s]+\.[a-z]{2,}|https?://\S|\bwww\.\S"
    r"|(^|[^\d.])(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}($|[^\d.]|\.($|\s))"
    r"|(^|[^\d-])\d{3}-\d{2}-\d{4}($|[^\d-])|\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b"
    r"|\b[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\b"
    r"|(^|[^\d.-])(\+?1[ .-]?)?(\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}($|[^\d-])"
    r"|(^|\s)\+\d{1,3}[ \d()/.-]{7,}\d"
    r"|\b(tel|telephone|phone|telefon|fon|call|mobile|cell|fax)\b\D{0,5}\d[\d ()/.-]{5,}\d"
)
"""Addresses of mail, web and network, telephone and social security numbers, anywhere: one is enough."""
TELEPHONE = r"^\+?\d[\d ()/.-]{7,}\d$"
"""Telephone numbers, which other numbers look like."""
MONTH = (
    r"((jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-zä]*|janvier|f[ée]v(rier)?|mars|avr(il)?"
    r"|juin|juil(let)?|ao[uû]t|d[ée]c(embre)?|ene(ro)?|abr(il)?|ago(sto)?|dic(iembre|embre)?|gennaio|maggio"
    r"|giugno|luglio|set(tembre|embro)?|ott(obre)?|fevereiro|mar[cç]o|maio|junho|julho|outubro|dezembro)\.?"
)
YEAR = r"(1[89]|20)\d\d"
DAY = r"([0-2]?\d|3[01])(st|nd|rd|th|er|\.|º)?"
WEEKDAY = (
    r"((mon|tues?|wed(nes)?|thur?s?|fri|sat(ur)?|sun)(day)?"
    r"|(mo|di|mi|do|fr|sa|so)|(mon|diens|donners|frei|sams|sonn)tag|mittwoch|sonnabend)[.,]*\s+"
)
DATE = (
    rf"(?i)^({WEEKDAY})?("
    rf"{YEAR}[ ./_-]?W\d{{1,2}}([ ./-]?\d)?|(W|KW|week)[ .]?\d{{1,2}}[ ,./-]+{YEAR}"
    rf"|{YEAR}-(00[1-9]|0[1-9]\d|[12]\d\d|3[0-6]\d)"
    rf"|\d{{4}}([/-]\d{{1,2}}|[./-](Q[1-4]|H[12])|[./-]\d{{1,2}}[./-]\d{{1,2}})([T ].*)?"
    rf"|{YEAR} ?Q[1-4]|(Q[1-4]|[1-4]Q)[ /-]?(\d\d|{YEAR})"
    rf"|{YEAR} \d{{1,2}} \d{{1,2}}|\d{{1,2}}[ ./-]\d{{1,2}}[ ./-]{YEAR}([T ,].*)?"
    rf"|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}([T ,].*)?|(0?[1-9]|1[0-2])[./-]{YEAR}"
    rf"|({DAY}[ -]?(of |de )?)?{MONTH}[ ,-]*(de )?({DAY},? )?\d{{2,4}}([T :,].*)?"
    rf"|{YEAR}[ -]?{MONTH}([ -]?{DAY})?|\d{{4}}年\d{{1,2}}月.*)$"
    rf"|\b{YEAR}[./-](0[1-9]|1[0-2])[./-]([0-2]\d|3[01])\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]{YEAR}\b"
    rf"|\b{DAY} (of )?{MONTH},? {YEAR}\b|\b{MONTH} {DAY},? {YEAR}\b"
)
"""Days, weeks, months, quarters and halves of a year, and days inside a text: one of them is enough."""
DIGITS = (
    rf"^{YEAR}(0[1-9]|1[0-2])([0-2]\d|3[01])?([T ]?\d{{4,6}})?$|^{YEAR}(00[1-9]|0[1-9]\d|[12]\d\d|3[0-6]\d)$"
)
"""Days and months without anything between, which other numbers look like."""
MONTHS, YEARS_TOO = rf"^{YEAR}\.(0?[1-9]|1[0-2])([T ].*)?$", rf"^{YEAR}(\.(0?[1-9]|1[0-2]))?$"
"""Months such as 2024.03, which amounts of money look like; and the same with years alone beside them."""
AMOUNT = r"^[+-]?\d+([.,]\d+)*$"
NAMED = rf"(?i)^{MONTH}( {DAY})?$|^{DAY}[ -]?{MONTH}$"
"""Months by name without a year, which other words look like."""
YEARS = re.compile(
    rf"\[?\(?{YEAR}s?(\s*(-|–|to|bis|,)\s*({YEAR}s?|\d\d))?[\])]?(\s*\((years?|decade)\))?|[<>≤≥]=?\s*{YEAR}|{YEAR}\s*\+"
)
"""Years and ranges of years."""
HALF = 0.5
OLDEST, NOBODY = 89, 115
"""The last age that is told by itself, and one that nobody in a table reaches."""
FEW_ROWS = 20
PROSE = r"^\S+(\s+\S+){4}"
"""A text of five words is a sentence."""


@dataclass(frozen=True, eq=False)
class Looked:
    """A column that is looked at."""

    column: Column
    standard: Standard
    amount: bool = False
    """Whether its owner said that it is sensitive, and it holds numbers."""

    @cached_property
    def words(self) -> set[str]:
        return words_of(self.column.name)

    @cached_property
    def texts(self) -> pl.Series:
        texts = pl.Series(self.column.texts, dtype=pl.String).drop_nulls().str.strip_chars()
        return texts.filter(texts != "")

    def share(self, form: str) -> float:
        """The share of the different values that have a form."""
        return float(self.texts.str.contains(form).sum()) / max(1, len(self.texts))

    @cached_property
    def told(self) -> list[str]:
        """The values that say something."""
        return [text for text in self.texts.to_list() if not SILENT.fullmatch(text)]

    @cached_property
    def dated(self) -> bool:
        forms = self.share(DATE) > 0 or max(self.share(DIGITS), self.share(NAMED)) >= HALF
        # Among amounts a month is one more amount; among words, or years, it is a month.
        months = self.share(MONTHS) > 0 and self.share(AMOUNT) - self.share(YEARS_TOO) <= HALF
        return self.column.values.dtype.is_temporal() or forms or months


Seen = bool | None
"""Whether a column is so; None where that is not known."""


def _identifies(look: Looked) -> Seen:
    """Whether it looks like an identifier of a person."""
    column = look.column
    named = look.words & NUMBERED - PLACES or any(map(JOINED.fullmatch, look.words))
    if named or look.share(ADDRESS) > 0 or (look.share(TELEPHONE) >= HALF and not look.dated):
        return True
    rows = len(column)
    if rows <= FEW_ROWS or column.values.dtype.is_temporal() or look.dated:
        return False
    wordy = len(column.values) >= HALF * rows and look.share(PROSE) >= HALF
    (guess,) = guess_roles([column])
    return None if wordy or (guess.role == "identifier" and not look.amount) else False


def _has_fine_places(look: Looked) -> Seen:
    """Whether it has a place smaller than a state; three digits of a postal code are none."""
    if look.words & PLACES:
        return True
    return _any(_postal(look), lambda digits: len(digits) > 3)


def _has_small_places(look: Looked) -> Seen:
    """Whether it is a postal column with an area in which few people live."""
    small = set(look.standard.more.get("small_postal_areas", ()))
    return _any(_postal(look), lambda digits: digits[:3] in small)


def _postal(look: Looked) -> list[str | None]:
    """The digits of postal codes, None for what cannot be read; zeros that numbers lost are put back."""
    if not any(word.startswith(POSTAL) for word in look.words):
        return []
    return [_code(text) for text in look.told]


def _code(text: str) -> str | None:
    """
    >>> _code("36.0"), _code("2139"), _code("021**"), _code("K1A 0B1")
    ('036', '02139', '021', None)
    """
    plain = re.sub(r"\.0*$", "", text)
    if plain.isdigit():
        return plain.zfill(3 if len(plain) <= 3 else 5)
    return re.sub(r"\D", "", plain) if re.fullmatch(r"[\d\s*xX#.,\[\]()-]*", plain) else None


def _has_fine_dates(look: Looked) -> Seen:
    """Whether it has dates that are finer than a year."""
    if look.dated:
        return True
    if not look.words & DATED:
        return False
    return None if any(not YEARS.fullmatch(text) for text in look.told) else False


def _has_old_ages(look: Looked) -> Seen:
    """Whether it has ages that tell more of somebody above 89 than that."""
    if not any(map(AGES.fullmatch, look.words)):
        return False
    numbers = numbers_in(look.column.values.drop_nulls())
    if numbers is not None:
        return bool((numbers >= OLDEST + 1).any())
    return _any([None if (old := tells_old(text)) is None else str(old) for text in look.told], "True".__eq__)


AGE_NUMBER = re.compile(r"\d+(?:[.]\d+)?")
UNITS = re.compile(
    r"\b(years?( of age)?|yrs?|y\.?o?|jahre?n?|j|ans|a[nñ]os|anni|old|aged?|alt|group"
    r"|(?P<months>months?|mos?|monate?)|(?P<weeks>weeks?|wks?|wochen?)|(?P<days>days?|tage?))\b\.?"
)
OPEN = re.compile(
    r"(?P<above>>(?!=)|\b(over|above|older than|more than|über)\b)|>=|≥|\+|∞|\binf(inity)?\b"
    r"|\b(and|or|und) (over|above|older|more|up|älter|mehr)\b|\bplus\b|\bab\b|\bat least\b"
)
SHUT = re.compile(
    r"(?P<below><(?!=)|\b(under|below|younger than|less than|unter)\b)|<=|≤|\b(up to|at most|bis zu)\b"
    r"|\b(and|or|und) (under|below|younger|less|jünger)\b"
)


def tells_old(text: str) -> bool | None:
    """Whether an age, a range or a set of ages tells people above 89 apart; None where it cannot be read.

    >>> [tells_old(text) for text in ("[90, 95)", "92 years", "> 95", "[85, 90)", "90+", ">89", "30 months")]
    [True, True, True, False, False, False, False]
    >>> tells_old("ninety"), tells_old("cohort 7")
    (None, None)
    """
    plain = text.lower().strip()
    units = UNITS.search(re.sub(r"(?<=\d)(?=[^\W\d])", " ", plain))
    plain = UNITS.sub(" ", re.sub(r"(?<=\d)(?=[^\W\d])", " ", plain))
    numbers = [float(number) for number in AGE_NUMBER.findall(plain)]
    for unit, parts in (("months", 12), ("weeks", 52), ("days", 365)):
        if units and units[unit]:
            numbers = [number / parts for number in numbers]
    opened, shut = OPEN.search(plain), SHUT.search(plain)
    rest = SHUT.sub(" ", OPEN.sub(" ", AGE_NUMBER.sub(" ", plain)))
    if not numbers or re.sub(r"\b(to|bis|and|und|or)\b|[\s\[\](){},;–—.-]", "", rest):
        return True if any(number > OLDEST for number in numbers) else None
    low, high = min(numbers), max(numbers)
    if opened and not shut and len(numbers) == 1:
        return low > OLDEST + (opened["above"] is None)
    ends_before = (shut and shut["below"]) or (len(numbers) == 2 and plain[-1:] in ")[" and plain[0] in "[](")
    if high >= NOBODY and len(numbers) == 2:  # a range to an age that nobody reaches is open
        return low > OLDEST + 1
    return high > OLDEST + 1 if ends_before else high >= OLDEST + 1


def _any(found: list[str | None], is_so: Callable[[str], bool]) -> Seen:
    if any(one is not None and is_so(one) for one in found):
        return True
    return None if None in found else False


OF_COLUMNS: dict[str, Callable[[Looked], Seen]] = {
    "identifier_columns": _identifies,
    "fine_places": _has_fine_places,
    "small_places": _has_small_places,
    "fine_dates": _has_fine_dates,
    "old_ages": _has_old_ages,
}
"""How many columns are so, each by itself, whatever classes there are."""
UNSURE = {
    "identifier_columns": "has another value or a sentence in each row, which may identify people",
    "fine_places": "has postal codes that cannot be read",
    "small_places": "has postal codes that cannot be read",
    "fine_dates": "is called a date, and its values cannot be read as years",
    "old_ages": "has ages that cannot be read",
}
"""Why it is not known of a column."""
