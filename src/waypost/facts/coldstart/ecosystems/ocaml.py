"""OCaml: dune-project and opam files."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, seen_slot
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.text.plural import join_items

_DUNE = re.compile(r"\(lang\s+dune\s+(\d[\d.]{0,10})\)")
_NAME = re.compile(r"^\(name\s+([\w.-]{1,60})\)", re.MULTILINE)
_SYNOPSIS = re.compile(r"^synopsis:\s*\"([^\"\n]{8,300})\"", re.MULTILINE)
_REQUIRES = re.compile(r"\(ocaml\s+\((>=?)\s+([\d.]{1,12})\)\)|\"ocaml\"\s*\{\s*(>=?)\s*\"([\d.]{1,12})\"")
_LICENCE = re.compile(r"^license:\s*\"([^\"\n]{2,60})\"|\(license\s+([\w.+-]{2,60})\)", re.MULTILINE)


def read(tree: ProjectTree, folder: str) -> Slots:
    project = join(folder, "dune-project")
    opams = tree.find(folder, "*.opam")
    slots: Slots = {}
    for slot, pattern in (("dune", _DUNE), ("package", _NAME)):
        match = pattern.search(tree.text(project)[:100_000])
        if match:
            slots[slot] = Slot(match[1], (project,))
    own = join(folder, f"{slots['package'].value}.opam") if "package" in slots else ""
    first = own if own in opams else opams[0] if len(opams) == 1 else ""
    if first and (match := _SYNOPSIS.search(tree.text(first))):
        slots["purpose"] = Slot(match[1], (first,))
    for slot, pattern in (("requires", _REQUIRES), ("licence", _LICENCE)):
        for path in filter(None, (project, first)):
            match = pattern.search(tree.text(path)[:100_000])
            if match and slot not in slots:
                slots[slot] = Slot(" ".join(filter(None, match.groups())), (path,))
    if len(opams) > 1:
        names = [code(path.rpartition("/")[2].removesuffix(".opam")) for path in opams]
        slots["workspaces"] = seen_slot(join_items(names, 12), opams)
    return slots
