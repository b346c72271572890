"""What the caller wants of a tree: patterns to include and to exclude, in the syntax of `.gitignore` with braces.

An include narrows what is read. It also lifts a skip, but only when it names what was skipped: `vendor/acme/**` names
the folder `vendor`, `*_pb2.py` names generated files, while `*.js` names neither `node_modules` nor minified files.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from waypost.code.files.globs import expand_braces, is_malformed
from waypost.code.files.ignore import IgnoreRules, Ignoring, parse_rules
from waypost.errors import InvalidInput

_WILD = re.compile(r"[*?\[]")
_WILDCARDS = re.compile(r"\[[^\]]{0,100}\]|[*?]+")
_ENDING = re.compile(r"\.\w*\Z")


@dataclass(frozen=True, slots=True)
class FileSelection:
    include: Ignoring  # "against" means: wanted
    exclude: IgnoreRules
    named_folders: Ignoring
    named_files: Ignoring

    @property
    def narrows(self) -> bool:
        return bool(self.include)

    def wants_folder(self, path: str) -> bool:
        """Whether an include speaks of this very folder, and with it of everything inside."""
        return self.include.rule_against(path, True) is not None

    def wants_file(self, path: str) -> bool:
        return self.include.rule_against(path, False) is not None

    def names_folder(self, path: str) -> bool:
        return self.named_folders.rule_against(path, True) is not None

    def names_file(self, path: str) -> bool:
        return self.named_files.rule_against(path, False) is not None


def choose(include: Sequence[str], exclude: Sequence[str]) -> FileSelection:
    """Read the patterns. Raises InvalidInput when braces stand for too many."""
    wanted = [one for pattern in include for one in expand_braces(pattern)]
    unwanted = [one for pattern in exclude for one in expand_braces(pattern)]
    folders = [prefix for pattern in wanted for prefix in _named_prefixes(pattern)]
    explicit = [pattern for pattern in wanted if _names_a_file(pattern)]
    return FileSelection(
        include=_rules(wanted),
        exclude=parse_rules("\n".join(unwanted), source="exclude"),
        named_folders=_rules(folders),
        named_files=_rules(explicit),
    )


def check_patterns(patterns: Sequence[str], option: str) -> None:
    """Raises InvalidInput for a pattern that can match nothing because of how it is written."""
    for pattern in patterns:
        for one in expand_braces(pattern):
            parsed = parse_rules(one, source=option).rules
            bare = one.removeprefix("!").removesuffix("/")
            if "\n" in one or "\0" in one or not parsed or is_malformed(bare):
                raise InvalidInput(
                    f"The {option} pattern {pattern[:100]!r} is malformed. Nothing was changed.",
                    "Write it as in .gitignore, for instance 'src/**' or '*.{js,ts}'; close every bracket.",
                )


def unmatched(patterns: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The include patterns that match none of these files; those with `!` take back and need none."""
    rules = {one: _rules(expand_braces(one)) for one in patterns if not one.startswith("!")}
    return [one for one, rule in rules.items() if not any(rule.rule_against_any_part(path) for path in paths)]


def _rules(patterns: Sequence[str]) -> Ignoring:
    return Ignoring().and_also([parse_rules("\n".join(patterns), source="include")])


def _named_prefixes(pattern: str) -> list[str]:
    """The beginnings of the pattern that end in a plain name: `a/*/vendor/x` has `a`, `a/*/vendor` and itself."""
    if pattern.startswith("!"):
        return []
    names = pattern.strip("/").split("/")
    if len(names) == 1:
        return [pattern] if not _WILD.search(pattern) else []
    return ["/" + "/".join(names[: at + 1]) for at, name in enumerate(names) if name and not _WILD.search(name)]


def _names_a_file(pattern: str) -> bool:
    """Whether the last part of the pattern says more than an ending."""
    if pattern.startswith("!") or pattern.endswith("/"):
        return False
    last = pattern.rpartition("/")[2]
    if not _WILD.search(last):
        return True
    return _ENDING.sub("", _WILDCARDS.sub("", last)) != ""
