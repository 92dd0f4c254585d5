"""Nodes instead of values: trees of several columns, their levels, and tables counted by them."""
