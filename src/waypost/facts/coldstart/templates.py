"""Templates: one file per ecosystem, with its signatures, its tools, and the facts to state about it.

A fact is stated only if every placeholder has a value from the project. There are no default texts.
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
_LEAST_SPAN = 4  # characters: a shorter value may occur anywhere
_FIRST_WORDS = 40  # characters
_MOST_REFS = 5
ANY = "any"
PRESENT = " is in the tree"  # after a path, as evidence
_NAMES = frozenset({"project", "part"})  # slots that name the subject of a fact, not its source


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence with placeholders."""

    text: str
    topic: str = ""
    level: int = 0
    weight: int = 0

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_PLACE.findall(self.text)))


@dataclass(frozen=True, slots=True)
class Default:
    """A slot's value if nothing else sets it and certain slots have a value (`slot=value`: this value)."""

    slot: str
    value: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EcosystemTemplate:
    name: str  # "python"
    signatures: tuple[str, ...]
    weak: tuple[str, ...]  # signatures that do not make a folder a package
    endings: frozenset[str]
    facts: tuple[Fact, ...]
    parts: tuple[Fact, ...] = ()
    tools: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # slot → tool → its marks
    steps: Mapping[str, re.Pattern[str]] = field(default_factory=dict)  # kind of command → pattern of its lines
    defaults: tuple[Default, ...] = ()


@cache
def templates() -> Mapping[str, EcosystemTemplate]:
    """All templates by name. The one for every project is `any`."""
    result = {}
    folder = files("waypost.facts.coldstart").joinpath("templates")
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            template = _template(read_yaml(file.read_text(encoding="utf-8")))
            result[template.name] = template
    return result


def _template(data: Mapping[str, Any]) -> EcosystemTemplate:
    return EcosystemTemplate(
        name=data["name"],
        signatures=tuple(strings(data, "signatures")),
        weak=tuple(strings(data, "weak")),
        endings=frozenset(strings(data, "endings")),
        facts=_facts(data.get("facts", ()), 0),
        parts=_facts(data.get("parts", ()), 1),
        tools={
            slot: {tool: tuple(marks) for tool, marks in tools.items()} for slot, tools in table(data, "tools").items()
        },
        steps={kind: re.compile(pattern) for kind, pattern in table(data, "steps").items()},
        defaults=tuple(Default(row["slot"], row["value"], tuple(row["needs"])) for row in at(data, "defaults") or ()),
    )


def _facts(rows: Sequence[Mapping[str, Any]], level: int) -> tuple[Fact, ...]:
    return tuple(
        Fact(row["text"], row.get("topic", ""), int(row.get("level", level)), int(row.get("weight", 0))) for row in rows
    )


def fill(
    tree: ProjectTree, facts: Sequence[Fact], slots: Slots, *, topic: str = "", domain: str = "", suffix: str = ""
) -> list[tuple[int, Candidate]]:
    """The facts whose placeholders all have a value, the first of each topic, with their weights.

    `topic` is for facts without one; `suffix` separates equal topics of several ecosystems. If only one line of a file
    states a fact, the reference is that line: changes elsewhere in the file do not concern it.
    """
    filled_facts: dict[str, tuple[int, Candidate]] = {}
    for fact in facts:
        fact_topic = (fact.topic or topic) + suffix
        values = [slots.get(place) for place in fact.places]
        filled = [slot for slot in values if slot is not None and slot.value]
        if fact_topic in filled_facts or len(filled) < len(values):
            continue
        subjects = [slots[place] for place in fact.places if place not in _NAMES] or filled
        refs = _refs(tree, subjects)
        seen = [path for path in dict.fromkeys(path for slot in subjects for path in slot.seen) if path not in refs]
        if not refs and not seen:
            continue  # nothing that can be cited
        text = _PLACE.sub(lambda match: slots[match[1]].value, fact.text)
        sure = min((slot.sure for slot in filled), default=0.0)
        filled_facts[fact_topic] = (
            fact.weight,
            Candidate(
                text=text,
                confidence=sure,
                origin="cold_start",
                level=fact.level,
                domain=domain,
                topic=fact_topic,
                refs=refs,
                evidence=tuple(f"{path}{PRESENT}" for path in seen[:_MOST_REFS]),
                reason=f"found in {', '.join(refs)}" if refs else f"shown by {', '.join(seen[:_MOST_REFS])}",
            ),
        )
    return list(filled_facts.values())


def _refs(tree: ProjectTree, slots: Sequence[Slot]) -> tuple[str, ...]:
    """References to the values. The whole file is used only if no value has a line in it."""
    refs = list(dict.fromkeys(_line_ref(tree, ref, slot) for slot in slots for ref in slot.refs))
    with_line = {ref.partition("#")[0] for ref in refs if "#" in ref}
    return tuple(ref for ref in refs if ref not in with_line)[:_MOST_REFS]


def _line_ref(tree: ProjectTree, ref: str, slot: Slot) -> str:
    """The reference to a value in a file: its only line, else the whole file."""
    spans = _CODE.findall(slot.value) or [slot.value.rstrip(".")]
    if len(spans) != 1 or len(spans[0]) < _LEAST_SPAN:
        return ref
    start = spans[0][:_FIRST_WORDS]  # a sentence may continue on the next line
    lines = [number for number, line in enumerate(tree.text_read(ref).split("\n"), 1) if start in line]
    return f"{ref}#L{lines[0]}" if len(lines) == 1 else ref
