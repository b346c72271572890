"""The lines of a summary: who said what on which day, and from which entries a line comes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from waypost.journal.layout import archived_path, day_path
from waypost.journal.period_pages.items import SummaryItem
from waypost.journal.trim.tool_output import open_fence
from waypost.journal.wording import SummaryWords, clip, nameless_speakers, relative_words, without_markdown
from waypost.text.stems import fold

_MOST_HINTS = 3
_LONGEST_LABEL = 60


@dataclass(frozen=True, slots=True)
class Lines:
    """Renders lines in one language. `names_persons`: lines must show which person speaks."""

    words: SummaryWords
    names_persons: bool
    see_also: Mapping[str, Sequence[str]]

    def of(self, item: SummaryItem, text: str, *, label: str = "", indent: str = "", shows_day: bool = True) -> str:
        """One bullet: label, speaker if it matters, text, day and sources."""
        lead = f"**{label}:** " if label else ""
        who = self.speaker(item)
        lead += f"{who}: " if who else ""
        return self.point(lead, text, [item.day] if shows_day else [], item.ids, indent=indent, said=(text, item.day))

    def point(
        self,
        lead: str,
        text: str,
        days: Iterable[date],
        ids: Sequence[str],
        *,
        indent: str = "",
        said: tuple[str, date] | None = None,
    ) -> str:
        """A bullet with its further lines indented. It ends with the days and source entries."""
        tail = " ".join([*self._tail(days, ids, said), source_comment(ids)])
        lines = harmless(text).replace("\r\n", "\n").strip("\n").split("\n")
        fence = open_fence("\n".join(lines))
        lines += [fence] if fence else []
        ends_in_code = len(lines) > 1 and ("```" in lines[-1] or "~~~" in lines[-1])
        lines = [*lines, tail] if ends_in_code else [*lines[:-1], f"{lines[-1]} {tail}".lstrip()]
        other_lines = [f"{indent}  {line}" if line.strip() else "" for line in lines[1:]]
        return "\n".join([f"{indent}- {lead}{lines[0]}", *other_lines])

    def speaker(self, item: SummaryItem) -> str:
        name = without_markdown(harmless(item.entry.speaker or ""))[:_LONGEST_LABEL]
        generic = not name or fold(name) in nameless_speakers()
        if item.role == "person" and not (self.names_persons and name):
            return ""
        if item.role == "person":
            return self.words.say("person") if generic else name
        return self.words.say(item.role) if generic else name

    def _tail(self, days: Iterable[date], ids: Sequence[str], said: tuple[str, date] | None) -> list[str]:
        notes = [" – ".join(day_link(day) for day in days)]
        notes += [f"{word}: {day}" for word, day in relative_words(*said, self.words)] if said else []
        hints = list(dict.fromkeys(hint for entry_id in ids for hint in self.see_also.get(entry_id, ())))[:_MOST_HINTS]
        notes += [f"{self.words.say('see_also')}: {', '.join(map(_hint, hints))}"] if hints else []
        note = "; ".join(note for note in notes if note)
        return [f"({note})"] if note else []


def persons_differ(items: Iterable[SummaryItem]) -> bool:
    return len({fold(item.entry.speaker) for item in items if item.role == "person" and item.entry.speaker}) > 1


def day_link(day: date) -> str:
    return f"[{day.isoformat()}](../{archived_path(day_path(day))})"


def source_comment(ids: Sequence[str]) -> str:
    return f"<!-- from {' '.join(dict.fromkeys(ids))} -->"


def harmless(text: str) -> str:
    """The text, unable to open or close a comment. It looks the same when rendered."""
    return text.replace("<!--", "&lt;!--")


def label_of(text: str) -> str:
    label = clip(without_markdown(harmless(text)).replace("*", "").strip(" :"), _LONGEST_LABEL)
    return label[:1].upper() + label[1:]


def _hint(hint: str) -> str:
    name = without_markdown(harmless(hint))[:120]
    if re.fullmatch(r"[\w./-]{1,120}\.md", hint) and ".." not in hint and not hint.startswith("/"):
        return f"[{name.rpartition('/')[2].removesuffix('.md')}](../{hint})"
    return name
