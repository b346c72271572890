"""A reference into code: a file, its lines or symbol, the commit, and the hash of the code.

Accepted forms: `path#L42-L87`, `path#L42-87`, `path#L42`, `path`, `file:/path#L1-L9`, `file:///path#L1-L9`.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote

from waypost.errors import InvalidInput
from waypost.model.time import format_time, parse_time

DEFAULT_CONFIDENCE = 0.8
MAX_LINE = 100_000_000
MAX_ANCHOR = 512  # bytes
MAX_REFERENCES = 100  # of one memory
MAX_EARLIER = 4  # pins that a reference keeps besides its own
_FRAGMENT = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, order=True)
class LineRange:
    """Lines of a file, counted from 1, both ends included."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 1 <= self.start <= self.end <= MAX_LINE:
            raise InvalidInput(
                f"Lines {self.start}-{self.end} are not a range.",
                "Lines count from 1 and the first is not after the last.",
            )

    def __contains__(self, line: int) -> bool:
        return self.start <= line <= self.end

    def __str__(self) -> str:
        return f"#L{self.start}-L{self.end}"

    @classmethod
    def parse(cls, fragment: str) -> "LineRange":
        match = _FRAGMENT.fullmatch(fragment.lstrip("#"))
        if match is None:
            raise InvalidInput(f"{fragment[:60]!r} does not name lines.", "Write #L42, #L42-L87 or #L42-87.")
        start = int(match[1])
        return cls(start, int(match[2]) if match[2] else start)


class EarlierPin(NamedTuple):
    """Code that a reference was pinned to before it was verified on one branch. It still counts on others."""

    file_path: str
    line_range: LineRange | None
    git_commit: str | None
    anchor: bytes
    replaced_on: str  # the checkout and branch where the reference was verified, and where this no longer counts


@dataclass(frozen=True, slots=True)
class CodeReference:
    file_path: str
    line_range: LineRange | None = None
    symbol_id: str | None = None
    repo_id: str | None = None
    git_commit: str | None = None
    git_branch: str | None = None
    code_hash: str | None = None
    created_at: datetime | None = None
    last_verified_at: datetime | None = None
    stale_since: datetime | None = None
    confidence_score: float = DEFAULT_CONFIDENCE
    confidence_reason: str | None = None
    whole: bool = False  # about a whole class or module, given by name instead of lines
    anchor: bytes = b""  # for finding the code again after changes (refs.anchor)
    earlier: tuple[EarlierPin, ...] = ()  # newest first

    def __post_init__(self) -> None:
        if not self.file_path or "\0" in self.file_path:
            raise InvalidInput("A code reference needs a file path.", "Write it as src/app.py or src/app.py#L10-L20.")
        if self.code_hash is not None and not _HASH.fullmatch(self.code_hash):
            raise InvalidInput(
                f"{self.code_hash[:80]!r} is not a code hash.", "It is 'sha256:' and 64 hexadecimal digits."
            )
        if not 0.0 <= self.confidence_score <= 1.0:
            raise InvalidInput(f"Confidence {self.confidence_score} is outside 0..1.", "")

    def __str__(self) -> str:
        return f"{self.file_path}{self.line_range or ''}"

    @property
    def uri(self) -> str:
        return f"file:{self}"

    @classmethod
    def parse(cls, text: str) -> "CodeReference":
        """Read a path or `file:` URI. A fragment that begins with L and a digit must name lines."""
        rest = text.strip()
        if rest.startswith("file:"):
            rest = unquote(rest.removeprefix("file:"))
            if rest.startswith("//"):
                rest = "/" + rest.lstrip("/")
        path, mark, fragment = rest.rpartition("#")
        if mark and re.match(r"L\d", fragment):
            return cls(path, LineRange.parse(fragment))
        return cls(rest)

    @classmethod
    def from_json(cls, value: str | Mapping[str, Any]) -> "CodeReference":
        """Read what `to_json` wrote, a plain string, or the older keys `line_start` and `line_end`."""
        if isinstance(value, str):
            return cls.parse(value)
        if isinstance(value, Mapping) and value.get("file_path") is None and isinstance(value.get("symbol_id"), str):
            value = {**value, "file_path": value["symbol_id"]}  # the index resolves it
        if not isinstance(value, Mapping) or not isinstance(value.get("file_path"), str):
            raise InvalidInput(
                f"{str(value)[:80]!r} is not a code reference.",
                "Give a string like src/app.py#L1-L9 or an object with file_path.",
            )
        reference = cls.parse(value["file_path"])
        lines = value.get("line_range")
        if isinstance(lines, str):
            lines = LineRange.parse(lines)
        elif isinstance(lines, Mapping):
            lines = LineRange(_line(lines.get("start")), _line(lines.get("end")))
        elif lines is not None:
            raise InvalidInput(
                f"{str(lines)[:60]!r} does not name lines.", 'Write #L42-L87, or {"start": 42, "end": 87}.'
            )
        elif value.get("line_start") is not None:
            start = _line(value["line_start"])
            lines = LineRange(start, _line(value.get("line_end") or start))
        return replace(
            reference,
            line_range=lines or reference.line_range,
            symbol_id=_text(value, "symbol_id"),
            repo_id=_text(value, "repo_id"),
            git_commit=_text(value, "git_commit"),
            git_branch=_text(value, "git_branch"),
            code_hash=_text(value, "code_hash"),
            created_at=_time(value, "created_at"),
            last_verified_at=_time(value, "last_verified_at"),
            stale_since=_time(value, "stale_since"),
            confidence_score=_score(value.get("confidence_score", DEFAULT_CONFIDENCE)),
            confidence_reason=_text(value, "confidence_reason"),
            whole=value.get("whole") is True,
            anchor=_anchor(value.get("anchor")),
            earlier=earlier_pins(value.get("earlier")),
        )

    def with_earlier(self, before: "CodeReference", here: str) -> "CodeReference":
        """This reference, on other branches than `here` also true of the code that `before` was pinned to."""
        pin = EarlierPin(before.file_path, before.line_range, before.git_commit, before.anchor, here)
        pins = [pin for pin in (pin, *before.earlier) if pin.anchor and pin.anchor != self.anchor]
        return replace(self, earlier=tuple(pins[:MAX_EARLIER]))

    def to_json(self, *, anchored: bool = False) -> dict[str, Any]:
        """The reference without empty and default values. `anchored` adds the anchor, so that `from_json` restores it."""
        row: dict[str, Any] = {"file_path": self.file_path}
        if self.line_range:
            row["line_range"] = {"start": self.line_range.start, "end": self.line_range.end}
        for key in ("symbol_id", "repo_id", "git_commit", "git_branch", "code_hash", "confidence_reason"):
            if getattr(self, key) is not None:
                row[key] = getattr(self, key)
        for key in ("created_at", "last_verified_at", "stale_since"):
            if getattr(self, key) is not None:
                row[key] = format_time(getattr(self, key))
        if self.whole:
            row["whole"] = True
        if self.confidence_score != DEFAULT_CONFIDENCE:
            row["confidence_score"] = self.confidence_score
        if anchored and self.anchor:
            row["anchor"] = b64encode(self.anchor).decode()
        if anchored and self.earlier:
            row["earlier"] = [_pin_to_json(pin) for pin in self.earlier]
        return row


