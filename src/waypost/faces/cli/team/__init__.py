"""Commands for a team's PostgreSQL database."""
