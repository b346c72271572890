"""Turns a file of tagged memories into drafts with references into this checkout."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from waypost.compat.coding_brain.places import CheckoutFiles, checkout_files, unplaced_tags
from waypost.compat.coding_brain.tag_format import LARGEST_FILE, TaggedMemory, TaggedReference, parse_rows, read_tagged
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.links.past_code import PastReferences
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import MAX_ITEMS, MAX_SHORT, Draft
from waypost.model.reference import CodeReference
from waypost.store.open_databases import refuse_open_database


@dataclass(slots=True)
class TaggedDraft:
    """A memory of the file with its draft, or with a note that says why it has none."""

    memory: TaggedMemory
    refs: list[CodeReference] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    draft: Draft | None = None


def read_items(space: OpenSpace, path: Path, import_id: str) -> list[TaggedDraft]:
    """Every memory of the file, in order. Raises InvalidInput if the file cannot be read."""
    items = []
    for number, row in enumerate(parse_rows(_content(path)), 1):
        try:
            items.append(TaggedDraft(read_tagged(number, row, space.clock())))
        except (InvalidInput, RecursionError) as error:  # a value nested too deeply
            what = error.what if isinstance(error, InvalidInput) else "It is nested too deeply."
            items.append(TaggedDraft(TaggedMemory(number, notes=[f"refused: {what}"])))
    places = checkout_files(space, [ref.path for item in items for ref in item.memory.refs])
    for item in items:
        _place(item, places)
    then = PastReferences(space, [ref for item in items for ref in item.refs])
    for item in items:
        if item.memory.draft_fields:
            _make_draft(item, then, import_id)
    return items


def _content(path: Path) -> bytes:
    refuse_open_database(path)
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    if len(content) > LARGEST_FILE:
        raise InvalidInput(f"{path} has more than {LARGEST_FILE:,} bytes.", "Split it.")
    return content


def _place(item: TaggedDraft, places: CheckoutFiles | None) -> None:
    for ref in item.memory.refs:
        here = ref.path if places is None else places.find(ref.path)
        why = "" if here else "no such file here, or several"
        if here and len(item.refs) >= MAX_ITEMS:
            why = "too many references for one memory"
        if here and not why:
            try:
                item.refs.append(CodeReference.from_json(_as_json(item.memory, ref, here)))
                continue
            except InvalidInput as error:
                why = error.what
        item.lost.append(str(ref))
        item.memory.notes.append(f"reference {str(ref)[:200]} kept as a tag: {why}")


def _as_json(memory: TaggedMemory, ref: TaggedReference, here: str) -> dict[str, Any]:
    row: dict[str, Any] = {"file_path": here, **ref.rest}
    if ref.lines:
        row["line_range"] = {"start": ref.lines.start, "end": ref.lines.end}
    times = {"created_at": memory.draft_fields.get("valid_from"), "stale_since": memory.stale_since}
    return row | {name: value for name, value in times.items() if value}


def _make_draft(item: TaggedDraft, then: PastReferences, import_id: str) -> None:
    memory = item.memory
    moved = [then.bring(ref) for ref in item.refs]
    stale = "; ".join(dict.fromkeys(past.stale for past in moved if past.stale))[:MAX_SHORT]
    refs = dict.fromkeys(past.reference for past in moved)  # two may refer to the same place now
    tags = {**memory.draft_fields["tags"], **dict(unplaced_tags(item.lost))}
    try:
        draft = Draft.of({**memory.draft_fields, "refs": [ref.to_json() for ref in refs], "tags": tags})
    except WaypostError as error:
        memory.notes.append(f"refused: {error.what}")
        return
    item.draft = replace(draft, import_id=import_id, stale_reason=memory.stale_reason or stale or None)
