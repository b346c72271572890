"""Match many patterns against many changed files, in the syntax of `.gitignore` with braces.

A pattern without a slash matches names at any depth. One that names a folder matches everything inside.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from waypost.code.files.globs import Glob, expand_braces, parse_glob
from waypost.errors import InvalidInput
from waypost.model.draft import MAX_ITEMS, check_line

_WILD = re.compile(r"[*?\[\\]")
_MALFORMED = parse_glob("[").pieces


def check_triggers(patterns: Sequence[str]) -> tuple[str, ...]:
    """The patterns to store, without duplicates. Raises InvalidInput for one that cannot match a file."""
    if isinstance(patterns, str) or len(patterns) > MAX_ITEMS:
        raise InvalidInput(f"refresh takes a list of at most {MAX_ITEMS} patterns.", "")
    return tuple(dict.fromkeys(_checked(check_line(pattern, "refresh")) for pattern in patterns))


def _checked(pattern: str) -> str:
    if pattern.startswith("!") or not pattern.strip("/."):
        raise InvalidInput(f"refresh: {pattern[:60]!r} names no files.", "For example src/api/**/*.py.")
    if any(glob.pieces == _MALFORMED for glob, _ in _readings(pattern)):
        raise InvalidInput(f"refresh: {pattern[:60]!r} cannot be read.", "Close every [ with ].")
    return pattern


class ChangedFiles:
    """A set of changed files to match patterns against."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = [tuple(path.split("/")) for path in dict.fromkeys(paths)]
        self._by_name: dict[str, list[tuple[str, ...]]] = {}  # by every name in the path
        for parts in self._paths:
            for name in dict.fromkeys(parts):
                self._by_name.setdefault(name, []).append(parts)
        self._results: dict[str, bool] = {}

    def any_meant(self, patterns: Iterable[str]) -> bool:
        """Whether one of the patterns matches one of the files. Malformed patterns match none."""
        return any(self._is_meant(pattern) for pattern in patterns)

    def _is_meant(self, pattern: str) -> bool:
        if pattern not in self._results:
            try:
                readings = _readings(pattern)
            except InvalidInput:
                readings = ()
            self._results[pattern] = any(self._has(glob, names) for glob, names in readings)
        return self._results[pattern]

    def _has(self, glob: Glob, names: Sequence[str]) -> bool:
        if glob.floating:
            return names[0] in self._by_name if names else any(map(glob.matches_name, self._by_name))
        looked_at = min((self._by_name.get(name, []) for name in names), key=len, default=self._paths)
        return any(glob.matches_parts(parts) for parts in looked_at)


@lru_cache(maxsize=4_096)
def _readings(pattern: str) -> tuple[tuple[Glob, tuple[str, ...]], ...]:
    """The globs of a pattern, each with plain names that a matching path must contain."""
    patterns = []
    for expanded in expand_braces(pattern.removeprefix("./")):
        whole = f"{expanded}**" if expanded.endswith("/") else expanded
        patterns.append(whole)
        if "/" in whole and not _WILD.search(whole.rpartition("/")[2]):
            patterns.append(f"{whole}/**")  # perhaps a folder
    return tuple((parse_glob(glob), _plain_names(glob)) for glob in patterns)


def _plain_names(pattern: str) -> tuple[str, ...]:
    if "[" in pattern or "\\" in pattern:  # may contain a slash
        return ()
    return tuple(name for name in pattern.split("/") if name and not _WILD.search(name))
