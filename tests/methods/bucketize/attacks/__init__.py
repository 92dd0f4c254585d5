"""Attacks by a reader who knows the tool: each takes what is published, and the truth scores it."""
