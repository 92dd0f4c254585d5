"""Bytes that must be text: checked once, so that everything after may trust them.

The result is UTF-8 without a byte order mark and without NUL bytes. The encoding of a file is the one that
is named, or the one its bytes tell (:mod:`tacit.io.readers.encodings`). Whether two values are spellings of
one is another question, asked of the distinct values only: see :mod:`tacit.data.spelling`.
"""

from __future__ import annotations

import codecs
import io

from tacit.errors import InputError, Place, UsageError, option
from tacit.io.readers.encodings import encoding_of

PIECE = 1 << 24
"""How many bytes are checked at a time; a check needs no second copy of the file."""


def checked_text(data: bytes, *, file: str, encoding: str | None = None) -> bytes:
    """The text as UTF-8 bytes, without a byte order mark.

    Refused, with the line: bytes that are not text in ``encoding``, or whose encoding cannot be told; NUL
    bytes.
    """
    codec = _codec(encoding or encoding_of(data) or "utf-8")
    encoding = encoding or codec
    if codec == "utf-8":
        data = data.removeprefix(codecs.BOM_UTF8)
        _refuse_nul(data, file)
        _refuse_invalid(data, file)
        return data
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        before = data[:start].decode(encoding, errors="ignore").encode()
        raise InputError(
            f"The bytes are not {encoding} text.",
            code="text-encoding",
            where=Place(file=file, line=line_at(before, len(before))),
            hint="Name the encoding the file was written in.",
        ) from None
    data = text.removeprefix("\ufeff").encode()
    _refuse_nul(data, file)
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


def _refuse_nul(data: bytes, file: str) -> None:
    offset = data.find(b"\0")
    if offset >= 0:
        raise InputError(
            "The text holds a NUL byte.",
            code="text-nul",
            where=Place(file=file, line=line_at(data, offset)),
            hint="The file is damaged, or is not a text file.",
        )


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
