"""Join short document sections, so that a list of short entries becomes one memory."""

from collections.abc import Sequence

from waypost.code.source import DocumentSection
from waypost.model.reference import LineRange

SMALL = 12  # lines; shorter sections are joined with their neighbours …
TOGETHER = 40  # … up to this many lines
LONGEST_TITLE = 200


def join_small_sections(sections: Sequence[DocumentSection]) -> tuple[DocumentSection, ...]:
    """Join small neighbours under one heading. The result has all their titles."""
    joined: list[DocumentSection] = []
    for section in sections:
        before = joined[-1] if joined else None
        if before is not None and _belong_together(before, section):
            last = section.title.rpartition(" > ")[2]
            title = (
                f"{before.title}; {last}" if last and len(before.title) + len(last) < LONGEST_TITLE else before.title
            )
            joined[-1] = DocumentSection(title, LineRange(before.lines.start, section.lines.end))
        else:
            joined.append(section)
    return tuple(joined)


def _belong_together(before: DocumentSection, section: DocumentSection) -> bool:
    small = min(_size(before), _size(section)) < SMALL
    if not small or section.lines.end - before.lines.start >= TOGETHER or not before.title:
        return False
    first = before.title.partition("; ")[0]
    return section.title.startswith(f"{first} > ") or section.title.rpartition(" > ")[0] == first.rpartition(" > ")[0]


def _size(section: DocumentSection) -> int:
    return section.lines.end - section.lines.start + 1
