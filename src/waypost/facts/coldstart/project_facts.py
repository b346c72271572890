"""All first facts about a project, as candidates: those about the whole, then those about its parts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase

from waypost.facts.coldstart.any_project import common_slots, readme
from waypost.facts.coldstart.commands import commands, pipeline_steps, workspace_scripts
from waypost.facts.coldstart.ecosystems import READERS
from waypost.facts.coldstart.prose import file_description, first_sentence, readme_sentence
from waypost.facts.coldstart.slots import OBSERVED, STATED, Slot, Slots, code, seen_slot
from waypost.facts.coldstart.templates import ANY, EcosystemTemplate, fill, templates
from waypost.facts.coldstart.tools import tool_slots
from waypost.facts.coldstart.tree import ProjectTree, join, text_at
from waypost.facts.coldstart.units import PackageUnit, find_units, is_main_language, main_units, packages
from waypost.facts.domains import Domain, Layout, is_outside_source
from waypost.model.candidate import Candidate
from waypost.text.plural import join_items

MOST_FACTS = 20  # of level 0, as every briefing contains them
_MOST_PARTS = 24
_SHOWN_PARTS = 8
_MOST_SOURCE = 0.6  # of all source files, for one folder to be where the code lies
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
    # A manifest of a secondary language says what that part is, not what the project is.
    is_known = bool(mains) and is_main_language(tree, mains[0])
    roots = [own for unit, own in root_first if not unit.folder or len(mains) == 1]
    slots = common_slots(tree, [own for unit, own in root_first if own in roots and is_main_language(tree, unit)])
    if any(unit.source for unit in mains):
        slots.pop("document_kinds", None)  # many documents, but a program
    if "purpose" not in slots:
        slots |= _purpose_of_namesake(tree, slots, inner)
    slots |= tool_slots(tree, "", templates()[ANY].tools) | _layout_slots(tree, layout, mains, inner)
    slots |= {
        name: slot
        for name, slot in detected.slots().items()
        if _is_of(slot, [*mains, *inner]) and not (name != "languages" and _names_itself(slot, slots))
    }
    weighed = fill(tree, templates()[ANY].facts, slots)
    for number, (unit, own) in enumerate(slots_by_unit, 0 if is_known else 1):
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
    types = tuple(unit.template.name for unit in mains) if is_known else ()
    return FoundProject(types, tuple(unit.folder for unit in inner), facts)


def _names_itself(slot: Slot, slots: Slots) -> bool:
    """Whether a framework that was detected is the project itself: its parts use it."""
    return "project" in slots and slot.value.partition(" ")[0].lower() == slots["project"].value.lower()


def _is_of(slot: Slot, units: Collection[PackageUnit]) -> bool:
    """Whether all references belong to main ecosystems: what a helper script needs does not shape the project."""
    names = {unit.template.name for unit in units}
    return all(not (owners := _ecosystems_of(ref.rpartition("/")[2])) or owners & names for ref in slot.refs)


def _ecosystems_of(file_name: str) -> set[str]:
    ending = file_name.rpartition(".")[2]
    return {
        name
        for name, template in templates().items()
        if ending in template.endings or any(fnmatchcase(file_name, sign) for sign in template.signatures)
    }


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
    """Packages, else domains, else the one source folder."""
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
        if folder and count > 1 and count >= source * _MOST_SOURCE:
            slots["source_folder"] = seen_slot(code(f"{folder}/"), (folder,))
    return slots


def _files(tree: ProjectTree, mains: Sequence[PackageUnit]) -> Counter[str]:
    """How many of the project's own source files lie directly in each folder."""
    endings = frozenset(ending for unit in mains for ending in unit.template.endings)
    own = (path for path in tree.paths if path.rpartition(".")[2] in endings)
    return Counter(folder for path in own if not is_outside_source(folder := path.rpartition("/")[0]))


def part_facts(tree: ProjectTree, domains: Sequence[Domain]) -> Iterator[Candidate]:
    """A fact of level 1 for each of these domains with known details."""
    for domain in domains[:_MOST_PARTS]:
        slots = part_slots(tree, domain)
        for _, fact in fill(tree, templates()[ANY].parts, slots, topic=f"domain:{domain.name}", domain=domain.name):
            yield fact


_OPENINGS = ("__init__.py", "doc.go", "lib.rs", "mod.rs", "src/lib.rs", "package-info.java", "index.ts", "index.js")


def part_slots(tree: ProjectTree, domain: Domain) -> Slots:
    """`part`, `folder`, and if known `part_purpose`."""
    values = {"part": domain.name, "folder": code(f"{domain.folder}/")}
    slots = {slot: seen_slot(value, (domain.folder,)) for slot, value in values.items()}
    purpose = _purpose(tree, domain.folder)
    if purpose is not None:
        slots["part_purpose"] = purpose
    return slots


def _purpose(tree: ProjectTree, folder: str) -> Slot | None:
    for path, description in _descriptions(tree, folder):
        if description and description.isprintable():
            return Slot(description.replace('"', "'"), (path,), STATED)
    return None


def _descriptions(tree: ProjectTree, folder: str) -> Iterable[tuple[str, str]]:
    for name in ("package.json", "composer.json"):
        yield join(folder, name), first_sentence(text_at(tree.json(join(folder, name)), "description"))
    cargo, pyproject = join(folder, "Cargo.toml"), join(folder, "pyproject.toml")
    yield cargo, first_sentence(text_at(tree.toml(cargo), "package", "description"))
    yield pyproject, first_sentence(text_at(tree.toml(pyproject), "project", "description"))
    path = readme(tree, folder)
    if path:
        yield path, readme_sentence(tree.text(path))
    last = folder.rpartition("/")[2]
    for name in (*_OPENINGS, f"{last}.go", f"{last}.py"):
        path = join(folder, name)
        if tree.has(path):
            yield path, file_description(tree.text(path), tree.description(path))
