"""By which a forgotten entry is known again when an old file brings it back."""

import hmac


def id_mark(key: bytes, memory_id: str) -> bytes:
    """A tombstone for the id itself: an entry carries it wherever its file is copied to."""
    return hmac.digest(key, f"entry\0{memory_id}".encode(), "sha256")
