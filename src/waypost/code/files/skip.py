"""Which folders and files are skipped, and why. The lists are in `skip.toml`.

Cheap checks come first: the folder, then the name and size of a file, then its text. Secrets, binaries and files that
are too large are always skipped. Other people's code and generated files are read if an include pattern names them.
"""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Protocol

from waypost.text.secrets.masking import is_secret_path

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LONGEST_PATH = 2_000  # bytes: PostgreSQL's indexes hold at most 2,704 of one row
_CHILDREN_ASKED = 50  # checked for a licence: few enough for a folder of thousands


class FolderLook(Protocol):
    """Access to the folders of a tree, by paths without a final slash. The root is empty."""

    def names(self, folder: str) -> Collection[str]:
        """The names directly in it, in lower case. Empty if it is not a folder."""

    def tracked(self, folder: str) -> bool:
        """Whether git tracks a file in it, at any depth."""


@dataclass(frozen=True, slots=True)
class Skip:
    reason: str
    liftable: bool  # an include pattern can lift it


_SECRET = Skip("may hold secrets", liftable=False)


@dataclass(frozen=True, slots=True)
class _Naming:
    """Folder names that need a further check."""

    reason: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Rules:
    folders: dict[str, str]
    folder_endings: dict[str, str]
    marks: dict[str, str]
    vendor: _Naming
    asset_parents: frozenset[str]
    foreign: frozenset[str]
    licences: tuple[str, ...]
    output: _Naming
    distribution: _Naming
    output_endings: tuple[str, ...]
    output_names: frozenset[str]
    source_endings: tuple[str, ...]
    not_source: tuple[str, ...]
    manifests: frozenset[str]
    manifest_endings: tuple[str, ...]
    names: dict[str, Skip]
    endings: dict[str, Skip]  # with a leading dot
    odd_endings: tuple[str, ...]  # without a leading dot
    odd_skips: dict[str, Skip]
    starts: dict[str, Skip]
    size: int
    sizes: dict[str, int]
    smallest_limit: int


@cache
def _rules() -> _Rules:
    data = tomllib.loads(files("waypost.code.files").joinpath("skip.toml").read_text(encoding="utf-8"))
    output, vendor, size, dist = data["output"], data["vendor"], data["size"], data["distribution"]
    tables: dict[str, dict[str, Skip]] = {"names": {}, "endings": {}, "starts": {}}
    for group in data["files"]:
        skip = Skip(group["reason"], group.get("liftable", False))
        for kind, table in tables.items():
            table.update(dict.fromkeys(group.get(kind, ()), skip))
    endings = tables["endings"]
    return _Rules(
        folders={name: group["reason"] for group in data["folders"] for name in group["names"]},
        folder_endings=data["folder_endings"],
        marks=data["marks"],
        vendor=_Naming(vendor["reason"], frozenset(vendor["names"])),
        asset_parents=frozenset(vendor["asset_parents"]),
        foreign=frozenset(vendor["foreign"]),
        licences=tuple(vendor["licences"]),
        output=_Naming(output["reason"], frozenset(output["names"])),
        distribution=_Naming(dist["reason"], frozenset(dist["names"])),
        output_endings=tuple(dist["output_endings"]),
        output_names=frozenset(dist["output_names"]),
        source_endings=tuple(output["source_endings"]),
        not_source=tuple(output["not_source"]),
        manifests=frozenset(data["manifests"]["names"]),
        manifest_endings=tuple(data["manifests"]["endings"]),
        names=tables["names"],
        endings={ending: skip for ending, skip in endings.items() if ending.startswith(".")},
        odd_endings=tuple(ending for ending in endings if not ending.startswith(".")),
        odd_skips={ending: skip for ending, skip in endings.items() if not ending.startswith(".")},
        starts=tables["starts"],
        size=size["default"],
        sizes=dict.fromkeys(size["data_endings"], size["data"]) | dict.fromkeys(size["tables_endings"], size["tables"]),
        smallest_limit=min(size["default"], size["data"], size["tables"]),
    )


