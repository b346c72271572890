"""Facts: their tree, lifetimes, domains, and pending candidates."""

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    pass


class LifetimeRow(NamedTuple):
    """A memory that can expire."""

    memory_id: str
    expires_at: datetime
    on_expire: str
    ttl_seconds: int | None
    refresh: tuple[str, ...]
    is_stale: bool
    protected: bool
