"""Opening what a person names: a file, standard input, a folder of parts; plain or compressed, as bytes.

``-`` is standard input. A gzip or Zstandard file is known by its first bytes, which no text and
no other format read here can begin with, so that a compressed stream on standard input works too.
What stays on Spark is a table of its catalog, ``spark:NAME``, or a folder of parts such as it writes.
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from tacit.errors import InputError, Place, ResourceError

STANDARD_INPUT = "-"
GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
COMPRESSED = {".gz": GZIP, ".zst": ZSTANDARD}


@dataclass(frozen=True, slots=True)
class Opened:
    """The content of a file, uncompressed, with the name errors call it by."""

    name: str
    data: bytes


def open_bytes(source: str | Path) -> Opened:
    """The bytes of a file or of standard input, uncompressed."""
    if str(source) == STANDARD_INPUT:
        name, data = "standard input", sys.stdin.buffer.read()
    else:
        name, data = str(source), read_whole(existing_file(source))
    return Opened(name, uncompressed(data, name))


def existing_file(source: str | Path) -> Path:
    """The path, once it is known to be a file that is there."""
    path = Path(source)
    try:
        if path.is_dir():
            raise InputError(
                f"Expected a file, but {str(source)!r} is a folder.",
                code="file-is-folder",
                where=Place(file=str(source)),
                hint="Name a file inside it, or read all its files as parts with --engine spark.",
            )
        if not path.exists():
            raise InputError(
                f"There is no file {str(source)!r}.",
                code="file-missing",
                where=Place(file=str(source)),
                hint="Check the path; a relative one is looked up from the working folder.",
            )
    except OSError as error:  # a folder on the way that may not be entered, a name that is too long
        raise unreadable(source, error) from error
    except ValueError:  # a NUL in the name
        raise InputError(f"{str(source)!r} is not a file name.", code="file-missing") from None
    return path


def empty_file(name: str, message: str = "The file is empty.") -> InputError:
    """The error for a source that holds nothing."""
    hint = "Check that the right file was named."
    return InputError(message, code="empty-file", where=Place(file=name), hint=hint)


def read_whole(path: Path) -> bytes:
    """The content of a file that is there."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(source: str | Path, error: OSError) -> InputError:
    """The error for a file that the system would not let us read."""
    return InputError(
        f"The file {str(source)!r} cannot be read: {error.strerror or error}.",
        code="file-unreadable",
        where=Place(file=str(source)),
        hint="Check its permissions.",
    )


def uncompressed(data: bytes, name: str) -> bytes:
    """The bytes themselves, or what a gzip or Zstandard stream holds."""
    wanted = COMPRESSED.get(Path(name).suffix.lower())
    if wanted is not None and not data.startswith(wanted):
        raise _broken(name, "it does not begin as such a file does")
    try:
        if data.startswith(GZIP):
            return gzip.decompress(data)
        if data.startswith(ZSTANDARD):
            return _unzstandard(data)
    except (OSError, EOFError, zlib.error) as error:
        raise _broken(name, str(error).rstrip(".").lower()) from error
    except MemoryError as error:
        raise ResourceError(
            f"The content of {name!r} does not fit into memory once uncompressed.", code="out-of-memory"
        ) from error
    return data


def beginning(path: Path, count: int) -> bytes:
    """The first bytes of a file, uncompressed; nothing where it cannot be read."""
    try:
        with path.open("rb") as opened:
            data = opened.read(count)
        if data.startswith(GZIP):
            return zlib.decompressobj(wbits=31).decompress(data, count)
        if data.startswith(ZSTANDARD):
            import zstandard

            return zstandard.ZstdDecompressor().decompressobj().decompress(data)[:count]
    except (OSError, zlib.error, ImportError):
        return b""
    return data


def plain_name(path: str | Path) -> Path:
    """The name of a file as it is called uncompressed."""
    named = Path(path)
    return named.with_suffix("") if named.suffix.lower() in COMPRESSED else named


def plain_suffix(path: str | Path) -> str:
    """The suffix that names the format, in lower case: ``.csv`` for ``people.CSV.gz``."""
    return plain_name(path).suffix.lower()


def named_part(origin: str | Path, suffixes: Collection[str]) -> str:
    """The name that tells the format: that of the path itself, or of the first part in the folder."""
    folder = Path(origin)
    if plain_suffix(folder) in suffixes or not is_folder(folder):
        return str(origin)
    parts = sorted(folder.glob("[!_.]*"))[:1]
    return str(parts[0]).removesuffix(".snappy") if parts else str(origin)


def _unzstandard(data: bytes) -> bytes:
    import zstandard

    pieces: list[bytes] = []
    while data:  # a file may hold several frames, one after the other
        stream = zstandard.ZstdDecompressor().decompressobj()
        try:
            pieces.append(stream.decompress(data))
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from error
        if not stream.eof:
            raise EOFError("the file ends before the compressed data do")
        data = stream.unused_data
    return b"".join(pieces)


def _broken(name: str, reason: str) -> InputError:
    return InputError(
        f"The compressed file cannot be read: {reason}.",
        code="file-compressed",
        where=Place(file=name),
        hint="It may be cut short, or its name may not say what it is; write it again.",
    )


ADDRESS = "spark:"
"""How the address of a table of Spark's catalog begins."""


def is_spark_address(source: object) -> bool:
    """Whether a source names a table of Spark's catalog."""
    return isinstance(source, str) and source.startswith(ADDRESS)


def literal_path(origin: str) -> str:
    """A path as Spark is to read it: the name of a file that is here stands for that file alone.

    Spark takes ``[``, ``{``, ``*`` and the like for patterns, by which ``a[1].csv`` is a file ``a1.csv``.
    """
    try:
        here = Path(origin).exists()
    except OSError:  # a name that is too long
        here = False
    return re.sub(r"[\\\[\]{}*?]", r"\\\g<0>", origin) if here else origin


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; one that cannot be, because its name is too long, is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def is_folder_of_parts(source: str | Path) -> bool:
    """Whether a path is a folder such as Spark writes, with files ``part-…``."""
    return is_folder(Path(source)) and any(Path(source).glob("part-*"))
