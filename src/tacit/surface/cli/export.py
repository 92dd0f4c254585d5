"""``tacit export``: a release in another format, beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tacit.ranges import Letters
from tacit.surface.cli.common import Shown
from tacit.surface.export import Exported


def export(
    folder: Path,
    /,
    *,
    to: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    of: str | None = None,
    delimiter: str = ",",
    encoding: str = "utf-8",
    overwrite: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shown: Shown | None = None,
) -> Exported:
    """Write a published table, transactions or rules in another format, beside the release.

    A release itself holds plain text alone, because the verifier reads all of it.

    Parameters
    ----------
    folder
        The release.
    to
        The format. A table: csv, tsv, parquet, arrow, xlsx, json. Transactions: dat, spmf, basket, csv, long,
        jsonl, parquet. The mapping of a generalized release also: hierarchy.
    output
        The file to write.
    of
        Which file of the release: qit or st, transactions or mapping; the first of these by default.
    delimiter
        What separates the cells of a table as csv: ; for spreadsheets of most of Europe.
    encoding
        Of a table as csv or tsv: utf-8-sig begins with the mark by which Excel knows UTF-8.
    overwrite
        Replace the file if it is there.
    """
    from tacit.surface.export import export as export_release

    sign = str(Letters().read(delimiter))
    return export_release(
        folder, output, to=to, of=of, delimiter=sign, encoding=encoding, overwrite=overwrite
    )
