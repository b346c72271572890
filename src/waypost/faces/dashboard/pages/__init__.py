"""Every page, one module for each section."""

from waypost.faces.dashboard.asked import Place
from waypost.faces.dashboard.pages import overview, staleness, why

PLACES: tuple[Place, ...] = (*overview.PLACES, *staleness.PLACES, *why.PLACES)
