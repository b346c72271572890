"""From candidates to facts: certain ones are stored with the extractor as source, the others need review."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import WaypostError
from waypost.facts.rejection.marks import LEARNED, rejection_marks, topic_marks
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.versions.prepare import prepare
from waypost.flows.write.proposals import PROPOSAL
from waypost.flows.write.remember import preview, remember
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.draft import Draft
from waypost.model.memory import Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.review_item import HELD, KNOWN, MERGED, OLDER, REFUSED, REPLACED, STORED, WAITING, DecidedCandidate
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

EXTRACTOR = Caller("extractor", "learn")
_LONGEST_KEY = 480
WAS = "was"  # in a candidate's row: tombstones, in hex, of its text before it was edited
_PAGE = 500


def take(
    space: OpenSpace,
    candidates: Sequence[Candidate],
    caller: Caller = EXTRACTOR,
    *,
    dry_run: bool = False,
) -> tuple[DecidedCandidate, ...]:
    """Store certain candidates, and put the others up for review. Repeating it changes nothing.

    A candidate replaces what was learned about its topic before, unless it is older. A person's memory is only replaced
    with approval.
    """
    parsed = [_item_or_refusal(space, candidate) for candidate in candidates]
    with space.store.read() as reader:
        placed = [_compare_with_stored(reader, item) if isinstance(item, _Item) else item for item in parsed]
    decided = {place: outcome for place, outcome in enumerate(placed) if isinstance(outcome, DecidedCandidate)}
    items = {place: outcome for place, outcome in enumerate(placed) if isinstance(outcome, _Item)}
    certain = [place for place, item in items.items() if _is_certain(space, item)]
    uncertain = [place for place, item in items.items() if not _is_certain(space, item)]
    drafts = [items[place].draft for place in certain]
    receipts = preview(space, drafts, caller) if dry_run else list(remember(space, drafts, caller, direct=False))
    for place, receipt in zip(certain, receipts, strict=True):
        decided[place] = _stored(items[place], receipt)
    for place, receipt in zip(uncertain, preview(space, [items[p].draft for p in uncertain], caller), strict=True):
        decided[place] = _previewed(items[place], receipt)
    if not dry_run:
        _drop_superseded(space, [items[place].candidate for place in certain if decided[place].approved])
    doubtful = [place for place in uncertain if decided[place].status == HELD]
    decided |= dict(
        zip(doubtful, _put_up_for_review(space, [(items[p], decided[p]) for p in doubtful], dry_run), strict=True)
    )
    return tuple(decided[place] for place in range(len(parsed)))


@dataclass(frozen=True, slots=True)
class _Item:
    candidate: Candidate
    draft: Draft
    doubt: str = ""  # why it is not certain, apart from its confidence


def _item_or_refusal(space: OpenSpace, candidate: Candidate) -> "_Item | DecidedCandidate":
    """A candidate as an item, or a refusal: names in code can be anything, and one bad name must not stop the others."""
    try:
        return _Item(candidate, replace(draft_of(space, candidate), memory_id=space.new_id()))
    except WaypostError as error:
        return DecidedCandidate(candidate, REFUSED, None, error.what)


def draft_of(space: OpenSpace, candidate: Candidate) -> Draft:
    """The draft of a candidate, without references to files that do not exist."""
    return Draft.of(
        {
            "text": candidate.text,
            "kind": candidate.kind,
            "level": candidate.level,
            "domain": candidate.domain or None,
            "module": candidate.module or None,
            "refs": [ref for ref in candidate.refs if _is_here(space, ref)],
            "evidence": list(candidate.evidence),
            "ttl_class": candidate.ttl_class,
            # At most now: a committer's clock may be ahead of ours.
            "valid_from": None if candidate.time is None else min(candidate.time, space.clock()),
            "key": key_of(candidate.topic),
            "tags": {"origin": candidate.origin},
        }
    )


def _is_here(space: OpenSpace, ref: str) -> bool:
    try:
        path = place_in(space, ref.partition("#")[0])
    except WaypostError:  # it is outside of the repository, or there is no repository
        return False
    root = space.identity.root
    if root is not None:
        return (root / path).is_file()
    with space.store.read() as reader:
        return path in reader.code.files(space.identity.checkout_id, [path])


def key_of(topic: str) -> str | None:
    return f"{LEARNED}{topic}" if topic and len(topic) <= _LONGEST_KEY else None


def _compare_with_stored(reader: Reader, item: _Item) -> "_Item | DecidedCandidate":
    """Compare with what is stored on its topic: nothing, the same, something older to replace, or something newer."""
    draft = item.draft
    stored = reader.memories.with_key(draft.key) if draft.key else None
    if stored is None or says_the_same(stored, draft):
        return item
    if draft.valid_from is not None and stored.valid_from > draft.valid_from:
        return DecidedCandidate(item.candidate, OLDER, stored.memory_id, "something later is known on this")
    if stored.source == "person":
        return replace(item, draft=replace(draft, replaces=stored.memory_id), doubt="a person said what it replaces")
    return replace(item, draft=replace(draft, replaces=stored.memory_id))


def says_the_same(stored: Version, draft: Draft) -> bool:
    words = stored.text.casefold().split() == draft.text.casefold().split()
    return words and (stored.kind, stored.domain) == (draft.kind, draft.domain)


def _is_certain(space: OpenSpace, item: _Item) -> bool:
    return item.candidate.is_certain and not item.doubt and space.settings.learn_hold != "all"


def _stored(item: _Item, receipt: Receipt) -> DecidedCandidate:
    if receipt.review:
        return DecidedCandidate(
            item.candidate, HELD if receipt.status == "added" else WAITING, receipt.id, receipt.reason
        )
    status = {"added": STORED, "merged": MERGED, "duplicate": KNOWN, "refused": REFUSED}[receipt.status]
    if status == STORED and receipt.replaces:
        status = REPLACED
    return DecidedCandidate(item.candidate, status, receipt.id, receipt.reason)


def _previewed(item: _Item, receipt: Receipt) -> DecidedCandidate:
    if receipt.status in ("duplicate", "refused"):
        return _stored(item, receipt)
    doubt = item.doubt or (f"it would be merged into {receipt.id}" if receipt.status == "merged" else receipt.reason)
    return DecidedCandidate(item.candidate, HELD, item.draft.memory_id, doubt or None)


def _put_up_for_review(
    space: OpenSpace, items: Sequence[tuple[_Item, DecidedCandidate]], dry_run: bool
) -> list[DecidedCandidate]:
    """Store candidates for review, once each. On the same topic a later one replaces the earlier."""
    if not items:
        return []
    key = space.tombstone_key()
    if dry_run:
        with space.store.read() as reader:
            return [_compare_with_pending(space, reader, item, taken, key)[0] for item, taken in items]
    with space.store.write() as writer:
        done = []
        for item, taken in items:
            outcome, overtaken = _compare_with_pending(space, writer, item, taken, key)
            if outcome.status == HELD:
                writer.facts.drop_candidates(overtaken)
                writer.facts.put_candidate(_candidate_row(space, item, taken, key))
            done.append(outcome)
    return done


def _compare_with_pending(
    space: OpenSpace, reader: Reader, item: _Item, taken: DecidedCandidate, key: bytes
) -> tuple[DecidedCandidate, list[str]]:
    prepared = prepare(space, item.draft, EXTRACTOR, key)
    said = prepared.version.fingerprint
    topics = [item.candidate.topic] if item.candidate.topic else []
    like = reader.facts.candidates_like([said], topics)
    for row in like:
        if row.fingerprint == said or prepared.tombstone in earlier_marks(row):
            return DecidedCandidate(item.candidate, WAITING, row.candidate_id, "it waits already"), []
        earlier, later = item.candidate.time, candidate_of(row).time
        if earlier is not None and later is not None and earlier < later:
            return DecidedCandidate(item.candidate, OLDER, row.candidate_id, "something later waits on this"), []
    return taken, [row.candidate_id for row in like]


def _candidate_row(space: OpenSpace, item: _Item, taken: DecidedCandidate, key: bytes) -> CandidateRow:
    prepared = prepare(space, item.draft, EXTRACTOR, key)
    return CandidateRow(
        str(item.draft.memory_id),
        space.clock(),
        item.candidate.confidence,
        item.candidate.origin,
        item.candidate.topic,
        taken.reason or item.candidate.reason,
        prepared.version.fingerprint,
        prepared.tombstone,
        row_of(replace(item.candidate, text=prepared.version.text, evidence=prepared.version.evidence)),
    )


def _drop_superseded(space: OpenSpace, decided: Sequence[Candidate]) -> None:
    """Drop pending candidates on topics that a certain fact has answered, unless they are later."""
    by_topic = {candidate.topic: candidate for candidate in decided if candidate.topic}
    if by_topic:
        with space.store.write() as writer:
            waiting = writer.facts.candidates_like([], list(by_topic))
            writer.facts.drop_candidates(row.candidate_id for row in waiting if not _is_later(row, by_topic[row.topic]))


def _is_later(row: CandidateRow, than: Candidate) -> bool:
    time = candidate_of(row).time
    return time is not None and than.time is not None and time > than.time


def row_of(candidate: Candidate) -> dict[str, Any]:
    row = asdict(candidate)
    return row | {"time": None if candidate.time is None else format_time(candidate.time)}


def candidate_of(row: CandidateRow) -> Candidate:
    given = {name: value for name, value in row.draft.items() if name not in (WAS, PROPOSAL)}
    time: datetime | None = parse_time(given["time"]) if given.get("time") else None
    return Candidate(**{**given, "time": time, "refs": tuple(given["refs"]), "evidence": tuple(given["evidence"])})


def earlier_marks(row: CandidateRow) -> list[bytes]:
    return [bytes.fromhex(digest) for digest in row.draft.get(WAS, ())]


def marks_of(row: CandidateRow, key: bytes) -> list[bytes]:
    """The tombstones that its rejection leaves: for its text, for its text before edits, and for its topic."""
    return [*text_marks(row, key), *topic_marks(key, key_of(row.topic))]


def text_marks(row: CandidateRow, key: bytes) -> list[bytes]:
    candidate = candidate_of(row)
    said = Version(
        row.candidate_id,
        candidate.kind,
        candidate.text,
        row.made_at,
        row.made_at,
        "extractor",
        "",
        domain=candidate.domain,
    )
    return [*dict.fromkeys((row.tombstone, *rejection_marks(key, said), *earlier_marks(row)))]


def pending_candidates(space: OpenSpace) -> list[tuple[CandidateRow, Candidate]]:
    """Pending candidates, most certain first."""
    rows: list[CandidateRow] = []
    with space.store.read() as reader:
        while page := reader.facts.candidates(after=rows[-1].candidate_id if rows else "", limit=_PAGE):
            rows += page
    return sorted(
        ((row, candidate_of(row)) for row in rows), key=lambda pair: (-pair[0].confidence, pair[0].candidate_id)
    )
