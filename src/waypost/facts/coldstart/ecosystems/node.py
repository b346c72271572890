"""Node.js and TypeScript: package.json and what lies beside it."""

from typing import Any

from waypost.facts.coldstart.slots import Slot, Slots, code, listed
from waypost.facts.coldstart.tree import ProjectTree, at, join, strings, words


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "package.json")
    data = tree.json(path)
    name = words(data, "name")
    told = {
        "package": name,
        "purpose": words(data, "description"),
        "licence": words(data, "license").replace("SEE LICENSE IN ", ""),
        "requires": words(data, "engines", "node"),
        "scripts": _commands(data, name),
        "main": _main(tree, folder, data),
    }
    found = {slot: Slot(value, (path,)) for slot, value in told.items() if value}
    pinned = next(iter(tree.find(folder, ".nvmrc", ".node-version")), "")
    version = tree.text(pinned).strip().lstrip("v")
    if "requires" not in found and version[:1].isdigit() and len(version) < 15:
        found["requires"] = Slot(version, (pinned,))
    workspaces = _workspaces(tree, folder, data)
    if workspaces:
        place = next(iter(tree.find(folder, "pnpm-workspace.yaml")), path)
        found["workspaces"] = Slot(listed(map(code, workspaces)), (place,))
    return found


def _commands(data: dict[str, Any], name: str) -> str:
    commands = at(data, "bin")
    if isinstance(commands, str) and name:
        commands = {name.rpartition("/")[2]: commands}
    if not isinstance(commands, dict):
        return ""
    pairs = [(command, place) for command, place in commands.items() if isinstance(place, str)]
    return listed((f"{code(command)} ({place.removeprefix('./')})" for command, place in pairs), 5)


def _main(tree: ProjectTree, folder: str, data: dict[str, Any]) -> str:
    """The file of the tree that an import loads; what a build makes is not in the tree."""
    for key in ("main", "module"):
        named = words(data, key).removeprefix("./")
        for path in (named, f"{named}.js", f"{named}/index.js", f"{named}index.js"):
            if named and tree.has(join(folder, path)):
                return code(join(folder, path))
    is_app = "main" not in data and "exports" not in data
    return "" if is_app or not tree.has(join(folder, "index.js")) or "main" in data else code(join(folder, "index.js"))


def _workspaces(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[str]:
    listed_ones = strings(data, "workspaces") or strings(at(data, "workspaces"), "packages")
    pnpm = strings(tree.yaml(join(folder, "pnpm-workspace.yaml")), "packages")
    lerna = strings(tree.json(join(folder, "lerna.json")), "packages")
    found = pnpm or listed_ones or lerna
    return [
        one for one in found if one.strip("*/.") and not one.startswith("!") and one.isprintable() and len(one) < 80
    ]
