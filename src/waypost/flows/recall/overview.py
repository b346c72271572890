"""Hits for questions about everything that is remembered, such as "What do you remember about this project?"."""

import re
from dataclasses import replace

from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.candidates import RecallFilter
from waypost.flows.recall.evidence import ASKED_FOR
from waypost.model.causal import DECISION, REASON
from waypost.model.code_link import LinkedMemory
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

_READ = 200  # memories, the latest
_SOURCES = ("person", "agent")  # then what was derived from files and history
_FIRST_KINDS = ("constraint", DECISION, "preference")
_LONGEST = 120  # characters
_FORMS = (
    r"(?:what|tell me what|show me what|list what) (?:do )?(?:you|we) (?:already )?(?:know|remember|have (?:stored|remembered))"
    r"(?: (?:about|of|from) (?:this|the|our|my) (?:project|repo|repository|code ?base|code))?(?: so far| already)?",
    r"tell me (?:everything|all)(?: that)? you (?:know|remember)(?: about (?:this|the|our|my) (?:project|repo|repository|code ?base))?",
    r"(?:was|sag mir,? was) (?:wei(?:ß|ss)t|erinnerst|hast) du(?: dir)?(?: bisher| schon| alles)?"
    r"(?: (?:über|von|zu) (?:dieses|diesem|das|dem|unser|unserem|mein|meinem) (?:projekt|repo|repository|code))?(?: gemerkt| gespeichert)?",
    r"woran erinnerst du dich(?: (?:bei|in|zu) (?:diesem|dem|unserem) projekt)?",
    r"(?:расскажи,? )?что (?:ты |вы )?(?:уже )?(?:знаешь|знаете|помнишь|помните)"
    r"(?: (?:об?|про) (?:этом|этот|нашем|наш|моём|моем|мой) (?:проекте|проект|репозитории|репозиторий|коде|код))?",
)
_ASKS = re.compile("|".join(_FORMS), re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def overview_hits(space: OpenSpace, reader: Reader, text: str, view: View, k: int, wanted: RecallFilter) -> list[Hit]:
    """At most k memories: people's before agents' before derived ones, rules and decisions first, then the newest.

    Empty for other questions. The journal is left out: it is a record of what was said, not of what is known.
    """
    collections = tuple(name for name in view.collections if name not in (*CODE_COLLECTIONS, "journal"))
    if not collections or not asks_for_everything(text):
        return []
    versions = reader.memories.latest(replace(view, collections=collections), Filter(), _READ)
    memories = looked_at(space, reader, versions)
    linked = [memories[version.number] for version in versions if version.number in memories]
    admitted = [memory for memory in linked if wanted.admits(memory) and memory.version.kind != REASON]
    admitted.sort(key=_rank)
    return [hit_of(memory, ASKED_FOR, {"everything": 1.0}, certainty=ASKED_FOR) for memory in admitted[:k]]


def _rank(memory: LinkedMemory) -> tuple[bool, int, bool, int]:
    version = memory.version
    if version.source not in _SOURCES:  # first facts were written with the most important first
        return memory.state.is_stale, len(_SOURCES), False, version.number
    is_first = version.level == 0 or version.kind in _FIRST_KINDS
    return memory.state.is_stale, _SOURCES.index(version.source), not is_first, -version.number


def asks_for_everything(text: str) -> bool:
    """Whether the question asks for no subject but the memory itself. A form must match the whole question."""
    question = _SPACE.sub(" ", text[: _LONGEST + 1]).strip().rstrip(" ?.!")
    return len(text) <= _LONGEST and _ASKS.fullmatch(question) is not None
