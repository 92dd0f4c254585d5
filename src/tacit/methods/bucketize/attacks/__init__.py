"""Attacks by a reader who knows the tool: they run its own code on what is published."""
