"""Words that can mean a missing value: few, short, and no sentence.

They are stated in the manifest of a release, because whoever compares it with the original must know them. So
they are no place for a name or a column of the data: a code (``-9``, ``999``), signs, a date at the end of
time, what is usually written (``N/A``, ``not stated``, ``keine Angabe``), at most three other short words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.errors import UsageError, option, shorten

MOST, MOST_OTHER, LONGEST, LONGEST_OTHER, MOST_PARTS = 20, 3, 30, 12, 4
_YEAR = "(0001|1[6-9]00|1753|1899|1901|1970|2[0-9]99|9999)"
_CODE = re.compile(
    r"[+-]?((\d)\2{0,8}|9{1,8}\d)([.,][09]{1,3})?|[\W_]{0,4}|#DIV/0!"
    rf"|({_YEAR}-(01-01|12-3[01])|(01[./]01|3[01][./]12|12/3[01])[./]{_YEAR})([ T]00:00(:00)?)?",
    re.ASCII,
)
_WORDS = (
    "a an answer answered applicable available blank c d data declined determined disclosed don dont"
    " empty entered error given i info information k know known m missing n na name nan nd ni nil no non"
    " none not null num o p provided recorded ref refused reported response s specified stated t tbd to"
    " undefined unk unknown unspecified value void was withheld x angabe angaben bekannt erhoben fehlend"
    " fehlt kein keine leer nicht unbekannt inconnu inconnue manquant pas renseigné réponse sans vide"
    " aplica contesta dato datos desconocido sabe sin mancante sconosciuto geen niet onbekend brak saknas"
)
_USUAL = frozenset(_WORDS.split())


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words, unless one of them cannot mean a missing value."""
    other = [word for word in words if not _usual(word)]
    wrong = next((word for word in other if not _short(word)), None)
    if wrong is None and len({*words}) <= MOST and len({*other}) <= MOST_OTHER:
        return tuple(words)
    found = (
        f"Got {shorten(wrong)!r}, which is none."
        if wrong is not None
        else f"Got {len({*words})}, {len({*other})} of them unusual."
    )
    raise UsageError(
        f"{option('null_values')} takes words that mean a missing value: at most {MOST} of them, codes such"
        f" as -9 or 999, what is usually written, and at most {MOST_OTHER} others of up to {LONGEST_OTHER}"
        f" letters without a blank. {found}",
        code="null-values",
        hint="The words are published with a release. Leave such cells empty in the data instead.",
    )


def _usual(word: str) -> bool:
    """Whether this is a code, signs, a date that stands for none, or what is usually written."""
    if not word.isprintable():
        return False
    parts = re.findall(r"[^\W\d_]+", word.casefold())
    told = 0 < len(parts) <= MOST_PARTS and _USUAL.issuperset(parts) and not re.search(r"\d", word)
    return _CODE.fullmatch(word) is not None or (told and len(word) <= LONGEST)


def _short(word: str) -> bool:
    return len(word) <= LONGEST_OTHER and word.isprintable() and not re.search(r"[\d\s]", word)
