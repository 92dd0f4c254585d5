"""The plan: what each combination of quasi-identifiers is published as."""
