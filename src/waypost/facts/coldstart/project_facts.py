"""All first facts about a tree, as candidates: those about the project, then those about its parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from waypost.facts.coldstart.any_project import common_slots
from waypost.facts.coldstart.commands import commands, pipeline_steps, workspace_scripts
from waypost.facts.coldstart.ecosystems import READERS
from waypost.facts.coldstart.parts import part_slots
from waypost.facts.coldstart.prose import sentence
from waypost.facts.coldstart.slots import SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.templates import ANY, EcosystemTemplate, fill, templates
from waypost.facts.coldstart.tools import tool_slots
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.coldstart.units import PackageUnit, find_units, main_units, packages
from waypost.facts.domains import Domain, Layout, is_outside_source
from waypost.model.candidate import Candidate

MOST_FACTS = 20  # of level 0: they are in every briefing
_MOST_PARTS = 24
_SHOWN_PARTS = 8
_SECOND = ("project:runtime", "project:dependencies", "project:test", "project:build", "project:lint", "project:entry")
_SECOND_LOSS = 12  # of weight, for the same topic of another ecosystem than the first


@dataclass(frozen=True, slots=True)
class KnownProject:
    """What somebody else found out about the tree: languages, frameworks and libraries in words, with places."""

    languages: Slot | None = None
    frameworks: Slot | None = None
    libraries: Slot | None = None

    def slots(self) -> Slots:
        named = {"languages": self.languages, "frameworks": self.frameworks, "libraries": self.libraries}
        return {name: slot for name, slot in named.items() if slot is not None}


@dataclass(frozen=True, slots=True)
class FoundProject:
    """What a tree is made of."""

    types: tuple[str, ...]  # ecosystems, the largest first
    packages: tuple[str, ...]  # folders of the packages of a monorepo, the largest first
    facts: tuple[Candidate, ...]  # of level 0, the weightiest first


def find_project(tree: ProjectTree, layout: Layout, known: KnownProject) -> FoundProject:
    """What the project is and the facts about it as a whole."""
    units = find_units(tree)
    mains = main_units(tree, units)
    read = [(unit, unit_slots(tree, unit)) for unit in mains]
    inner = packages(units)
    first = sorted(read, key=lambda pair: pair[0].folder != "")  # who is at the root speaks for the project
    slots = common_slots(tree, [own for unit, own in first if not unit.folder or len(read) == 1])
    if "purpose" not in slots:
        slots |= _purpose_of_namesake(tree, slots, inner)
    slots |= _tools(tree, templates()[ANY]) | known.slots() | _layout_slots(tree, layout, mains, inner)
    weighed = fill(tree, templates()[ANY].facts, slots)
    for place, (unit, own) in enumerate(read):
        named = own | {"project": slots["project"]} if "project" in slots else own
        found = fill(tree, unit.template.facts, named, suffix=f":{unit.template.name}" if place else "")
        if place:
            found = [
                (weight - _SECOND_LOSS, fact) for weight, fact in found if fact.topic.rpartition(":")[0] in _SECOND
            ]
        weighed += [(weight, _in_folder(fact, unit)) for weight, fact in found]
    weighed.sort(key=lambda pair: (-pair[0], pair[1].topic))
    facts = tuple(fact for _, fact in weighed[:MOST_FACTS])
    return FoundProject(tuple(unit.template.name for unit in mains), tuple(unit.folder for unit in inner), facts)


def _purpose_of_namesake(tree: ProjectTree, slots: Slots, inner: Sequence[PackageUnit]) -> Slots:
    """A workspace often says nothing of itself; the package of its name speaks for it."""
    name = slots["project"].value.lower() if "project" in slots else ""
    for unit in inner:
        if unit.folder.rpartition("/")[2].lower() == name:
            told = sentence(READERS[unit.template.name](tree, unit.folder).get("purpose", Slot("", ())).value)
            path = next(iter(tree.find(unit.folder, *unit.template.signatures)), "")
            return {"purpose": Slot(told, (path,))} if told else {}
    return {}


def _in_folder(fact: Candidate, unit: PackageUnit) -> Candidate:
    """A fact about a package below the root says where it holds."""
    return replace(fact, text=f"In {code(f'{unit.folder}/')}: {fact.text}") if unit.folder else fact


def unit_slots(tree: ProjectTree, unit: PackageUnit) -> Slots:
    """All slots of one package: its manifest, its tools, its commands; at last what follows from the others."""
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
                line, path = min(steps, key=lambda step: len(step[0]))  # the plainest: the others add to it
                slots[f"{kind}_command"] = Slot(line, (path,), SEEN + 0.05)
    return _with_defaults(template, slots)


def _with_defaults(template: EcosystemTemplate, slots: Slots) -> Slots:
    for default in template.defaults:
        needed = [(name.partition("=")[0], name.partition("=")[2]) for name in default.needs]
        known = [slots[name] for name, value in needed if name in slots and value in ("", slots[name].value)]
        if default.slot not in slots and len(known) == len(needed):
            places = tuple(dict.fromkeys(place for slot in known for place in (*slot.refs, *slot.seen)))
            slots[default.slot] = there(default.value, places, SEEN)
    return slots


def _tools(tree: ProjectTree, template: EcosystemTemplate) -> Slots:
    return tool_slots(tree, "", template.tools)


def _layout_slots(
    tree: ProjectTree, layout: Layout, mains: Sequence[PackageUnit], inner: Sequence[PackageUnit]
) -> Slots:
    """Packages, else parts, else the modules of the one folder that the code lies in."""
    found: Slots = {}
    source = sum(_files(tree, mains).values())
    domains = layout.domains()
    if len(inner) > 1:
        names = [code(unit.folder) for unit in inner]
        found["packages"] = there(listed(names[:6]), tuple(unit.folder for unit in inner[:5]))
        found["package_count"] = there(str(len(inner)), ())
    elif len(domains) > 1 and sum(one.files for one in domains) * 2 >= source:
        names = [f"{one.name} ({code(one.folder)})" for one in domains]
        found["parts"] = there(listed(names, _SHOWN_PARTS), tuple(one.folder for one in domains[:5]), SEEN)
    elif source:
        folder, count = max(_files(tree, mains).items(), key=lambda pair: (pair[1], pair[0]))
        names = sorted({layout.module(path) for path in tree.paths if _is_source(path, folder, mains)})
        names = [
            name for name in names if re.fullmatch(r"[A-Za-z][\w\-]{0,40}", name) and name != folder.rpartition("/")[2]
        ]
        if folder and count > 1 and len(names) > 1:
            found["source_folder"] = there(code(f"{folder}/"), (folder,))
            found["source_modules"] = there(listed(names, 2 * _SHOWN_PARTS), (folder,), SEEN)
    return found


def _files(tree: ProjectTree, mains: Sequence[PackageUnit]) -> Counter[str]:
    """How many files of the project's own source lie directly in each folder."""
    endings = frozenset(ending for unit in mains for ending in unit.template.endings)
    own = (path for path in tree.paths if path.rpartition(".")[2] in endings)
    return Counter(folder for path in own if not is_outside_source(folder := path.rpartition("/")[0]))


def _is_source(path: str, folder: str, mains: Sequence[PackageUnit]) -> bool:
    ending = path.rpartition(".")[2]
    return path.rpartition("/")[0] == folder and any(ending in unit.template.endings for unit in mains)


def part_facts(tree: ProjectTree, layout: Layout, wanted: Sequence[Domain]) -> Iterator[Candidate]:
    """A fact of level 1 for each of these parts that there is something to say about."""
    for domain in wanted[:_MOST_PARTS]:
        slots = part_slots(tree, layout, domain)
        for _, fact in fill(tree, templates()[ANY].parts, slots, topic=f"domain:{domain.name}", domain=domain.name):
            yield fact
