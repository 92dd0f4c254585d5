"""Bytes that must be text: checked once, so that everything after may trust them.

The result is UTF-8 without a byte order mark and without NUL bytes. The encoding is the one that is named, or
the one the bytes tell. A byte order mark and valid UTF-8 are proof. Otherwise each letter beyond ASCII is
looked at as every candidate reads it: in the right encoding it is a letter that fits its word (``Müller``),
in a wrong one a sign inside a word or a capital among small letters (``M¸ller``, ``cafÈ``). Where no
candidate fits, or two do, the text is refused rather than read wrongly.

Whether two values are spellings of one is another question, asked of the distinct values only: see
:mod:`tacit.data.spelling`.
"""

from __future__ import annotations

import codecs
import io
import re
from itertools import islice

from tacit.errors import InputError, Place, UsageError, option
from tacit.io.readers.opening import Opened

PIECE = 1 << 24
"""How many bytes are checked at a time; a check needs no second copy of the file."""


def decoded(opened: Opened, encoding: str | None) -> tuple[bytes, list[str]]:
    """A file's text as :func:`checked_text` gives it; and, where nobody says its encoding, what it was."""
    found = encoding or encoding_of(opened.data) or "utf-8"
    told = [f"{NAMES[found]} text"] if encoding is None and found != "utf-8" else []
    return checked_text(opened.data, file=opened.name, encoding=found), told


def checked_text(data: bytes, *, file: str, encoding: str | None = None) -> bytes:
    """The text as UTF-8 bytes, without a byte order mark.

    Refused, with the line: bytes that are not text in ``encoding``, or whose encoding cannot be told; NUL
    bytes.
    """
    codec = _codec(encoding or encoding_of(data) or "utf-8")
    encoding = encoding or codec
    try:
        # Of UTF-8 no second copy is made: it is checked piece by piece.
        data = data if codec == "utf-8" else data.decode(encoding).encode()
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        before = data[:start].decode(encoding, errors="ignore").encode()
        raise InputError(
            f"The bytes are not {encoding} text.",
            code="text-encoding",
            where=Place(file=file, line=line_at(before, len(before))),
            hint="Name the encoding the file was written in.",
        ) from None
    while data.startswith(codecs.BOM_UTF8):
        data = data.removeprefix(codecs.BOM_UTF8)
    data = data.removesuffix(b"\x1a")  # the mark by which MS-DOS ends a file
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(
            "The text holds a NUL byte.",
            code="text-nul",
            where=Place(file=file, line=line_at(data, nul)),
            hint="The file is damaged, or is not a text file.",
        )
    if codec == "utf-8":
        _refuse_invalid(data, file)
    return data


def line_at(data: bytes, offset: int) -> int:
    r"""The number, from 1, of the line that holds this byte; ``\n``, ``\r\n`` and ``\r`` end a line.

    >>> line_at(b"a\r\nb\nc", 5)
    3
    """
    ends = data.count(b"\n", 0, offset)
    returns = data.count(b"\r", 0, offset)
    if returns:
        ends += returns - data.count(b"\r\n", 0, offset)
        # a "\r" just before the byte "\n" ends the same line as that "\n", which is not over yet
        if data[offset - 1 : offset + 1] == b"\r\n":
            ends -= 1
    return ends + 1


def _codec(encoding: str) -> str:
    try:
        # A wrapper, unlike a look-up, takes no codec that is not one of text.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise UsageError(
            f"There is no text encoding {encoding!r}.",
            code="unknown-encoding",
            hint="Common ones are 'utf-8', 'latin-1', 'cp1252' and 'utf-16'.",
        ) from None
    return "utf-8" if name == "utf-8-sig" else name


def _refuse_invalid(data: bytes, file: str) -> None:
    if data.isascii():
        return
    start = 0
    while start < len(data):
        end = len(data)
        if end - start > PIECE:
            # A line end is never part of a longer character, so a piece may end after one.
            end = data.rfind(b"\n", start, start + PIECE) + 1 or end
        try:
            data[start:end].decode("utf-8")
        except UnicodeDecodeError as error:
            offset = start + error.start
            raise InputError(
                f"The text is not UTF-8, and the byte 0x{data[offset]:02x} does not tell its encoding.",
                code="text-utf8",
                where=Place(file=file, line=line_at(data, offset)),
                hint=f"Save the file as UTF-8, or name its encoding with {option('encoding')},"
                " for instance 'latin-1' or 'cp1252'.",
            ) from None
        start = end


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
