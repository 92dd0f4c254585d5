"""Whether a column holds free text or identifiers: long, mostly different, with names, numbers, addresses."""

from __future__ import annotations

import re
from collections.abc import Sequence

FEWEST = 8
"""Of fewer different texts nothing is said."""
MOSTLY_DIFFERENT = 0.5
LONG_WORDS, LONG_CHARACTERS = 3.0, 25.0
SENTENCE_WORDS = 6.0
SENTENCES_DIFFERENT = 0.05
_DATE = re.compile(
    r"(19|20)\d\d([-./ ]?\d\d){1,2}([T ]\d\d(:?\d\d){0,2}(\.\d+)?Z?)?|\d\d?[-./]\d\d?[-./](19|20)\d\d"
)
_NUMBER = re.compile(r"[-+]?\d{0,6}([.,]\d+)?(e[-+]?\d+)?", re.IGNORECASE)


def free_text(texts: Sequence[str | None], n_rows: int) -> str | None:
    """What makes the values of a column free text, in words; None for categories, numbers and dates.

    >>> free_text(["Saw Dr Meyer on Monday", *(f"call {n}, asked for Ann" for n in range(9))], 10)
    'it holds free text: 10 different texts in 10 rows, 5 words each'
    >>> free_text([str(2000 + n) for n in range(50)], 50), free_text(["day", "night"], 50)
    (None, None)
    """
    given = [text for text in texts if text is not None and text.strip()]
    if len(given) < FEWEST:
        return None
    plain = sum(bool(_NUMBER.fullmatch(text.strip()) or _DATE.fullmatch(text.strip())) for text in given)
    if plain >= 0.9 * len(given):
        return None
    words = sum(len(text.split()) for text in given) / len(given)
    length = sum(map(len, given)) / len(given)
    different = len(given) / max(1, n_rows)
    each = "a word each" if words < 1.5 else f"{words:.0f} words each"
    found = f"{len(given):,} different texts in {n_rows:,} rows, {each}"
    if different > MOSTLY_DIFFERENT and (words >= LONG_WORDS or length >= LONG_CHARACTERS):
        return f"it holds free text: {found}"
    if words >= SENTENCE_WORDS and different > SENTENCES_DIFFERENT and len(given) > 2 * FEWEST:
        return f"it holds free text: {found}"
    if different > MOSTLY_DIFFERENT:
        return f"it may name people: {found}"
    return None
