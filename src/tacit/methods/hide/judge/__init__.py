"""What hiding costs, and what attackers still find."""
