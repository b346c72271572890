"""The REST API: every capability of a memory over HTTP, for behind a `Gate`. FastAPI is imported with its modules."""