def earlier_pins(value: object) -> tuple[EarlierPin, ...]:
    """Read the pins that `to_json` wrote."""
    pins = []
    for row in (value if isinstance(value, list) else [])[:MAX_EARLIER]:
        pin = CodeReference.from_json(row)
        pins.append(EarlierPin(pin.file_path, pin.line_range, pin.git_commit, pin.anchor, _text(row, "on") or ""))
    return tuple(pins)


def _pin_to_json(pin: EarlierPin) -> dict[str, Any]:
    reference = CodeReference(pin.file_path, pin.line_range, git_commit=pin.git_commit, anchor=pin.anchor)
    return {**reference.to_json(anchored=True), "on": pin.replaced_on}


def merge_references(old: Sequence[CodeReference], new: Sequence[CodeReference]) -> tuple[CodeReference, ...]:
    """Both lists, with each place once. For the same place, the new reference wins.

    If there are too many for one memory, the oldest ones are dropped.
    """
    by_place = {_place(reference): reference for reference in (*old, *new)}
    new_places = {_place(reference) for reference in new}
    old_only = [place for place in by_place if place not in new_places]
    for place in old_only[: max(0, len(by_place) - MAX_REFERENCES)]:
        del by_place[place]
    return tuple(by_place.values())


def _place(reference: CodeReference) -> tuple[str, str | LineRange | None]:
    return reference.file_path, reference.symbol_id or reference.line_range


def _line(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(f"{value!r} is not a line number.", "Lines are whole numbers from 1.")
    return value


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"{value!r} is not a confidence.", "It is a number from 0 to 1.")
    return float(value)


def _anchor(value: object) -> bytes:
    if value is None:
        return b""
    try:
        anchor = b64decode(value, validate=True) if isinstance(value, str) else b""
    except ValueError:
        anchor = b""
    if not 0 < len(anchor) <= MAX_ANCHOR:
        raise InvalidInput("Code reference: anchor is not one that Waypost made.", "Leave it out.")
    return anchor


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and (not isinstance(value, str) or len(value) > 500):
        raise InvalidInput(f"Code reference: {key} must be a text of at most 500 characters.", "")
    return value


def _time(row: Mapping[str, Any], key: str) -> datetime | None:
    value = row.get(key)
    return parse_time(value, key) if value is not None else None
