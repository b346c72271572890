"""A project's files as the cold start sees them: all paths, and the text of the few files worth reading.

Project files are untrusted: they may be broken, huge or nested without end. An unreadable file counts as empty.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from waypost.system.time_limit import restart_limit

_MASKED = re.compile(r"\[secret: [\w \-]{1,60}\]")
_LONGEST = 300_000  # characters of a file that is parsed as data
_LONGEST_YAML = 100_000  # parsing YAML is slow
_MOST_ALIASES = 50  # of a YAML file: a few thousand make a bomb
_DEEPEST = 40  # nested lists and mappings of a YAML file
_LONGEST_NAME = 1_000  # of a path
PATIENCE = 10.0  # seconds of processor time for one file


class ProjectTree:
    """The files of a project, each read at most once.

    `read` returns a file's text, or an empty string if it must not or cannot be read. `describe` returns what a file
    says about itself at its top.
    """

    def __init__(
        self, paths: Iterable[str], read: Callable[[str], str], describe: Callable[[str], str], name: str = ""
    ) -> None:
        self.name = name  # of the project's folder
        self.paths = tuple(sorted(path for path in paths if path and len(path) < _LONGEST_NAME and path.isprintable()))
        self.characters = 0  # read so far
        self._read, self._describe = read, describe
        self._texts: dict[str, str] = {}
        self._last = ""  # the file whose text was requested last
        self.given_up: list[str] = []  # files that took too long to parse
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
        """Folders with files directly in them, nearest to the root first."""
        yield from sorted(self._folders, key=lambda folder: (folder.count("/") + bool(folder), folder))

    def find(self, folder: str, *patterns: str) -> list[str]:
        """Paths of the files directly in a folder whose name matches a pattern. `*` matches anything."""
        lowered = [pattern.lower() for pattern in patterns]
        names = [name for name in self.names(folder) if any(fnmatchcase(name.lower(), pattern) for pattern in lowered)]
        return [join(folder, name) for name in names]

    def first(self, folder: str, *names: str) -> str:
        """The first of these paths in a folder that exists, or an empty string."""
        return next((path for name in names if self.has(path := join(folder, name))), "")

    def below(self, folder: str, *endings: str) -> list[str]:
        """Paths of the files in a folder and below that have one of these endings."""
        prefix = f"{folder}/" if folder else ""
        return [path for path in self.paths if path.startswith(prefix) and path.endswith(endings)]

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
        """Treat the last requested file as empty, since it takes too long."""
        self.given_up.append(self._last)
        self._texts[self._last] = ""
        self._data.pop(self._last, None)

    def text_read(self, path: str) -> str:
        """The text of a file that was read before, or an empty string."""
        return self._texts.get(path, "")

    def description(self, path: str) -> str:
        """What a file says about itself: the first paragraph of a document, the description of a module."""
        return self._describe(path) if path in self._all else ""

    def toml(self, path: str) -> dict[str, Any]:
        return self._parse_file(path, tomllib.loads)

    def json(self, path: str) -> dict[str, Any]:
        return self._parse_file(path, json.loads)

    def yaml(self, path: str) -> dict[str, Any]:
        return self._parse_file(path, read_yaml)

    def _parse_file(self, path: str, parse: Callable[[str], Any]) -> dict[str, Any]:
        if path not in self._data:
            text = _MASKED.sub("masked", self.text(path))  # brackets and a colon would be parsed as data
            try:
                data_read = parse(text) if text and len(text) <= _LONGEST else {}
            except (ValueError, RecursionError):  # broken, or nested to exhaust the parser
                data_read = {}
            self._data[path] = data_read if isinstance(data_read, dict) else {}
        data: dict[str, Any] = self._data[path]
        return data


def read_yaml(text: str) -> Any:
    """The plain values of a YAML text. Raises ValueError if it is invalid or would expand enormously."""
    import yaml

    if len(text) > _LONGEST_YAML or text.count("*") > 20 * _MOST_ALIASES:
        raise ValueError("too long to be written by hand")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same data, ten times faster
    aliases = depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            aliases += isinstance(event, yaml.AliasEvent)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if aliases > _MOST_ALIASES or depth > _DEEPEST:
                raise ValueError("too many aliases, or nested too deeply")
        return yaml.load(text, Loader=loader)  # noqa: S506 - a safe loader
    except yaml.YAMLError as error:
        raise ValueError("not valid YAML") from error


def without_blocks(text: str, start: str, end: str) -> str:
    """The text without the parts between two marks, in linear time."""
    parts, done = [], 0
    while (begin := text.find(start, done)) >= 0:
        parts.append(text[done:begin])
        stop = text.find(end, begin)
        if stop < 0:
            return "".join(parts)
        done = stop + len(end)
    return "".join(parts) + text[done:]


def join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def at(data: Any, *keys: str) -> Any:
    """The value below these keys, or None."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def table(data: Any, *keys: str) -> dict[str, Any]:
    value = at(data, *keys)
    return value if isinstance(value, dict) else {}


def items(data: Any, *keys: str) -> list[Any]:
    value = at(data, *keys)
    return value if isinstance(value, list) else []


def text_at(data: Any, *keys: str) -> str:
    """The text below these keys, on one line, or an empty string."""
    value = at(data, *keys)
    return " ".join(value.split())[:500] if isinstance(value, str) else ""


def strings(data: Any, *keys: str) -> list[str]:
    """The strings of a list, or of a mapping's values if it replaces a list."""
    value = at(data, *keys)
    items = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else []
    return [item for item in items if isinstance(item, str)]
