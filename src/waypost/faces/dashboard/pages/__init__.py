"""All pages, one module per section."""

from waypost.faces.dashboard.pages import (
    code,
    context,
    journal,
    memory,
    overview,
    review,
    search,
    sharing,
    staleness,
    why,
)
from waypost.faces.dashboard.request_context import PageRoute

PAGES: tuple[PageRoute, ...] = (
    *overview.PAGES,
    *sharing.PAGES,
    *search.PAGES,
    *memory.PAGES,
    *context.PAGES,
    *staleness.PAGES,
    *review.PAGES,
    *why.PAGES,
    *code.PAGES,
    *journal.PAGES,
)
