"""Where a fact belongs that came without a level, domain and lifetime, by its words in English, German and Russian."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from waypost.facts.classify import CODE, DOMAIN, MODULE, PROJECT, domain_of, level_of
from waypost.facts.temporary import seconds_of
from waypost.flows.open_space import OpenSpace
from waypost.model.causal import CONSTRAINT
from waypost.model.kinds import kind_of
from waypost.model.recall import View
from waypost.model.time import Moment


@dataclass(frozen=True, slots=True)
class InferredPlace:
    """Fields of a draft that its text gives away; None for those it does not."""

    level: int | None = None
    domain: str | None = None
    ttl: int | None = None

    def fields(self) -> dict[str, Any]:
        named = {"level": self.level, "domain": self.domain, "ttl": self.ttl}
        return {name: value for name, value in named.items() if value is not None}


def infer_place(space: OpenSpace, text: str, kind: str, refs: Sequence[str] = ()) -> InferredPlace:
    """Level, domain and lifetime of a fact. Journal entries have none of these.

    Level 0 is shown in every briefing, so only a rule gets it. Level 3 needs a reference to code.
    """
    usual = kind_of(kind).level
    if usual is None:
        return InferredPlace()
    level = level_of(text, points_at_lines=any("#" in ref for ref in refs), points_at_file=bool(refs))
    if level == PROJECT and kind != CONSTRAINT:
        level = DOMAIN
    if level == CODE and not refs:
        level = MODULE
    domain = domain_of(text, _domains(space)) if level > PROJECT else ""
    return InferredPlace(level, domain or None, seconds_of(text))


def _domains(space: OpenSpace) -> list[str]:
    """The domains that facts of this space have."""
    with space.store.read() as reader:
        names: set[str] = set()
        for engine in space.engines.active(reader):
            names |= reader.facts.domains(engine.name, View(Moment(space.clock()))).keys()
    return sorted(names - {""})
