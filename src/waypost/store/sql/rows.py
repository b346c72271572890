"""Converts rows to values and back, and builds the conditions of views."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from waypost.model.kinds import COLLECTIONS, KINDS
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, from_micros, to_micros

VERSION_COLUMNS = (
    "number, memory_id, kind, text, recorded_at, superseded_at, valid_from, valid_until, source, actor, level, domain, "
    "module, key, session, position, speaker, time, checkout_id, name, language, traits, fingerprint, evidence, tags, details"
)
STATE_FIELDS = (
    "protected",
    "is_stale",
    "stale_reason",
    "verified_at",
    "archived_at",
    "expires_at",
    "on_expire",
    "importance",
    "ttl_seconds",
    "ttl_class",
    "refresh",
    "accessed_at",
)
_STATE_TIMES = {"verified_at", "archived_at", "expires_at", "accessed_at"}
_STATE_FLAGS = {"protected", "is_stale"}


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # as JSON writes it; not a backslash before `u0000`


def as_json(value: Any) -> str:
    """Encode JSON. NUL becomes a replacement character: PostgreSQL cannot read a JSON column that contains one."""
    if not value and isinstance(value, (list, dict)):
        return "[]" if isinstance(value, list) else "{}"
    encoded = _encode(value)
    return _NUL.sub("\\1\ufffd", encoded) if "\\u0000" in encoded else encoded


def version_of(row: Sequence[Any], refs: tuple[CodeReference, ...]) -> Version:
    (
        number, memory_id, kind, text, recorded, superseded, start, end, source, actor, level, domain,
        module, key, session, position, speaker, time, checkout, name, language, traits, fingerprint, evidence, tags, details,
    ) = row  # fmt: skip
    return Version(
        memory_id=memory_id,
        kind=kind,
        text=text,
        recorded_at=from_micros(recorded),
        valid_from=from_micros(start),
        source=source,
        actor=actor,
        valid_until=None if end is None else from_micros(end),
        superseded_at=None if superseded is None else from_micros(superseded),
        number=number,
        level=level,
        domain=domain,
        module=module,
        key=key,
        session=session,
        position=position,
        speaker=speaker,
        time=None if time is None else from_micros(time),
        checkout_id=checkout,
        name=name,
        language=language,
        traits=traits,
        fingerprint=fingerprint,
        evidence=() if evidence == "[]" else tuple(json.loads(evidence)),
        refs=refs,
        tags={} if tags == "{}" else json.loads(tags),
        details={} if details == "{}" else _unpacked(kind, json.loads(details)),
    )


def version_parameters(version: Version, position: int) -> tuple[Any, ...]:
    """In the order of VERSION_COLUMNS, without the number, then the collection."""
    return (
        version.memory_id,
        version.kind,
        version.text,
        to_micros(version.recorded_at),
        None if version.superseded_at is None else to_micros(version.superseded_at),
        to_micros(version.valid_from),
        None if version.valid_until is None else to_micros(version.valid_until),
        version.source,
        version.actor,
        version.level,
        version.domain,
        version.module,
        version.key,
        version.session,
        position,
        version.speaker,
        None if version.time is None else to_micros(version.time),
        version.checkout_id,
        version.name,
        version.language,
        version.traits,
        version.fingerprint,
        as_json(list(version.evidence)),
        as_json(dict(version.tags)),
        as_json(_packed(version.kind, version.details)),
        version.collection,
    )


_BODY, _PACKED = "body", "body_packed"  # of a file: its code outside of symbols, which can be all of it


def _packed(kind: str, details: Mapping[str, Any]) -> dict[str, Any]:
    kept = dict(details)
    if kept.get(_BODY) and KINDS[kind].derived:
        kept[_PACKED] = base64.b85encode(zlib.compress(kept.pop(_BODY).encode("utf-8", "surrogatepass"))).decode()
    return kept


def _unpacked(kind: str, details: dict[str, Any]) -> dict[str, Any]:
    if _PACKED in details and KINDS[kind].derived:
        details[_BODY] = zlib.decompress(base64.b85decode(details.pop(_PACKED))).decode("utf-8", "surrogatepass")
    return details


def state_of(row: Sequence[Any]) -> State:
    values = dict(zip(STATE_FIELDS, row, strict=True))
    for name in _STATE_TIMES:
        values[name] = None if values[name] is None else from_micros(values[name])
    for name in _STATE_FLAGS:
        values[name] = bool(values[name])
    values["refresh"] = tuple(json.loads(values["refresh"] or "[]"))
    return State(**values)


def state_parameter(name: str, value: Any) -> Any:
    if name not in STATE_FIELDS:
        raise KeyError(name)
    if value is not None and name in _STATE_TIMES:
        return to_micros(value)
    if name == "refresh":
        return as_json(list(value)) if value else None
    return bool(value) if name in _STATE_FLAGS else value


def visible(view: View, alias: str = "m") -> tuple[str, list[Any]]:
    """The SQL condition for visible versions, with its parameters. The same rule as `Version.visible`."""
    of_moment, parameters = moment_condition(view.moment, alias)
    of_view, more = view_condition(view, alias)
    # Expired memories are hidden at once, even before they are archived or deleted.
    actions = "('delete')" if view.archived else "('archive', 'delete')"
    gone = f"s.expires_at <= ? AND NOT s.protected AND s.on_expire IN {actions}"
    if not view.archived:
        gone = f"s.archived_at <= ? OR ({gone})"
    of_state = f" AND NOT EXISTS (SELECT 1 FROM states s WHERE s.memory_id = {alias}.memory_id AND ({gone}))"
    return (
        f"{of_moment}{of_view}{of_state}",
        [*parameters, *more, *[to_micros(view.moment.knowledge_at)] * gone.count("?")],
    )


def view_condition(view: View, alias: str = "m") -> tuple[str, list[Any]]:
    """What a view asks of versions at any moment, to be added to another condition."""
    sql, parameters = "", list[Any]()
    if view.collections != COLLECTIONS:
        if all(name in COLLECTIONS for name in view.collections):  # constants: a list of values costs more
            names = "', '".join(view.collections)
            sql += f" AND {alias}.collection IN ('{names}')"
        else:
            sql += f" AND {alias}.collection IN (SELECT value FROM each_text(?))"
            parameters.append(list(view.collections))
    if view.checkout_id is not None:
        sql += f" AND ({alias}.checkout_id IS NULL OR {alias}.checkout_id = ?)"
        parameters.append(view.checkout_id)
    if view.journal is not None:
        place = f"SELECT 1 FROM journal_places j WHERE j.memory_id = {alias}.memory_id"
        sql += f" AND ({alias}.collection <> 'journal' OR NOT EXISTS ({place}) OR EXISTS ({place} AND j.journal IN ('', ?)))"
        parameters.append(view.journal)
    if view.domains is not None:
        sql += f" AND {alias}.domain IN (SELECT value FROM each_text(?))"
        parameters.append(list(view.domains))
    if view.levels is not None:
        sql += f" AND {alias}.level IN (SELECT value FROM each_number(?))"
        parameters.append(list(view.levels))
    return sql, parameters


# Whether a current version is visible from now on, until somebody writes.
IS_STEADY = (
    "m.valid_until IS NULL AND (m.valid_from <= m.recorded_at OR (m.collection = 'journal' AND m.valid_from = m.time))"
    " AND NOT EXISTS (SELECT 1 FROM states s WHERE s.memory_id = m.memory_id"
    " AND (s.archived_at IS NOT NULL OR s.expires_at IS NOT NULL))"
)


def moment_condition(moment: Moment, alias: str = "m") -> tuple[str, list[Any]]:
    parameters: list[Any] = []
    if moment.known_at is None:
        recorded = f"{alias}.superseded_at IS NULL"
    else:
        recorded = f"{alias}.recorded_at <= ? AND ({alias}.superseded_at IS NULL OR {alias}.superseded_at > ?)"
        parameters += [to_micros(moment.known_at)] * 2
    begun = f"{alias}.valid_from <= ?"
    if not moment.explicit:
        said = f"{alias}.collection = 'journal' AND {alias}.valid_from = {alias}.time"
        begun = f"({begun} OR {alias}.valid_from <= {alias}.recorded_at OR ({said}))"
    parameters += [to_micros(moment.as_of)] * 2
    return f"{recorded} AND {begun} AND ({alias}.valid_until IS NULL OR {alias}.valid_until > ?)", parameters