def folder_reason(path: str, look: FolderLook) -> str | None:
    """Why this folder is skipped, or None.

    Names that projects also use for their own packages are decided by location and content (see `skip.toml`).
    """
    rules = _rules()
    parent, _, name = path.lower().rpartition("/")
    reason = rules.folders.get(name) or next(
        (why for ending, why in rules.folder_endings.items() if name.endswith(ending)), None
    )
    if reason:
        return reason
    if name in rules.vendor.names:
        return rules.vendor.reason if _is_foreign(path, parent, look) else None
    inside = look.names(path)
    for mark, why in rules.marks.items():
        if mark in inside:
            return why
    if name in rules.output.names:
        written = look.tracked(path) or not _is_project_root(path, look) or _holds_source(inside)
        return None if written else rules.output.reason
    if name in rules.distribution.names:
        shipped = any(name in rules.output_names or name.endswith(rules.output_endings) for name in inside)
        written = not shipped or not _is_project_root(path, look) or _holds_source(inside)
        return None if written else rules.distribution.reason
    return None


def _is_foreign(path: str, parent: str, look: FolderLook) -> bool:
    rules = _rules()
    if _is_project_root(path, look) or parent.rpartition("/")[2] in rules.asset_parents:
        return True
    inside = look.names(path)
    if not rules.foreign.isdisjoint(inside) or any(name.startswith(rules.licences) for name in inside):
        return True
    children = sorted(inside)[:_CHILDREN_ASKED]
    return any(name.startswith(rules.licences) for child in children for name in look.names(f"{path}/{child}"))


def _is_project_root(path: str, look: FolderLook) -> bool:
    """Whether the folder is at the root of the tree, or next to a manifest."""
    rules = _rules()
    parent = path.rpartition("/")[0]
    if not parent:
        return True
    beside = look.names(parent)
    return not rules.manifests.isdisjoint(beside) or any(name.endswith(rules.manifest_endings) for name in beside)


def _holds_source(inside: Collection[str]) -> bool:
    rules = _rules()
    return any(name.endswith(rules.source_endings) and not name.endswith(rules.not_source) for name in inside)


def file_skip(path: str, size: int) -> Skip | None:
    """Why this file is skipped, by its name and size alone, or None."""
    by_name = _skip_by_name(path[path.rfind("/") + 1 :].lower())
    if by_name is not None and not by_name.liftable:
        return by_name
    if is_secret_path(path):
        return _SECRET
    large = too_large(path, size)
    if large is not None and by_name is not None:
        return Skip(f"{by_name.reason}, {large.reason}", liftable=False)
    return large or by_name


@lru_cache(maxsize=16_384)  # names repeat: `__init__.py`, `index.ts`, `django.po`
def _skip_by_name(name: str) -> Skip | None:
    rules = _rules()
    skip = rules.names.get(name)
    dot = name.find(".", 1)
    while skip is None and dot >= 0:
        skip = rules.endings.get(name[dot:])
        dot = name.find(".", dot + 1)
    if skip is not None:
        return skip
    if name.endswith(rules.odd_endings):
        return next(skip for ending, skip in rules.odd_skips.items() if name.endswith(ending))
    return next((skip for start, skip in rules.starts.items() if name.startswith(start)), None)


def size_limit(path: str) -> int:
    """The size limit in bytes for a file of this name."""
    rules = _rules()
    dot = path.rfind(".")
    return rules.sizes.get(path[dot:].lower(), rules.size) if dot >= 0 else rules.size


def too_large(path: str, size: int) -> Skip | None:
    if size <= _rules().smallest_limit:
        return None
    limit = size_limit(path)
    if size <= limit:
        return None
    return Skip(f"too large: {size:,} bytes, more than {limit:,}", liftable=False)


def unsafe_name(path: str) -> str | None:
    """Why a path cannot be printed or stored as it is, or None."""
    if 4 * len(path) > _LONGEST_PATH and len(path.encode(errors="surrogatepass")) > _LONGEST_PATH:
        return f"its path is longer than {_LONGEST_PATH:,} bytes"
    if path.isprintable():
        return None
    if any("\ud800" <= sign <= "\udfff" for sign in path):
        return "its name is not valid UTF-8"
    if any(sign < " " or "\x7f" <= sign <= "\x9f" or sign in "\u2028\u2029" or sign in _BIDI for sign in path):
        return "its name holds control characters"
    return None


def printable(path: str) -> str:
    """A path that is safe to print: invalid and invisible characters are written as `\\x0a`."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(sign if unsafe_name(sign) is None else sign.encode("unicode_escape").decode() for sign in text)
