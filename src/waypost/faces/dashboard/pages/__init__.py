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
from waypost.faces.dashboard.request_context import PagePlace

PLACES: tuple[PagePlace, ...] = (
    *overview.PLACES,
    *sharing.PLACES,
    *search.PLACES,
    *memory.PLACES,
    *context.PLACES,
    *staleness.PLACES,
    *review.PLACES,
    *why.PLACES,
    *code.PLACES,
    *journal.PLACES,
)
