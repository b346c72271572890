"""What briefings, greetings and prompt hooks show of what a task needs, on real repositories."""
