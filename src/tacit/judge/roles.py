"""Guess what each column of an unknown table is, and say why.

A guess saves typing; it decides nothing. The words below are those that tables about people use
for their columns, in English and, for the commonest, in German, French, Spanish and Italian.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tacit.data.column import Column

IDENTIFYING = {
    "id", "name", "names", "surname", "lastname", "firstname", "ssn", "nhs", "passport", "email", "mail",
    "phone", "telephone", "mobile", "address", "street", "account", "iban", "mrn", "uuid", "guid", "ip",
    "vorname", "nachname", "adresse", "strasse", "telefon", "nom", "prenom", "nombre", "apellido",
    "apellidos", "direccion", "telefono", "dni", "nome", "cognome", "indirizzo",
}  # fmt: skip
QUASI = {
    "age", "birth", "birthdate", "birthday", "dob", "born", "sex", "gender", "zip", "zipcode", "postcode",
    "postal", "city", "town", "county", "region", "state", "country", "nationality", "race", "ethnicity",
    "religion", "marital", "education", "degree", "workclass", "job", "employer", "language", "height",
    "weight", "admission", "relationship", "native",
    "alter", "geburtsdatum", "geburtsjahr", "geschlecht", "plz", "postleitzahl", "ort", "wohnort", "staat",
    "familienstand", "beruf", "sexe", "naissance", "ville", "pays", "profession", "edad", "sexo",
    "nacimiento", "ciudad", "provincia", "pais", "eta", "sesso", "nascita", "citta", "comune",
}  # fmt: skip
SENSITIVE = {
    "disease", "diagnosis", "diagnoses", "condition", "illness", "icd", "medication", "drug", "treatment",
    "salary", "income", "wage", "earnings", "debt", "credit", "occupation", "offence", "crime", "vote",
    "party", "hiv", "result", "grade", "score", "secret", "sensitive",
    "krankheit", "diagnose", "erkrankung", "gehalt", "einkommen", "maladie", "diagnostic", "salaire",
    "revenu", "enfermedad", "diagnostico", "salario", "ingresos", "malattia", "diagnosi", "reddito",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GuessedRole:
    """A role for a column, and the reason in a few words."""

    role: str
    why: str


def guess_roles(columns: Sequence[Column]) -> list[GuessedRole]:
    """A role for each column: identifier, quasi-identifier, sensitive or none.

    At most one column is guessed sensitive when none is named as such: the last that repeats its
    values, which is where tables usually keep the outcome.
    """
    guesses = [_guess(column) for column in columns]
    if not any(guess.role == "sensitive" for guess in guesses):
        for place in range(len(columns) - 1, -1, -1):
            if guesses[place].role == "none" and 2 <= len(columns[place].values) <= len(columns[place]) // 2:
                guesses[place] = GuessedRole("sensitive", "the last column that repeats its values")
                break
    return guesses


def words_of(name: str) -> set[str]:
    """The words of a column's name, in small letters without accents.

    >>> sorted(words_of("Année_deNaissance"))
    ['annee', 'de', 'naissance']
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return set(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", plain).lower())) - {""}


def _guess(column: Column) -> GuessedRole:
    words = words_of(column.name)
    distinct, rows = len(column.values), len(column)
    if words & IDENTIFYING:
        return GuessedRole("identifier", "by its name")
    if words & SENSITIVE:
        return GuessedRole("sensitive", "by its name")
    if words & QUASI:
        return GuessedRole("quasi", "by its name")
    if rows > 20 and distinct == rows:
        return GuessedRole("identifier", "every value is different")
    if distinct == 1:
        return GuessedRole("none", "one value only")
    return GuessedRole("none", "nothing tells")
