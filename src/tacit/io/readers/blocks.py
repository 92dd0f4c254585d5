"""A file a little at a time, plain or compressed, for what need not be in memory as a whole."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from tacit.errors import InputError, Place
from tacit.io.readers.opening import GZIP, ZSTANDARD, unreadable

BLOCK = 1 << 16
"""How many bytes are read at a time: few, since compressed ones may become a thousand times as many."""


def whole_lines(path: Path, size: int) -> Iterator[bytes]:
    """The text of a file in pieces that end with a line, each as soon as it has ``size`` bytes."""
    waiting: list[bytes] = []
    held = 0
    for block in file_blocks(path):
        end = block.rfind(b"\n") + 1 if held + len(block) >= size else 0
        if end:
            yield b"".join([*waiting, block[:end]])
            waiting, held = [], 0
        waiting.append(block[end:])
        held += len(block) - end
    rest = b"".join(waiting)
    if rest:
        yield rest


def file_blocks(path: Path) -> Iterator[bytes]:
    """The content of a file, uncompressed, block by block."""
    try:
        with path.open("rb") as file:
            start = file.read(len(ZSTANDARD))
            file.seek(0)
            if start.startswith(GZIP):
                yield from _unpacked(file, lambda: zlib.decompressobj(wbits=31), path)
            elif start.startswith(ZSTANDARD):
                import zstandard

                yield from _unpacked(file, lambda: zstandard.ZstdDecompressor().decompressobj(), path)
            else:
                yield from iter(lambda: file.read(BLOCK), b"")
    except OSError as error:
        raise unreadable(path, error) from error


def _unpacked(file: IO[bytes], new_stream: Callable[[], Any], path: Path) -> Iterator[bytes]:
    from zstandard import ZstdError

    stream = new_stream()
    while block := file.read(BLOCK):
        while block:
            if stream.eof:  # a file may hold several streams, one after the other
                stream = new_stream()
            try:
                unpacked = stream.decompress(block)
            except (zlib.error, ZstdError) as error:
                raise _broken(path, str(error)) from error
            yield unpacked
            block = stream.unused_data if stream.eof else b""
    if not stream.eof:
        raise _broken(path, "the file ends before the compressed data do")


def _broken(path: Path, reason: str) -> InputError:
    return InputError(
        f"The compressed file cannot be read: {reason}.",
        code="file-compressed",
        where=Place(file=str(path)),
        hint="It may be cut short; write it again.",
    )
