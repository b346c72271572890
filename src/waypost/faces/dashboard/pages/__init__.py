"""Every page, one module for each section."""

from waypost.faces.dashboard.asked import Place
from waypost.faces.dashboard.pages import overview, review, search, staleness, why

PLACES: tuple[Place, ...] = (*overview.PLACES, *search.PLACES, *staleness.PLACES, *review.PLACES, *why.PLACES)
