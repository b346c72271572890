"""Memories as an agent reads them: short rows of data, and the same rows as lines inside the fence."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.text.fence import NOTE, defuse, fence

if TYPE_CHECKING:
    from waypost.model.code_link import CodeLink, LinkedMemory
    from waypost.model.recall import Hit

LONGEST = 300  # characters of a memory in a list; recall with its id gives the rest
_SHORT = 160  # of a reason, a name, a notice about it
_DAY = 86_400
_AGES = ((365 * _DAY, "year"), (30 * _DAY, "month"), (7 * _DAY, "week"), (_DAY, "day"), (3600, "hour"), (60, "minute"))

Row = dict[str, Any]  # what a program gets of a memory; only keys that say something


def age(then: datetime, now: datetime) -> str:
    """How long ago, in one unit: what an agent needs to weigh it."""
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
    """A hit of recall. Of code its name and what it does: whoever wants the lines opens the place."""
    text = hit.text
    if hit.source == "code":
        name = hit.name if hit.name and hit.name != hit.path else ""
        text = ": ".join(part for part in (name, hit.summary or "") if part) or hit.text
    who = f"{hit.speaker} ({hit.source})" if hit.speaker else hit.source
    return filled(
        {
            "id": hit.id,
            "project": "" if hit.project is None else hit.project.name,
            "where": place(hit.path, hit.line),
            "text": one_line(text, LONGEST),
            "kind": one_line(hit.type or hit.kind, _SHORT),
            "by": "" if hit.source == "code" else one_line(who, _SHORT),
            "age": age(hit.time or hit.valid_from, now),
            "stale": stale(hit.is_stale, hit.stale_reason),
        }
    )


def linked_row(memory: "LinkedMemory", now: datetime, link: "CodeLink | None" = None, *, longest: int = LONGEST) -> Row:
    """A memory with its links, or one link of them; of `longest` 0 with all its words."""
    version = memory.version
    shown = link or (memory.links[0] if memory.links else None)
    where = None if shown is None else shown.reference
    return filled(
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
        }
    )


def stale(is_stale: bool, reason: str | None) -> str:
    """Why it may be wrong; empty where nothing speaks against it."""
    return one_line(reason or "the code has changed", _SHORT) if is_stale else ""


def filled(row: Mapping[str, Any]) -> Row:
    return {name: value for name, value in row.items() if value not in ("", None, [], ())}


def line_of(row: Row, mark: str = "-") -> str:
    """A row on one line, its staleness on a second."""
    where = f"{row['where']} " if "where" in row else ""
    told = ", ".join(str(row[name]) for name in ("kind", "by", "age") if name in row)
    if "project" in row:  # its places are in another tree
        told, where = f"from project {row['project']}{f', {where}'.rstrip() if where else ''}, {told}", ""
    lines = [f"{mark} {where}{row['text']} ({told}) id {row['id']}"]
    if "stale" in row:
        lines.append(f"  STALE, look at the code: {row['stale']}")
    return "\n".join(lines)


def fenced(lines: Iterable[str]) -> str:
    return fence("\n".join(lines))


def told(*parts: str) -> str:
    """Parts of an answer below each other; what is empty is left out."""
    return "\n".join(part for part in parts if part)


def noted(data: Mapping[str, Any], notices: Sequence[str] = ()) -> dict[str, Any]:
    """Data that holds stored words, with the note that they are data, and what the reader should know of them."""
    notes = {"notices": list(notices)} if notices else {}
    return {**data, **notes, "note": NOTE}
