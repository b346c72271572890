"""Versions of memories: prepare, store and look up. Every flow that writes builds on this."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.versions import short_ids as short_ids

__getattr__ = lazy_modules(__name__)
