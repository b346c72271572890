"""The statements that both databases understand, in one notation (`database.py`)."""
