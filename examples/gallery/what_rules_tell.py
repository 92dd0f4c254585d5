"""Published rules: what a reader infers about people as thresholds fall, with scores and without.

python what_rules_tell.py -o pictures
"""

import argparse
from pathlib import Path

import tacit
from tacit.showing.chart import bar_chart, line_chart

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("-o", "--output", type=Path, default=Path("pictures"), help="folder of the pictures")
folder = parser.parse_args().output
folder.mkdir(parents=True, exist_ok=True)

patients = tacit.load_sample("hospital:2000").with_roles(quasi=("age", "sex", "ward"), sensitive=("disease",))
SCORES = {"exact": "with their scores", "thresholds": "thresholds only"}
measured = []
for confidence in (0.1, 0.2, 0.3, 0.5):
    for scores in ("exact", "thresholds"):
        found = tacit.disclose(patients, min_support=5, min_confidence=confidence, scores=scores)
        measured.append(
            {
                "confidence": confidence,
                "scores": SCORES[scores],
                "distance": found.d_overall,
            }
        )
        print(measured[-1])

exposed = [
    {"limit": f"{limit:.0%}", "scores": told, "share": found.share_above(limit)}
    for scores, told in SCORES.items()
    for found in [tacit.disclose(patients, min_support=5, min_confidence=0.3, scores=scores)]
    for limit in (0.5, 0.6, 0.7, 0.8, 0.9)
]
charts = {
    "distance": line_chart(
        measured, x="confidence", y="distance", series="scores", x_title="least confidence",
        y_title="D_overall, nats", title="How far a reader's best guess stays from the truth",
        caption="Mean divergence of the truth from what maximum entropy infers: smaller is closer.",
    ),
    "exposed": bar_chart(
        exposed, x="limit", y="share", series="scores", x_title="probability", y_title="patients",
        y_format=".0%", title="Patients for whom one disease is more probable than that",
        caption="Share of patients to whom a reader gives one disease with more than the probability below.",
    ),
}  # fmt: skip
for name, chart in charts.items():
    (folder / f"rules-{name}.svg").write_text(chart.to_svg(), encoding="utf-8")
print(f"{len(charts)} pictures in {folder}")
