"""A memory as an answer shows it."""

from collections.abc import Mapping
from datetime import datetime

from waypost.code.summary.line import symbol_line
from waypost.model.checkout import Checkout
from waypost.model.code_link import CodeLink, LinkedMemory
from waypost.model.code_verdict import UNCHANGED, CodeVerdict
from waypost.model.kinds import labels_of
from waypost.model.memory import State, Version
from waypost.model.recall import Hit
from waypost.refs.confidence import confidence


def derived(version: Version, now: datetime, seen: Checkout | None = None) -> LinkedMemory:
    """A memory that was read out of the tree: what is shown of it was looked at there, now; or, where it was `seen` in a
    checkout that is not at hand, when that was read."""
    read_at = now if seen is None else version.recorded_at
    state = State()
    if seen is None:
        links = tuple(CodeLink(reference, reference, CodeVerdict(UNCHANGED)) for reference in version.refs)
    else:
        links = tuple(
            CodeLink(reference, reference, checked_at=read_at, checkout=seen.root) for reference in version.refs
        )
    return LinkedMemory(version, state, links, confidence(version, State(verified_at=read_at), now), seen_at=read_at)


def hit_of(
    memory: LinkedMemory,
    score: float,
    why: Mapping[str, float],
    *,
    certainty: float | None = None,
    evidence: Mapping[str, float] | None = None,
) -> Hit:
    version, state = memory.version, memory.state
    first = memory.links[0].reference if memory.links else None
    lines = first.line_range if first else None
    return Hit(
        id=version.memory_id,
        score=score,
        text=version.text,
        kind=version.kind,
        collection=version.collection,
        source=version.source,
        valid_from=version.valid_from,
        recorded_at=version.recorded_at,
        valid_until=version.valid_until,
        key=version.key,
        name=version.name,
        type=version.details.get("type"),
        path=first.file_path if first else None,
        line=lines.start if lines else None,
        end_line=lines.end if lines else None,
        summary=_summary(version),
        level=version.level,
        **labels_of(version.details),
        domain=version.domain,
        session=version.session,
        speaker=version.speaker,
        time=version.time,
        confidence=memory.confidence,
        is_stale=state.is_stale,
        stale_reason=state.stale_reason,
        links=memory.links,
        tags=version.tags,
        why=why,
        certainty=certainty,
        evidence=evidence or {},
    )


def _summary(version: Version) -> str:
    """One line: what the author says of the code, else what the code shows. Of other memories: how they begin."""
    details = version.details
    if version.kind == "symbol":
        return details.get("summary") or symbol_line(details) or _one_line(version.text)
    return details.get("summary") or _one_line(version.text)


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:157].rsplit(" ", 1)[0] + " …"
