"""C and C++: CMakeLists.txt, meson.build."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.text.plural import join_items

_PROJECT = re.compile(r"^[ \t]*project\s*\(\s*\"?([A-Za-z][\w.+-]{0,60})\"?", re.MULTILINE | re.IGNORECASE)
_DESCRIPTION = re.compile(r"\bDESCRIPTION\s+\"([^\"\n]{8,300})\"")
_REQUIRES = re.compile(
    r"^[ \t]*cmake_minimum_required\s*\(\s*VERSION\s+(\d{1,3}(?:\.\d{1,3}){0,3})", re.MULTILINE | re.IGNORECASE
)
_STANDARD = re.compile(r"^[ \t]*set\s*\(\s*CMAKE_(CXX|C)_STANDARD\s+(\d{2})\b", re.MULTILINE | re.IGNORECASE)
_CTEST = re.compile(r"^[ \t]*(?:enable_testing\s*\(|include\s*\(\s*CTest\s*\))", re.MULTILINE | re.IGNORECASE)
_OPTION = re.compile(r"^[ \t]*option\s*\(\s*([A-Z][A-Z0-9_]{2,50})\b", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"(?m)#[^\n]{0,2000}$")
_MOST_OPTIONS = 8


def read(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "CMakeLists.txt")
    text = _COMMENT.sub("", tree.text(path)[:200_000])
    slots: Slots = {}
    for slot, pattern in (("package", _PROJECT), ("purpose", _DESCRIPTION), ("requires", _REQUIRES)):
        match = pattern.search(text)
        if match:
            slots[slot] = Slot(match[1], (path,))
    standards = dict(_STANDARD.findall(text))
    if len(_STANDARD.findall(text)) == len(standards):  # several are alternatives
        for language, slot in (("CXX", "standard"), ("C", "c_standard")):
            if language in standards:
                slots[slot] = Slot(standards[language], (path,))
    if _CTEST.search(text):
        slots["ctest"] = Slot("CTest", (path,))
    options = list(dict.fromkeys(_OPTION.findall(text)))
    if len(options) > 1:
        slots["options"] = Slot(join_items(map(code, options), _MOST_OPTIONS), (path,))
    return slots
