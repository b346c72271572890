"""All pages, one module per section."""

from waypost.faces.dashboard.pages import code, context, journal, memory, overview, review, search, staleness, why
from waypost.faces.dashboard.request_context import PageRoute

_SECTIONS = (overview, search, memory, context, staleness, review, why, code, journal)
PAGES: tuple[PageRoute, ...] = tuple(page for section in _SECTIONS for page in section.PAGES)
