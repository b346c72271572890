"""The file format of Coding Brain and similar tools, whose memories have their code references in tags.

A file is a JSON array, JSON lines, or an object with the array. It is not trusted: unreadable parts are left out and
noted. Only a memory without text is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.draft import MAX_SHORT
from waypost.model.kinds import LABELS
from waypost.model.reference import MAX_LINE, CodeReference, LineRange
from waypost.model.time import format_time, parse_time
from waypost.text.json_fault import json_fault

LARGEST_FILE = 256 * 1024 * 1024
_LISTS = ("memories", "results", "items")
_TEXT_FIELDS = ("memory", "text", "content", "data")
_META = ("metadata", "metadata_")
_STALE = ("stale", "is_stale", "stale_reason", "stale_since")
_OF_A_MEMORY = ("category", "categories", *LABELS[1:], "evidence", "source", "created_at", "updated_at", "code_refs")
_ALSO_TAGS = ("code_link", "git_commit", "git_branch")  # fields of a row that count as tags
_TAG = re.compile(r"code_ref_(\d{1,6})_([a-z_]{1,40})")
_LINES = re.compile(r"#?L?(\d{1,9})(?:\s?[-–:,]\s?L?(\d{1,9}))?", re.IGNORECASE)
_HASH = re.compile(r"(?:sha256:)?([0-9a-f]{64})")
_TRUE = frozenset({"true", "yes", "y", "on", "1"})
_MILLISECONDS = 100_000_000_000  # larger numbers are milliseconds, not seconds


@dataclass(frozen=True, slots=True)
class TaggedReference:
    """A reference as written, with a path that may be of another machine."""

    path: str
    lines: LineRange | None = None
    rest: Mapping[str, Any] = field(default_factory=dict)  # for `CodeReference.from_json`

    def __str__(self) -> str:
        symbol = self.rest.get("symbol_id")
        return f"{self.path}{self.lines or ''}{f' ({symbol})' if symbol else ''}"


@dataclass(slots=True)
class TaggedMemory:
    number: int  # its position in the file
    draft_fields: dict[str, Any] = field(default_factory=dict)  # for `Draft.of`, without references
    refs: list[TaggedReference] = field(default_factory=list)
    stale_reason: str | None = None  # set if it was stale
    stale_since: str | None = None
    notes: list[str] = field(default_factory=list)  # what was left out, and why


def parse_rows(content: bytes) -> list[object]:
    """The memories of a file as JSON values. Raises InvalidInput if it has another format."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The file is not valid UTF-8 ({error.reason}).", "Save it as UTF-8.") from error
    if not text.strip():
        raise InvalidInput("The file is empty.", "Check that the export wrote it completely.")
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return [_line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        raise InvalidInput(f"The file is not valid JSON: {json_fault(error)}.", "Was it cut off?") from error
    if isinstance(whole, dict):
        lists = [whole[name] for name in _LISTS if isinstance(whole.get(name), list)]
        if lists:
            return list(lists[0])
        if any(isinstance(whole.get(name), str) for name in _TEXT_FIELDS):
            return [whole]
    if not isinstance(whole, list):
        raise InvalidInput("The file has no list of memories.", "Give a JSON array, JSON lines, or an export.")
    return whole


def _line(number: int, line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"Line {number} is not valid JSON: {json_fault(error)}.", "Nothing was written.") from error


def read_tagged(number: int, row: object, now: datetime) -> TaggedMemory:
    """The memory in a row. Raises InvalidInput if it has no text."""
    if not isinstance(row, Mapping):
        raise InvalidInput("It is not an object.", "")
    text = next((row[name] for name in _TEXT_FIELDS if isinstance(row.get(name), str) and row[name].strip()), None)
    if text is None:
        raise InvalidInput(f"It has no text under {', '.join(_TEXT_FIELDS)}.", "")
    memory = TaggedMemory(number, {"text": text})
    fields, tags = _split_fields(row, memory)
    _take_fields(memory, fields, row.get("id"), now)
    _take_staleness(memory, fields, tags, now)
    _take_references(memory, fields.get("code_refs"), tags)
    memory.draft_fields["tags"] = _take_tags(memory, tags)
    return memory


def _split_fields(row: Mapping[str, Any], memory: TaggedMemory) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields of the memory itself, and its tags, from the row, `metadata` and `metadata.tags`."""
    meta: dict[str, Any] = {}
    for name in _META:
        meta |= _mapping(row.get(name))
    own = {name: row[name] for name in (*_OF_A_MEMORY, *_STALE) if row.get(name) is not None}
    fields = {name: meta.pop(name) for name in _OF_A_MEMORY if meta.get(name) is not None} | own
    tags = {name: value for name, value in row.items() if name in _ALSO_TAGS or name.startswith("code_ref_")}
    inner = meta.pop("tags", None)
    tags |= meta | _mapping(inner) | _mapping(row.get("tags"))
    handled = {*_OF_A_MEMORY, *_STALE, *_TEXT_FIELDS, *_META, *tags, "tags", "id"}
    left = sorted(
        str(name)[:40] for name, value in row.items() if name not in handled and value not in (None, "", [], {})
    )
    if left:
        memory.notes.append(f"ignored fields: {', '.join(left[:20])}")
    return fields, tags


def _mapping(value: object) -> dict[str, Any]:
    """Tags as names and values, from an object, an object in a string, or a list of names."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"tags": value}
    if isinstance(value, Mapping):
        return {str(name): content for name, content in value.items()}
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Sequence):
        return {name.strip(): True for name in value if isinstance(name, str) and name.strip()}
    return {}


