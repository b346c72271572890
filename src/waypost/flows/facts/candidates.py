"""From candidates to facts: what is certain is stored as the extractor's, the rest waits for a person's word."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import WaypostError
from waypost.facts.rejection import LEARNED, marks_left, topic_marks
from waypost.flows.facts.proposals import PROPOSAL
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.write.prepare import prepare
from waypost.flows.write.remember import remember, weigh
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.draft import Draft
from waypost.model.memory import Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.review_item import HELD, KNOWN, MERGED, OLDER, REFUSED, REPLACED, STORED, WAITING, DecidedCandidate
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

EXTRACTOR = Caller("extractor", "learn")
_LONGEST_KEY = 480
WAS = "was"  # in a candidate's row: the tombstones, in hex, of the words that it had before somebody put them right
_PAGE = 500


def take(
    space: OpenSpace,
    candidates: Sequence[Candidate],
    caller: Caller = EXTRACTOR,
    *,
    dry_run: bool = False,
) -> tuple[DecidedCandidate, ...]:
    """Store what is certain, hold the rest. Taking the same twice changes nothing.

    A candidate on a topic that is known replaces what was learned of it before, unless it is older; what a person said
    is only ever replaced with approval.
    """
    told = [_told(space, one) for one in candidates]
    with space.store.read() as reader:
        placed = [_in_the_face_of(reader, item) if isinstance(item, _Item) else item for item in told]
    settled = {place: one for place, one in enumerate(placed) if isinstance(one, DecidedCandidate)}
    items = {place: one for place, one in enumerate(placed) if isinstance(one, _Item)}
    certain = [place for place, item in items.items() if _is_certain(space, item)]
    held = [place for place, item in items.items() if not _is_certain(space, item)]
    write = weigh if dry_run else _remembered
    for place, receipt in zip(certain, write(space, [items[p].draft for p in certain], caller), strict=True):
        settled[place] = _stored(items[place], receipt)
    for place, receipt in zip(held, weigh(space, [items[p].draft for p in held], caller), strict=True):
        settled[place] = _weighed(items[place], receipt)
    if not dry_run:
        _drop_overtaken(space, [items[place].candidate for place in certain if settled[place].approved])
    doubtful = [place for place in held if settled[place].status == HELD]
    settled |= dict(zip(doubtful, _hold(space, [(items[p], settled[p]) for p in doubtful], dry_run), strict=True))
    return tuple(settled[place] for place in range(len(told)))


@dataclass(frozen=True, slots=True)
class _Item:
    candidate: Candidate
    draft: Draft
    doubt: str = ""  # why it is not certain, beside its confidence

    @classmethod
    def of(cls, space: OpenSpace, candidate: Candidate) -> "_Item":
        return cls(candidate, replace(draft_of(space, candidate), memory_id=space.new_id()))


def _told(space: OpenSpace, candidate: Candidate) -> "_Item | DecidedCandidate":
    """Names in a tree can be anything: what no memory can hold is refused, and keeps the others from nothing."""
    try:
        return _Item.of(space, candidate)
    except WaypostError as error:
        return DecidedCandidate(candidate, REFUSED, None, error.what)


def draft_of(space: OpenSpace, candidate: Candidate) -> Draft:
    """What would be remembered. References to what is not in the tree any more are left out."""
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
            "valid_from": _since(space, candidate),
            "key": key_of(candidate.topic),
            "tags": {"origin": candidate.origin},
        }
    )


def _since(space: OpenSpace, candidate: Candidate) -> datetime | None:
    """A committer's clock may be ahead of ours: nothing that is in the tree becomes true only later."""
    return None if candidate.time is None else min(candidate.time, space.clock())


def _is_here(space: OpenSpace, ref: str) -> bool:
    try:
        path = place_in(space, ref.partition("#")[0])
    except WaypostError:  # it leads out of the tree, or there is none
        return False
    root = space.identity.root
    if root is not None:
        return (root / path).is_file()
    with space.store.read() as reader:
        return path in reader.files(space.identity.checkout_id, [path])


def key_of(topic: str) -> str | None:
    return f"{LEARNED}{topic}" if topic and len(topic) <= _LONGEST_KEY else None


def _in_the_face_of(reader: Reader, item: _Item) -> "_Item | DecidedCandidate":
    """What is known on its topic: nothing, the same, something older that it replaces, or a later word."""
    draft = item.draft
    known = reader.find_key(draft.key) if draft.key else None
    if known is None or says_the_same(known, draft):
        return item
    if draft.valid_from is not None and known.valid_from > draft.valid_from:
        return DecidedCandidate(item.candidate, OLDER, known.memory_id, "something later is known on this")
    if known.source == "person":
        return replace(item, draft=replace(draft, replaces=known.memory_id), doubt="a person said what it replaces")
    return replace(item, draft=replace(draft, replaces=known.memory_id))


