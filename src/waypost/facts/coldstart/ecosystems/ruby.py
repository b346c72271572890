"""Ruby: Gemfile, gemspec, and the conventions of Rails."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, path_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.text.plural import join_items

_SPEC = r"\w\.%s\s*+=\s*+(?:%%[qQ]?[({\[|])?['\"]?([^'\"\n)}\]|]{1,300})"
_SPEC_KEYS = {"package": "name", "purpose": "summary", "licence": "license", "requires": "required_ruby_version"}
_FILES = {
    "console": ("bin/rails",),
    "routes": ("config/routes.rb",),
    "rack": ("config.ru",),
    "rakefile": ("Rakefile",),
    "schema": ("db/schema.rb", "db/structure.sql"),
}
_DEV_PROGRAMS = frozenset(("console", "setup", "rails", "rake"))
_VERSION = re.compile(r"^ruby\s+['\"]([^'\"\n]{1,40})['\"](?:\s*,\s*['\"]([^'\"\n]{1,40})['\"])?", re.MULTILINE)


def read(tree: ProjectTree, folder: str) -> Slots:
    slots: Slots = {}
    gemspecs = tree.find(folder, "*.gemspec")
    if gemspecs:
        slots |= _gemspec(tree, gemspecs[0], folder)
    gemfile = join(folder, "Gemfile")
    match = _VERSION.search(tree.text(gemfile))
    if match:
        slots["requires"] = Slot(" and ".join(filter(None, match.groups())), (gemfile,))
    pinned = join(folder, ".ruby-version")
    version = tree.text(pinned).strip().removeprefix("ruby-")
    if "requires" not in slots and re.fullmatch(r"\d[\w.]{0,12}", version):
        slots["requires"] = Slot(version, (pinned,))
    for slot, names in _FILES.items():
        if path := tree.first(folder, *names):
            slots[slot] = path_slot(path)
    return slots


def _gemspec(tree: ProjectTree, path: str, folder: str) -> Slots:
    text = tree.text(path)[:50_000]
    values = {}
    for slot, key in _SPEC_KEYS.items():
        match = re.search(_SPEC % key, text)
        values[slot] = match[1].strip() if match else ""
    programs = [*tree.names(join(folder, "exe")), *tree.names(join(folder, "bin"))]
    if "executables" in text and programs:
        values["scripts"] = join_items([code(program) for program in programs if program not in _DEV_PROGRAMS], 5)
    literal = {slot: value for slot, value in values.items() if "#{" not in value and "File." not in value}
    return stated_slots(literal, path)
