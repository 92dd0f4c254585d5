"""k^m-anonymity: what k and m cost, and what a reader gains who knows one item more.

python what_k_and_m_cost.py -o pictures
"""

import argparse
from pathlib import Path

import tacit
from tacit.showing.chart import bar_chart, line_chart

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("-o", "--output", type=Path, default=Path("pictures"), help="folder of the pictures")
folder = parser.parse_args().output
folder.mkdir(parents=True, exist_ok=True)

baskets = tacit.load_sample("supermarket:4000")
losses = []
for k in (2, 5, 10, 20, 50):
    for m in (1, 2, 3):
        ncp = tacit.generalize(baskets, k=k, m=m).utility().ncp
        losses.append({"k": k, "m": f"m = {m}", "ncp": ncp})
        print(losses[-1])

risk = tacit.generalize(baskets, k=5, m=2).risk()
narrowed = [
    {"knows": one.knows, "share": share, "narrowed": told}
    for one in risk.narrowed
    for told, share in (("below k", one.share_below_k), ("to one", one.share_to_one))
]
charts = {
    "loss": line_chart(
        losses, x="k", y="ncp", series="m", x_title="k", y_title="information lost (NCP)", y_format=".0%",
        log_x=True, title="The loss grows with k, and with what the reader knows",
        caption="Normalized certainty penalty of 4,000 baskets under their product hierarchy.",
    ),
    "beyond": bar_chart(
        narrowed, x="knows", y="share", series="narrowed", horizontal=True, y_title="baskets", y_format=".0%",
        title="Readers who know more than was promised, at k = 5 and m = 2",
        caption="Share of baskets that a reader with more knowledge narrows to fewer than 5, and to one.",
    ),
}  # fmt: skip
for name, chart in charts.items():
    (folder / f"generalize-{name}.svg").write_text(chart.to_svg(), encoding="utf-8")
print(f"{len(charts)} pictures in {folder}")
