"""The REST API, to run behind a `RequestGate`. Importing its modules imports FastAPI."""
