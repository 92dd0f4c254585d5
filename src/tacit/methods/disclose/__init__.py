"""What published rules give away, and rules that are safe to publish."""
