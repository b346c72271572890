"""The commands of a team's database."""
