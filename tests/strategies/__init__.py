"""Random inputs that several test modules share."""
