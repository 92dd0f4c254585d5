"""Attacks and utility of bucketized tables; nothing here knows the plan."""
