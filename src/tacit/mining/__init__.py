"""Itemsets, rules and negative rules, all from whole-number counts."""
