"""Which encoding a text is in, where nobody says so: told by its bytes, or not at all.

A byte order mark and valid UTF-8 are proof. Otherwise each letter beyond ASCII is looked at as every
candidate reads it: in the right encoding it is a letter that fits its word (``Müller``), in a wrong one a
sign inside a word or a capital among small letters (``M¸ller``, ``cafÈ``). Where no candidate fits, or two
do, the text is refused rather than read wrongly.
"""

from __future__ import annotations

import codecs
import re
from itertools import islice

MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
NAMES = {
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252",
    "mac-roman": "Mac Roman",
    "cp850": "MS-DOS (cp850)",
}
"""What people call the encodings that are told here."""
CANDIDATES = ("cp1252", "mac-roman", "cp850")
LETTERS = frozenset("äöüßÄÖÜéèêëàâáåçñíìîïóòôøœæúùûÉÈÊËÀÂÁÅÇÑÍÌÎÏÓÒÔØŒÆÚÙÛ")
"""The letters beyond ASCII of the languages that are written in these encodings."""
AMOUNTS, DASHES, QUOTES = "€£°²³µ½¼¾ºª", "–—", "„“”‘’‚«»"
"""Signs that stand beside a number, between words, and around them."""
LOOKED_AT = 5000
"""So many letters beyond ASCII are looked at."""
FITTING, AHEAD, FAR_AHEAD = 0.9, 0.2, 0.6
"""What share must fit, and how much better than in another encoding, and than in the usual one."""
FEWEST = 3
"""So many letters tell of an encoding that few files are in."""


def encoding_of(data: bytes) -> str | None:
    """The encoding of a text; None where its bytes do not tell.

    >>> encoding_of("Müller, Köln, Weiß".encode("mac-roman")), encoding_of("Müller".encode("latin-1"))
    ('mac-roman', 'cp1252')
    """
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return name
    wide = _wide(data)
    if wide is not None:
        return wide
    if data.isascii() or _decodes(data, "utf-8"):
        return "utf-8"
    fits = {name: _fit(data, name) for name in CANDIDATES if _decodes(data, name)}
    best = max(fits, key=lambda name: sum(fits[name]), default=None)
    if best is None:
        return None
    fit = fits[best]
    usual = CANDIDATES[0]
    told = best == usual or fit.count(1.0) >= FEWEST
    ahead = all(
        sum(fit) - sum(other) >= (FAR_AHEAD if name == usual else AHEAD) * len(fit)
        for name, other in fits.items()
        if name != best
    )
    return best if told and ahead and sum(map(bool, fit)) >= FITTING * len(fit) else None


def other_encoding(data: bytes, said: str | None) -> str | None:
    """The encoding that the bytes tell, where nobody says one and it is not UTF-8."""
    found = encoding_of(data) if said is None else None
    return None if found == "utf-8" else found


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: of Latin text every other byte is NUL, and of nothing else."""
    start = data[:4096]
    for name, half in (("utf-16-be", start[0::2]), ("utf-16-le", start[1::2])):
        if len(start) >= 4 and 2 * half.count(0) > len(half) and _decodes(data, name):
            return name
    return None


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _fit(data: bytes, name: str) -> list[float]:
    """How well each character beyond ASCII fits where it stands; a sign fits less than a letter."""
    text = data.decode(name)
    places = [found.start() for found in islice(re.finditer(rb"[\x80-\xff]", data), LOOKED_AT)]
    return [_fits(text[max(0, at - 2) : at], text[at], text[at + 1 : at + 2]) for at in places]


def _fits(before: str, letter: str, after: str) -> float:
    """1 for a letter that fits its word, 0.5 for a sign that fits beside it, 0.25 for what stands alone."""
    previous, beside = before[-1:], [other for other in (before[-1:], after) if other.isalpha()]
    if letter in LETTERS:
        if not beside:
            return 0.25  # € and Ä are one byte in two encodings
        if len(beside) == 2 and not any(map(str.isascii, beside)):
            return 0.0  # three in a row: of another script
        if letter.isupper():
            return float(not (previous.isalpha() and previous.islower()))
        return float(any(map(str.islower, beside)))
    if letter in AMOUNTS:
        return 0.5 if re.search(r"\d ?$", before) or after.isdigit() else 0.25 * (not beside)
    if letter in DASHES:
        return 0.5 * (not beside)
    return 0.5 * (letter in QUOTES and (len(beside) == 1 or letter == "’"))
