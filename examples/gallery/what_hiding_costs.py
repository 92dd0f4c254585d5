"""Hiding patterns: what two policies lose, beside sliding windows, as more patterns are secret.

python what_hiding_costs.py -o pictures
"""

import argparse
from pathlib import Path

import tacit
from tacit.showing.chart import line_chart

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("-o", "--output", type=Path, default=Path("pictures"), help="folder of the pictures")
folder = parser.parse_args().output
folder.mkdir(parents=True, exist_ok=True)

baskets = tacit.load_sample("supermarket:4000")
pairs = tacit.mine_itemsets(baskets, min_support=0.01, min_length=2, max_length=2)
ways = {
    "certified": {"policy": "certified"},
    "exact": {"policy": "exact"},
    "sliding windows": {"algorithm": "swa"},
}
measured = []
for number in (1, 5, 10, 20):
    secret = [pairs[place * len(pairs) // number] for place in range(number)]
    for name, way in ways.items():
        release = tacit.hide(baskets, patterns=secret, min_support=0.01, **way)
        measured.append(
            {
                "secret": number,
                "way": name,
                "misses": release.utility().misses_cost,
                "changed": release.utility().dissimilarity,
            }
        )
        print(measured[-1])

charts = {
    "misses": line_chart(
        measured, x="secret", y="misses", series="way", x_title="secret pairs", y_title="patterns lost",
        y_format=".0%", title="Patterns that nobody wanted hidden, and that are lost",
        caption="Misses cost: frequent patterns that are not secret and are no longer frequent.",
    ),
    "changed": line_chart(
        measured, x="secret", y="changed", series="way", x_title="secret pairs", y_title="items taken out",
        y_format=".1%", title="How much of the baskets is gone",
        caption="Dissimilarity: the share of all items in all baskets that were taken out.",
    ),
}  # fmt: skip
for name, chart in charts.items():
    (folder / f"hide-{name}.svg").write_text(chart.to_svg(), encoding="utf-8")
print(f"{len(charts)} pictures in {folder}")
