"""Frequent itemsets: the compiled miner."""
