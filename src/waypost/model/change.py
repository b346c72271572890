"""What a commit, or the work that is not committed yet, did to a tree: values that the parser makes and learning reads."""

from dataclasses import dataclass
from datetime import datetime

ADDED, REMOVED, MODIFIED, RENAMED = "added", "removed", "modified", "renamed"


@dataclass(frozen=True, slots=True)
class SymbolChange:
    """A definition that came, went, or is not what it was."""

    name: str  # within its file: "Client.send"
    type: str  # "class", "function", "method" …
    change: str  # ADDED, REMOVED, RENAMED (also: moved from another file), or MODIFIED
    line: int = 0  # where it is now; where it was, if it is gone
    end_line: int = 0
    signature: str = ""
    signature_before: str = ""  # differs from `signature` where callers would notice
    doc: str = ""  # the first sentence of what it says of itself
    name_before: str = ""
    path_before: str = ""
    is_public: bool = True
    lines_changed: int = 0


@dataclass(frozen=True, slots=True)
class DependencyChange:
    name: str
    change: str  # ADDED, REMOVED or MODIFIED
    wanted: str = ""  # the versions asked for now, as the manifest has them
    wanted_before: str = ""
    group: str = "runtime"  # runtime, development, optional, build; or "language": the language itself


@dataclass(frozen=True, slots=True)
class SettingChange:
    key: str  # "tool.ruff.line-length"
    change: str  # ADDED, REMOVED or MODIFIED
    value: str = ""
    value_before: str = ""


@dataclass(frozen=True, slots=True)
class FileChange:
    path: str  # where it is now; where it was, if it is gone
    change: str  # ADDED, REMOVED, MODIFIED or RENAMED
    path_before: str = ""
    language: str = ""
    role: str = "source"  # source, test, example, document, configuration, manifest, pipeline, generated or other
    lines_added: int = 0
    lines_removed: int = 0
    layout_only: bool = False  # nothing but white space and comments differs
    purpose: str = ""  # what the file says of itself in a sentence
    symbols: tuple[SymbolChange, ...] = ()
    dependencies: tuple[DependencyChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """One commit, or with an empty `commit` what is not committed yet."""

    files: tuple[FileChange, ...]
    commit: str = ""  # its full id
    time: datetime | None = None
    author: str = ""
    subject: str = ""
    body: str = ""
    is_merge: bool = False
