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
    for path in paths:
        name = licence_name(tree.text(path))
        if name and len(paths) == 1:
            return Slot(name, (path,))
    names = {licence_name(tree.text(path)) for path in paths} - {""}
    stated = next((slot for slot in declared if _SPDX.fullmatch(slot.value) and "file" not in slot.value.lower()), None)
    if stated is not None:
        return stated
    if len(names) > 1:
        return Slot(" or ".join(sorted(names)), tuple(paths), OBSERVED)
    return Slot(names.pop(), tuple(paths), OBSERVED) if names else None


def licence_name(text: str) -> str:
    """The licence whose text this is, or an empty string."""
    head = " ".join(text[:_READ].split())
    lowered = head.lower()
    first = [
        (lowered.find(mark.lower()), mark) for mark, _ in _KNOWN if mark.startswith("GNU") and mark.lower() in lowered
    ]
    for mark, name in _KNOWN:
        if mark.lower() in lowered and (
            not mark.startswith("GNU") or mark == min(first)[1]
        ):  # GNU licences mention each other
            version = _VERSION.search(head)
            with_version = version is not None and any(word in name for word in _WITH_VERSION)
            return f"{name}, version {version[1]}" if version is not None and with_version else name
    return ""
