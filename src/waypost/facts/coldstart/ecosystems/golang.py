"""Go: go.mod, go.work, and the folders with a `main.go`."""

import re

from waypost.facts.coldstart.slots import SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.facts.domains import is_outside_source

_MODULE = re.compile(r"^module\s+\"?([^\s\"]{1,200})", re.MULTILINE)
_VERSION = re.compile(r"^go\s+(\d[\w.]{0,15})", re.MULTILINE)
_USE = re.compile(r"^[ \t]*+(?:use[ \t]++)?(\./[\w./\-]{0,100}|\.)[ \t\r]*+$", re.MULTILINE)
_MAIN = re.compile(r"^package main\b", re.MULTILINE)
_MOST_READ = 60


def read(tree: ProjectTree, folder: str) -> Slots:
    found: Slots = {}
    path = join(folder, "go.mod")
    text = tree.text(path)
    for slot, pattern in (("package", _MODULE), ("requires", _VERSION)):
        match = pattern.search(text)
        if match:
            found[slot] = Slot(match[1], (path,))
    work = join(folder, "go.work")
    modules = [one.removeprefix("./") for one in _USE.findall(tree.text(work)) if one != "."]
    if modules:
        found["workspaces"] = Slot(listed(map(code, modules), 12), (work,))
    mains = _mains(tree, folder)
    if mains:
        found["mains"] = there(listed(map(code, mains), 6), tuple(mains), SEEN + 0.05)
    prefix = f"{folder}/" if folder else ""
    if any(one.startswith(prefix) and one.endswith("_test.go") for one in tree.paths):
        found["has_tests"] = there("yes", (path,))
    return found


def _mains(tree: ProjectTree, folder: str) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    own = [one for one in tree.paths if one.startswith(prefix) and one.endswith("main.go")]
    named = [
        one for one in own if one.rpartition("/")[2] == "main.go" and not is_outside_source(one.rpartition("/")[0])
    ]
    named.sort(key=lambda one: (one.count("/"), one))
    return [one for one in named[:_MOST_READ] if _MAIN.search(tree.text(one)) and "func main()" in tree.text(one)]
