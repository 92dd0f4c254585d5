"""``tacit verify``: have a release checked by the independent verifier."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from tacit.release.verification import Verification
from tacit.surface.cli.common import Names, Shown, Source, WholeText


@Parameter(name="*", group="Original")
@dataclass(frozen=True)
class OriginalFlags:
    """How the original is read: the flags it was read with when the release was made."""

    format: str | None = None
    "Format of the original where the file name does not tell."
    header: Annotated[bool | None, Parameter(name="--header", negative="--no-header")] = None
    "Whether the first line names columns; in a table it does by default, in a basket file it does not."
    columns: Names = ()
    "Column names, where there is no header line."
    delimiter: str | None = None
    "Field delimiter."
    quote: str | None = None
    "Quote around a field that holds the delimiter (tables)."
    skip_rows: WholeText | None = None
    "Lines to pass over before the header (tables)."
    skip_initial_space: Annotated[bool | None, Parameter(negative="", show_default=False)] = None
    "Pass over blanks after a delimiter (tables)."
    sheet: str | None = None
    "Sheet of a workbook."
    encoding: str | None = None
    "Text encoding; UTF-8 by default."
    nulls: str | None = None
    "A missing value is a value of its own (own), an error (reject) or its row is dropped (suppress)."
    null_values: Names = ()
    "Texts that mean a missing value, beside the empty cell."
    twins: str | None = None
    "Values that differ only in case, spelling form or invisible characters: refuse, fold or keep."
    record: str | None = None
    "Column that names the transaction (long format)."
    item: str | None = None
    "Column that names the item (long format)."
    table: str | None = None
    "Table to read from a database."
    query: str | None = None
    "Query to read from a database."

    def given(self) -> dict[str, Any]:
        """The flags that were given, as options of the readers."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, ())}


def verify(
    folder: Path,
    /,
    *,
    original: Source | None = None,
    public_key: Path | None = None,
    flags: OriginalFlags | None = None,
    shown: Shown | None = None,
) -> Verification:
    """Check a release against its promise; exit code 7 where it is broken, 8 where a part was not checked.

    Parameters
    ----------
    folder
        The release.
    original
        The data it was made from, where the release should also be checked against them. Plain text in
        UTF-8 is read by the verifier itself; of anything else it gets a plain copy.
    public_key
        The publisher's public key (PEM), where the signature of the release should also be checked.
    """
    from tacit.errors import UsageError
    from tacit.release.originals import read_original
    from tacit.release.verification import verify as run_verifier

    given = (flags or OriginalFlags()).given()
    if not given:
        return run_verifier(folder, original=original, public_key=public_key)
    if original is None:
        flag = next(iter(given)).replace("_", "-")
        raise UsageError(
            f"The flag --{flag} says how an original is read, and there is none.",
            code="flag-not-used",
            hint="Name the original with --original, or leave the flag out.",
        )
    found = run_verifier(folder, public_key=public_key)
    if found.broken:
        return found
    return run_verifier(folder, original=read_original(folder, original, given), public_key=public_key)
