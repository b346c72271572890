"""The changes of a commit, or of uncommitted work, as the parser reports them to learning."""

from dataclasses import dataclass
from datetime import datetime

ADDED, REMOVED, MODIFIED, RENAMED = "added", "removed", "modified", "renamed"


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """A definition that was added, removed, renamed or modified."""

    name: str  # within its file: "Client.send"
    type: str  # "class", "function", "method" …
    change: str  # ADDED, REMOVED, MODIFIED or RENAMED (which includes moved from another file)
    line: int = 0  # the current line; the last one if it was removed
    end_line: int = 0
    signature: str = ""
    signature_before: str = ""  # differs from `signature` only in ways that callers notice
    doc: str = ""  # the first sentence of its docstring
    name_before: str = ""
    path_before: str = ""
    is_public: bool = True
    lines_changed: int = 0


@dataclass(frozen=True, slots=True)
class DependencyChange:
    name: str
    change: str  # ADDED, REMOVED or MODIFIED
    wanted: str = ""  # the required versions, as written in the manifest
    wanted_before: str = ""
    group: str = "runtime"  # runtime, development, optional, build, or "language" for the language itself


@dataclass(frozen=True, slots=True)
class SettingChange:
    key: str  # "tool.ruff.line-length"
    change: str  # ADDED, REMOVED or MODIFIED
    value: str = ""
    value_before: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str  # the current path; the last one if it was removed
    change: str  # ADDED, REMOVED, MODIFIED or RENAMED
    path_before: str = ""
    language: str = ""
    role: str = "source"  # source, test, example, document, configuration, manifest, pipeline, generated or other
    lines_added: int = 0
    lines_removed: int = 0
    layout_only: bool = False  # only white space and comments differ
    purpose: str = ""  # one sentence from the file's own documentation
    symbols: tuple[SymbolChange, ...] = ()
    dependencies: tuple[DependencyChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """One commit, or uncommitted work if `commit` is empty."""

    files: tuple[FileChange, ...]
    commit: str = ""  # its full id
    time: datetime | None = None
    author: str = ""
    subject: str = ""
    body: str = ""
    is_merge: bool = False
