"""Entity tags of memories. A tag changes with the memory's text, state or code references."""

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from waypost.faces.rest.problems import ProblemError

if TYPE_CHECKING:
    from waypost.faces.rest.caller import SpaceAccess
    from waypost.model.code_link import LinkedMemory

LONGEST = 1000
_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
_VOLATILE = frozenset({"checked_at"})  # changes without a change of the result


def etag_of(memory: "LinkedMemory") -> str:
    """Computed from the version number, the state and the code references."""
    state = memory.state
    state_values = [
        str(getattr(state, name))
        for name in ("protected", "is_stale", "stale_reason", "archived_at", "expires_at", "on_expire", "ttl_class")
    ]
    links = [{name: value for name, value in link.to_json().items() if name not in _VOLATILE} for link in memory.links]
    text = json.dumps([state_values, links], sort_keys=True, default=str)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f'"{memory.version.number}-{digest}"'


def read_tags(header: str) -> list[str] | None:
    """The tags of an If-Match or If-None-Match header; None for `*`. Raises ProblemError if the header is invalid."""
    text = header.strip()
    if text == "*":
        return None
    tags = [part.strip() for part in text.split(",")]
    if len(text) > LONGEST or not all(_TAG.fullmatch(tag) for tag in tags):
        raise ProblemError(400, "Invalid entity tag.", 'Send the ETag unchanged, with its quotes: "12-ab34".')
    return tags


def is_known(header: str | None, etag: str) -> bool:
    """Whether If-None-Match names the current state."""
    if header is None:
        return False
    tags = read_tags(header)
    return tags is None or etag in (tag.removeprefix("W/") for tag in tags)


def check_match(access: "SpaceAccess", memory_id: str, header: str | None) -> None:
    """Raise ProblemError unless the memory is as If-Match says. Call it while holding the memory's lock."""
    if header is None:
        return
    tags, now = read_tags(header), etag_of(access.memory.show(memory_id))
    if tags is not None and now not in tags:
        more: dict[str, Any] = {"headers": ((b"etag", now.encode()),)}
        raise ProblemError(412, "The memory has changed since you read it.", "Read it again, then decide.", **more)
