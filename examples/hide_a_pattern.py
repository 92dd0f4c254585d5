"""Publish baskets without what a supermarket has learned from them about beer and diapers."""

import tacit

baskets = tacit.load_sample("supermarket:5000")
secret = [{"beer", "diapers"}]
release = tacit.hide(baskets, patterns=secret, min_support=0.01, confidence=0.95)
print(release.risk())
release.save("out/example-hidden", overwrite=True)

published = tacit.read_transactions("out/example-hidden/transactions.dat")
frequent = tacit.mine_itemsets(published, min_support=0.01)
print("beer and diapers can be mined:", frequent.support_of({"beer", "diapers"}) is not None)
