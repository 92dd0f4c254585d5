"""Publish a supermarket's baskets so that two known products leave at least five baskets."""

import tacit

baskets = tacit.load_sample("supermarket:5000")
for m in (1, 2, 3):
    release = tacit.generalize(baskets, k=5, m=m)
    print(f"m = {m}: a loss of {release.utility().ncp:.4f}, {len(release.plan.cut.nodes)} items left")

tacit.generalize(baskets, k=5, m=2).save("out/example-baskets", overwrite=True)
print(tacit.verify("out/example-baskets"))