def _take_fields(memory: TaggedMemory, fields: Mapping[str, Any], old_id: object, now: datetime) -> None:
    draft_fields = memory.draft_fields
    if isinstance(fields.get("categories"), list) and "category" not in fields:
        draft_fields["category"] = _text(", ".join(str(category) for category in fields["categories"]))
    for name in (*LABELS, "source"):
        if name in fields:
            draft_fields[name] = _text(fields[name])
    evidence = fields.get("evidence")
    draft_fields["evidence"] = [_text(entry) for entry in (evidence if isinstance(evidence, list) else [evidence])]
    draft_fields["evidence"] = [entry for entry in draft_fields["evidence"] if entry]
    draft_fields["key"] = _text(old_id)
    created, updated = (_time(memory, fields.get(name), name, now) for name in ("created_at", "updated_at"))
    draft_fields["valid_from"] = created or updated
    draft_fields["time"] = updated or created  # the text is as old as its last change
    for name, value in list(draft_fields.items()):
        if isinstance(value, str) and name != "text" and (len(value) > MAX_SHORT or not value):
            del draft_fields[name]
            if value:
                memory.notes.append(f"{name} left out: longer than {MAX_SHORT} characters")


def _text(value: object) -> str | None:
    """A value as one line of text."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping | list):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return " ".join(str(value).split())


def _time(memory: TaggedMemory, value: object, name: str, now: datetime) -> str | None:
    if value in (None, ""):
        return None
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, tz=UTC)
        else:
            moment = parse_time(str(value)[:60], name)
    except (InvalidInput, ValueError, OverflowError, OSError):
        memory.notes.append(f"{name} {str(value)[:40]!r} is not a time")
        return None
    if moment > now:
        memory.notes.append(f"{name} {str(value)[:40]} is in the future and was ignored")
        return None
    return format_time(moment)


def _take_staleness(memory: TaggedMemory, fields: Mapping[str, Any], tags: dict[str, Any], now: datetime) -> None:
    """Move staleness from the tags to the memory's state, which verifying the memory resets."""
    values = {name: tags.pop(name, None) for name in _STALE}
    values |= {name: fields[name] for name in _STALE if name in fields}
    since = _time(memory, values["stale_since"], "stale_since", now)
    flag = next((values[name] for name in ("stale", "is_stale") if values[name] is not None), since is not None)
    if flag is True or str(flag).strip().lower() in _TRUE:
        memory.stale_reason = (_text(values["stale_reason"]) or "it was stale where it comes from")[:MAX_SHORT]
        memory.stale_since = since


def _take_tags(memory: TaggedMemory, tags: Mapping[str, Any]) -> dict[str, str]:
    kept = {}
    for name, value in tags.items():
        text = _text(value)
        if text and len(text) <= MAX_SHORT and len(name) <= MAX_SHORT:
            kept[name] = text
        elif text:
            memory.notes.append(f"tag {name[:40]!r} left out: longer than {MAX_SHORT} characters")
    return kept


# -- references


