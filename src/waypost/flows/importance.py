"""What entries of the journal are worth, given all that was said before: by rules, or by a language model."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from waypost.flows.open_space import OpenSpace
from waypost.journal.importance_history import Turn, in_order, judge_turns, subject_of
from waypost.journal.roles import role_of
from waypost.journal.topics import find_topics
from waypost.journal.topics_links import Meaning
from waypost.model.journal import Entry, Scored
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Filter, Reader
from waypost.text.language import language_of

if TYPE_CHECKING:
    from waypost.journal.topics_links import Vectors

_VERSIONS_AT_ONCE = 2000
# Measured on conversations: what unrelated utterances have, and what the same in other words has.
_MAIN = Meaning(0.25, 0.75, english_only=True)
_BESIDE = Meaning(0.35, 0.8, english_only=False)


def scored(
    space: OpenSpace, entries: Sequence[Entry], at: datetime, *, notices: list[str] | None = None
) -> list[Scored]:
    """The worth of each entry as it is at `at`, in the order given, with its topic.

    What was said until then counts: these entries, and all others that the space's journal holds. `notices` takes what
    could not be done as it should.
    """
    zone = _zone(space)
    idents = [entry.id or f"entry {place}" for place, entry in enumerate(entries)]
    own = {ident: _turn_of_entry(ident, entry, zone) for ident, entry in zip(idents, entries, strict=True)}
    with space.store.read() as reader:
        versions = {version.memory_id: version for version in _journal(reader, at)}
    others = [_turn_of_version(version, zone) for ident, version in versions.items() if ident not in own]
    turns = in_order([*own.values(), *(turn for turn in others if turn.at <= at)])
    subjects = [(turn, subject) for turn in turns if (subject := subject_of(turn)) is not None]
    topics = find_topics(
        [subject for _, subject in subjects], _meanings(space, [turn for turn, _ in subjects], versions)
    )
    topic_of = {turn.ident: number for (turn, _), number in zip(subjects, topics.of, strict=True)}
    judged = judge_turns(turns, own.keys(), topic_of, topics, at)
    del notices
    return [
        Scored(entry, judged[ident].score, judged[ident].topic, judged[ident].label)
        for ident, entry in zip(idents, entries, strict=True)
    ]


def _turn_of_entry(ident: str, entry: Entry, zone: tzinfo | None) -> Turn:
    text = entry.held or ""
    return Turn(
        ident,
        text,
        entry.at,
        entry.at.astimezone(zone).date(),
        role_of(entry.speaker, entry.kind),
        entry.kind,
        entry.session,
        language_of(text) or "en",
    )


def _turn_of_version(version: Version, zone: tzinfo | None) -> Turn:
    said_at = version.time or version.valid_from
    return Turn(
        version.memory_id,
        version.text,
        said_at,
        said_at.astimezone(zone).date(),
        role_of(version.speaker, version.kind),
        version.kind,
        version.session,
        version.language or "en",
    )


def _journal(reader: Reader, at: datetime) -> list[Version]:
    """All that the space's journal holds, also what was put away."""
    view = View(Moment(at), collections=("journal",), archived=True)
    found: list[Version] = []
    while page := reader.listing(view, Filter(), after=found[-1].number if found else 0, limit=_VERSIONS_AT_ONCE):
        found += page
    return found


def _meanings(space: OpenSpace, turns: Sequence[Turn], versions: dict[str, Version]) -> "list[tuple[Vectors, Meaning]]":
    """The stored vectors of these turns by each engine, zero where there is none."""
    import numpy as np

    hashes = [_hash_of(turn, versions.get(turn.ident)) for turn in turns]
    made: list[tuple[Vectors, Meaning]] = []
    with space.store.read() as reader:
        for engine, scale in zip(space.engines.active(reader), (_MAIN, _BESIDE), strict=False):
            known = reader.vectors(engine.name, [mark for mark in hashes if mark])
            if not known:
                continue
            table = np.zeros((len(turns), len(next(iter(known.values())))), np.float32)
            for place, mark in enumerate(hashes):
                if mark in known:
                    table[place] = known[mark]
            made.append((table, scale))
    return made


def _hash_of(turn: Turn, version: Version | None) -> bytes:
    if version is None or version.text != turn.text:
        return b""
    passages = passages_of(version)
    return passages[0].content_hash if passages else b""


def _zone(space: OpenSpace) -> tzinfo | None:
    """Where days begin; None is this machine's zone."""
    name = space.settings.journal.timezone
    if not name:
        return None
    from zoneinfo import ZoneInfo  # only where one is named

    return ZoneInfo(name)
