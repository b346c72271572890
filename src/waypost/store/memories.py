"""Memories: their versions, states, and the passages that make them searchable."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A piece of a version as it is indexed."""

    content_hash: bytes  # of the text to embed; empty if only keywords find it
    language: str  # starts with "code" for code, which is searched separately from prose
    terms: str = ""  # for the keyword index: stems and whole identifiers, separated by spaces
    code_terms: tuple[str, str, str, str] | None = None  # for the code keyword index: name, path, doc, body


class VersionSketch(NamedTuple):
    """What ranking needs of a version: everything but its text."""

    number: int
    memory_id: str
    kind: str
    collection: str
    level: int | None
    session: str | None
    position: int
    speaker: str | None
    language: str
    traits: int
    micros: int  # when it was said or began to be true


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing contains."""

    kinds: tuple[str, ...] = ()
    level: int | None = None
    domain: str | None = None
    session: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    module: str | None = None
