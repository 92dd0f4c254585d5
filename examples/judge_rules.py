"""Before publishing association rules: who would be exposed by them, and to what."""

import tacit

patients = tacit.load_sample("hospital:2000").with_roles(quasi=("age", "sex"), sensitive=("disease",))
rules = tacit.mine_rules(patients, min_support=5, min_confidence=0.5)
print(f"{len(rules)} rules would be published")
for exposed in tacit.disclose(patients, rules=rules, scores="exact").most_exposed(5):
    print(exposed)
