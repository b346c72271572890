"""Records of what set-up did, with backups of the files. They allow an exact undo."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput
from waypost.system.config_file import Scope, setup_record
from waypost.system.platform import make_private_directory, read_small_file, write_private_file

_LARGEST_RECORD = 1_000_000
_BACKUPS = "backups"


@dataclass(frozen=True, slots=True)
class SetupFile:
    """One file that set-up changed. `before` and `after` are hashes of its content before and after.

    `created`: set-up created the file, and `folders` for it. `made`: the containers created for each part. `forced`: the
    backup has an entry that was overwritten.
    """

    path: str
    parts: tuple[str, ...]
    after: str
    before: str = ""
    created: bool = False
    forced: bool = False
    folders: tuple[str, ...] = ()
    made: Mapping[str, list[list[str]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    agent: str
    scope: Scope
    project: str
    files: tuple[SetupFile, ...] = ()

    def of(self, real: Path) -> SetupFile | None:
        return next((file for file in self.files if file.path == str(real)), None)

    def parts_in(self, real: Path) -> tuple[str, ...]:
        file = self.of(real)
        return file.parts if file is not None else ()

    def with_file(self, changed: SetupFile) -> "Record":
        others = tuple(file for file in self.files if file.path != changed.path)
        return replace(self, files=(*others, changed))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Records:
    """The records in one folder: one for each agent and person or project."""

    def __init__(self, state: Path) -> None:
        self.state = state

    def load(self, agent: str, scope: Scope, project: Path) -> Record | None:
        return _read(self._place(agent, scope, project))

    def save(self, record: Record) -> None:
        make_private_directory(self.state)
        content = json.dumps({"version": 1, **asdict(record)}, indent=2, ensure_ascii=False)
        write_private_file(self._of(record), content.encode("utf-8", "surrogateescape"), replace=True)

    def delete(self, record: Record) -> None:
        self._of(record).unlink(missing_ok=True)
        used = {file.before for other in self.every() for file in other.files}
        for file in record.files:
            if file.before and file.before not in used and not file.forced:
                self.backup_place(file.before).unlink(missing_ok=True)

    def every(self) -> Iterator[Record]:
        for path in sorted(self.state.glob("*.json")):
            record = _read(path)
            if record is not None:
                yield record

    def others(self, record: Record, real: Path) -> list[Record]:
        mine = self._of(record)
        return [other for other in self.every() if self._of(other) != mine and other.of(real) is not None]

    def follow(self, record: Record, real: Path, before: str, after: str) -> None:
        """Note in records of other agents that set-up itself has changed a file of theirs."""
        for other in self.others(record, real):
            file = other.of(real)
            if file is not None and file.after == before:
                self.save(other.with_file(replace(file, after=after)))

    def back_up(self, content: bytes) -> str:
        make_private_directory(self.state / _BACKUPS)
        name = digest(content)
        write_private_file(self.backup_place(name), content, replace=False)
        return name

    def backup_place(self, name: str) -> Path:
        return self.state / _BACKUPS / name

    def backup(self, name: str, limit: int) -> bytes | None:
        """The content of a backup; None if it is missing or was changed."""
        try:
            content = read_small_file(self.backup_place(name), limit)
        except (OSError, InvalidInput):
            return None
        return content if digest(content) == name else None

    def _of(self, record: Record) -> Path:
        return self._place(record.agent, record.scope, Path(record.project))

    def _place(self, agent: str, scope: Scope, project: Path) -> Path:
        return setup_record(self.state, agent, scope, project)


def _read(path: Path) -> Record | None:
    """The record; None if it cannot be read. Set-up then recognises its entries by their content."""
    try:
        given = json.loads(read_small_file(path, _LARGEST_RECORD).decode("utf-8", "surrogateescape"))
        files = tuple(_file(row) for row in given["files"])
        scope: Scope = "project" if given["scope"] == "project" else "user"
        return Record(str(given["agent"]), scope, str(given["project"]), files)
    except (OSError, InvalidInput, ValueError, KeyError, TypeError, AttributeError):
        return None


def _file(given: Mapping[str, Any]) -> SetupFile:
    made = {str(name): [[str(key) for key in path] for path in paths] for name, paths in given["made"].items()}
    return SetupFile(
        str(given["path"]),
        tuple(map(str, given["parts"])),
        str(given["after"]),
        str(given["before"]) if _is_digest(given["before"]) else "",
        bool(given["created"]),
        bool(given["forced"]),
        tuple(map(str, given["folders"])),
        made,
    )


def _is_digest(given: Any) -> bool:
    return isinstance(given, str) and len(given) == 64 and set(given) <= set("0123456789abcdef")
