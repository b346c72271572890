"""A tree as the cold start sees it: names of files, and the few files that are worth opening.

Every file is somebody else's: it may be broken, huge, nested without end. What cannot be read says nothing.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from waypost.space.time_limit import restart_limit

_MASKED = re.compile(r"\[secret: [\w \-]{1,60}\]")
_LONGEST = 300_000  # characters of a file that is parsed as data
_LONGEST_YAML = 100_000  # it is parsed slowly
_MOST_ALIASES = 50  # of a YAML file: a few thousand make a bomb
_DEEPEST = 40  # nested lists and mappings of a YAML file
_LONGEST_NAME = 1_000  # of a path
PATIENCE = 10.0  # seconds of processor time for what one file says


class ProjectTree:
    """What is in a tree. `read` gives a file's text, "" where it must not or cannot be read; `told` what a file says of
    itself in its first words. Both are asked once for each file."""

    def __init__(
        self,
        paths: Iterable[str],
        read: Callable[[str], str],
        told: Callable[[str], str],
        name: str = "",
    ) -> None:
        self.name = name  # of the folder that the tree lies in
        self.paths = tuple(sorted(path for path in paths if path and len(path) < _LONGEST_NAME and path.isprintable()))
        self.characters = 0  # read so far
        self._read, self._told = read, told
        self._texts: dict[str, str] = {}
        self._last = ""  # the file whose text was asked for last
        self.given_up: list[str] = []  # files that took too long to understand
        self._data: dict[str, Any] = {}
        self._folders: dict[str, list[str]] = {}
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, []).append(name)
        self._all = frozenset(self.paths)

    def has(self, path: str) -> bool:
        return path in self._all

    def names(self, folder: str) -> list[str]:
        """The files directly in a folder, sorted."""
        return self._folders.get(folder, [])

    def folders(self) -> Iterator[str]:
        """Those with files directly in them; the nearest to the root first."""
        yield from sorted(self._folders, key=lambda folder: (folder.count("/") + bool(folder), folder))

    def find(self, folder: str, *patterns: str) -> list[str]:
        """The paths of the files directly in a folder that have one of these names, `*` standing for anything."""
        wanted = [pattern.lower() for pattern in patterns]
        names = [name for name in self.names(folder) if any(fnmatchcase(name.lower(), pattern) for pattern in wanted)]
        return [join(folder, name) for name in names]

    def text(self, path: str) -> str:
        if path not in self._all:
            return ""
        if path != self._last:
            self._last = path
            restart_limit(PATIENCE)
        if path not in self._texts:
            self._texts[path] = self._read(path)
            self.characters += len(self._texts[path])
        return self._texts[path]

    def give_up(self) -> None:
        """The file that was asked for last takes too long: from now on it says nothing."""
        self.given_up.append(self._last)
        self._texts[self._last] = ""
        self._data.pop(self._last, None)

    def text_read(self, path: str) -> str:
        """The text of a file that was opened before; "" for another: it is not worth opening."""
        return self._texts.get(path, "")

    def told(self, path: str) -> str:
        """What a file says of itself: the first paragraph of a document, the description of a module."""
        return self._told(path) if path in self._all else ""

    def toml(self, path: str) -> dict[str, Any]:
        return self._parsed(path, tomllib.loads)

    def json(self, path: str) -> dict[str, Any]:
        return self._parsed(path, json.loads)

    def yaml(self, path: str) -> dict[str, Any]:
        return self._parsed(path, read_yaml)

    def _parsed(self, path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        if path not in self._data:
            text = _MASKED.sub("masked", self.text(path))  # brackets and a colon would be data
            try:
                found = parse(text) if text and len(text) <= _LONGEST else {}
            except (ValueError, RecursionError):  # broken, or nested to break its reader
                found = {}
            self._data[path] = found if isinstance(found, dict) else {}
        data: dict[str, Any] = self._data[path]
        return data


def read_yaml(text: str) -> Any:
    """The data of a YAML text, of plain values only. Raises ValueError when it is none, or one that is made to explode."""
    import yaml

    if len(text) > _LONGEST_YAML or text.count("*") > 20 * _MOST_ALIASES:
        raise ValueError("too long to be written by hand")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same data, ten times as fast
    aliases = depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            aliases += isinstance(event, yaml.AliasEvent)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if aliases > _MOST_ALIASES or depth > _DEEPEST:
                raise ValueError("too many aliases, or nested too deeply")
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def without(text: str, start: str, end: str) -> str:
    """The text without what lies between two marks; in one pass, whatever it is made of."""
    kept, done = [], 0
    while (begin := text.find(start, done)) >= 0:
        kept.append(text[done:begin])
        stop = text.find(end, begin)
        if stop < 0:
            return "".join(kept)
        done = stop + len(end)
    return "".join(kept) + text[done:]


def join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def at(data: Any, *keys: str) -> Any:
    """The value below these keys; None where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def table(data: Any, *keys: str) -> dict[str, Any]:
    found = at(data, *keys)
    return found if isinstance(found, dict) else {}


def words(data: Any, *keys: str) -> str:
    """A text below these keys, on one line; "" where there is none."""
    found = at(data, *keys)
    return " ".join(found.split())[:500] if isinstance(found, str) else ""


def strings(data: Any, *keys: str) -> list[str]:
    """The texts of a list; those of a mapping's values where a list is written as one."""
    found = at(data, *keys)
    items = found if isinstance(found, list) else list(found.values()) if isinstance(found, dict) else []
    return [item for item in items if isinstance(item, str)]
