"""Erase memories: forget, expire, and clean up every copy."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.erase import cleanup as cleanup
    from waypost.flows.erase import expiry as expiry
    from waypost.flows.erase import forget as forget

__getattr__ = lazy_modules(__name__)
