"""The navigation: what a person can look at, in the order they would."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    name: str  # the first part of its address; empty for the overview
    title: str


SECTIONS = (
    Section("", "Overview"),
    Section("search", "Search"),
    Section("stale", "Staleness"),
    Section("review", "Review"),
    Section("why", "Why"),
    Section("code", "Code"),
    Section("journal", "Journal"),
    Section("context", "Context"),
)
