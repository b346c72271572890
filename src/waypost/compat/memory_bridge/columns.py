"""Finds out what each column of a Memory Bridge table is for, by its name, since version 1 is undocumented."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from waypost.compat.memory_bridge.values import line_of
from waypost.errors import InvalidInput
from waypost.store.sqlite.foreign import Value

# Possible names of each column, likeliest first. Columns with other names become tags.
ROLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id", "fact_id", "uuid", "node_id", "memory_id"),
        "text": ("content", "fact", "text", "statement", "fact_text", "fact_content", "body", "memory", "message"),
        "value": ("value", "fact_value", "object", "obj"),  # needs its entity and attribute
        "entity": ("entity", "entity_name", "subject"),
        "attribute": ("attribute", "predicate", "property", "relation", "key", "name"),
        "level": ("level", "memory_level", "hierarchy_level"),
        "domain": ("domain",),
        "module": ("module",),
        "code_ref": ("code_ref", "code_refs", "code_reference", "file_ref"),
        "parent": ("parent_id", "parent", "parent_fact_id"),
        "kind": ("kind", "node_type", "fact_type", "entity_type", "type", "category"),
        "created": ("created_at", "recorded_at", "t_created", "transaction_time", "system_from", "inserted_at", "created",
                    "timestamp", "tx_from", "sys_from", "time", "date"),
        "since": ("valid_from", "t_valid", "valid_at", "valid_time", "effective_from", "event_time", "valid_start"),
        "until": ("valid_until", "valid_to", "t_invalid", "invalid_at", "effective_to", "effective_until", "valid_end"),
        "ended": ("superseded_at", "invalidated_at", "retracted_at", "expired_at", "t_expired", "deleted_at", "system_to",
                  "tx_to", "sys_to", "transaction_to"),
        "successor": ("superseded_by", "replaced_by", "superseded_by_id", "replaced_by_id"),
        "current": ("is_current", "current", "is_active", "active", "is_valid"),
        "past": ("is_superseded", "superseded", "is_retracted", "retracted", "is_deleted", "deleted", "is_invalid",
                 "invalidated", "is_obsolete", "obsolete"),
        "status": ("status", "state"),
        "stale": ("is_stale", "stale"),
        "archived": ("is_archived", "archived"),
        "ttl": ("ttl_seconds", "ttl"),
        "ttl_days": ("ttl_days",),
        "ttl_config": ("ttl_config",),
        "refresh": ("ttl_refresh_trigger", "refresh_trigger"),
        "on_expire": ("ttl_on_expire", "on_expire", "ttl_action"),
        "expires": ("expires_at", "ttl_expires_at"),
        "source": ("source", "origin"),
        "actor": ("actor", "author", "created_by", "agent", "agent_id", "user", "user_id"),
    }
)  # fmt: skip
# Derived from other columns, and computed again by Waypost.
LEFT_OUT = frozenset(
    {"embedding", "embeddings", "embedding_vector", "vector", "embedding_model", "children_ids", "children"}
)
KEPT_AS_TAG_TOO = ("entity", "attribute", "kind", "status", "successor")
_SAMPLE = 200
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to read, and what each is for."""

    names: tuple[str, ...]
    roles: Mapping[str, int]  # role → index in `names`
    others: Mapping[str, int]  # name of a tag → index in `names`
    left_out: tuple[str, ...]  # columns beyond the limit

    @classmethod
    def of(cls, table: str, names: Sequence[str], sample: Iterable[tuple[Value, ...]], most_tags: int) -> "Columns":
        """The roles of a table's columns. `sample` has some rows with all columns.

        Raises InvalidInput if no column has text.
        """
        lowered = {name.lower(): name for name in reversed(names)}
        column_of = {
            role: lowered[match]
            for role, candidates in ROLES.items()
            if (match := next((candidate for candidate in candidates if candidate in lowered), None)) is not None
        }
        if "text" not in column_of and "value" in column_of:
            column_of["text"] = column_of.pop("value")
        elif "value" in column_of:
            del column_of["value"]  # a tag, since there is a text
        if "text" not in column_of:
            column_of["text"] = _longest(table, names, set(column_of.values()), sample)
        if column_of["text"].lower() not in ROLES["value"]:
            for role in ("entity", "attribute"):
                column_of.pop(role, None)
        others = [name for name in names if name not in column_of.values() and name.lower() not in LEFT_OUT]
        tags = others[:most_tags]
        selected = tuple(dict.fromkeys([*column_of.values(), *tags]))
        index_of = {name: index for index, name in enumerate(selected)}
        return cls(
            selected,
            {role: index_of[name] for role, name in column_of.items()},
            {tag_name(name): index_of[name] for name in tags},
            tuple(name for name in names if name not in index_of and name.lower() not in LEFT_OUT),
        )

    def value(self, row: Sequence[Value], role: str) -> Value:
        index = self.roles.get(role)
        return None if index is None else row[index]


def tag_name(column: str) -> str:
    """The name of a column as the name of a tag: one short line."""
    return line_of(column[:_LONGEST_NAME]) or "column"


def _longest(table: str, names: Sequence[str], used: set[str], sample: Iterable[tuple[Value, ...]]) -> str:
    """The column with the most text among those without a role."""
    lengths: Counter[str] = Counter()
    for _, row in zip(range(_SAMPLE), sample, strict=False):
        for name, value in zip(names, row, strict=True):
            if name not in used and name.lower() not in LEFT_OUT and isinstance(value, str) and value.strip():
                lengths[name] += len(value)
    if not lengths:
        raise InvalidInput(
            f"The table {table} has no column with text.",
            f"Known names are {', '.join(ROLES['text'][:4])} and others. Is this a Memory Bridge database?",
        )
    return lengths.most_common(1)[0][0]
