"""Search by keywords and vectors in PostgreSQL."""
