"""Recipes: a whole run written down, so that it can be checked, repeated and handed on."""
