"""The templates: one file for each ecosystem, with how to tell it, its tools, and the facts to state about it.

A fact is stated only when every place in its text has a value from the tree; there are no default words.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.facts.coldstart.slots import Slot, Slots
from waypost.facts.coldstart.tree import ProjectTree, at, read_yaml, strings, table
from waypost.model.candidate import Candidate

_PLACE = re.compile(r"\{(\w+)\}")
_CODE = re.compile(r"`([^`]{2,})`")
_LEAST_SPAN = 4  # characters: a shorter value may stand anywhere
_FIRST_WORDS = 40  # characters
_MOST_REFS = 5
ANY = "any"
PRESENT = " is in the tree"  # behind a path, as evidence
_NAMES = frozenset({"project", "part"})  # they say what a fact is about, not where it stands


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence with places for values."""

    text: str
    topic: str = ""
    level: int = 0
    weight: int = 0

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_PLACE.findall(self.text)))


@dataclass(frozen=True, slots=True)
class Default:
    """A value that holds for a slot when nothing else says so and certain slots have a value (`slot=value`: this one)."""

    slot: str
    value: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EcosystemTemplate:
    name: str  # "python"
    title: str  # "Python"
    signatures: tuple[str, ...]
    weak: tuple[str, ...]  # those of the signatures that do not make a folder a package
    endings: frozenset[str]
    facts: tuple[Fact, ...]
    parts: tuple[Fact, ...] = ()
    tools: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # slot → tool → its marks
    steps: Mapping[str, re.Pattern[str]] = field(default_factory=dict)  # kind of command → how its lines look
    defaults: tuple[Default, ...] = ()


@cache
def templates() -> Mapping[str, EcosystemTemplate]:
    """By name; the one for every project is called `any`."""
    found = {}
    folder = files("waypost.facts.coldstart").joinpath("templates")
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".yaml"):
            read = _template(read_yaml(file.read_text(encoding="utf-8")))
            found[read.name] = read
    return found


def _template(data: Mapping[str, Any]) -> EcosystemTemplate:
    return EcosystemTemplate(
        name=data["name"],
        title=data.get("title", ""),
        signatures=tuple(strings(data, "signatures")),
        weak=tuple(strings(data, "weak")),
        endings=frozenset(strings(data, "endings")),
        facts=_facts(data.get("facts", ()), 0),
        parts=_facts(data.get("parts", ()), 1),
        tools={
            slot: {tool: tuple(marks) for tool, marks in tools.items()} for slot, tools in table(data, "tools").items()
        },
        steps={kind: re.compile(pattern) for kind, pattern in table(data, "steps").items()},
        defaults=tuple(Default(one["slot"], one["value"], tuple(one["needs"])) for one in at(data, "defaults") or ()),
    )


def _facts(rows: Sequence[Mapping[str, Any]], level: int) -> tuple[Fact, ...]:
    return tuple(
        Fact(row["text"], row.get("topic", ""), int(row.get("level", level)), int(row.get("weight", 0))) for row in rows
    )


def fill(
    tree: ProjectTree, facts: Sequence[Fact], slots: Slots, *, topic: str = "", domain: str = "", suffix: str = ""
) -> list[tuple[int, Candidate]]:
    """The facts whose places all have a value, the first of each topic, with their weights.

    `topic` is that of facts without one; `suffix` tells the same topics of several ecosystems apart. A fact refers to
    the line that says it where there is only one such line: a change elsewhere in the file does not concern it.
    """
    made: dict[str, tuple[int, Candidate]] = {}
    for fact in facts:
        about = (fact.topic or topic) + suffix
        found = [slots.get(place) for place in fact.places]
        filled = [slot for slot in found if slot is not None and slot.value]
        if about in made or len(filled) < len(found):
            continue
        telling = [slots[place] for place in fact.places if place not in _NAMES] or filled
        refs = _refs(tree, telling)
        seen = [place for place in dict.fromkeys(place for slot in telling for place in slot.seen) if place not in refs]
        text = _PLACE.sub(lambda match: slots[match[1]].value, fact.text)
        sure = min((slot.sure for slot in filled), default=0.0)
        made[about] = (
            fact.weight,
            Candidate(
                text=text,
                confidence=sure,
                origin="cold_start",
                level=fact.level,
                domain=domain,
                topic=about,
                refs=refs,
                evidence=tuple(f"{place}{PRESENT}" for place in seen[:_MOST_REFS]),
                reason=f"found in {', '.join(refs)}" if refs else "told by the files that are there",
            ),
        )
    return list(made.values())


def _refs(tree: ProjectTree, slots: Sequence[Slot]) -> tuple[str, ...]:
    """Where the values stand; the whole file only where none of them has a line of it."""
    pinned = list(dict.fromkeys(_pinned(tree, ref, slot) for slot in slots for ref in slot.refs))
    lined = {ref.partition("#")[0] for ref in pinned if "#" in ref}
    return tuple(ref for ref in pinned if ref not in lined)[:_MOST_REFS]


def _pinned(tree: ProjectTree, ref: str, slot: Slot) -> str:
    """The place of a value in a file: its one line, else the whole file."""
    spans = _CODE.findall(slot.value) or [slot.value.rstrip(".")]
    if len(spans) != 1 or len(spans[0]) < _LEAST_SPAN:
        return ref
    start = spans[0][:_FIRST_WORDS]  # a sentence may go on in the next line
    lines = [number for number, line in enumerate(tree.text_read(ref).split("\n"), 1) if start in line]
    return f"{ref}#L{lines[0]}" if len(lines) == 1 else ref
