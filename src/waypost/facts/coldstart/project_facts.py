"""All first facts about a project, as candidates: those about the whole, then those about its parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from waypost.facts.coldstart.any_project import common_slots
from waypost.facts.coldstart.commands import commands, pipeline_steps, workspace_scripts
from waypost.facts.coldstart.ecosystems import READERS
from waypost.facts.coldstart.parts import part_slots
from waypost.facts.coldstart.prose import first_sentence
from waypost.facts.coldstart.slots import OBSERVED, Slot, Slots, code, seen_slot
from waypost.facts.coldstart.templates import ANY, EcosystemTemplate, fill, templates
from waypost.facts.coldstart.tools import tool_slots
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.coldstart.units import PackageUnit, find_units, main_units, packages
from waypost.facts.domains import Domain, Layout, is_outside_source
from waypost.model.candidate import Candidate
from waypost.text.plural import join_items

MOST_FACTS = 20  # of level 0, as every briefing contains them
_MOST_PARTS = 24
_SHOWN_PARTS = 8
_SECONDARY_TOPICS = (
    "project:runtime", "project:dependencies", "project:test", "project:build", "project:lint", "project:entry",
)  # fmt: skip
_SECONDARY_PENALTY = 12  # of weight, for a topic that another ecosystem already covers


@dataclass(frozen=True, slots=True)
class DetectedStack:
    """Languages, frameworks and libraries that code analysis detected, as phrases with references."""

    languages: Slot | None = None
    frameworks: Slot | None = None
    libraries: Slot | None = None

    def slots(self) -> Slots:
        return {field.name: slot for field in fields(self) if (slot := getattr(self, field.name)) is not None}


@dataclass(frozen=True, slots=True)
class FoundProject:
    """The ecosystems, packages and facts of a project."""

    types: tuple[str, ...]  # ecosystems, largest first
    packages: tuple[str, ...]  # folders of a monorepo's packages, largest first
    facts: tuple[Candidate, ...]  # of level 0, weightiest first


def find_project(tree: ProjectTree, layout: Layout, detected: DetectedStack) -> FoundProject:
    """The ecosystems of the project, and the facts about it as a whole."""
    units = find_units(tree)
    mains = main_units(tree, units)
    slots_by_unit = [(unit, unit_slots(tree, unit)) for unit in mains]
    inner = packages(units)
    root_first = sorted(slots_by_unit, key=lambda pair: pair[0].folder != "")  # the root represents the project
    slots = common_slots(tree, [own for unit, own in root_first if not unit.folder or len(slots_by_unit) == 1])
    if "purpose" not in slots:
        slots |= _purpose_of_namesake(tree, slots, inner)
    slots |= tool_slots(tree, "", templates()[ANY].tools) | detected.slots() | _layout_slots(tree, layout, mains, inner)
    weighed = fill(tree, templates()[ANY].facts, slots)
    for number, (unit, own) in enumerate(slots_by_unit):
        named = own | {"project": slots["project"]} if "project" in slots else own
        facts_of_unit = fill(tree, unit.template.facts, named, suffix=f":{unit.template.name}" if number else "")
        if number:
            facts_of_unit = [
                (weight - _SECONDARY_PENALTY, fact)
                for weight, fact in facts_of_unit
                if fact.topic.rpartition(":")[0] in _SECONDARY_TOPICS
            ]
        weighed += [(weight, _in_folder(fact, unit)) for weight, fact in facts_of_unit]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].topic))
    facts = tuple(fact for _, fact in weighed[:MOST_FACTS])
    return FoundProject(tuple(unit.template.name for unit in mains), tuple(unit.folder for unit in inner), facts)


def _purpose_of_namesake(tree: ProjectTree, slots: Slots, inner: Sequence[PackageUnit]) -> Slots:
    """The purpose of the package with the project's name, for workspaces that state none."""
    name = slots["project"].value.lower() if "project" in slots else ""
    for unit in inner:
        if unit.folder.rpartition("/")[2].lower() == name:
            purpose = first_sentence(READERS[unit.template.name](tree, unit.folder).get("purpose", Slot("", ())).value)
            path = next(iter(tree.find(unit.folder, *unit.template.signatures)), "")
            return {"purpose": Slot(purpose, (path,))} if purpose else {}
    return {}


