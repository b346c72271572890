"""What an agent is given to read: within its budget, fenced as data, rendered for people and models alike."""
