"""Loops over arrays that several packages share: how they are compiled and interrupted, masks, order."""