def _take_references(memory: TaggedMemory, listed: object, tags: dict[str, Any]) -> None:
    """Move code references out of the tags. `code_link`, `git_commit` and `git_branch` also stay as tags."""
    groups: dict[int, dict[str, Any]] = {}
    for name in [name for name in tags if name.startswith("code_ref_")]:
        value, match = tags.pop(name), _TAG.fullmatch(name)
        if match and value not in (None, ""):
            groups.setdefault(int(match[1]), {})[match[2]] = value
        elif not match and name != "code_ref_count":
            memory.notes.append(f"unknown tag {name[:60]!r}")
    entries = [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []
    entries += [groups[number] for number in sorted(groups)]
    common = {"git_commit": tags.get("git_commit"), "git_branch": tags.get("git_branch")}
    refs = [_reference(memory, group, common) for group in entries]
    if isinstance(tags.get("code_link"), str):
        link = _reference(memory, {"code_link": tags["code_link"]}, common)
        if not any((ref.path, ref.lines) == (link.path, link.lines) for ref in refs):
            refs.append(link)
    memory.refs = list({(ref.path, ref.lines, ref.rest.get("symbol_id")): ref for ref in refs}.values())


def _reference(memory: TaggedMemory, group: Mapping[str, Any], common: Mapping[str, Any]) -> TaggedReference:
    path, lines = _place(memory, _first(group, "path", "file_path", "file", "uri", "link", "code_link"))
    lines = _given_lines(memory, group) or lines
    rest: dict[str, Any] = {
        "symbol_id": _short(memory, _first(group, "symbol", "symbol_id"), "symbol"),
        "git_commit": _short(memory, _first(group, "commit", "git_commit") or common["git_commit"], "commit"),
        "git_branch": _short(memory, _first(group, "branch", "git_branch") or common["git_branch"], "branch"),
        "confidence_reason": _short(memory, group.get("confidence_reason"), "confidence_reason"),
        "code_hash": _hash(memory, _first(group, "hash", "code_hash")),
        "confidence_score": _confidence(memory, _first(group, "confidence", "confidence_score")),
    }
    return TaggedReference(path, lines, {name: value for name, value in rest.items() if value is not None})


def _first(group: Mapping[str, Any], *names: str) -> Any:
    return next((group[name] for name in names if group.get(name) not in (None, "")), None)


def _place(memory: TaggedMemory, written: object) -> tuple[str, LineRange | None]:
    if not isinstance(written, str) or not written.strip() or "\0" in written:
        return "", None
    try:
        read = CodeReference.parse(written)
    except InvalidInput as error:
        memory.notes.append(error.what)
        return written.rpartition("#")[0].removeprefix("file:"), None
    return read.file_path, read.line_range


def _given_lines(memory: TaggedMemory, group: Mapping[str, Any]) -> LineRange | None:
    written = _first(group, "lines", "line_range", "line")
    if isinstance(written, Mapping):
        written = [written.get("start"), written.get("end")]
    elif written is None:
        written = [line for line in (group.get("line_start"), group.get("line_end")) if line is not None]
    text = "-".join(str(line) for line in written[:2]) if isinstance(written, list) else str(written)
    match = _LINES.fullmatch(text[:60].strip())
    if match and 1 <= int(match[1]) <= int(match[2] or match[1]) <= MAX_LINE:
        return LineRange(int(match[1]), int(match[2] or match[1]))
    if text:
        memory.notes.append(f"lines {text[:40]!r} are not a range: the reference is to the file")
    return None


def _short(memory: TaggedMemory, value: object, name: str) -> str | None:
    text = _text(value)
    if text and len(text) > MAX_SHORT:
        memory.notes.append(f"{name} of a reference left out: longer than {MAX_SHORT} characters")
        return None
    return text or None


def _hash(memory: TaggedMemory, value: object) -> str | None:
    match = _HASH.fullmatch(str(value)[:80].strip().lower())
    if value is not None and match is None:
        memory.notes.append(f"hash {str(value)[:40]!r} left out: it is not a SHA-256 hash")
    return f"sha256:{match[1]}" if match else None


def _confidence(memory: TaggedMemory, value: object) -> float | None:
    try:
        score = float(str(value)[:30]) if value is not None and not isinstance(value, bool) else None
    except ValueError:
        score = -1.0
    if score is not None and not 0.0 <= score <= 1.0:  # also if it is not a number
        memory.notes.append(f"confidence {str(value)[:40]!r} is not from 0 to 1")
        return None
    return score
