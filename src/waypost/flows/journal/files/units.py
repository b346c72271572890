"""What the files of a journal say: entries of day files, and the points of the pages that people keep.

A unit is one memory as one file has it. What a person wrote without an id gets one that follows from the words and their
time, so that the same words have the same id wherever the file is moved to.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time

from waypost.flows.write.prepare import HEADING
from waypost.journal.bullets import parse_bullets
from waypost.journal.coverage import last_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.layout import DNA, INDEX, PREFERENCES, day_of, stage_of
from waypost.journal.markdown import parse_page
from waypost.journal.summary.frame import split_frame
from waypost.model.ids import stable_id
from waypost.model.journal import Amendment, Entry
from waypost.model.memory import State, Version
from waypost.model.reference import CodeReference
from waypost.model.time import to_micros

PAGES = ("daily", "archive/daily")  # files of entries; the others hold points between people's own words
_TAGS, _REFS, _EVIDENCE, _BY, KEY = "tags", "refs", "evidence", "by", "key"
_MOST = 100  # things of a sort that a heading can say
_START = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class JournalUnit:
    entry: Entry
    digest: bytes
    dated: bool = True  # whether the file says when it was said


def units_of(folder: JournalFolder, path: str, text: str) -> list[JournalUnit]:
    """What a file says, in its order."""
    if path == DNA:
        return []
    if stage_of(path) in PAGES:
        return [_unit(entry) for entry in parse_page(text, day_of(path), folder.zone).entries]
    kind = "preference" if path == PREFERENCES else "note"
    at = _about(folder, path)
    return [
        JournalUnit(
            Entry(bullet.text, at or _START, kind, id=bullet.id), _digest(kind, bullet.text), dated=at is not None
        )
        for part in _own_words(path, text)
        for bullet in parse_bullets(part)
    ]


def _own_words(path: str, text: str) -> tuple[str, ...]:
    """The parts of a file that people wrote."""
    if stage_of(path) == "important":
        return (text,)
    frame = split_frame(text)
    edited = (frame.part,) if frame.part is not None and frame.is_edited and path != INDEX else ()
    return frame.before, *edited, *(() if path == INDEX else (frame.after,))


def _about(folder: JournalFolder, path: str) -> datetime | None:
    """The last day that a summary is about."""
    day = last_day_of(path)
    return None if day is None else datetime.combine(day, time(), folder.zone or UTC)


def _unit(entry: Entry) -> JournalUnit:
    told = (
        entry.kind, entry.speaker or "", entry.session or "", entry.at.isoformat(), entry.text, entry.trimmed or "",
        str(entry.importance), str(entry.protected), json.dumps(dict(sorted(entry.more.items()))),
        *(f"{one.at.isoformat()} {one.by} {one.text}" for one in entry.amendments),
    )  # fmt: skip
    return JournalUnit(entry, _digest(*told))


def unit_of(entry: Entry) -> JournalUnit:
    """As it will be found again in a file of entries."""
    return _unit(entry)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).digest()


def derived_id(unit: JournalUnit, path: str, copy: int) -> str:
    """The id of what has none: from its words, and from its time or else the page it stands on."""
    entry = unit.entry
    scope = str(to_micros(entry.at)) if unit.dated else path
    words = "\0".join((scope, entry.kind, entry.speaker or "", entry.text, str(copy)))
    return stable_id(entry.at if unit.dated else _START, words)


def entry_of(folder: JournalFolder, versions: list[Version], state: State) -> Entry:
    """A memory as a file has it: its first words, and what was said about it later."""
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
    found, said = [], versions[0].text
    for version in versions[1:]:
        if version.text != said:
            found.append(Amendment(version.recorded_at, version.actor, version.text))
            said = version.text
    if all(version.superseded_at for version in versions):
        ended = max(version.superseded_at for version in versions if version.superseded_at)
        found.append(Amendment(ended, versions[-1].actor, None))
    return tuple(found)


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
    """What the heading of an entry says beside its words, as far as it can be used."""

    key: str | None
    tags: Mapping[str, str]
    refs: tuple[CodeReference, ...]
    evidence: tuple[str, ...]
    rest: Mapping[str, str]  # what is only kept


def told_by(more: Mapping[str, str]) -> HeadingDetails:
    tags, evidence = _parsed(more.get(_TAGS)), _parsed(more.get(_EVIDENCE))
    refs = [CodeReference.from_json(str(one)) for one in _listed(_parsed(more.get(_REFS)))]
    rest = {name: value for name, value in more.items() if name not in (_TAGS, _REFS, _EVIDENCE, _BY, KEY)}
    return HeadingDetails(
        more.get(KEY) or None,
        {str(name)[:100]: str(value)[:500] for name, value in list(tags.items())[:_MOST]}
        if isinstance(tags, dict)
        else {},
        tuple(refs),
        tuple(str(one)[:500] for one in _listed(evidence)),
        dict(list(rest.items())[:_MOST]),
    )


def _parsed(value: str | None) -> object:
    try:
        return json.loads(value) if value else None
    except (ValueError, RecursionError):
        return None


def _listed(value: object) -> list[object]:
    return value[:_MOST] if isinstance(value, list) else []
