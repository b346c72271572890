"""Reads a row of Memory Bridge as a memory to import."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from waypost.compat.memory_bridge.columns import KEPT_AS_TAG_TOO, Columns, tag_name
from waypost.compat.memory_bridge.refs import NO_REFERENCES, BridgeReferences, parse_refs
from waypost.compat.memory_bridge.survey import BridgeSurvey, parent_of, unusable_parent
from waypost.compat.memory_bridge.values import (
    end_of,
    flag_of,
    id_of,
    json_of,
    level_of,
    line_of,
    number_of,
    text_of,
    time_of,
)
from waypost.model.draft import MAX_SHORT, MAX_TEXT, MAX_TTL
from waypost.store.sqlite.foreign import LARGEST_VALUE, TooLarge, Value

MOST_TAGS = 60  # of one row; references to missing files need some, too
_MOST_PIECES = 20  # of a long value
_INSTANT = timedelta(microseconds=1)
_KINDS = frozenset({"fact", "decision", "reason", "consequence", "constraint", "learning", "fix"})
_PAST = frozenset(
    {"superseded", "retracted", "deleted", "invalid", "invalidated", "obsolete", "inactive", "replaced", "old"}
)
_ENDINGS = frozenset({"until", "ended", "successor", "current", "past", "status"})
_STALE = "it was stale where it comes from"
_ACTIONS = {"stale": "stale", "archive": "archive", "delete": "delete"}


@dataclass(slots=True)
class BridgeFact:
    """A row to import. Without usable text, `draft_fields` is empty, and `notes` say why."""

    number: int  # its number in the table, from 1
    source_id: str
    noun: str = ""  # "node " if it is not a fact
    draft_fields: dict[str, Any] = field(default_factory=dict)  # for `Draft.of`, without references
    refs: BridgeReferences = NO_REFERENCES
    parent: str = ""  # its id in the source
    is_past: bool = False
    is_empty: bool = False
    is_archived: bool = False
    stale_reason: str | None = None
    expires_at: datetime | None = None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BridgeFactReader:
    columns: Columns
    survey: BridgeSurvey
    now: datetime
    prefix: str  # of the keys, so that they differ from those of other imports
    noun: str = ""

    @property
    def can_be_past(self) -> bool:
        """Whether the table can mark facts as past."""
        return bool(_ENDINGS & set(self.columns.roles) or self.survey.followers)

    def read(self, number: int, row: Sequence[Value]) -> BridgeFact:
        source_id = id_of(self.columns.value(row, "id"))
        fact = BridgeFact(number, source_id, self.noun)
        text = self._text(fact, row)
        if text is None:
            return fact
        fact.draft_fields = {"text": text, "kind": self._kind(row), "level": level_of(self.columns.value(row, "level"))}
        if not self.survey.has_levels:
            fact.draft_fields["level"] = None
        tags: dict[str, str] = {}
        self._take_place(fact, row, tags)
        self._take_times(fact, row)
        self._take_lifetime(fact, row, tags)
        self._take_tags(fact, row, tags)
        fact.draft_fields["tags"] = tags
        if source_id:
            fact.draft_fields["key"] = f"{self.prefix}{source_id}{self.survey.key_suffix(number)}"
        return fact

    # -- text

    def _text(self, fact: BridgeFact, row: Sequence[Value]) -> str | None:
        value = self.columns.value(row, "text")
        text = text_of(value)
        if isinstance(value, TooLarge) or (text and len(text) > MAX_TEXT):
            size = f"{value.size:,} bytes" if isinstance(value, TooLarge) else f"{len(text or ''):,} characters"
            fact.notes.append(f"its text has {size}; the limit is {MAX_TEXT:,} characters")
        elif text is None and isinstance(value, bytes):
            fact.notes.append("its text is binary")
        elif not text:
            fact.is_empty = True
        else:
            about = " ".join(filter(None, (line_of(self.columns.value(row, role)) for role in ("entity", "attribute"))))
            return f"{about}: {text}" if about else text
        return None

    def _kind(self, row: Sequence[Value]) -> str | None:
        kind = line_of(self.columns.value(row, "kind")).casefold().rpartition(".")[2]
        return kind if kind in _KINDS else None

    # -- place

    def _take_place(self, fact: BridgeFact, row: Sequence[Value], tags: dict[str, str]) -> None:
        for name in ("domain", "module"):
            line = line_of(self.columns.value(row, name))
            if line and len(line) <= MAX_SHORT:
                fact.draft_fields[name] = line
            elif line:
                _add_tag(fact, tags, name, line)
        fact.refs = parse_refs(self.columns.value(row, "code_ref"))
        fact.parent = parent_of(self.survey, fact.source_id)
        lost = unusable_parent(self.survey, fact.source_id)
        if lost:
            _add_tag(fact, tags, "parent_id", lost)
            why = "it would be its own ancestor" if fact.source_id in self.survey.cut else "there is no such fact"
            fact.notes.append(f"parent {lost[:60]!r} kept as a tag: {why}")

    # -- times

    def _take_times(self, fact: BridgeFact, row: Sequence[Value]) -> None:
        created = self._time(fact, row, "created")
        if created is not None and created > self.now:
            fact.notes.append("created_at left out: it is in the future")
            created = None
        since = self._time(fact, row, "since") or created
        until = self._end(fact, row)
        if until is not None and (since is None or until <= since):
            if since is not None and until < since:
                fact.notes.append("it ended before it began: stored as true for an instant")
            since = until - _INSTANT
        fact.is_past = until is not None and until <= self.now
        fact.draft_fields |= {"time": created, "valid_from": since, "valid_until": until}

    def _time(self, fact: BridgeFact, row: Sequence[Value], role: str) -> datetime | None:
        value = self.columns.value(row, role)
        moment = time_of(value)
        if moment is None and line_of(value) and number_of(value) != 0:
            name = self.columns.names[self.columns.roles[role]]
            fact.notes.append(f"{tag_name(name)} {line_of(value)[:40]!r} is not a time")
        return moment

    def _end(self, fact: BridgeFact, row: Sequence[Value]) -> datetime | None:
        """When it ceased to be true, or None. Rows can express that in several ways."""
        columns = self.columns
        until = end_of(columns.value(row, "until"))
        if until is not None and until <= self.now:
            return until
        successor = id_of(columns.value(row, "successor"))
        ended = end_of(columns.value(row, "ended"))
        is_past = (
            bool(successor)
            or (ended is not None and ended <= self.now)
            or flag_of(columns.value(row, "current")) is False
            or flag_of(columns.value(row, "past")) is True
            or line_of(columns.value(row, "status")).casefold() in _PAST
        )
        if not is_past and until is None and self.survey.is_replaced(fact.number):
            is_past, ended = True, self.survey.next_start(fact.number)
        if not is_past:
            return until
        moment = (
            ended or (self.survey.start_of(successor) if successor else None) or self.survey.next_start(fact.number)
        )
        return min(moment or self.now, self.now)

    # -- lifetime and state

    def _take_lifetime(self, fact: BridgeFact, row: Sequence[Value], tags: dict[str, str]) -> None:
        value = self.columns.value
        config = json_of(value(row, "ttl_config"))
        settings = config if isinstance(config, dict) else {}
        seconds = number_of(value(row, "ttl")) or _number(settings.get("ttl_seconds"))
        days = number_of(value(row, "ttl_days"))
        seconds = seconds or (days * 86_400 if days else None)
        glob = line_of(value(row, "refresh")) or _line(settings.get("refresh_trigger"))
        action = _action(line_of(value(row, "on_expire")) or _line(settings.get("on_expire")))
        began = fact.draft_fields.get("time") or fact.draft_fields.get("valid_from") or self.now
        ends = time_of(value(row, "expires"))
        if seconds is not None and 1 <= seconds <= MAX_TTL:
            fact.draft_fields["ttl"] = int(seconds)
            fact.expires_at = ends or began + timedelta(seconds=int(seconds))
            if glob and len(glob) <= MAX_SHORT:
                fact.draft_fields["refresh"] = [glob]
            if action == "delete" and fact.expires_at <= self.now:
                fact.notes.append("it had expired and would be deleted: marked stale instead")
                action = "stale"
            fact.draft_fields["on_expire"] = action
        else:
            fact.expires_at = ends
            if seconds:
                fact.notes.append(f"a lifetime of {seconds:g} seconds left out")
            if glob:
                _add_tag(fact, tags, "ttl_refresh_trigger", glob)
        fact.is_archived = flag_of(value(row, "archived")) is True
        fact.stale_reason = _STALE if flag_of(value(row, "stale")) is True else None

    # -- the rest

    def _take_tags(self, fact: BridgeFact, row: Sequence[Value], tags: dict[str, str]) -> None:
        for role in ("source", "actor"):
            line = line_of(self.columns.value(row, role))
            if line:
                fact.draft_fields[role] = line
        named = {
            tag_name(self.columns.names[at]): at for role, at in self.columns.roles.items() if role in KEPT_AS_TAG_TOO
        }
        if self._kind(row) is not None:
            named.pop(tag_name(self.columns.names[self.columns.roles["kind"]]), None)
        for name, at in (*self.columns.others.items(), *named.items()):
            value = row[at]
            if isinstance(value, TooLarge):
                fact.notes.append(f"{name} left out: more than {LARGEST_VALUE:,} bytes")
            elif isinstance(value, bytes) and text_of(value) is None:
                fact.notes.append(f"{name} left out: it is binary")
            elif line := line_of(value):
                _add_tag(fact, tags, name, line)


def _add_tag(fact: BridgeFact, tags: dict[str, str], name: str, line: str) -> None:
    """Add a tag, or several for a long value."""
    for place, piece in enumerate(_pieces(line), 1):
        if place > _MOST_PIECES or len(tags) >= MOST_TAGS:
            fact.notes.append(f"{name} cut off: it has {len(line):,} characters")
            return
        tags[name if place == 1 else f"{name} {place}"] = piece


def _pieces(line: str) -> Iterator[str]:
    for start in range(0, len(line), MAX_SHORT):
        piece = line[start : start + MAX_SHORT].strip()
        if piece:
            yield piece


def _number(value: object) -> float | None:
    return number_of(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else None


def _line(value: object) -> str:
    return line_of(value) if isinstance(value, str) else ""


def _action(text: str) -> str:
    return next((action for word, action in _ACTIONS.items() if word in text.casefold()), "stale")
