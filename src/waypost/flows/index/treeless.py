"""A project whose tree is not at hand: which of its checkouts is looked at, and as of when what it shows was true.

Nothing is judged here, and nothing dropped because files are not found: verdicts and what was read out of the tree stay as
the machine that has it left them.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from waypost.flows.open_space import OpenSpace, judged_key, looked_at_key
from waypost.model.checkout import Checkout
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment, parse_time
from waypost.store.protocol import Reader, StoredVerdict

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def checkouts_of(reader: Reader, now: datetime) -> tuple[Checkout, ...]:
    """The checkouts of a space, the one that was judged last first; of those that never were, those with an index first."""
    found = [Checkout(one, root, _judged_at(reader, one)) for one, root in reader.checkouts().items()]
    if found and all(one.judged_at is None for one in found):
        found = _by_verdicts(reader, found, now)
    order = {one.id: place for place, one in enumerate(found)}
    rank = {one.id: (one.judged_at or _LONG_AGO, reader.has_code(one.id), order[one.id]) for one in found}
    return tuple(sorted(found, key=lambda one: rank[one.id], reverse=True))


def seen_elsewhere(space: OpenSpace, reader: Reader) -> Checkout | None:
    """The checkout whose verdicts and index are shown; None where the tree is here, or there is none."""
    if not space.identity.is_away:
        return None
    checkout = space.identity.checkout_id
    return Checkout(checkout, reader.checkouts().get(checkout, ""), _judged_at(reader, checkout))


def notice_elsewhere(space: OpenSpace) -> tuple[str, ...]:
    """What whoever reads such a memory has to be told; nothing where the tree is here."""
    if not space.identity.is_away:
        return ()
    with space.store.read() as reader:
        seen = seen_elsewhere(space, reader)
    told = seen.description if seen is not None else ""
    return (f"The tree of {space.identity.name!r} is not on this machine; what is said of its code is {told}.",)


def indexed_symbols(space: OpenSpace, path: str) -> list[Version]:
    """The symbols of a file and the sections of a document as they were indexed, in their order."""
    with space.store.read() as reader:
        rows = reader.derived(space.identity.checkout_id, [path], ["symbol", "file"])
        found = reader.versions_by_number([row.number for row in rows if row.name != path]).values()
    placed = [one for one in found if one.refs and one.refs[0].line_range is not None]
    return sorted(placed, key=_lines_of)


def _lines_of(version: Version) -> tuple[int, int]:
    lines = version.refs[0].line_range
    return (lines.start, -lines.end) if lines is not None else (0, 0)


def as_judged(
    reader: Reader, seen: Checkout, verdicts: Mapping[tuple[int, int], StoredVerdict]
) -> dict[tuple[int, int], StoredVerdict]:
    """Verdicts with the time when each was seen to hold last: a look at all of them notes only what has changed."""
    told = reader.meta(looked_at_key(seen.id))
    if told is None:
        return dict(verdicts)
    last = parse_time(told, looked_at_key(seen.id))
    return {key: replace(one, checked_at=max(one.checked_at, last)) for key, one in verdicts.items()}


def _judged_at(reader: Reader, checkout: str) -> datetime | None:
    told = ((key, reader.meta(key)) for key in (judged_key(checkout), looked_at_key(checkout)))
    return max((parse_time(value, key) for key, value in told if value), default=None)


def _by_verdicts(reader: Reader, found: list[Checkout], now: datetime) -> list[Checkout]:
    """For what was judged before the time was noted."""
    numbers = {row.number for row in reader.references(View(Moment(now), KEPT_COLLECTIONS))}
    if not numbers:
        return found
    return [
        replace(one, judged_at=max((v.checked_at for v in reader.verdicts(one.id, numbers).values()), default=None))
        for one in found
    ]
