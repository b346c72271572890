"""Reading: everything inside one read transaction, so that an answer never mixes two states."""

from waypost.store.sqlite.search_rows import SearchRows


class SqliteReader(SearchRows):
    """All that is read."""
