"""The licence of a project, by its licence file and its manifest."""

import re
from collections.abc import Sequence

from waypost.facts.coldstart.slots import OBSERVED, Slot
from waypost.facts.coldstart.tree import ProjectTree

# Phrases that identify a licence, in search order: specific ones before general ones.
_KNOWN = (
    ("GNU AFFERO GENERAL PUBLIC LICENSE", "the GNU Affero General Public License"),
    ("GNU LESSER GENERAL PUBLIC LICENSE", "the GNU Lesser General Public License"),
    ("GNU GENERAL PUBLIC LICENSE", "the GNU General Public License"),
    ("Apache License", "the Apache License 2.0"),
    ("Mozilla Public License", "the Mozilla Public License 2.0"),
    ("Eclipse Public License", "the Eclipse Public License"),
    ("BSD 3-Clause", "the BSD 3-Clause License"),
    ("Neither the name of", "the BSD 3-Clause License"),
    ("BSD 2-Clause", "the BSD 2-Clause License"),
    ("Redistributions in binary form", "the BSD 2-Clause License"),
    ("ISC License", "the ISC License"),
    ("Permission to use, copy, modify, and/or distribute", "the ISC License"),
    ("Permission is hereby granted, free of charge", "the MIT License"),
    ("This is free and unencumbered software", "the Unlicense"),
    ("Boost Software License", "the Boost Software License 1.0"),
    ("Business Source License", "the Business Source License"),
    ("Elastic License", "the Elastic License"),
)
_VERSION = re.compile(r"Version (\d(?:\.\d)?)\b")
_WITH_VERSION = ("GNU", "Eclipse")
_READ = 3_000  # characters: the title and the first clauses
_SPDX = re.compile(r"[A-Za-z0-9][\w.+\- ()/]{1,60}")


def licence_of(tree: ProjectTree, declared: Sequence[Slot]) -> Slot | None:
    """The licence by a single known licence file, else by a manifest, else by all licence files."""
    paths = [path for path in tree.find("", "licen[cs]e*", "copying*", "unlicen[cs]e*") if "/" not in path]
    names = sorted({licence_name(tree.text(path)) for path in paths} - {""})
    if names and len(paths) == 1:
        return Slot(names[0], tuple(paths))
    stated = next((slot for slot in declared if _SPDX.fullmatch(slot.value) and "file" not in slot.value.lower()), None)
    if stated is not None:
        return stated
    return Slot(" or ".join(names), tuple(paths), OBSERVED) if names else None


def licence_name(text: str) -> str:
    """The licence whose text this is, or an empty string."""
    head = " ".join(text[:_READ].split())
    lowered = head.lower()
    matches = [(lowered.find(mark.lower()), mark, name) for mark, name in _KNOWN if mark.lower() in lowered]
    if not matches:
        return ""
    _, _, name = min(matches, key=lambda row: row[0])  # the title comes first; texts mention other licences later
    if name.startswith("the BSD") and "neither the name of" in lowered:
        name = "the BSD 3-Clause License"
    version = _VERSION.search(head) if any(word in name for word in _WITH_VERSION) else None
    return f"{name}, version {version[1]}" if version else name
