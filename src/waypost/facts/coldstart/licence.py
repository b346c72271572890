"""The licence of a project: what its licence file is, and what its manifest says."""

import re
from collections.abc import Sequence

from waypost.facts.coldstart.slots import SEEN, Slot
from waypost.facts.coldstart.tree import ProjectTree

# The words that tell a licence, in the order in which they are looked for: the special before the general.
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


def licence_of(tree: ProjectTree, said: Sequence[Slot]) -> Slot | None:
    """By the licence file where its words are known, else what a manifest says; both where they differ is one file's word."""
    paths = [one for one in tree.find("", "licen[cs]e*", "copying*", "unlicen[cs]e*") if "/" not in one]
    for path in paths:
        name = licence_name(tree.text(path))
        if name and len(paths) == 1:
            return Slot(name, (path,))
    names = {licence_name(tree.text(path)) for path in paths} - {""}
    spoken = next((slot for slot in said if _SPDX.fullmatch(slot.value) and "file" not in slot.value.lower()), None)
    if spoken is not None:
        return spoken
    if len(names) > 1:
        return Slot(" or ".join(sorted(names)), tuple(paths), SEEN)
    return Slot(names.pop(), tuple(paths), SEEN) if names else None


def licence_name(text: str) -> str:
    """The licence that a text is; "" when it is unknown."""
    head = " ".join(text[:_READ].split())
    lowered = head.lower()
    first = [
        (lowered.find(mark.lower()), mark) for mark, _ in _KNOWN if mark.startswith("GNU") and mark.lower() in lowered
    ]
    for mark, name in _KNOWN:
        if mark.lower() in lowered and (
            not mark.startswith("GNU") or mark == min(first)[1]
        ):  # one GNU licence names others
            version = _VERSION.search(head)
            with_version = version is not None and any(word in name for word in _WITH_VERSION)
            return f"{name}, version {version[1]}" if version is not None and with_version else name
    return ""
