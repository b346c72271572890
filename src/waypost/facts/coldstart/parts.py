"""The domains of a project and their purposes, in their own words if possible."""

from collections.abc import Iterable

from waypost.facts.coldstart.any_project import readme
from waypost.facts.coldstart.prose import file_description, first_sentence, readme_sentence
from waypost.facts.coldstart.slots import STATED, Slot, Slots, code, seen_slot
from waypost.facts.coldstart.tree import ProjectTree, join, text_at
from waypost.facts.domains import Domain

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
