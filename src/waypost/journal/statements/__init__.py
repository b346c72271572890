"""What people say, sorted by what it tells: events, decisions, goals, facts and more."""
