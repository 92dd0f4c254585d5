"""Cuts of a hierarchy under which few items of a record give nobody away."""
