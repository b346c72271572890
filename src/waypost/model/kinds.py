"""The kinds of memory, the collections that hold them, the scopes of `--in`, and the labels of other tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from waypost.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Kind:
    name: str
    collection: str
    level: int | None  # the default level of its memories
    derived: bool = False  # computed from the repository, never written by a caller

    @property
    def is_journal(self) -> bool:
        return self.collection == "journal"


_TABLE = (
    Kind("fact", "facts", 1),
    Kind("decision", "facts", 1),
    Kind("reason", "facts", 1),
    Kind("consequence", "facts", 1),
    Kind("constraint", "facts", 1),
    Kind("learning", "learnings", 2),
    Kind("fix", "errors_fixes", 2),
    Kind("conversation", "journal", None),
    Kind("note", "journal", None),
    Kind("workflow_result", "journal", None),
    Kind("preference", "journal", None),
    Kind("symbol", "functions", 3, derived=True),
    Kind("file", "code_structure", 3, derived=True),
    Kind("table", "database_schema", 3, derived=True),
    Kind("architecture", "architecture", 3, derived=True),
    Kind("summary", "code_summaries", 3, derived=True),
)

KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _TABLE})
_ALIASES = {"agent": "workflow_result"}

COLLECTIONS = tuple(dict.fromkeys(kind.collection for kind in _TABLE))

CODE_COLLECTIONS = tuple(dict.fromkeys(kind.collection for kind in _TABLE if kind.derived))
KEPT_COLLECTIONS = tuple(name for name in COLLECTIONS if name not in CODE_COLLECTIONS)

TEST_LANGUAGE = "code-test"  # of single tests, where others have "code"

# Bits in the traits of a derived memory.
IS_TEST, IS_DOCUMENT = 1, 2

# The collections of each value of `--in`.
SCOPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "all": COLLECTIONS,
        "code": ("code_structure", "functions", "code_summaries"),
        "functions": ("functions",),
        "database": ("database_schema",),
        "architecture": ("architecture",),
        "journal": ("journal",),
        "facts": ("facts", "learnings", "errors_fixes"),
    }
)


def kind_of(name: str) -> Kind:
    kind = KINDS.get(_ALIASES.get(name, name)) if isinstance(name, str) else None
    if kind is None:
        written = ", ".join(k.name for k in _TABLE if not k.derived)
        raise InvalidInput(f"There is no kind {str(name)[:40]!r}.", f"Kinds: {written}.")
    return kind


def scope_of(name: str) -> tuple[str, ...]:
    if name not in SCOPES:
        raise InvalidInput(f"There is no scope {str(name)[:40]!r}.", f"Scopes: {', '.join(SCOPES)}.")
    return SCOPES[name]


# Labels that other tools attach to a memory: one-line texts, stored and returned under the tools' names.
# Waypost decides nothing by them. A memory has its own project, domain and kind.
LABELS = ("category", "scope", "entity", "artifact_type", "artifact_ref", "access_entity")
_KEPT_AS = "labels"  # in a version's details, with the names that have a value


def labels_of(details: Mapping[str, Any]) -> dict[str, Any]:
    """Every label by its name; None for those that were not given."""
    labels = details.get(_KEPT_AS, {})
    return {name: labels.get(name) for name in LABELS}


def with_labels(details: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """The details with these labels added. Labels that already have a value keep it."""
    if not labels:
        return dict(details)
    return {**details, _KEPT_AS: {**labels, **details.get(_KEPT_AS, {})}}
