"""Code references in Memory Bridge's format: one or several `file:///path/to/file.py#L10-50`."""

import re
from dataclasses import dataclass

from waypost.compat.memory_bridge.values import json_of, text_of
from waypost.errors import InvalidInput
from waypost.model.draft import MAX_ITEMS, NOT_IN_A_NAME
from waypost.model.reference import CodeReference
from waypost.store.sqlite.foreign import Value

_LONGEST = 5000
_BETWEEN = re.compile(r"[\n;]|,\s{0,3}(?=file:)|(?<=\d),\s{0,3}(?=[\w./])")


@dataclass(frozen=True, slots=True)
class BridgeReferences:
    valid: tuple[CodeReference, ...]
    lost: tuple[str, ...]  # unreadable ones


NO_REFERENCES = BridgeReferences((), ())


def parse_refs(value: Value) -> BridgeReferences:
    """The references in one value."""
    listed = json_of(value)
    if isinstance(listed, list):
        texts = [part for part in listed if isinstance(part, str)]
    else:
        text = text_of(value)
        texts = _BETWEEN.split(text[:_LONGEST]) if text else []
    valid: dict[CodeReference, None] = {}
    lost: dict[str, None] = {}
    for text in (part.strip() for part in texts[:MAX_ITEMS] if part.strip()):
        try:
            if NOT_IN_A_NAME.search(text):
                raise InvalidInput("It has control characters.", "")
            valid[CodeReference.parse(text)] = None
        except InvalidInput:
            lost[" ".join(text.split())] = None
    return BridgeReferences(tuple(valid), tuple(lost))
