"""Units of the journal's files: entries of day files, and bullets of people's pages.

A unit is one memory in one file. A unit without an id gets one from its text and time. So the same text has the same id
wherever the file is moved.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time

from waypost.journal.bullets import parse_bullets
from waypost.journal.coverage import last_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.layout import DNA, INDEX, PREFERENCES, day_of, stage_of
from waypost.journal.markdown import new_page, parse_page, render_entry
from waypost.journal.period_pages.frame import split_frame
from waypost.model.ids import stable_id
from waypost.model.journal import Amendment, Entry
from waypost.model.memory import HEADING, State, Version
from waypost.model.reference import CodeReference
from waypost.model.time import to_micros
from waypost.store.protocol import Reader

PAGES = ("daily", "archive/daily")  # files with entries; the others contain bullets and people's text
_TAGS, _REFS, _EVIDENCE, _BY, KEY = "tags", "refs", "evidence", "by", "key"
_MOST = 100  # tags, references … of a heading
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class JournalUnit:
    entry: Entry
    digest: bytes
    dated: bool = True  # the file has its time


def units_of(folder: JournalFolder, path: str, text: str) -> list[JournalUnit]:
    """The units of a file, in order."""
    if path == DNA:
        return []
    if stage_of(path) in PAGES:
        return [unit_of(entry) for entry in parse_page(text, day_of(path), folder.zone).entries]
    kind = "preference" if path == PREFERENCES else "note"
    at = _last_day(folder, path)
    bullets = [bullet for part in _texts_of_people(path, text) for bullet in parse_bullets(part)]
    entries = [Entry(bullet.text, at or _START, kind, id=bullet.id) for bullet in bullets]
    return [JournalUnit(entry, _digest(kind, entry.text), dated=at is not None) for entry in entries]


def _texts_of_people(path: str, text: str) -> tuple[str, ...]:
    """The parts of a file that people wrote."""
    if stage_of(path) == "important":
        return (text,)
    frame = split_frame(text)
    edited = (frame.part,) if frame.part is not None and frame.is_edited and path != INDEX else ()
    return frame.before, *edited, *(() if path == INDEX else (frame.after,))


def _last_day(folder: JournalFolder, path: str) -> datetime | None:
    """The last day that a summary covers."""
    day = last_day_of(path)
    return None if day is None else datetime.combine(day, time(), folder.zone or UTC)


def unit_of(entry: Entry) -> JournalUnit:
    """The unit of an entry as a file contains it."""
    parts = (
        entry.kind, entry.speaker or "", entry.session or "", entry.at.isoformat(), entry.text, entry.trimmed or "",
        str(entry.importance), str(entry.protected), json.dumps(dict(sorted(entry.more.items()))),
        *(f"{amendment.at.isoformat()} {amendment.by} {amendment.text}" for amendment in entry.amendments),
    )  # fmt: skip
    return JournalUnit(entry, _digest(*parts))


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def derived_id(unit: JournalUnit, path: str, copy: int) -> str:
    """The id of a unit without one: from its text, and from its time or else its page."""
    entry = unit.entry
    scope = str(to_micros(entry.at)) if unit.dated else path
    words = "\0".join((scope, entry.kind, entry.speaker or "", entry.text, str(copy)))
    return stable_id(entry.at if unit.dated else _START, words)


def entry_of(folder: JournalFolder, versions: list[Version], state: State) -> Entry:
    """A memory as a file contains it: its first text, and later amendments."""
    first, last = versions[0], versions[-1]
    return Entry(
        first.text,
        folder.local(first.time or first.valid_from),
        last.kind,
        last.speaker,
        last.memory_id,
        last.session,
        None if state.importance is None else round(state.importance),
        state.protected,
        more=_more(last),
        amendments=_amendments(versions),
    )


def _amendments(versions: list[Version]) -> tuple[Amendment, ...]:
    amendments, said = [], versions[0].text
    for version in versions[1:]:
        if version.text != said:
            amendments.append(Amendment(version.recorded_at, version.actor, version.text))
            said = version.text
    if all(version.superseded_at for version in versions):
        ended = max(version.superseded_at for version in versions if version.superseded_at)
        amendments.append(Amendment(ended, versions[-1].actor, None))
    return tuple(amendments)


def _more(version: Version) -> dict[str, str]:
    more = dict(version.details.get(HEADING, {}))
    if version.key is not None:
        more[KEY] = version.key
    if version.tags:
        more[_TAGS] = json.dumps(dict(version.tags), ensure_ascii=False)
    if version.refs:
        more[_REFS] = json.dumps([str(ref) for ref in version.refs], ensure_ascii=False)
    if version.evidence:
        more[_EVIDENCE] = json.dumps(list(version.evidence), ensure_ascii=False)
    if version.source != "journal":
        more[_BY] = f"{version.source}:{version.actor}"
    return more


@dataclass(frozen=True, slots=True)
class HeadingDetails:
    """What an entry's heading says apart from the text, as far as it is valid."""

    key: str | None
    tags: Mapping[str, str]
    refs: tuple[CodeReference, ...]
    evidence: tuple[str, ...]
    rest: Mapping[str, str]  # everything else


def heading_details(more: Mapping[str, str]) -> HeadingDetails:
    tags = _json_or_none(more.get(_TAGS))
    pairs = list(tags.items())[:_MOST] if isinstance(tags, dict) else []
    rest = {name: value for name, value in more.items() if name not in (_TAGS, _REFS, _EVIDENCE, _BY, KEY)}
    return HeadingDetails(
        more.get(KEY) or None,
        {str(name)[:100]: str(value)[:500] for name, value in pairs},
        tuple(CodeReference.from_json(str(ref)) for ref in _json_list(more.get(_REFS))),
        tuple(str(line)[:500] for line in _json_list(more.get(_EVIDENCE))),
        dict(list(rest.items())[:_MOST]),
    )


def _json_or_none(value: str | None) -> object:
    try:
        return json.loads(value) if value else None
    except (ValueError, RecursionError):
        return None


def _json_list(value: str | None) -> list[object]:
    rows = _json_or_none(value)
    return rows[:_MOST] if isinstance(rows, list) else []


def indexed_page(reader: Reader, folder: JournalFolder, journal_id: str, path: str) -> str | None:
    """A day's page as the index knows it, for a journal whose files are on another machine. None for other pages."""
    day = day_of(path)
    if stage_of(path) not in PAGES or day is None:
        return None
    ids = [place.memory_id for place in reader.journal.places(journal_id, [path])]
    states = reader.memories.states(ids)
    stored = {memory_id: versions for memory_id in ids if (versions := reader.memories.versions(memory_id))}
    entries = [entry_of(folder, versions, states.get(memory_id, State())) for memory_id, versions in stored.items()]
    return new_page(day) + "".join(render_entry(entry) for entry in entries)
