"""The heading of an entry: time and speaker, and in a comment what readers need not see.

    ### 18:00:15 · anna <!-- conversation id=01jk… session=tv importance=1 at=2026-01-30T18:00:15+01:00 -->

Visible values win over the comment: changing the visible time or name changes the entry.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, tzinfo

from waypost.journal.markdown_values import QUOTED, in_zone, quote, quote_if_needed, read_id, read_instant, unquote
from waypost.model.journal import Amendment, Entry
from waypost.model.kinds import KINDS, kind_of

# Kinds of journal entries, by the words for them. Other memories, such as facts, do not come from a page.
_KINDS = {name: name for name, kind in KINDS.items() if kind.is_journal} | {"agent": kind_of("agent").name}
_OWN_WORDS = frozenset(_KINDS) | {"protected"}
_CLOCK = re.compile(
    r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?(?!:?[0-9])(?:[ ]?([ap])\.?m\b\.?)?(?=$|[\s·•|:,–—-])", re.I
)
_BETWEEN = re.compile(r"\s*+(?:[·•|:,–—-](?=\s|$))?\s*+")
_DASHES = frozenset("·•|–—-")
_FIELD = re.compile(rf'((?<!\\){QUOTED}|[^\s="]++)(?:=({QUOTED}|\S*+))?')
_OWN_FIELDS = frozenset({"kind", "id", "session", "importance", "protected", "trimmed", "at", "speaker"})
_NAME = re.compile(r"[^\W\d][\w.-]*")
_LOST_OPENING = re.compile(r"\s(?:(?:" + "|".join(_KINDS) + r")\s+)?(?:id|at|session|importance)=")
_CUT_OPENING = re.compile(r"<(?:!-?)?$")
KEPT_WORDS = "words"  # in `more`: words that a person added to the comment
_LONGEST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Heading:
    clock: time | None
    is_exact: bool  # the clock shows seconds
    speaker: str | None
    words: tuple[str, ...]  # of the comment: words without a value
    fields: Mapping[str, str]  # of the comment: Waypost's own fields
    more: Mapping[str, str]  # of the comment: all other fields
    tail: str  # text that somebody wrote after the comment

    def exact_time(self, zone: tzinfo | None) -> datetime | None:
        """The instant in the comment."""
        return read_instant(self.fields["at"], zone) if "at" in self.fields else None

    def at(self, day: date, zone: tzinfo | None) -> datetime:
        stated = self.exact_time(zone)
        if stated is None:
            return in_zone(day, self.clock or time(), zone)
        visible = stated.time().replace(microsecond=0, second=stated.second if self.is_exact else 0)
        if self.clock is None or self.clock == visible:
            return stated
        return in_zone(stated.date(), self.clock, stated.tzinfo)

    def as_note(self) -> "tuple[Heading, str] | None":
        """Heading and text of a note written in the heading alone: "### 10:30 call the dentist".

        A single word is a name whose text is not written yet.
        """
        if self.speaker is None or self.words or self.fields or self.more or len(self.speaker.split()) < 2:
            return None
        return replace(self, speaker=None), self.speaker

    def entry(self, text: str, amendments: tuple[Amendment, ...], day: date, zone: tzinfo | None) -> Entry:
        fields, other_words = self.fields, [word for word in self.words if word not in _OWN_WORDS]
        speaker = _speaker_of(self.speaker, fields.get("speaker"))
        kind = next((kind for word in (*self.words, fields.get("kind", "")) if (kind := _KINDS.get(word))), None)
        return Entry(
            text=text,
            at=self.at(day, zone),
            kind=kind or ("conversation" if speaker else "note"),
            speaker=speaker,
            id=read_id(fields.get("id")),
            session=fields.get("session"),
            importance=_importance(fields.get("importance")),
            protected="protected" in self.words or fields.get("protected", "no").lower() in ("yes", "true", "1"),
            trimmed=fields.get("trimmed"),
            more={**self.more, KEPT_WORDS: " ".join(other_words)} if other_words else self.more,
            amendments=amendments,
        )


def read_heading(line: str) -> Heading | None:
    """The heading on this line, or None. It must show a time, or have a comment with an id or an instant."""
    if not line.startswith(("### ", "###\t")):
        return None
    visible, comment, tail = _split_comment(line[4:])
    if ":" not in visible and not comment:
        return None
    words, fields, more = _fields(comment)
    if not (fields or more or all(_is_word(word, bool(tail)) for word in words)):
        words, tail = (), f"<!--{comment}-->{tail.removeprefix('-->')}"  # somebody's own comment
    time_and_name = _read_visible(visible)
    if time_and_name is not None:
        clock, is_exact, speaker = time_and_name
        return Heading(clock, is_exact, speaker, words, fields, more, _text_after_comment(tail))
    if fields.keys() & {"id", "at"}:
        return Heading(None, False, visible.strip() or None, words, fields, more, _text_after_comment(tail))
    return None


def write_heading(entry: Entry) -> str:
    """The heading line of an entry, without its line end."""
    parts = [entry.kind if entry.kind in _KINDS else f"kind={quote(entry.kind)}"]
    parts += [f"id={quote_if_needed(entry.id)}"] if entry.id is not None else []
    parts += [f"session={quote_if_needed(entry.session)}"] if entry.session is not None else []
    parts += [f"importance={entry.importance}"] if entry.importance is not None else []
    parts += ["protected"] if entry.protected else []
    parts += [f"trimmed={quote_if_needed(entry.trimmed)}"] if entry.trimmed is not None else []
    parts.append(f"at={entry.at.isoformat()}")
    parts += [f"{_field_name(name)}={quote_if_needed(value)}" for name, value in entry.more.items()]
    visible = _visible(entry)
    if entry.speaker and (visible != f"{_clock(entry)} · {entry.speaker}" or not _reads_back(visible, entry.speaker)):
        parts.append(f"speaker={quote_if_needed(entry.speaker)}")
    return f"### {visible} <!-- {' '.join(parts)} -->"


def _split_comment(rest: str) -> tuple[str, str, str]:
    """The visible part, the inside of the comment, and its end with the text after it.

    Somebody may have deleted either end of the comment.
    """
    visible, opening, rest_of_line = rest.partition("<!--")
    if not opening and "-->" in rest and (lost := _LOST_OPENING.search(rest)):
        visible, rest_of_line = rest[: lost.start()], rest[lost.start() :]
    comment, closing, tail = rest_of_line.partition("-->")
    return _CUT_OPENING.sub("", visible), comment, closing + tail


def _text_after_comment(tail: str) -> str:
    return tail.removeprefix("-->").strip()


def _fields(comment: str) -> tuple[tuple[str, ...], dict[str, str], dict[str, str]]:
    words: list[str] = []
    fields: dict[str, str] = {}
    more: dict[str, str] = {}
    for field in _FIELD.finditer(comment):
        name, value = field[1], field[2]
        if value is None:
            words.append(name)
        elif name in _OWN_FIELDS:
            fields.setdefault(name, unquote(value))
        else:  # an own name in quotes counts as foreign
            more.setdefault(unquote(name), unquote(value))
    return tuple(words), fields, more


def _is_word(word: str, is_whole: bool) -> bool:
    """Whether a word of the comment is Waypost's. In a cut-off comment the beginning of such a word is enough."""
    return word in _OWN_WORDS or (not is_whole and any(whole.startswith(word) for whole in _OWN_WORDS | _OWN_FIELDS))


