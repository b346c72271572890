"""Elixir: mix.exs."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, path_slot, seen_slot
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.text.plural import join_items

_APP = re.compile(r"\bapp:\s*(:[a-z]\w{0,60})")
_REQUIRES = re.compile(r"(?:\belixir:|@elixir_(?:requirement|version))\s*\"([^\"\n]{1,40})\"")
_DESCRIPTION = re.compile(r"\bdescription:\s*\"([^\"\n]{8,300})\"")
_APPS_PATH = re.compile(r"\bapps_path:\s*\"(\w{1,40})\"")
_COMMENT = re.compile(r"(?m)^[ \t]*+#[^\n]{0,2000}$")


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "mix.exs")
    text = _COMMENT.sub("", tree.text(path)[:100_000])
    slots: Slots = {}
    for slot, pattern in (("package", _APP), ("requires", _REQUIRES), ("purpose", _DESCRIPTION)):
        match = pattern.search(text)
        if match:
            slots[slot] = Slot(code(match[1]) if slot == "package" else match[1], (path,))
    umbrella = _APPS_PATH.search(text)
    if umbrella:
        prefix = join(folder, umbrella[1])
        apps = [
            manifest.split("/")[-2]
            for manifest in tree.below(prefix, "/mix.exs")
            if manifest.count("/") == prefix.count("/") + 2
        ]
        if apps:
            slots["workspaces"] = Slot(join_items(map(code, apps), 12), (path,))
    app = slots["package"].value.strip("`:") if "package" in slots else ""
    if main := tree.first(folder, f"lib/{app}/application.ex"):
        slots["main"] = path_slot(main)
    tests = tree.below(join(folder, "test"), "_test.exs")
    if tests:
        slots["has_tests"] = seen_slot("yes", tests[:1])
    return slots
