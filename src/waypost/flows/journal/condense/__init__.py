"""Condense the journal as it ages: trim days, summarise weeks, months and years, restore originals."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal.condense import days as days
    from waypost.flows.journal.condense import periods as periods
    from waypost.flows.journal.condense import prune as prune
    from waypost.flows.journal.condense import restore as restore
    from waypost.flows.journal.condense import restore_entry as restore_entry
    from waypost.flows.journal.condense import run as run
    from waypost.flows.journal.condense import run_state as run_state
    from waypost.flows.journal.condense import scores as scores
    from waypost.flows.journal.condense import texts as texts
    from waypost.flows.journal.condense import weeks as weeks

__getattr__ = lazy_modules(__name__)
