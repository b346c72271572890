"""Include and exclude patterns of the caller, in the syntax of `.gitignore` with braces.

An include narrows what is read. It also lifts a skip, if it names what was skipped: `vendor/acme/**` names the folder
`vendor`, and `*_pb2.py` names generated files. `*.js` names neither `node_modules` nor minified files.
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
    include: Ignoring  # a rule "against" a path means: wanted
    exclude: IgnoreRules
    named_folders: Ignoring
    named_files: Ignoring

    @property
    def narrows(self) -> bool:
        return bool(self.include)

    def wants_folder(self, path: str) -> bool:
        """Whether an include pattern matches this folder, and so everything inside."""
        return self.include.rule_against(path, True) is not None

    def wants_file(self, path: str) -> bool:
        return self.include.rule_against(path, False) is not None

    def names_folder(self, path: str) -> bool:
        return self.named_folders.rule_against(path, True) is not None

    def names_file(self, path: str) -> bool:
        return self.named_files.rule_against(path, False) is not None


def choose(include: Sequence[str], exclude: Sequence[str]) -> FileSelection:
    """Parse the patterns. Raises InvalidInput if braces expand to too many."""
    wanted = [expanded for pattern in include for expanded in expand_braces(pattern)]
    unwanted = [expanded for pattern in exclude for expanded in expand_braces(pattern)]
    folders = [prefix for pattern in wanted for prefix in _named_prefixes(pattern)]
    explicit = [pattern for pattern in wanted if _names_a_file(pattern)]
    return FileSelection(
        include=_rules(wanted),
        exclude=parse_rules("\n".join(unwanted), source="exclude"),
        named_folders=_rules(folders),
        named_files=_rules(explicit),
    )


def check_patterns(patterns: Sequence[str], option: str) -> None:
    """Raise InvalidInput for a malformed pattern."""
    for pattern in patterns:
        for expanded in expand_braces(pattern):
            parsed = parse_rules(expanded, source=option).rules
            bare = expanded.removeprefix("!").removesuffix("/")
            if "\n" in expanded or "\0" in expanded or not parsed or is_malformed(bare):
                raise InvalidInput(
                    f"The {option} pattern {pattern[:100]!r} is malformed. Nothing was changed.",
                    "Write it as in .gitignore, for instance 'src/**' or '*.{js,ts}'; close every bracket.",
                )


def unmatched(patterns: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The include patterns that match none of these files. Patterns with `!` do not count."""
    rules = {pattern: _rules(expand_braces(pattern)) for pattern in patterns if not pattern.startswith("!")}
    return [pattern for pattern, rule in rules.items() if not any(map(rule.rule_against_any_part, paths))]


def _rules(patterns: Sequence[str]) -> Ignoring:
    return Ignoring().and_also([parse_rules("\n".join(patterns), source="include")])


def _named_prefixes(pattern: str) -> list[str]:
    """The prefixes of the pattern that end in a plain name: `a`, `a/*/vendor` and itself for `a/*/vendor/x`."""
    if pattern.startswith("!"):
        return []
    names = pattern.strip("/").split("/")
    if len(names) == 1:
        return [pattern] if not _WILD.search(pattern) else []
    return ["/" + "/".join(names[: at + 1]) for at, name in enumerate(names) if name and not _WILD.search(name)]


def _names_a_file(pattern: str) -> bool:
    """Whether the last part of the pattern is more than a file extension."""
    if pattern.startswith("!") or pattern.endswith("/"):
        return False
    last = pattern.rpartition("/")[2]
    if not _WILD.search(last):
        return True
    return _ENDING.sub("", _WILDCARDS.sub("", last)) != ""
