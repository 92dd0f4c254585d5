"""Guess what each column of an unknown table is, and say why.

A guess saves typing; it decides nothing. The words below are those that tables about people use
for their columns, in English and, for the commonest, in German, French, Spanish and Italian; the stems are
what names such as ``educcat`` or ``Geburtsmonat`` begin with. Dates and sexes are known by their values too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from tacit.data.column import Column
from tacit.data.transactions import words_of
from tacit.io.hierarchies.automatic import DATES

IDENTIFYING = {
    "id", "name", "names", "surname", "lastname", "firstname", "ssn", "nhs", "passport", "email", "mail",
    "phone", "telephone", "mobile", "address", "street", "account", "iban", "mrn", "uuid", "guid", "ip",
    "vorname", "nachname", "adresse", "strasse", "telefon", "nom", "prenom", "nombre", "apellido",
    "apellidos", "direccion", "telefono", "dni", "nhc", "nome", "cognome", "indirizzo", "fiscale",
    "naam", "voornaam", "achternaam", "bsn", "adres", "telefoon",
}  # fmt: skip
QUASI = {
    "age", "birth", "birthdate", "birthday", "dob", "born", "sex", "gender", "zip", "zipcode", "postcode",
    "postal", "city", "town", "county", "region", "state", "country", "nationality", "race", "ethnicity",
    "religion", "marital", "education", "degree", "workclass", "job", "employer", "language", "height",
    "weight", "admission", "relationship", "native", "male", "latitude", "longitude", "lat", "lon", "long",
    "neighborhood", "neighbourhood", "district", "municipality", "department",
    "alter", "geburtsdatum", "geburtsjahr", "geschlecht", "plz", "postleitzahl", "ort", "wohnort", "staat",
    "familienstand", "beruf", "taetigkeit", "tatigkeit", "abteilung", "bundesland", "kanton", "sexe",
    "naissance", "ville", "pays", "profession", "civil", "departement", "commune", "edad", "sexo",
    "nacimiento", "ciudad", "provincia", "pais", "eta", "sesso", "nascita", "citta", "comune",
}  # fmt: skip
SENSITIVE = {
    "disease", "diagnosis", "diagnoses", "condition", "illness", "icd", "medication", "drug", "treatment",
    "salary", "income", "wage", "earnings", "debt", "credit", "occupation", "offence", "crime", "vote",
    "party", "hiv", "dx", "orientation", "result", "grade", "score", "secret", "sensitive",
    "patologia", "krankheit", "diagnose", "erkrankung", "gehalt", "einkommen", "maladie", "diagnostic",
    "salaire",
    "revenu", "enfermedad", "diagnostico", "salario", "ingresos", "malattia", "diagnosi", "reddito",
}  # fmt: skip
IDENTIFYING_STEMS = ("vorname", "nachname", "telefon", "patientenn", "versichertenn")
QUASI_STEMS = (
    "birth", "geburt", "gebdat", "educ", "colleg", "marit", "marri", "race", "ethnic", "hispan", "relig",
    "nation", "postal", "postleit", "postcode", "zip", "child", "kinder", "female", "gender", "geschlecht",
    "citizen", "immigr", "foreign", "famil", "househ", "homeown", "veteran", "employ", "aufnahme", "entlass",
    "admiss", "discharg", "wohn", "landkreis", "gemeinde", "naissanc", "nacimient",
)  # fmt: skip
SENSITIVE_STEMS = (
    "diagn", "diseas", "krankh", "erkrank", "malad", "enfermed", "malatt", "incom", "salar", "salair", "wage",
    "earning", "einkomm", "gehalt", "vote", "medica", "illness", "infect", "symptom", "patholog", "gesundh",
    "cancer", "alcohol", "depress", "pregnan",
    "arrest", "convict", "offenc", "offens",
)  # fmt: skip
SENSITIVE_ENDINGS = ("diagnose", "diagnosen", "erkrankung", "erkrankungen", "krankheit", "einkommen")
"""What German words of several end with: Hauptdiagnose, Vorerkrankungen."""
PEOPLE = (
    "patient", "patienten", "pat", "person", "personen", "personal", "customer", "client", "member",
    "employee", "student", "participant", "respondent", "user", "kunde", "kunden", "kd", "klient", "klienten",
    "mitglied", "mitglieds", "mitarbeiter", "versicherten", "versicherungs", "schueler", "schuler",
    "studenten", "matrikel", "proband", "probanden", "teilnehmer", "bewohner", "nutzer",
)  # fmt: skip
"""Words for people in the names of columns that number them. A case or an order is none."""
NUMBERS = (
    "id", "number", "no", "nr", "num", "key", "code", "pseudonym",
    "nummer", "kennung", "kennzeichen", "schluessel", "schlussel",
)  # fmt: skip
_WHO = re.compile(rf"(kranken|sozial|renten)?({'|'.join(PEOPLE)})({'|'.join(NUMBERS)})?")
SEXES = {
    "m", "f", "w", "d", "x", "male", "female", "man", "woman", "men", "women", "mann", "frau", "männlich",
    "weiblich", "divers", "homme", "femme", "hombre", "mujer", "uomo", "donna", "maschio", "femmina",
}  # fmt: skip
LOOKED_AT = 200
"""So many different values of a column are looked at."""
NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")
BY_NAME = "by its name"
"""Why a column has a role."""
CANDIDATES = 3
"""How many columns are named that may be sensitive."""


@dataclass(frozen=True, slots=True)
class GuessedRole:
    """A role for a column, and the reason in a few words."""

    role: str
    why: str


def guess_roles(columns: Sequence[Column]) -> list[GuessedRole]:
    """A role for each column: identifier, quasi-identifier, sensitive or none."""
    return [_guess(column) for column in columns]


def may_be_sensitive(columns: Sequence[Column], taken: Collection[str] = ()) -> tuple[str, ...]:
    """The columns to think of first where nothing was said to be sensitive, a few at most, likeliest first.

    They are those that have such a name, else those without another role that repeat their values,
    the last first, which is where tables often keep the outcome. That is no reason to take one of
    them as sensitive: a table may end with the year as well. ``taken`` are columns that have a role.
    """
    free = [(column, _guess(column).role) for column in columns if column.name not in taken]
    named = [column.name for column, role in free if role == "sensitive"]
    repeating = [
        column.name
        for column, role in reversed(free)
        if role == "none" and 2 <= len(column.values) <= len(column) // 2
    ]
    return tuple(named or repeating)[:CANDIDATES]


def _guess(column: Column) -> GuessedRole:
    distinct, rows = len(column.values), len(column)
    if distinct == 1 and rows > 1:
        return GuessedRole("none", "one value only")
    words = words_of(column.name)
    for role, known, stems in (
        ("identifier", IDENTIFYING, IDENTIFYING_STEMS),
        ("sensitive", SENSITIVE, SENSITIVE_STEMS),
        ("quasi", QUASI, QUASI_STEMS),
    ):
        called = words & known or any(word.startswith(stems) for word in words)
        called = called or (role == "identifier" and not words <= {*PEOPLE} and numbers_people(column.name))
        called = called or (role == "sensitive" and any(word.endswith(SENSITIVE_ENDINGS) for word in words))
        if called and "weight" in words and _weighs_rows(column):
            return GuessedRole("none", "numbers around 1: a weight of a survey")
        if called and not (role == "identifier" and measures(column)):
            return GuessedRole(role, BY_NAME)
    if are_dates(column):
        return GuessedRole("quasi", "its values are dates")
    values = _first(column)
    if len(values) > 1 and all(value.strip().casefold() in SEXES for value in values):
        return GuessedRole("quasi", "its values are sexes")
    if rows > 20 and distinct == rows and not measures(column):
        return GuessedRole("identifier", "every value is different")
    return GuessedRole("none", "neither its name nor its values suggest a role")


def _weighs_rows(column: Column) -> bool:
    """Whether the values are decimals around 1, as rows of a sample are weighed, and people are not."""
    if not measures(column):
        return False
    values = [float(text.replace(",", ".")) for text in column.texts if text is not None]
    return min(values) >= 0 and 0.8 <= sum(values) / len(values) <= 1.25


def numbers_people(name: str) -> bool:
    """Whether a column is called a number of people, or people alone.

    >>> [name for name in ("patient_id", "Pat.-Nr.", "Kundennummer", "Fallnummer") if numbers_people(name)]
    ['patient_id', 'Pat.-Nr.', 'Kundennummer']
    """
    words = words_of(name) - {*NUMBERS}
    return bool(words) and all(map(_WHO.fullmatch, words))


def are_dates(column: Column) -> bool:
    """Whether the values look like dates."""
    values = _first(column)
    return any(all(map(form.match, values)) for form, _ in DATES if values)


def _first(column: Column) -> list[str]:
    return list(islice((value for value in column.texts if value is not None), LOOKED_AT))


def measures(column: Column) -> bool:
    """Whether the values are amounts: numbers, some with decimals. They differ without naming anybody."""
    values = [text for text in column.texts if text is not None]
    return all(map(NUMBER.fullmatch, values)) and any(set(".,") & set(value) for value in values)
