"""k^m-anonymity for sets of items: the verb, its plan, its release."""
