"""Memories for agents: short rows of data, and the same rows as fenced lines."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.model.code_link import plain_reason, problem_of
from waypost.text.fence import NOTE, defuse, fence

if TYPE_CHECKING:
    from waypost.model.code_link import CodeLink, LinkedMemory
    from waypost.model.recall import Hit

LONGEST = 300  # characters of a memory in a list; recall with its id shows all
_SHORT = 160  # of a reason or a name
_DAY = 86_400
_AGES = ((365 * _DAY, "year"), (30 * _DAY, "month"), (7 * _DAY, "week"), (_DAY, "day"), (3600, "hour"), (60, "minute"))

Row = dict[str, Any]  # a memory as data; empty values are left out


def age(then: datetime, now: datetime) -> str:
    """The age in one unit, so that an agent can weigh it."""
    seconds = (now - then).total_seconds()
    if seconds < -60:
        return f"from {then:%Y-%m-%d} on"
    for length, name in _AGES:
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {name}{'s' if count > 1 else ''} old"
    return "just now"


def place(path: str | None, line: int | None) -> str:
    if not path:
        return ""
    return one_line(f"{path}:{line}" if line else path, _SHORT)


def hit_row(hit: "Hit", now: datetime) -> Row:
    """A hit of recall. Code is shown by name and summary, not by its lines."""
    text = hit.text
    if hit.source == "code":
        name = hit.name if hit.name and hit.name != hit.path else ""
        text = ": ".join(part for part in (name, hit.summary or "") if part) or hit.text
    who = f"{hit.speaker} ({hit.source})" if hit.speaker else hit.source
    return without_empty(
        {
            "id": hit.id,
            "project": "" if hit.project is None else hit.project.name,
            "where": place(hit.path, hit.line),
            "text": one_line(text, LONGEST),
            "kind": one_line(hit.type or hit.kind, _SHORT),
            "by": "" if hit.source == "code" else one_line(who, _SHORT),
            "age": age(hit.time or hit.valid_from, now),
            "stale": stale(hit.is_stale, hit.stale_reason),
            "unchecked": unchecked(hit.links),
            "conflict": "" if hit.conflict is None else one_line(hit.conflict.line, LONGEST),
            "earlier": "" if hit.newer_id is None else "a newer memory about this is above",
        }
    )


def linked_row(memory: "LinkedMemory", now: datetime, link: "CodeLink | None" = None, *, longest: int = LONGEST) -> Row:
    """A memory with its first link or the given one. With `longest` 0, the full text."""
    version = memory.version
    first_link = link or (memory.links[0] if memory.links else None)
    where = None if first_link is None else first_link.reference
    return without_empty(
        {
            "id": memory.id,
            "project": "" if memory.project is None else memory.project.name,
            "where": ""
            if where is None
            else place(where.file_path, where.line_range.start if where.line_range else None),
            "text": one_line(version.text, longest) if longest else defuse(version.text),
            "kind": version.kind,
            "by": one_line(
                version.actor if version.actor == version.source else f"{version.source} {version.actor}", _SHORT
            ),
            "age": age(version.time or version.valid_from, now),
            "stale": stale(memory.state.is_stale, memory.state.stale_reason),
            "unchecked": unchecked(memory.links),
            "conflict": "" if memory.conflict is None else one_line(memory.conflict.line, LONGEST),
        }
    )


def stale(is_stale: bool, reason: str | None) -> str:
    """Why it may be wrong, or an empty string."""
    return one_line(plain_reason(reason), _SHORT) if is_stale else ""


def unchecked(links: "Iterable[CodeLink]") -> str:
    """References whose code was never found, or an empty string."""
    return one_line(problem_of(links), _SHORT)


def without_empty(row: Mapping[str, Any]) -> Row:
    return {name: value for name, value in row.items() if value not in ("", None, [], ())}


def line_of(row: Row, mark: str = "-") -> str:
    """A row on one line; a label, a stale reason and a conflict go on lines of their own."""
    where = f"{row['where']} " if "where" in row else ""
    origin = ", ".join(str(row[name]) for name in ("kind", "by", "age") if name in row)
    if "project" in row:  # the paths belong to another repository
        origin, where = f"from project {row['project']}{f', {where}'.rstrip() if where else ''}, {origin}", ""
    lines = [f"{mark} {where}{row['text']} ({origin}) id {row['id']}"]
    if "label" in row:
        lines.append(f"  {row['label']}")
    if "stale" in row:
        lines.append(f"  STALE, check the code: {row['stale']}")
    if "unchecked" in row:
        lines.append(f"  NOT CHECKED, {row['unchecked']}")
    if "conflict" in row:
        lines.append(f"  CONFLICT: {row['conflict']}")
    if "earlier" in row:
        lines.append(f"  EARLIER: {row['earlier']}")
    return "\n".join(lines)


def fenced(lines: Iterable[str]) -> str:
    return fence("\n".join(lines))


def joined(*parts: str) -> str:
    """The non-empty parts of an answer, one below the other."""
    return "\n".join(part for part in parts if part)


def with_notices(data: Mapping[str, Any], notices: Sequence[str] = ()) -> dict[str, Any]:
    """Data with notices, and the note that stored text is data."""
    notes = {"notices": list(notices)} if notices else {}
    return {**data, **notes, "note": NOTE}
