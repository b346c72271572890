"""What of a memory holds again once the memories that had replaced it are gone."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost.facts.validity import Period, remaining, shared
from waypost.model.memory import Version


@dataclass(frozen=True, slots=True)
class Return:
    """Versions to be written anew, and the held ones whose place they take because they go on from them."""

    versions: tuple[Version, ...] = ()
    absorbed: tuple[Version, ...] = ()


def what_returns(
    versions: Sequence[Version], replaced_at: Collection[datetime], region: Sequence[Period], taken: Sequence[Period]
) -> Return:
    """What of these versions of one memory holds again.

    `replaced_at`: when the memories that are gone now took its place. `region`: for which time it may hold again. `taken`:
    for which time others hold in its place. Only what a replacement ended comes back: if the memory was retracted, or its
    time was changed in the meantime, nothing does.
    """
    held = [version for version in versions if version.superseded_at is None]
    pieces = _ended_pieces(versions, held, replaced_at, region, taken)
    covered = [*(one.period for one in held), *taken, *(piece for _, piece in pieces)]
    pieces = [
        (version, piece)
        for version, piece in pieces
        if not remaining((rest.period for rest in _rests(version, versions, replaced_at)), covered)
    ]
    return _joined(pieces, held)


def _ended_pieces(
    versions: Sequence[Version],
    held: Sequence[Version],
    replaced_at: Collection[datetime],
    region: Sequence[Period],
    taken: Sequence[Period],
) -> list[tuple[Version, Period]]:
    """The parts of the region of which the last word of the memory was ended by one of the replacements."""
    later: list[Period] = [version.period for version in held]
    pieces: list[tuple[Version, Period]] = []
    for version in sorted(versions, key=lambda one: -one.number):
        if version.superseded_at is None:
            continue
        last_word = remaining([version.period], later)
        later.append(version.period)
        if _was_replaced(version, replaced_at):
            parts = [part for piece in last_word for some in region for part in shared(piece, some)]
            pieces += [(version, piece) for piece in remaining(parts, taken)]
    return pieces


def _was_replaced(version: Version, replaced_at: Collection[datetime]) -> bool:
    ended, began = version.superseded_at, version.recorded_at
    # A clock that went back: nothing ends before it was recorded.
    return ended in replaced_at or (ended == began and any(at < began for at in replaced_at))


def _rests(version: Version, versions: Sequence[Version], replaced_at: Collection[datetime]) -> list[Version]:
    """What a replacement left of a version, before and after its own time."""
    return [
        one
        for one in versions
        if one.number > version.number
        and one.recorded_at in replaced_at
        and one.recorded_at <= (version.superseded_at or one.recorded_at)
        and one.text == version.text
        and not remaining([one.period], [version.period])
    ]


def _joined(pieces: Iterable[tuple[Version, Period]], held: Sequence[Version]) -> Return:
    """Each piece as one version with what it goes on from, which may have been put right since."""
    new: list[Version] = []
    absorbed: list[Version] = []
    for version, (start, end) in sorted(pieces, key=lambda one: one[1][0]):
        beside = [*new, *(one for one in held if one not in absorbed)]
        before, after = _ending_at(start, beside), _beginning_at(end, beside)
        like = before or after or version
        if after is not None and not _says_the_same(after, like):
            after = None
        whole = replace(
            like,
            key=like.key or version.key,
            superseded_at=None,
            valid_from=before.valid_from if before is not None else start,
            valid_until=after.valid_until if after is not None else end,
        )
        for one in (before, after):
            if one is not None and one in new:
                new.remove(one)
            elif one is not None:
                absorbed.append(one)
        new.append(whole)
    return Return(tuple(new), tuple(absorbed))


def _ending_at(instant: datetime, among: Iterable[Version]) -> Version | None:
    return next((one for one in among if one.valid_until == instant), None)


def _beginning_at(instant: datetime | None, among: Iterable[Version]) -> Version | None:
    return next((one for one in among if instant is not None and one.valid_from == instant), None)


def _says_the_same(one: Version, other: Version) -> bool:
    return (one.text, one.kind, one.level, one.domain, one.module, one.source, one.actor, one.parent) == (
        other.text, other.kind, other.level, other.domain, other.module, other.source, other.actor, other.parent
    )  # fmt: skip
