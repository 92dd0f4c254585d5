"""Buckets against a reader who knows negative rules: Injector beside Anatomy as ℓ grows.

    python what_rules_do_to_buckets.py -o pictures

Anatomy puts ℓ different diseases into every bucket; a reader who knows that men do not give birth strikes
some of them out. Injector forms buckets in which that does not help. The price is drawn beside it.
"""

import argparse
from pathlib import Path

import tacit
from tacit.showing.chart import line_chart

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("-o", "--output", type=Path, default=Path("pictures"), help="folder of the pictures")
folder = parser.parse_args().output
folder.mkdir(parents=True, exist_ok=True)

patients = tacit.load_sample("hospital:3000")
rules = tacit.mine_negative_rules(patients, min_expectation=0.9)
measured = []
for l in (2, 3, 4, 5, 6):
    for method in ("injector", "anatomy"):
        release = tacit.bucketize(patients, l=l, algorithm=method, knowledge=rules)
        risk, utility = release.risk().release, release.utility(patients)
        measured.append(
            {
                "l": str(l),
                "method": method.capitalize(),
                "vulnerable": risk.vulnerable / len(patients),
                "learned": risk.learning.accuracy,
                "error": utility.figures.queries[0].uniform,
            }
        )
        print(measured[-1])

charts = {
    "vulnerable": line_chart(
        measured, x="l", y="vulnerable", series="method", x_title="ℓ", y_title="rows", y_format=".0%",
        title="Rows left with fewer than ℓ possible diseases",
        caption=f"Share of 3,000 patients whom {len(rules)} negative rules leave with fewer than ℓ diseases.",
    ),
    "learned": line_chart(
        measured, x="l", y="learned", series="method", x_title="ℓ", y_title="right guesses", y_format=".0%",
        title="What a learner guesses right",
        caption="Share of patients whose disease is guessed right by learning from the buckets themselves.",
    ),
    "error": line_chart(
        measured, x="l", y="error", series="method", x_title="ℓ", y_title="mean error", y_format=".0%",
        title="What it costs: the error of counting queries",
        caption="Mean relative error of 1,000 COUNT queries on two attributes and the disease.",
    ),
}  # fmt: skip
for name, chart in charts.items():
    (folder / f"buckets-{name}.svg").write_text(chart.to_svg(), encoding="utf-8")
print(f"{len(charts)} pictures in {folder}")
