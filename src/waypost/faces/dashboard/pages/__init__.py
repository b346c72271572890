"""Every page, one module for each section."""

from waypost.faces.dashboard.asked import Place
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

PLACES: tuple[Place, ...] = (
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
