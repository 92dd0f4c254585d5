"""What the figures on k^m-anonymity share: outcomes drawn along one of their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.showing.chart import Chart, line_chart
from tacit.surface.reproduce.km_experiment import Outcome

AXES = {"records": "transactions", "items": "items", "m": "m", "k": "k", "fanout": "fan-out of the hierarchy"}


def panels(found: Sequence[Outcome], axis: str, names: Iterable[str]) -> tuple[Chart, ...]:
    """A panel for each measure, along one parameter."""
    words = {"seconds": "CPU seconds", "ncp": "loss (NCP)"}
    titles = {"seconds": "Time", "ncp": "Loss"}
    rows = [
        {
            "algorithm": each.algorithm,
            axis: str(getattr(each, axis)),
            "seconds": each.seconds,
            "ncp": each.ncp,
        }
        for each in sorted(found, key=lambda each: int(getattr(each, axis)))
    ]
    return tuple(
        line_chart(
            rows,
            x=axis,
            y=name,
            series="algorithm",
            title=f"{titles[name]} by {AXES[axis]}",
            caption=f"{titles[name]} of each algorithm by {AXES[axis]}, on {found[0].data}.",
            x_title=AXES[axis],
            y_title=words[name],
            y_format=".2f" if name == "seconds" else ".1%",
            width=420,
            height=220,
        )
        for name in names
    )
