"""References to code as Memory Bridge writes them: `file:///path/to/file.py#L10-50`, one or several."""

import re
from dataclasses import dataclass

from waypost.compat.memory_bridge.values import json_of, text_of
from waypost.errors import InvalidInput
from waypost.model.draft import MAX_ITEMS
from waypost.model.reference import CodeReference
from waypost.store.sqlite.foreign import Value

_LONGEST = 5000
_BETWEEN = re.compile(r"[\n;]|,\s{0,3}(?=file:)|(?<=\d),\s{0,3}(?=[\w./])")
_NOT_IN_A_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class BridgeReferences:
    found: tuple[CodeReference, ...]
    lost: tuple[str, ...]  # what could not be read


NOTHING = BridgeReferences((), ())


def written_refs(value: Value) -> BridgeReferences:
    """All references of one column of one row."""
    listed = json_of(value)
    if isinstance(listed, list):
        texts = [one for one in listed if isinstance(one, str)]
    else:
        text = text_of(value)
        texts = _BETWEEN.split(text[:_LONGEST]) if text else []
    found: dict[CodeReference, None] = {}
    lost: dict[str, None] = {}
    for text in (one.strip() for one in texts[:MAX_ITEMS] if one.strip()):
        try:
            if _NOT_IN_A_NAME.search(text):
                raise InvalidInput("It has control characters.", "")
            found[CodeReference.parse(text)] = None
        except InvalidInput:
            lost[" ".join(text.split())] = None
    return BridgeReferences(tuple(found), tuple(lost))