def says_the_same(known: Version, draft: Draft) -> bool:
    words = known.text.casefold().split() == draft.text.casefold().split()
    return words and (known.kind, known.domain) == (draft.kind, draft.domain)


def _is_certain(space: OpenSpace, item: _Item) -> bool:
    return item.candidate.is_certain and not item.doubt and space.settings.learn_hold != "all"


def _remembered(space: OpenSpace, drafts: Sequence[Draft], caller: Caller) -> list[Receipt]:
    return list(remember(space, drafts, caller, direct=False))


def _stored(item: _Item, receipt: Receipt) -> DecidedCandidate:
    if receipt.review:
        return DecidedCandidate(
            item.candidate, HELD if receipt.status == "added" else WAITING, receipt.id, receipt.reason
        )
    status = {"added": STORED, "merged": MERGED, "duplicate": KNOWN, "refused": REFUSED}[receipt.status]
    if status == STORED and receipt.replaces:
        status = REPLACED
    return DecidedCandidate(item.candidate, status, receipt.id, receipt.reason)


def _weighed(item: _Item, receipt: Receipt) -> DecidedCandidate:
    if receipt.status in ("duplicate", "refused"):
        return _stored(item, receipt)
    doubt = item.doubt or (f"it would be merged into {receipt.id}" if receipt.status == "merged" else receipt.reason)
    return DecidedCandidate(item.candidate, HELD, item.draft.memory_id, doubt or None)


def _hold(space: OpenSpace, items: Sequence[tuple[_Item, DecidedCandidate]], dry_run: bool) -> list[DecidedCandidate]:
    """Put candidates up for review. One that waits already is not put there twice; on the same topic the later one waits
    in the place of the earlier."""
    if not items:
        return []
    key = space.tombstone_key()
    if dry_run:
        with space.store.read() as reader:
            return [_against_waiting(space, reader, item, taken, key)[0] for item, taken in items]
    with space.store.write() as writer:
        done = []
        for item, taken in items:
            told, overtaken = _against_waiting(space, writer, item, taken, key)
            if told.status == HELD:
                writer.drop_candidates(overtaken)
                writer.put_candidate(_candidate_row(space, item, taken, key))
            done.append(told)
    return done


def _against_waiting(
    space: OpenSpace, reader: Reader, item: _Item, taken: DecidedCandidate, key: bytes
) -> tuple[DecidedCandidate, list[str]]:
    """What becomes of it beside those that wait, and which of them it takes the place of."""
    prepared = prepare(space, item.draft, EXTRACTOR, key)
    said = prepared.version.fingerprint
    topics = [item.candidate.topic] if item.candidate.topic else []
    like = reader.candidates_like([said], topics)
    for row in like:
        if row.fingerprint == said or prepared.tombstone in earlier_words(row):
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


def _drop_overtaken(space: OpenSpace, settled: Sequence[Candidate]) -> None:
    """What waits on topics that a certain fact has settled since needs nobody's word any more, unless it is later."""
    by_topic = {one.topic: one for one in settled if one.topic}
    if by_topic:
        with space.store.write() as writer:
            waiting = writer.candidates_like([], list(by_topic))
            writer.drop_candidates(row.candidate_id for row in waiting if not _is_later(row, by_topic[row.topic]))


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


def earlier_words(row: CandidateRow) -> list[bytes]:
    return [bytes.fromhex(one) for one in row.draft.get(WAS, ())]


def marks_of(row: CandidateRow, key: bytes) -> list[bytes]:
    """The marks that its rejection leaves: of its words, of those that it had before somebody edited it, and its topic."""
    return [*marks_of_words(row, key), *topic_marks(key, key_of(row.topic))]


def marks_of_words(row: CandidateRow, key: bytes) -> list[bytes]:
    """Those of its words alone."""
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
    return [*dict.fromkeys((row.tombstone, *marks_left(key, said), *earlier_words(row)))]


def waiting(space: OpenSpace) -> list[tuple[CandidateRow, Candidate]]:
    """What waits for approval, surest first."""
    rows: list[CandidateRow] = []
    with space.store.read() as reader:
        while page := reader.candidates(after=rows[-1].candidate_id if rows else "", limit=_PAGE):
            rows += page
    return sorted(((row, candidate_of(row)) for row in rows), key=lambda one: (-one[0].confidence, one[0].candidate_id))
