"""The heading of an entry: when, who, and in a comment what a reader need not see.

    ### 18:00:15 · anna <!-- conversation id=01jk… session=tv importance=1 at=2026-01-30T18:00:15+01:00 -->

What a person sees wins over the comment: who changes the visible time or name has changed the entry.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo

from waypost.errors import InvalidInput
from waypost.journal.markdown_values import QUOTED, in_zone, quoted, read_instant, unquoted, written
from waypost.model.ids import check_id
from waypost.model.journal import Amendment, Entry
from waypost.model.kinds import KINDS, kind_of

# The kinds of the journal, by the words for them. Other memories, such as facts, do not come out of a page.
_KINDS = {name: name for name, kind in KINDS.items() if kind.is_journal} | {"agent": kind_of("agent").name}
_WORDS = frozenset(_KINDS) | {"protected"}
_CLOCK = re.compile(
    r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?(?!:?[0-9])(?:[ ]?([ap])\.?m\b\.?)?(?=$|[\s·•|:,–—-])", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*+(?:[·•|:,–—-](?=\s|$))?\s*+")
_DASHES = frozenset("·•|–—-")
_FIELD = re.compile(rf'((?<!\\){QUOTED}|[^\s="]++)(?:=({QUOTED}|\S*+))?')
_OWN = frozenset({"kind", "id", "session", "importance", "protected", "trimmed", "at", "speaker"})
_NAME = re.compile(r"[^\W\d][\w.-]*")
_LOST_OPENING = re.compile(r"\s(?:(?:" + "|".join(_KINDS) + r")\s+)?(?:id|at|session|importance)=")
_CUT_OPENING = re.compile(r"<(?:!-?)?$")
KEPT_WORDS = "words"  # in `more`: what a person wrote into the comment
_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Heading:
    clock: time | None
    is_exact: bool  # the clock shows seconds
    speaker: str | None
    words: tuple[str, ...]  # of the comment: what stands in it without a value
    fields: Mapping[str, str]  # of the comment: what we know
    more: Mapping[str, str]  # and what else
    tail: str  # what somebody wrote behind the comment

    def stated(self, zone: tzinfo | None) -> datetime | None:
        """The instant in the comment."""
        return read_instant(self.fields["at"], zone) if "at" in self.fields else None

    def at(self, day: date, zone: tzinfo | None) -> datetime:
        stated = self.stated(zone)
        if stated is None:
            return in_zone(day, self.clock or time(), zone)
        shown = stated.time().replace(microsecond=0, second=stated.second if self.is_exact else 0)
        if self.clock is None or self.clock == shown:
            return stated
        return in_zone(stated.date(), self.clock, stated.tzinfo)

    def noted(self) -> "tuple[Heading, str] | None":
        """A heading of a hand that says all there is to say, "### 10:30 call the dentist", and its words. One word alone is a
        name whose words are still to be written."""
        if self.speaker is None or self.words or self.fields or self.more or len(self.speaker.split()) < 2:
            return None
        return replace(self, speaker=None), self.speaker

    def entry(self, text: str, amendments: tuple[Amendment, ...], day: date, zone: tzinfo | None) -> Entry:
        fields, unknown = self.fields, [word for word in self.words if word not in _WORDS]
        speaker = _spoken(self.speaker, fields.get("speaker"))
        kind = next((kind for word in (*self.words, fields.get("kind", "")) if (kind := _KINDS.get(word))), None)
        return Entry(
            text=text,
            at=self.at(day, zone),
            kind=kind or ("conversation" if speaker else "note"),
            speaker=speaker,
            id=_id(fields.get("id")),
            session=fields.get("session"),
            importance=_importance(fields.get("importance")),
            protected="protected" in self.words or fields.get("protected", "no").lower() in ("yes", "true", "1"),
            trimmed=fields.get("trimmed"),
            more={**self.more, KEPT_WORDS: " ".join(unknown)} if unknown else self.more,
            amendments=amendments,
        )


def read_heading(line: str) -> Heading | None:
    """The heading that a line is, or None: it must show a time, or have a comment with an id or an instant."""
    if not line.startswith(("### ", "###\t")):
        return None
    visible, comment, tail = _apart(line[4:])
    if ":" not in visible and not comment:
        return None
    words, fields, more = _fields(comment)
    if not (fields or more or all(_is_word(word, bool(tail)) for word in words)):
        words, tail = (), f"<!--{comment}-->{tail.removeprefix('-->')}"  # somebody's own remark
    shown = _shown(visible)
    if shown is not None:
        clock, is_exact, speaker = shown
        return Heading(clock, is_exact, speaker, words, fields, more, _said(tail))
    if fields.keys() & {"id", "at"}:
        return Heading(None, False, visible.strip() or None, words, fields, more, _said(tail))
    return None


def write_heading(entry: Entry) -> str:
    """The line without its end."""
    parts = [entry.kind if entry.kind in _KINDS else f"kind={quoted(entry.kind)}"]
    parts += [f"id={written(entry.id)}"] if entry.id is not None else []
    parts += [f"session={written(entry.session)}"] if entry.session is not None else []
    parts += [f"importance={entry.importance}"] if entry.importance is not None else []
    parts += ["protected"] if entry.protected else []
    parts += [f"trimmed={written(entry.trimmed)}"] if entry.trimmed is not None else []
    parts.append(f"at={entry.at.isoformat()}")
    parts += [f"{_name(name)}={written(value)}" for name, value in entry.more.items()]
    visible = _visible(entry)
    if entry.speaker and (visible != f"{_clock(entry)} · {entry.speaker}" or not _returns(visible, entry.speaker)):
        parts.append(f"speaker={written(entry.speaker)}")
    return f"### {visible} <!-- {' '.join(parts)} -->"


def _apart(rest: str) -> tuple[str, str, str]:
    """What is visible, the inside of the comment, and its end with what stands behind it.

    Somebody may have deleted either end.
    """
    visible, opening, behind = rest.partition("<!--")
    if not opening and "-->" in rest and (lost := _LOST_OPENING.search(rest)):
        visible, behind = rest[: lost.start()], rest[lost.start() :]
    comment, closing, tail = behind.partition("-->")
    return _CUT_OPENING.sub("", visible), comment, closing + tail


def _said(tail: str) -> str:
    return tail.removeprefix("-->").strip()


def _fields(comment: str) -> tuple[tuple[str, ...], dict[str, str], dict[str, str]]:
    words: list[str] = []
    fields: dict[str, str] = {}
    more: dict[str, str] = {}
    for found in _FIELD.finditer(comment):
        name, value = found[1], found[2]
        if value is None:
            words.append(name)
        elif name in _OWN:
            fields.setdefault(name, unquoted(value))
        else:  # a name of ours in quotes is not ours
            more.setdefault(unquoted(name), unquoted(value))
    return tuple(words), fields, more


def _is_word(word: str, is_whole: bool) -> bool:
    """Whether a word of the comment is ours; one where it was cut off may be the beginning of such a word."""
    return word in _WORDS or (not is_whole and any(whole.startswith(word) for whole in _WORDS | _OWN))


def _shown(visible: str) -> tuple[time, bool, str | None] | None:
    """Time and name as they stand: `14:05 · anna`, `14:05 anna`, or as older tools wrote it, `anna - 14:05:30`."""
    visible = visible.strip()
    if found := _CLOCK.match(visible):
        clock = _time(found)
        behind = _BETWEEN.match(visible, found.end())
        name = visible[behind.end() if behind else found.end() :]
    else:
        parts = visible.rsplit(None, 2)
        if len(parts) != 3 or parts[1] not in _DASHES or not (found := _CLOCK.fullmatch(parts[2])):
            return None
        clock, name = _time(found), parts[0]
    return None if clock is None else (clock, found[3] is not None, name or None)


def _time(found: re.Match[str]) -> time | None:
    hour = int(found[1])
    if found[4] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if found[4] in "pP" else 0)
    return time(hour, int(found[2]), int(found[3] or 0)) if hour < 24 else None


def _clock(entry: Entry) -> str:
    return entry.at.time().isoformat("seconds")


def _visible(entry: Entry) -> str:
    """Time and name as a reader sees them; a name that could be misread in a cleaned form."""
    name = _clean(entry.speaker or "")
    return f"{_clock(entry)} · {name}" if name else _clock(entry)


def _clean(name: str) -> str:
    seen = "".join(c if c.isprintable() else " " for c in name).replace("<", "‹").replace(">", "›")
    return " ".join(seen.split())[:_LONGEST_SHOWN].strip()


def _returns(visible: str, speaker: str) -> bool:
    shown = _shown(visible)
    return shown is not None and shown[2] == speaker


def _spoken(visible: str | None, stated: str | None) -> str | None:
    """The name in the comment, unless somebody has changed the visible one."""
    if stated and (visible is None or visible == _clean(stated)):
        return stated
    return visible


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) and "--" not in name and name not in _OWN else quoted(name)


def _id(shown: str | None) -> str | None:
    try:
        return check_id(shown) if shown else None
    except InvalidInput:
        return None


def _importance(shown: str | None) -> int | None:
    return int(shown) if shown and shown.isascii() and shown.isdigit() and len(shown) < 3 and int(shown) <= 10 else None
