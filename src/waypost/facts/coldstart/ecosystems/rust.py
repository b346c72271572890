"""Rust: Cargo.toml."""

from fnmatch import fnmatchcase
from typing import Any

from waypost.facts.coldstart.slots import Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, at, join, strings, table, words

_MOST_MEMBERS = 200


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "Cargo.toml")
    data = tree.toml(path)
    package, shared = table(data, "package"), table(data, "workspace", "package")
    told = {
        "package": words(package, "name"),
        "purpose": words(package, "description") or words(shared, "description"),
        "licence": words(package, "license") or words(shared, "license"),
        "requires": words(package, "rust-version") or words(shared, "rust-version"),
        "edition": words(package, "edition") or words(shared, "edition"),
        "features": listed([code(name) for name in table(data, "features") if name != "default"], 10),
        "workspaces": listed(map(code, _members(tree, folder, data)), 12),
    }
    found = {slot: Slot(value, (path,)) for slot, value in told.items() if value}
    programs = _programs(tree, folder, data)
    if programs:
        shown = listed((f"{code(name)} starts in {code(place)}" for name, place in programs), 5)
        found["scripts"] = Slot(shown, (path,), seen=tuple(dict.fromkeys(place for _, place in programs)))
    library = words(data, "lib", "path") or "src/lib.rs"
    if package and tree.has(join(folder, library)):
        found["main"] = there(code(join(folder, library)), (join(folder, library),))
    if any(one.endswith(".rs") and "/tests/" in f"/{one}" for one in tree.paths) or _tests_itself(tree, folder):
        found["has_tests"] = there("yes", (path,))
    return found


def _programs(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and first file of each program of the package, and those of a workspace's members where it has none itself."""
    name = words(data, "package", "name")
    found = []
    bins = at(data, "bin")
    for one in bins if isinstance(bins, list) else []:
        path = join(folder, words(one, "path") or "src/main.rs")
        if words(one, "name") and tree.has(path):
            found.append((words(one, "name"), path))
    if not found and name and tree.has(join(folder, "src/main.rs")):
        found.append((name, join(folder, "src/main.rs")))
    prefix = join(folder, "src/bin/")
    is_library = not found and tree.has(join(folder, "src/lib.rs"))  # its programs are beside the point
    inner = [] if is_library else [path for path in tree.paths if path.startswith(prefix) and path.endswith(".rs")]
    found += [(path.removeprefix(prefix)[:-3], path) for path in inner if "/" not in path.removeprefix(prefix)]
    if not found and not name:
        for member in _members(tree, folder, data)[:60]:
            inside = join(folder, member)
            own = words(tree.toml(join(inside, "Cargo.toml")), "package", "name")
            if own and tree.has(join(inside, "src/main.rs")):
                found.append((own, join(inside, "src/main.rs")))
    return list(dict.fromkeys(found))


def _members(tree: ProjectTree, folder: str, data: dict[str, Any]) -> list[str]:
    """The folders of a workspace's crates; a pattern stands for those that are there."""
    prefix = f"{folder}/" if folder else ""
    manifests = (one for one in tree.paths if one.startswith(prefix) and one.endswith("/Cargo.toml"))
    crates = [one.removeprefix(prefix).rpartition("/")[0] for one in manifests]
    found = []
    for member in strings(data, "workspace", "members")[:_MOST_MEMBERS]:
        depth = member.strip("/").count("/")
        found += [one for one in crates if one.count("/") == depth and fnmatchcase(one, member.strip("/"))]
    return list(dict.fromkeys(found))


def _tests_itself(tree: ProjectTree, folder: str) -> bool:
    """Whether one of the first files has tests inside."""
    prefix = join(folder, "src/")
    files = [one for one in tree.paths if one.startswith(prefix) and one.endswith(".rs")]
    return any("#[test]" in tree.text(one) for one in files[:20])