def _in_folder(fact: Candidate, unit: PackageUnit) -> Candidate:
    """A fact about a package below the root names its folder."""
    return replace(fact, text=f"In {code(f'{unit.folder}/')}: {fact.text}") if unit.folder else fact


def unit_slots(tree: ProjectTree, unit: PackageUnit) -> Slots:
    """All slots of one package: manifest, tools and commands, then defaults that follow from them."""
    template, folder = unit.template, unit.folder
    slots = tool_slots(tree, folder, template.tools) | READERS[template.name](tree, folder)
    scripts = workspace_scripts(tree, folder) if template.name == "node" else ""
    for kind, command in commands(tree, folder, scripts).items():
        slots[f"{kind}_command"] = Slot(command.line, (command.ref,), command.sure)
        if command.does:
            slots[f"{kind}_does"] = Slot(command.does, (command.ref,))
    for kind, pattern in template.steps.items():
        if f"{kind}_command" not in slots:
            steps = [(line, path) for line, path in pipeline_steps(tree) if pattern.search(line)]
            if steps:
                line, path = min(steps, key=lambda step: len(step[0]))  # the simplest; others add options
                slots[f"{kind}_command"] = Slot(line, (path,), OBSERVED + 0.05)
    return _with_defaults(template, slots)


def _with_defaults(template: EcosystemTemplate, slots: Slots) -> Slots:
    for default in template.defaults:
        needed = [(name.partition("=")[0], name.partition("=")[2]) for name in default.needs]
        available = [slots[name] for name, value in needed if name in slots and value in ("", slots[name].value)]
        if default.slot not in slots and len(available) == len(needed):
            places = tuple(dict.fromkeys(path for slot in available for path in (*slot.refs, *slot.seen)))
            slots[default.slot] = seen_slot(default.value, places, OBSERVED)
    return slots


def _layout_slots(tree: ProjectTree, layout: Layout, mains: list[PackageUnit], inner: list[PackageUnit]) -> Slots:
    """Packages, else domains, else the modules of the one source folder."""
    slots: Slots = {}
    source = sum(_files(tree, mains).values())
    domains = layout.domains()
    if len(inner) > 1:
        names = [code(unit.folder) for unit in inner]
        slots["packages"] = seen_slot(join_items(names[:6]), tuple(unit.folder for unit in inner[:5]))
        slots["package_count"] = seen_slot(str(len(inner)), ())
    elif len(domains) > 1 and sum(domain.files for domain in domains) * 2 >= source:
        names = [f"{domain.name} ({code(domain.folder)})" for domain in domains]
        folders = [domain.folder for domain in domains[:5]]
        slots["parts"] = seen_slot(join_items(names, _SHOWN_PARTS), folders, OBSERVED)
    elif source:
        folder, count = max(_files(tree, mains).items(), key=lambda pair: (pair[1], pair[0]))
        names = sorted({layout.module(path) for path in tree.paths if _is_source(path, folder, mains)})
        own = folder.rpartition("/")[2]
        names = [name for name in names if re.fullmatch(r"[A-Za-z][\w\-]{0,40}", name) and name != own]
        if folder and count > 1 and len(names) > 1:
            slots["source_folder"] = seen_slot(code(f"{folder}/"), (folder,))
            slots["source_modules"] = seen_slot(join_items(names, 2 * _SHOWN_PARTS), (folder,), OBSERVED)
    return slots


def _files(tree: ProjectTree, mains: Sequence[PackageUnit]) -> Counter[str]:
    """How many of the project's own source files lie directly in each folder."""
    endings = frozenset(ending for unit in mains for ending in unit.template.endings)
    own = (path for path in tree.paths if path.rpartition(".")[2] in endings)
    return Counter(folder for path in own if not is_outside_source(folder := path.rpartition("/")[0]))


def _is_source(path: str, folder: str, mains: Sequence[PackageUnit]) -> bool:
    ending = path.rpartition(".")[2]
    return path.rpartition("/")[0] == folder and any(ending in unit.template.endings for unit in mains)


def part_facts(tree: ProjectTree, layout: Layout, domains: Sequence[Domain]) -> Iterator[Candidate]:
    """A fact of level 1 for each of these domains with known details."""
    for domain in domains[:_MOST_PARTS]:
        slots = part_slots(tree, layout, domain)
        for _, fact in fill(tree, templates()[ANY].parts, slots, topic=f"domain:{domain.name}", domain=domain.name):
            yield fact
