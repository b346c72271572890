"""Condense the journal as it ages: trim days, summarise weeks, months and years, restore originals."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal.condense import prune as prune
    from waypost.flows.journal.condense import restore as restore
    from waypost.flows.journal.condense import run as run

__getattr__ = lazy_modules(__name__)
