"""Node.js and TypeScript: package.json and files beside it."""

from typing import Any

from waypost.facts.coldstart.slots import Slot, Slots, code, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, at, join, strings, text_at
from waypost.text.plural import join_items


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "package.json")
    data = tree.json(path)
    name = text_at(data, "name")
    values = {
        "package": name,
        "purpose": text_at(data, "description"),
        "licence": text_at(data, "license").replace("SEE LICENSE IN ", ""),
        "requires": text_at(data, "engines", "node"),
        "scripts": _commands(data, name),
        "main": _main(tree, folder, data),
    }
    slots = stated_slots(values, path)
    pinned = next(iter(tree.find(folder, ".nvmrc", ".node-version")), "")
    version = tree.text(pinned).strip().lstrip("v")
    if "requires" not in slots and version[:1].isdigit() and len(version) < 15:
        slots["requires"] = Slot(version, (pinned,))
    workspaces = _workspaces(tree, folder, data)
    if workspaces:
        workspace_file = next(iter(tree.find(folder, "pnpm-workspace.yaml")), path)
        slots["workspaces"] = Slot(join_items(map(code, workspaces)), (workspace_file,))
    return slots


def _commands(data: dict[str, Any], name: str) -> str:
    commands = at(data, "bin")
    if isinstance(commands, str) and name:
        commands = {name.rpartition("/")[2]: commands}
    if not isinstance(commands, dict):
        return ""
    pairs = [(command, place) for command, place in commands.items() if isinstance(place, str)]
    return join_items((f"{code(command)} ({place.removeprefix('./')})" for command, place in pairs), 5)


def _main(tree: ProjectTree, folder: str, data: dict[str, Any]) -> str:
    """The file that an import loads. Build output is not in the repository."""
    for key in ("main", "module"):
        target = text_at(data, key).removeprefix("./")
        for path in (target, f"{target}.js", f"{target}/index.js", f"{target}index.js"):
            if target and tree.has(join(folder, path)):
                return code(join(folder, path))
    is_app = "main" not in data and "exports" not in data
    return "" if is_app or not tree.has(join(folder, "index.js")) or "main" in data else code(join(folder, "index.js"))


def _workspaces(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[str]:
    npm = strings(data, "workspaces") or strings(data, "workspaces", "packages")
    pnpm = strings(tree.yaml(join(folder, "pnpm-workspace.yaml")), "packages")
    globs = pnpm or npm or strings(tree.json(join(folder, "lerna.json")), "packages")
    folders = [glob for glob in globs if glob.strip("*/.") and not glob.startswith("!")]
    return [glob for glob in folders if glob.isprintable() and len(glob) < 80]
