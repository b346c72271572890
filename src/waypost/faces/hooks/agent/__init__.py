"""Answer hooks of agents."""
