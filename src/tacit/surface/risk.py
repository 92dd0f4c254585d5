"""The verb ``risk``: what a table or a release, ours or another tool's, gives away."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tacit.data.table import Table
from tacit.data.transactions import Transactions
from tacit.options import Only, Says, verb
from tacit.ranges import FileOrObject, Names, Optional, Share, Unlimited, Whole, Words
from tacit.release import read_manifest
from tacit.release.reading import published_data
from tacit.typing import Threshold

if TYPE_CHECKING:
    from tacit.judging.risk.figures import Risk


Given = Annotated[Any, Optional(FileOrObject())]
Name = Annotated[str | None, Optional(Words())]


@verb
def risk(
    data: Table | Transactions | str | Path,
    *,
    population: Annotated[
        Given,
        Says(
            "Population",
            "A table of everybody in the population, with the quasi-identifiers: for the journalist and the"
            " marketer risk.",
        ),
    ] = None,
    sampling: Annotated[
        Threshold | None,
        Optional(Share()),
        Says(
            "Sampling fraction",
            "The share of the population that is in the table, where there is no table of the population.",
        ),
    ] = None,
    threshold: Annotated[
        int,
        Whole(2),
        Says("Smallest class", "Rows or people in classes smaller than this are counted as being at risk."),
    ] = 11,
    original: Annotated[
        Given,
        Says(
            "Original",
            "The original table: singling out, linkability and inference are then tried on its people.",
        ),
    ] = None,
    control: Annotated[
        Given,
        Only(lambda values: values["original"] is not None, "a run with the original"),
        Says("Control group", "A table of as many people of the same population who are not in the release."),
    ] = None,
    tolerance: Annotated[
        Threshold,
        Share(open_low=False, open_high=True),
        Only(lambda values: values["control"] is not None, "a run with a control group"),
        Says("Tolerated risk", "A criterion fails where its risk is shown to be above this."),
    ] = 0,
    standard: Annotated[
        Any,
        Names(),
        Says("Standards", "Named standards that it is held against, or files of your own (.toml)."),
    ] = (),
    counts: Annotated[
        Name,
        Says(
            "Column of counts",
            "The column with the counts, where the table is one of counts and not of people.",
        ),
    ] = None,
    person: Annotated[
        Name,
        Says(
            "Column that tells people apart",
            "Column that tells people apart, where they have several rows: people are counted then, not rows."
            " By default a column whose values repeat like people, if there is one.",
        ),
    ] = None,
    max_size: Annotated[
        int | Literal["unlimited"] | None,
        Unlimited(Whole(1)),
        Says(
            "Columns of a special unique",
            "The most columns of a minimal sample unique that is searched for (SUDA2), or unlimited.",
        ),
    ] = 3,
) -> Risk:
    """Measure what a table, sets of items or a release gives away, and hold it against standards.

    The data may be those of another tool; a folder is a release of Tacit. Roles that are not given are
    guessed. The figures describe the data and a reader who knows the quasi-identifiers of people; they never
    say that the data are anonymous.

    {options}

    >>> import tacit
    >>> patients = tacit.load_sample("hospital")
    >>> found = tacit.risk(patients)
    >>> found["k"], found["prosecutor"]
    (1, 1.0)
    """
    given = {name: value for name, value in locals().items() if name not in ("data", "standard")}
    from tacit.data.table import as_names
    from tacit.judging.risk.measure import Asked, measure, measure_sets
    from tacit.judging.risk.standards import find_standards

    given |= {name: as_table(given[name]) for name in ("population", "original", "control")}
    given["max_size"] = None if isinstance(max_size, str) else max_size
    asked = Asked(standards=find_standards(as_names(standard)), **given)
    place: Any = getattr(data, "folder", data)  # a release that was opened knows its folder
    if isinstance(place, str | Path) and is_release(place):
        manifest = read_manifest(Path(place))
        found = published_data(Path(place), manifest)
        said = manifest.parameters
        asked = replace(asked, group=found.group, drawn="other_rows" in said, several="several_rows" in said)
        # What is noted of its table would be about how we spell a missing value.
        place = found.transactions if found.table is None else replace(found.table, notes=())
    elif isinstance(place, str | Path):
        place = as_table(place, **({} if counts is None else WITH_TOTALS))
    if isinstance(place, Table):
        return measure(place, asked)
    return measure_sets(place, threshold=threshold, standards=asked.standards)


WITH_TOTALS = {"skip_last": 0}
"""How a table of counts is read: its totals are no records, and cells follow from them."""


def is_release(place: str | Path) -> bool:
    """Whether a folder holds a release of ours."""
    with suppress(OSError):  # no name of a file, and then the reader says so
        return (Path(place) / "release.json").is_file()
    return False


def as_table(given: Any, **reading: Any) -> Any:
    """A table that is given as such or by the name of a file."""
    if not isinstance(given, str | Path):
        return given
    from tacit.io.readers import read_table

    return read_table(str(given), **reading)
