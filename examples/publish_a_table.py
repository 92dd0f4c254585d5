"""Publish a hospital's table so that what readers know about diseases does not help them."""

import tacit

patients = tacit.load_sample("hospital:5000")
rules = tacit.mine_negative_rules(patients, min_expectation=0.9)
print(f"{len(rules)} negative rules, for example: {rules[0]}")

release = tacit.bucketize(patients, l=4, knowledge=rules)
print(release.risk())
print(release.utility(patients))
release.save("out/example-table", overwrite=True)
