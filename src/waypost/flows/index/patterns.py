"""Include and exclude patterns of a checkout."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from waypost.flows.open_space import OpenSpace, patterns_key
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class IndexPatterns:
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


def stored_patterns(space: OpenSpace) -> IndexPatterns:
    """The patterns of this checkout."""
    with space.store.read() as reader:
        return read_patterns(space, reader)


def read_patterns(space: OpenSpace, reader: Reader) -> IndexPatterns:
    stored = json.loads(reader.meta.get(patterns_key(space)) or "{}")
    return IndexPatterns(tuple(stored.get("include", ())), tuple(stored.get("exclude", ())))


def save_patterns(space: OpenSpace, include: Sequence[str] | None, exclude: Sequence[str] | None) -> IndexPatterns:
    """Store new patterns; None keeps the stored ones. Returns those that apply now."""
    before = stored_patterns(space)
    patterns = IndexPatterns(
        before.include if include is None else tuple(include), before.exclude if exclude is None else tuple(exclude)
    )
    if include is not None or exclude is not None:
        with space.store.write() as writer:
            writer.meta.set(patterns_key(space), json.dumps({"include": patterns.include, "exclude": patterns.exclude}))
    return patterns
