"""`metadata.json` of a space: a description for people and `doctor`, without secrets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waypost.errors import ForeignFile, InvalidInput, NotFound, SecurityError
from waypost.system.platform import read_small_file, write_private_file

METADATA_FILE = "metadata.json"
_LARGEST_METADATA = 1_000_000


@dataclass(frozen=True, slots=True)
class Metadata:
    name: str
    kind: str  # project | person
    source: str  # what the id was computed from
    origin: str | None
    created: datetime
    model: str = ""  # the embedding engine
    schema_version: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)  # keys of other versions, preserved


def read_metadata(directory: Path) -> Metadata:
    """The metadata of the space in `directory`. Raises NotFound without the file, ForeignFile if it isn't Waypost's."""
    path = directory / METADATA_FILE
    try:
        content = json.loads(read_small_file(path, _LARGEST_METADATA))
    except FileNotFoundError as error:
        raise NotFound(f"There is no {path}.", "Open the space first.") from error
    except OSError as error:
        raise ForeignFile(f"{path} cannot be read: {error.strerror}.", "Make it readable for this user.") from error
    except (InvalidInput, ValueError, RecursionError) as error:
        raise _malformed(path, "it is not JSON") from error
    if not isinstance(content, dict):
        raise _malformed(path, "it is not a JSON object")
    return _from_json(path, content)


def write_metadata(directory: Path, metadata: Metadata, *, replace: bool = True) -> bool:
    """Write the file atomically, readable by its owner only. Returns whether it was written.

    With `replace=False` an existing file stays.
    """
    path = directory / METADATA_FILE
    if path.is_symlink():
        raise SecurityError(f"{path} is a symlink.", "Remove it: Waypost's files are never links.")
    content = json.dumps(_to_json(metadata), ensure_ascii=False, indent=2) + "\n"
    return write_private_file(path, content.encode("utf-8"), replace=replace)


def update_metadata(directory: Path, model: str, schema_version: int) -> None:
    """Record the space's current engine and schema version, if they have changed."""
    old = read_metadata(directory)
    new = replace_fields(old, model=model, schema_version=schema_version)
    if new != old:
        write_metadata(directory, new)


def _to_json(metadata: Metadata) -> dict[str, Any]:
    return {
        **metadata.extra,
        "name": metadata.name,
        "kind": metadata.kind,
        "source": metadata.source,
        "origin": metadata.origin,
        "created": metadata.created.astimezone(UTC).isoformat(),
        "model": metadata.model,
        "schema_version": metadata.schema_version,
    }


def _from_json(path: Path, row: dict[str, Any]) -> Metadata:
    def take(key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        value = row.pop(key, default)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise _malformed(path, f"{key!r} is missing or has the wrong type")
        return value

    created = take("created", str)
    try:
        instant = datetime.fromisoformat(created)
    except ValueError as error:
        raise _malformed(path, "'created' is not a time") from error
    if instant.tzinfo is None:
        raise _malformed(path, "'created' has no time zone")
    return Metadata(
        name=take("name", str),
        kind=take("kind", str),
        source=take("source", str),
        origin=take("origin", (str, type(None))),
        created=instant,
        model=take("model", str, ""),
        schema_version=take("schema_version", int, 0),
        extra=row,
    )


def _malformed(path: Path, why: str) -> ForeignFile:
    return ForeignFile(
        f"{path} cannot be read: {why}.",
        "Correct it, or move it away and open the space again to recreate it.",
    )
