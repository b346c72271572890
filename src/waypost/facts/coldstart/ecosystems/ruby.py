"""Ruby: Gemfile, gemspec, and the conventions of Rails."""

import re

from waypost.facts.coldstart.slots import Slot, Slots, code, seen_slot
from waypost.facts.coldstart.tree import ProjectTree, join
from waypost.text.plural import join_items

_SPEC = r"\w\.%s\s*+=\s*+(?:%%[qQ]?[({\[|])?['\"]?([^'\"\n)}\]|]{1,300})"
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
    for slot, name in (
        ("console", "bin/rails"),
        ("routes", "config/routes.rb"),
        ("rack", "config.ru"),
        ("rakefile", "Rakefile"),
    ):
        path = join(folder, name)
        if tree.has(path):
            slots[slot] = seen_slot(code(path), (path,))
    schema = next((name for name in ("db/schema.rb", "db/structure.sql") if tree.has(join(folder, name))), "")
    if schema:
        slots["schema"] = seen_slot(code(join(folder, schema)), (join(folder, schema),))
    return slots


def _gemspec(tree: ProjectTree, path: str, folder: str) -> Slots:
    text = tree.text(path)[:50_000]
    values = {}
    for slot, key in (
        ("package", "name"),
        ("purpose", "summary"),
        ("licence", "license"),
        ("requires", "required_ruby_version"),
    ):
        match = re.search(_SPEC % key, text)
        values[slot] = match[1].strip() if match else ""
    programs = [path.rpartition("/")[2] for base in ("exe", "bin") for path in _files(tree, join(folder, base))]
    if "executables" in text and programs:
        values["scripts"] = join_items(
            [code(program) for program in programs if program not in ("console", "setup", "rails", "rake")], 5
        )
    return {
        slot: Slot(value, (path,))
        for slot, value in values.items()
        if value and "#{" not in value and "File." not in value
    }


def _files(tree: ProjectTree, folder: str) -> list[str]:
    return [join(folder, name) for name in tree.names(folder)]
