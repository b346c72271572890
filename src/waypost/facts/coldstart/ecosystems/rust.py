"""Rust: Cargo.toml."""

from fnmatch import fnmatchcase
from typing import Any

from waypost.facts.coldstart.slots import Slot, Slots, code, path_slot, seen_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, items, join, strings, table, text_at
from waypost.text.plural import join_items

_MOST_MEMBERS = 200


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "Cargo.toml")
    data = tree.toml(path)
    package, shared = table(data, "package"), table(data, "workspace", "package")
    values = {
        "package": text_at(package, "name"),
        "purpose": text_at(package, "description") or text_at(shared, "description"),
        "licence": text_at(package, "license") or text_at(shared, "license"),
        "requires": text_at(package, "rust-version") or text_at(shared, "rust-version"),
        "edition": text_at(package, "edition") or text_at(shared, "edition"),
        "features": join_items([code(name) for name in table(data, "features") if name != "default"], 10),
        "workspaces": join_items(map(code, _members(tree, folder, data)), 12),
    }
    slots = stated_slots(values, path)
    programs = _programs(tree, folder, data)
    if programs:
        program_list = join_items((f"{code(name)} starts in {code(place)}" for name, place in programs), 5)
        slots["scripts"] = Slot(program_list, (path,), seen=tuple(dict.fromkeys(place for _, place in programs)))
    library = text_at(data, "lib", "path") or "src/lib.rs"
    if package and tree.has(join(folder, library)):
        slots["main"] = path_slot(join(folder, library))
    has_test_folder = any("/tests/" in f"/{source}" for source in tree.below("", ".rs"))
    if has_test_folder or any("#[test]" in tree.text(path) for path in tree.below(join(folder, "src"), ".rs")[:20]):
        slots["has_tests"] = seen_slot("yes", (path,))
    return slots


def _programs(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and main file of each program of the package, or of the workspace's members if it has none itself."""
    name = text_at(data, "package", "name")
    programs = []
    for binary in items(data, "bin"):
        path = join(folder, text_at(binary, "path") or "src/main.rs")
        if text_at(binary, "name") and tree.has(path):
            programs.append((text_at(binary, "name"), path))
    if not programs and name and tree.has(join(folder, "src/main.rs")):
        programs.append((name, join(folder, "src/main.rs")))
    prefix = join(folder, "src/bin/")
    is_library = not programs and tree.has(join(folder, "src/lib.rs"))  # programs of a library are secondary
    inner = [] if is_library else tree.below(join(folder, "src/bin"), ".rs")
    programs += [(path.removeprefix(prefix)[:-3], path) for path in inner if "/" not in path.removeprefix(prefix)]
    if not programs and not name:
        for member in _members(tree, folder, data)[:60]:
            member_folder = join(folder, member)
            own = text_at(tree.toml(join(member_folder, "Cargo.toml")), "package", "name")
            if own and tree.has(join(member_folder, "src/main.rs")):
                programs.append((own, join(member_folder, "src/main.rs")))
    return list(dict.fromkeys(programs))


def _members(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[str]:
    """The folders of a workspace's crates, with patterns resolved to existing ones."""
    prefix = f"{folder}/" if folder else ""
    manifests = tree.below(folder, "/Cargo.toml")
    crates = [path.removeprefix(prefix).rpartition("/")[0] for path in manifests]
    members = []
    for member in strings(data, "workspace", "members")[:_MOST_MEMBERS]:
        depth = member.strip("/").count("/")
        members += [crate for crate in crates if crate.count("/") == depth and fnmatchcase(crate, member.strip("/"))]
    return list(dict.fromkeys(members))
