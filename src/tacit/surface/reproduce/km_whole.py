"""Figure 11 of the paper on k^m-anonymity [1]: whole data sets.

[1] M. Terrovitis, N. Mamoulis, P. Kalnis. Privacy-preserving Anonymization of Set-valued Data. VLDB 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacit.showing.chart import bar_chart
from tacit.surface.reproduce.experiment import Figure, Finding, Rows
from tacit.surface.reproduce.km_drawing import panels
from tacit.surface.reproduce.km_examples import DATA_SETS
from tacit.surface.reproduce.km_experiment import AA, BY_FREQUENCY, FANOUT, OA, Outcome

LARGEST_LOSS = 0.03
"""The largest information loss in Figure 11a."""
OTHER_ORDER = (
    "The paper does not say in which order its artificial hierarchies lay out the items, and that order "
    "decides: with neighbours of like frequency the loss is another."
)


def figure_11(whole: Sequence[Outcome], varied: Sequence[Outcome], *, published: bool) -> Figure:
    """Figure 11: AA on whole data sets, by k, by the height of the hierarchy and by m."""
    name, usual = varied[0].data, [each for each in varied if each.fanout == FANOUT]
    by_k = [each for each in usual if each.m == whole[0].m]
    by_m = [each for each in usual if each.k == whole[0].k]
    by_fanout = [each for each in varied if (each.k, each.m) == (whole[0].k, whole[0].m)]
    greedy = [each for each in whole if each.algorithm == AA]
    bars = [{"data": each.data, "loss": each.ncp, "items laid out by": each.order} for each in greedy]
    return Figure(
        name="figure-11",
        title="Figure 11: AA on whole data sets",
        words=f"With k = {whole[0].k}, m = {whole[0].m} and a fan-out of {FANOUT} where nothing else is "
        f"said; k, the hierarchy and m are varied on {name}.",
        rows=Rows.of([*whole, *varied]),
        charts=(
            bar_chart(
                bars, x="data", y="loss", series="items laid out by", title="Loss by data set",
                caption="The loss of AA on each data set, by the order of the items below the hierarchy.",
                x_title="data", y_title="loss (NCP)", y_format=".1%", width=420, height=220,
            ),
            *panels(by_k, "k", ("seconds", "ncp")),
            *panels(by_fanout, "fanout", ("ncp",)),
            *panels(by_m, "m", ("seconds", "ncp")),
        ),
        findings=(
            *(_largest_loss(each, whole) for each in greedy if each.data in DATA_SETS),
            _insensitive(by_k, published=published),
            _by_height(by_fanout, published=published),
            _by_m(by_m, published=published),
        ),
    )  # fmt: skip


def _largest_loss(each: Outcome, whole: Sequence[Outcome]) -> Finding:
    exact = [one for one in whole if one.algorithm == OA and (one.data, one.order) == (each.data, each.order)]
    proof = f" OA proves that this hierarchy allows no less than {exact[0].ncp:.2%}." if exact else ""
    ordered = f", items by {each.order}" if each.order == BY_FREQUENCY else ""
    return Finding.claim(
        f"loss on {each.data}{ordered}",
        printed=f"at most {LARGEST_LOSS:.0%}",
        ours=f"{each.ncp:.2%} in {each.seconds:.2f} s",
        holds=each.ncp <= LARGEST_LOSS,
        why=OTHER_ORDER + (proof if exact and exact[0].proven else ""),
    )


def _insensitive(found: Sequence[Outcome], *, published: bool) -> Finding:
    spent = [each.seconds for each in found]
    few, many = (pick(found, key=lambda each: each.k) for pick in (min, max))
    return Finding.claim(
        "time by k",
        printed="insensitive to k",
        ours=f"{few.seconds:.2f} s at k = {few.k}, {many.seconds:.2f} s at {many.k}",
        holds=max(spent) < 2 * min(spent),
        why=f"The data are {found[0].data}, not BMS-POS. What is counted here are sets at the current cut: a "
        "large k makes it coarse early, and there is less to count.",
        comparable=published,
    )


def _by_height(found: Sequence[Outcome], *, published: bool) -> Finding:
    listed = sorted(found, key=lambda each: each.fanout)
    told = "; ".join(
        f"h = {each.height}: {'the root' if each.only_root else f'{each.ncp:.1%}'}" for each in listed
    )
    low = [each for each in listed if each.height == min(one.height for one in listed)]
    return Finding.claim(
        "loss by the height h of the hierarchy",
        printed="worse for a low hierarchy; at h = 4 nothing but the root",
        ours=told,
        holds=any(each.only_root for each in low),
        why=f"The data are {found[0].data}, not BMS-POS. Which heights end at the root depends on the groups "
        "left over at the right edge, which are rare and have no sibling to merge with.",
        comparable=published,
    )


def _by_m(found: Sequence[Outcome], *, published: bool) -> Finding:
    listed = sorted(found, key=lambda each: each.m)
    rising = all(one.ncp <= two.ncp for one, two in pairwise(listed))
    return Finding.claim(
        "loss by m",
        printed="slightly worse as m grows",
        ours=" / ".join(f"{each.ncp:.2%}" for each in listed)
        + f" at m = {' / '.join(str(each.m) for each in listed)}",
        holds=rising,
        why=f"The data are {found[0].data}, not BMS-POS.",
        comparable=published,
    )
