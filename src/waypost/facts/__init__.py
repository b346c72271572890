"""What makes a fact: levels, validity, lifetime, and when two of them say the same."""
