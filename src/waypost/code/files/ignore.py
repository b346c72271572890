"""Parse `.gitignore` rules and match paths against them, as git does.

- The last matching rule decides. A deeper file outweighs one above it.
- `!` includes a path again, but not inside an ignored folder.
- A slash at the start or in the middle ties a pattern to its folder. A final slash matches folders only.
- `**` matches any number of folders.

One difference: `?` and `[…]` match one character, where git counts bytes.

Patterns come from strangers, so none may be slow: no star ever backtracks. pathspec is no replacement: it hangs on
hostile patterns and disagrees with git about character classes and malformed patterns.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from waypost.code.files.globs import Glob, parse_glob

_LONGEST_LINE = 4_096  # characters; longer lines are not patterns
_MOST_RULES = 20_000  # of one file
_STARS_AFTER_WORD = re.compile(r"([^*?\[\\]*[^*?\[\\/])\*{2,}((?:/.*)?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IgnoreRule:
    """One line of an ignore file."""

    glob: Glob
    text: str  # as written
    source: str  # its file, relative to the root
    line: int
    negated: bool
    folders_only: bool

    def matches(self, name: str, parts: Sequence[str], is_folder: bool) -> bool:
        """Whether the rule matches a path, given as its last name and as its parts below the rule's folder."""
        if self.folders_only and not is_folder:
            return False
        return self.glob.matches_name(name) if self.glob.floating else self.glob.matches_parts(parts)


@dataclass(frozen=True)
class IgnoreRules:
    """The rules of one file. `base` is its folder, such as `a/b/`, or empty at the root."""

    base: str
    rules: tuple[IgnoreRule, ...]

    @cached_property
    def _names(self) -> re.Pattern[str] | None:
        """One expression for all floating rules. Most paths match none, which one call finds out."""
        floating = [rule.glob.expression for rule in self.rules if rule.glob.floating and rule.glob.expression]
        return re.compile("|".join(floating), re.DOTALL) if floating else None

    @cached_property
    def _tied(self) -> dict[str, tuple[IgnoreRule, ...]]:
        """The rules tied to this folder, last rule first, by the plain name they begin with.

        Rules that begin otherwise are under the empty name and in every list.
        """
        tied = [rule for rule in self._reversed if not rule.glob.floating]
        words = {rule.glob.first_word for rule in tied} | {""}
        return {word: tuple(rule for rule in tied if rule.glob.first_word in {word, ""}) for word in words}

    @cached_property
    def _reversed(self) -> tuple[IgnoreRule, ...]:
        return tuple(reversed(self.rules))

    def deciding(self, path: str, is_folder: bool) -> IgnoreRule | None:
        """The last rule that matches this path itself, regardless of the folders above it."""
        if not path.startswith(self.base):
            return None
        name = path[path.rfind("/") + 1 :]
        parts = path[len(self.base) :].split("/")
        if self._names is not None and self._names.match(name) is not None:
            candidates = self._reversed
        else:
            candidates = self._tied.get(parts[0]) or self._tied[""]
        return next((rule for rule in candidates if rule.matches(name, parts, is_folder)), None)


def parse_rules(text: str, base: str = "", source: str = ".gitignore") -> IgnoreRules:
    """Parse an ignore file in the folder `base`. Lines that git cannot read match nothing."""
    rules: list[IgnoreRule] = []
    for number, raw in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        rules += _parse_line(raw.removesuffix("\r"), source, number)
        if len(rules) >= _MOST_RULES:
            break
    return IgnoreRules(base, tuple(rules))


def _parse_line(raw: str, source: str, number: int) -> list[IgnoreRule]:
    if not raw or raw.startswith("#") or len(raw) > _LONGEST_LINE:
        return []
    text = _without_trailing_spaces(raw)
    pattern = text
    negated = pattern.startswith("!")
    if negated:
        pattern = pattern[1:]
    folders_only = pattern.endswith("/")
    if folders_only:
        pattern = pattern[:-1]
    if not pattern:
        return []
    return [IgnoreRule(parse_glob(glob), text, source, number, negated, folders_only) for glob in _readings(pattern)]


def _readings(pattern: str) -> list[str]:
    """Nearly always the pattern itself. Git reads `x**/y` as `x` and any folders, unlike its manual."""
    joined = _STARS_AFTER_WORD.fullmatch(pattern) if "/" in pattern else None
    if joined is None:
        return [pattern]
    word, rest = "/" + joined[1].removeprefix("/"), joined[2]
    return [f"{word}*/**{rest}", word + rest[1:] if rest else f"{word}*"]


def _without_trailing_spaces(line: str) -> str:
    """The line without final spaces, except an escaped one."""
    kept = line.rstrip(" ")
    if kept == line:
        return line
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return kept + " " if backslashes % 2 else kept


@dataclass(frozen=True, slots=True)
class Ignoring:
    """Several ignore files, the weakest first: outer folders before inner ones."""

    files: tuple[IgnoreRules, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files)

    def and_also(self, more: Iterable[IgnoreRules]) -> "Ignoring":
        return Ignoring((*self.files, *(file for file in more if file.rules)))

    def rule_against(self, path: str, is_folder: bool) -> IgnoreRule | None:
        """The rule that ignores this path, or None. Check its folders first, from the top."""
        for file in reversed(self.files):
            rule = file.deciding(path, is_folder)
            if rule is not None:
                return None if rule.negated else rule
        return None

    def rule_against_any_part(self, path: str) -> IgnoreRule | None:
        """The rule that ignores this file or a folder above it, or None."""
        if not self.files:
            return None
        end = path.find("/")
        while end >= 0:
            rule = self.rule_against(path[:end], True)
            if rule is not None:
                return rule
            end = path.find("/", end + 1)
        return self.rule_against(path, False)
