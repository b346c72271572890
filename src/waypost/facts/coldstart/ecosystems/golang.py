"""Go: go.mod, go.work, and the folders with a `main.go`."""

import re

from waypost.facts.coldstart.slots import OBSERVED, Slot, Slots, code, seen_slot
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.facts.domains import is_outside_source
from waypost.text.plural import join_items

_MODULE = re.compile(r"^module\s+\"?([^\s\"]{1,200})", re.MULTILINE)
_VERSION = re.compile(r"^go\s+(\d[\w.]{0,15})", re.MULTILINE)
_USE = re.compile(r"^[ \t]*+(?:use[ \t]++)?(\./[\w./\-]{0,100}|\.)[ \t\r]*+$", re.MULTILINE)
_MAIN = re.compile(r"^package main\b", re.MULTILINE)
_MOST_READ = 60


def read(tree: ProjectTree, folder: str) -> Slots:
    slots: Slots = {}
    path = join(folder, "go.mod")
    text = tree.text(path)
    for slot, pattern in (("package", _MODULE), ("requires", _VERSION)):
        match = pattern.search(text)
        if match:
            slots[slot] = Slot(match[1], (path,))
    work = join(folder, "go.work")
    modules = [module.removeprefix("./") for module in _USE.findall(tree.text(work)) if module != "."]
    if modules:
        slots["workspaces"] = Slot(join_items(map(code, modules), 12), (work,))
    mains = _mains(tree, folder)
    if mains:
        slots["mains"] = seen_slot(join_items(map(code, mains), 6), tuple(mains), OBSERVED + 0.05)
    if tree.below(folder, "_test.go"):
        slots["has_tests"] = seen_slot("yes", (path,))
    return slots


def _mains(tree: ProjectTree, folder: str) -> list[str]:
    named = [
        path
        for path in tree.below(folder, "main.go")
        if path.rpartition("/")[2] == "main.go" and not is_outside_source(path.rpartition("/")[0])
    ]
    named.sort(key=lambda path: (path.count("/"), path))
    return [path for path in named[:_MOST_READ] if _MAIN.search(tree.text(path)) and "func main()" in tree.text(path)]
