"""A project without a checkout on this machine: which checkout is shown, and as of when.

Nothing is judged or dropped because files are missing. Verdicts and indexed code stay as the other machine left them.
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
    """The checkouts of a space, last judged first. Without judgements, those with an index first."""
    checkouts = [
        Checkout(checkout_id, root, _judged_at(reader, checkout_id))
        for checkout_id, root in reader.code.checkouts().items()
    ]
    if checkouts and all(checkout.judged_at is None for checkout in checkouts):
        checkouts = _by_verdicts(reader, checkouts, now)
    order = {checkout.id: place for place, checkout in enumerate(checkouts)}
    rank = {
        checkout.id: (checkout.judged_at or _LONG_AGO, reader.code.has_any(checkout.id), order[checkout.id])
        for checkout in checkouts
    }
    return tuple(sorted(checkouts, key=lambda checkout: rank[checkout.id], reverse=True))


def seen_elsewhere(space: OpenSpace, reader: Reader) -> Checkout | None:
    """The checkout whose verdicts and index are shown, or None if the repository is here or there is no project."""
    if not space.identity.is_away:
        return None
    checkout = space.identity.checkout_id
    return Checkout(checkout, reader.code.checkouts().get(checkout, ""), _judged_at(reader, checkout))


def notice_elsewhere(space: OpenSpace) -> tuple[str, ...]:
    """A notice that the repository is not here, if so."""
    if not space.identity.is_away:
        return ()
    with space.store.read() as reader:
        seen = seen_elsewhere(space, reader)
    when = seen.description if seen is not None else ""
    return (f"The tree of {space.identity.name!r} is not on this machine; what is said of its code is {when}.",)


def indexed_symbols(space: OpenSpace, path: str) -> list[Version]:
    """The indexed symbols of a file or sections of a document, in order."""
    with space.store.read() as reader:
        rows = reader.code.derived(space.identity.checkout_id, [path], ["symbol", "file"])
        versions = reader.memories.by_number([row.number for row in rows if row.name != path]).values()
    placed = [version for version in versions if version.refs and version.refs[0].line_range is not None]
    return sorted(placed, key=_lines_of)


def _lines_of(version: Version) -> tuple[int, int]:
    lines = version.refs[0].line_range
    return (lines.start, -lines.end) if lines is not None else (0, 0)


def as_judged(
    reader: Reader, seen: Checkout, verdicts: Mapping[tuple[int, int], StoredVerdict]
) -> dict[tuple[int, int], StoredVerdict]:
    """Verdicts with the time when each was last confirmed: a full check stores only changes."""
    looked_at = reader.meta.get(looked_at_key(seen.id))
    if looked_at is None:
        return dict(verdicts)
    last = parse_time(looked_at, looked_at_key(seen.id))
    return {key: replace(verdict, checked_at=max(verdict.checked_at, last)) for key, verdict in verdicts.items()}


def _judged_at(reader: Reader, checkout: str) -> datetime | None:
    stored = ((key, reader.meta.get(key)) for key in (judged_key(checkout), looked_at_key(checkout)))
    return max((parse_time(value, key) for key, value in stored if value), default=None)


def _by_verdicts(reader: Reader, checkouts: list[Checkout], now: datetime) -> list[Checkout]:
    """For databases that do not store when a checkout was judged."""
    numbers = {row.number for row in reader.references.visible(View(Moment(now), KEPT_COLLECTIONS))}
    if not numbers:
        return checkouts
    return [
        replace(
            checkout,
            judged_at=max(
                (v.checked_at for v in reader.references.verdicts(checkout.id, numbers).values()), default=None
            ),
        )
        for checkout in checkouts
    ]
