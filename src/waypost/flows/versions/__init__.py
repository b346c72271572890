"""Versions of memories: prepare, store and look up. Every flow that writes builds on this."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.versions import authority as authority
    from waypost.flows.versions import current as current
    from waypost.flows.versions import masking as masking
    from waypost.flows.versions import prepare as prepare
    from waypost.flows.versions import row as row

__getattr__ = lazy_modules(__name__)
