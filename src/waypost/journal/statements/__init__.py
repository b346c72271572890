"""What people say, sorted by what it is about: events, decisions, goals, facts and more."""
