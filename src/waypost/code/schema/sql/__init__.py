"""Read tables from SQL of every dialect."""
