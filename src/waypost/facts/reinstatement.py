"""Which versions of a memory become valid again when the memories that replaced it are gone."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.facts.validity import Period, intersection, subtract
from waypost.model.memory import Version


@dataclass(frozen=True, slots=True)
class Reinstatement:
    """Versions to write, and the current versions that they extend and replace."""

    versions: tuple[Version, ...] = ()
    absorbed: tuple[Version, ...] = ()


def reinstated_versions(
    versions: Sequence[Version], replaced_at: Collection[datetime], region: Sequence[Period], occupied: Sequence[Period]
) -> Reinstatement:
    """The versions of one memory that become valid again.

    `replaced_at`: when the removed memories replaced it. `region`: the time for which it may return. `occupied`: the
    time for which others are valid instead. Only versions ended by a replacement return. Nothing returns if the memory
    was retracted or its validity changed meanwhile.
    """
    current = [version for version in versions if version.superseded_at is None]
    pieces = _ended_pieces(versions, current, replaced_at, region, occupied)
    covered = [*(version.period for version in current), *occupied, *(piece for _, piece in pieces)]
    pieces = [
        (version, piece)
        for version, piece in pieces
        if not subtract((remainder.period for remainder in _remainders(version, versions, replaced_at)), covered)
    ]
    return _join(pieces, current)


def _ended_pieces(
    versions: Sequence[Version],
    current: Sequence[Version],
    replaced_at: Collection[datetime],
    region: Sequence[Period],
    occupied: Sequence[Period],
) -> list[tuple[Version, Period]]:
    """The parts of the region whose last version was ended by one of the replacements."""
    later: list[Period] = [version.period for version in current]
    pieces: list[tuple[Version, Period]] = []
    for version in sorted(versions, key=lambda version: -version.number):
        if version.superseded_at is None:
            continue
        last_word = subtract([version.period], later)
        later.append(version.period)
        if _was_replaced(version, replaced_at):
            parts = [part for piece in last_word for allowed in region for part in intersection(piece, allowed)]
            pieces += [(version, piece) for piece in subtract(parts, occupied)]
    return pieces


def _was_replaced(version: Version, replaced_at: Collection[datetime]) -> bool:
    ended, began = version.superseded_at, version.recorded_at
    # If the clock went back, a version ends when it was recorded.
    return ended in replaced_at or (ended == began and any(at < began for at in replaced_at))


def _remainders(version: Version, versions: Sequence[Version], replaced_at: Collection[datetime]) -> list[Version]:
    return [
        other
        for other in versions
        if other.number > version.number
        and other.recorded_at in replaced_at
        and other.recorded_at <= (version.superseded_at or other.recorded_at)
        and other.text == version.text
        and not subtract([other.period], [version.period])
    ]


def _join(pieces: Iterable[tuple[Version, Period]], current: Sequence[Version]) -> Reinstatement:
    """Each piece joined to the neighbouring version that it continues, which may have been corrected since."""
    new: list[Version] = []
    absorbed: list[Version] = []
    for version, (start, end) in sorted(pieces, key=lambda piece: piece[1][0]):
        neighbours = [*new, *(version for version in current if version not in absorbed)]
        before = next((other for other in neighbours if other.valid_until == start), None)
        after = next((other for other in neighbours if end is not None and other.valid_from == end), None)
        template = before or after or version
        if after is not None and not _has_same_content(after, template):
            after = None
        whole = replace(
            template,
            key=template.key or version.key,
            superseded_at=None,
            valid_from=before.valid_from if before is not None else start,
            valid_until=after.valid_until if after is not None else end,
        )
        for neighbour in (before, after):
            if neighbour is not None and neighbour in new:
                new.remove(neighbour)
            elif neighbour is not None:
                absorbed.append(neighbour)
        new.append(whole)
    return Reinstatement(tuple(new), tuple(absorbed))


def _has_same_content(first: Version, second: Version) -> bool:
    names = ("text", "kind", "level", "domain", "module", "source", "actor", "parent")
    return all(getattr(first, name) == getattr(second, name) for name in names)
