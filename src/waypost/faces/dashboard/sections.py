"""The navigation: what a person can look at, in the order they would."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NavigationSection:
    name: str  # the first part of its address; empty for the overview
    title: str


SECTIONS = (
    NavigationSection("", "Overview"),
    NavigationSection("search", "Search"),
    NavigationSection("stale", "Staleness"),
    NavigationSection("review", "Review"),
    NavigationSection("why", "Why"),
    NavigationSection("code", "Code"),
    NavigationSection("journal", "Journal"),
    NavigationSection("context", "Context"),
)
