"""Keep the journal: search it, show it, rank it, keep its index page."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.journal import calendar as calendar
    from waypost.flows.journal import chat as chat
    from waypost.flows.journal import condense as condense
    from waypost.flows.journal import curate as curate
    from waypost.flows.journal import entry_import as entry_import
    from waypost.flows.journal import search as search
    from waypost.flows.journal import see_also as see_also
    from waypost.flows.journal import show as show
    from waypost.flows.journal import stats as stats
    from waypost.flows.journal import timeline as timeline
    from waypost.flows.journal import why as why

__getattr__ = lazy_modules(__name__)
