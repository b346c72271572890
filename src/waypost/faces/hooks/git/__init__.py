"""Install and run git hooks."""