def _read_visible(visible: str) -> tuple[time, bool, str | None] | None:
    """Visible time and name: `14:05 · anna`, `14:05 anna`, or as older tools wrote it, `anna - 14:05:30`."""
    visible = visible.strip()
    if clock_match := _CLOCK.match(visible):
        clock = _time(clock_match)
        separator = _BETWEEN.match(visible, clock_match.end())
        name = visible[separator.end() if separator else clock_match.end() :]
    else:
        parts = visible.rsplit(None, 2)
        if len(parts) != 3 or parts[1] not in _DASHES or not (clock_match := _CLOCK.fullmatch(parts[2])):
            return None
        clock, name = _time(clock_match), parts[0]
    return None if clock is None else (clock, clock_match[3] is not None, name or None)


def _time(match: re.Match[str]) -> time | None:
    hour = int(match[1])
    if match[4] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if match[4] in "pP" else 0)
    return time(hour, int(match[2]), int(match[3] or 0)) if hour < 24 else None


def _clock(entry: Entry) -> str:
    return entry.at.time().isoformat("seconds")


def _visible(entry: Entry) -> str:
    """Time and name as a reader sees them. A name that could be misread is cleaned."""
    name = _printable(entry.speaker or "")
    return f"{_clock(entry)} · {name}" if name else _clock(entry)


def _printable(name: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in name).replace("<", "‹").replace(">", "›")
    return " ".join(printable.split())[:_LONGEST_SHOWN].strip()


def _reads_back(visible: str, speaker: str) -> bool:
    time_and_name = _read_visible(visible)
    return time_and_name is not None and time_and_name[2] == speaker


def _speaker_of(visible: str | None, stated: str | None) -> str | None:
    """The name in the comment, unless somebody changed the visible name."""
    if stated and (visible is None or visible == _printable(stated)):
        return stated
    return visible


def _field_name(name: str) -> str:
    return name if _NAME.fullmatch(name) and "--" not in name and name not in _OWN_FIELDS else quote(name)


def _importance(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 3 and int(value) <= 10 else None
