"""Decide about drafts inside a write transaction: refuse, skip, merge, propose or add."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from waypost.errors import NotFound
from waypost.facts.ageing import has_expired, renewal_changes, restatement_changes
from waypost.facts.duplicates import THRESHOLDS, UNCALIBRATED, DuplicateVerdict, Judgement, judge, merge_texts
from waypost.facts.identity import MERGED
from waypost.facts.rejection.marks import LEARNED, rejection_marks, spoken_mark, topic_marks
from waypost.facts.validity import intersection, overlap, subtract, without
from waypost.flows.links.draft_links import INFERRED
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import is_outranked
from waypost.flows.versions.current import current_versions
from waypost.flows.versions.prepare import Embedded, Prepared, make_room, marks_standing, pending, prepare_version, put
from waypost.flows.write.conflicts import Contradicted, contradicted, end_conflicts, note_conflict
from waypost.flows.write.proposals import propose_replacement
from waypost.model.memory import SAID_BY, AuditEntry, Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.reference import merge_references
from waypost.model.time import Moment, format_time
from waypost.retrieve.passages import Passage
from waypost.store.protocol import Edge, Twin, Writer

ENDED = "ended"  # in a version's details: the source that ended it because the tree does not state it any more


def judging_engine(space: OpenSpace, passages: Sequence[Passage]) -> str | None:
    """The engine that can judge duplicates of this text, or None. Engines judge only languages they are calibrated for."""
    english = all(passage.language in ("en", "") for passage in passages)
    engine = space.engines.main if english else space.engines.multilingual
    return engine.name if engine is not None and engine.name in THRESHOLDS else None


def comparing_engine(space: OpenSpace, embedded: Embedded, passages: Sequence[Passage]) -> str | None:
    """The engine that finds facts like this text: the judging one, or the main one while the other is not loaded."""
    for engine in (judging_engine(space, passages), space.engines.main.name):
        if engine is not None and engine in THRESHOLDS and embedded.of(engine, passages) is not None:
            return engine
    return None


@dataclass(frozen=True, slots=True)
class WriteGate:
    """Decides about one draft after the other, inside one write transaction."""

    space: OpenSpace
    writer: Writer
    embedded: Embedded
    caller: Caller
    direct: bool
    key: bytes

    def admit(self, item: Prepared, twins: list[Twin]) -> Receipt:
        copies = self.writer.memories.with_fingerprint(
            item.version.fingerprint
        )  # every version with exactly this value
        rejected = self._rejected(item, copies)
        if rejected is not None:
            return rejected
        same = self._duplicate(item, copies)
        if same is not None:
            self._renew(item, same.id)
            return self._with_references(item, same, copies) or self._end_replaced(item, same)
        corrected = None if self.direct else self._corrected_at(item, copies)
        replaced = [] if corrected else self._versions_to_replace(item)
        if item.draft.replaces is not None and not corrected and not replaced:
            return self._refuse(item, f"there is no current memory {item.draft.replaces} to replace")
        problem = self._parent_problem(item)
        if problem:
            return self._refuse(item, problem)
        if replaced:
            return self._refuse_existing_id(item) or self._propose(item, replaced) or self._add(item, replaced, None)
        decided = None if corrected else self._prolong(item, copies) or self._refuse_existing_id(item)
        return decided or self._compare(item, twins, corrected)

    def _rejected(self, item: Prepared, copies: Sequence[Version]) -> Receipt | None:
        """Refuse a rejected value, unless exactly this value is current. Then the rejected value is only a part of it."""
        met = marks_standing(self.writer, self.key, item.version)
        spoken = spoken_mark(self.key, item.version)
        met |= self.writer.tombstones.matching([spoken]) if spoken else set()
        if not met or any(version.superseded_at is None for version in copies):
            return None
        lifting = "a person can lift that with `waypost reject --lift"
        if not met <= {*topic_marks(self.key, item.draft.key)}:
            return self._refuse(item, f"it was rejected or forgotten before; {lifting}`")
        # An extractor wrote it with other words. The audit leaves the topic out: it may be what was forgotten.
        topic = str(item.draft.key).removeprefix(LEARNED)
        refused = self._refuse(item, "its topic was rejected or forgotten before")
        return replace(
            refused, reason=f"the topic {topic} was rejected or forgotten before; {lifting} {shlex.quote(topic)}`"
        )

    def _compare(self, item: Prepared, twins: list[Twin], corrected: str | None) -> Receipt:
        """Skip, merge or add, depending on similar memories. Refuses what was corrected before."""
        conflict, near = None, list[tuple[Version, float]]()
        for stored, similarity, judged in self._judgements(item, twins):
            if corrected and stored.fingerprint == item.version.fingerprint:
                continue  # the same text for another time says nothing about the time it was given up for
            if judged.verdict is DuplicateVerdict.SKIP or (corrected and judged.verdict is DuplicateVerdict.MERGE):
                self._renew(item, stored.memory_id)
                return self._with_new_references(item, stored) or Receipt(
                    stored.memory_id, "duplicate", item.draft.key, reason=judged.reason, masked=item.masked
                )
            theirs = stored.source == "person" and item.version.source != "person"
            if judged.verdict is DuplicateVerdict.MERGE and not theirs:
                return self._merge(item, stored, judged.reason)
            if judged.verdict is DuplicateVerdict.MERGE and conflict is None:
                # Others do not change what a person said: both are kept.
                conflict = (stored.memory_id, "a person said that")
            near.append((stored, similarity))
        if corrected:
            return self._refuse(item, f"it was corrected or retracted on {corrected}, and this is not newer")
        return self._add_to_subject(item, contradicted(item, self.caller, near), conflict)

    def _add_to_subject(self, item: Prepared, others: Contradicted, resembles: tuple[str, str] | None) -> Receipt:
        """Add a fact. It replaces the former values of its subject, or is in conflict with them until a person decides."""
        replaced = list(others.replaced)
        if replaced:
            item = replace(item, draft=replace(item.draft, replaces=replaced[0].memory_id))
            proposal = self._propose(item, replaced)
            if proposal is not None:
                return proposal
        ended = [version for stored in replaced for version in current_versions(self.writer, stored.memory_id)]
        receipt = self._add(item, ended, resembles)
        if replaced:
            more = "".join(f"; it also replaces {stored.memory_id}" for stored in replaced[1:])
            receipt = replace(receipt, reason=f"the text says that this changed{more}")
        undecided = [
            stored for stored in others.undecided if note_conflict(self.space, self.writer, self.caller, item, stored)
        ]
        if not undecided:
            return receipt
        reason = f"contradicts {', '.join(stored.memory_id for stored in undecided)}; needs review"
        return replace(receipt, reason=reason, conflicts_with=undecided[0].memory_id)

    def _judgements(self, item: Prepared, twins: list[Twin]) -> Iterator[tuple[Version, float, Judgement]]:
        """Similar memories with a judgement, most similar first. One that ends before the draft does is skipped."""
        engine = comparing_engine(self.space, self.embedded, item.passages)
        judges = engine is not None and engine == judging_engine(self.space, item.passages)
        skip, merge = THRESHOLDS[engine] if engine and judges else UNCALIBRATED
        now = Moment(item.version.recorded_at)
        versions = self.writer.memories.by_number([twin.number for twin in twins]) if twins else {}
        for twin in twins:
            stored = versions.get(twin.number)
            if stored is None or not stored.visible(now) or not overlap(stored.period, item.version.period):
                continue
            if any(start != item.version.valid_from for start, _ in without(item.version.period, stored.period)):
                continue
            judged = judge(item.version.text, stored.text, twin.similarity, skip_above=skip, merge_above=merge)
            yield stored, twin.similarity, judged

    def _refuse(self, item: Prepared, reason: str) -> Receipt:
        self._audit("refuse", None, {"kind": item.version.kind, "reason": reason})
        return Receipt(None, "refused", item.draft.key, reason, item.masked)

    def _refuse_existing_id(self, item: Prepared) -> Receipt | None:
        given = item.draft.memory_id
        if given and self.writer.memories.versions(given):
            return self._refuse(item, f"{given} exists and says something else; `waypost correct` changes it")
        return None

    def _corrected_at(self, item: Prepared, copies: Sequence[Version]) -> str | None:
        """When this value was given up for a part of the draft's period in which no memory states it now."""
        current = [version.period for version in copies if version.superseded_at is None]
        ended = [
            version.superseded_at
            for version in copies
            if version.superseded_at
            and subtract(intersection(version.period, item.version.period), current)
            and not self._was_superseded_by_extractor(version, item)
        ]
        if not ended:
            return None
        last = max(ended)
        return None if item.own_time is not None and item.own_time > last else format_time(last)

    def _was_superseded_by_extractor(self, ended: Version, item: Prepared) -> bool:
        """Whether only the extractor ended it, by finding another value for the same topic.

        Then it may return: history can be learned piece by piece, and a tree can go back to an earlier state.
        """
        if item.draft.key is None or self.caller.source != "extractor":
            return False
        if any(
            (rest.recorded_at, rest.details.get(ENDED)) == (ended.superseded_at, "extractor")
            for rest in self.writer.memories.versions(ended.memory_id)
        ):
            return True  # and now the tree states it again
        return any(
            (by.recorded_at, by.key, by.source) == (ended.superseded_at, item.draft.key, "extractor")
            and (item.own_time is None or item.own_time > by.valid_from)
            for edge in self.writer.edges.of_memory(ended.memory_id)
            if edge.kind == "supersedes" and edge.to_id == ended.memory_id
            for by in self.writer.memories.versions(edge.from_id)
        )

    def _duplicate(self, item: Prepared, copies: Sequence[Version]) -> Receipt | None:
        if item.draft.key is not None:
            if item.draft.key.startswith(LEARNED) and item.draft.memory_id is None:
                return self._refuse(item, f"keys that begin with {LEARNED!r} are those of learned facts")
            owner = self.writer.memories.with_key(item.draft.key)
            if owner is not None and owner.memory_id == item.draft.replaces:
                return None
            if owner is not None and owner.fingerprint == item.version.fingerprint:
                return Receipt(owner.memory_id, "duplicate", item.draft.key, "this key is stored", item.masked)
            if owner is not None:
                return self._refuse(item, f"its key belongs to {owner.memory_id}, which says something else")
        # A draft without a time is valid from now. Another process may have stored it while we embedded.
        start = item.version.valid_from if item.own_time is not None else self.space.clock()
        for stored in copies:
            if stored.superseded_at is None and not without((start, item.version.valid_until), stored.period):
                return Receipt(stored.memory_id, "duplicate", item.draft.key, "exactly this is stored", item.masked)
        return None

    def _with_references(self, item: Prepared, same: Receipt, copies: Sequence[Version]) -> Receipt | None:
        """The same text is stored, and the draft adds code references or a better source: store these."""
        if same.status != "duplicate" or item.draft.replaces is not None:
            return None
        for stored in copies:
            if stored.memory_id == same.id and stored.superseded_at is None:
                return self._with_person_as_source(item, stored) or self._with_new_references(item, stored)
        return None

    def _with_person_as_source(self, item: Prepared, stored: Version) -> Receipt | None:
        """A person repeats what others wrote: from now on a person is its source."""
        if not self.direct or item.version.source != "person" or stored.source == "person":
            return None
        return self._supersede(item, stored, stored, "known before; now a person says it")

    def _with_new_references(self, item: Prepared, stored: Version) -> Receipt | None:
        """The draft repeats the text with other references: pin the memory to this code.

        A batch or an import may be old: it only adds references and leaves the stored ones as they are.
        """
        new = item.version.refs
        inferred = all(ref.confidence_reason == INFERRED for ref in item.draft.refs)
        if inferred or (stored.source == "person" and item.version.source != "person"):
            return None
        refs = merge_references(stored.refs, new if self.direct else merge_references(new, stored.refs))
        if [(str(ref), ref.anchor) for ref in refs] == [(str(ref), ref.anchor) for ref in stored.refs]:
            return None
        return self._supersede(item, stored, stored, "known before; it now points at this code")

    def _end_replaced(self, item: Prepared, same: Receipt) -> Receipt:
        """The new value was stored already: end the replaced memory all the same."""
        ended = item.draft.replaces
        if same.status != "duplicate" or same.id is None or ended is None or ended == same.id:
            return same
        current = current_versions(self.writer, ended)
        proposal = self._propose(item, current, is_known=True)
        if proposal is not None:
            return proposal
        if self._end_replaced_versions(current, replace(item.version, memory_id=same.id)):
            details = {"kind": item.version.kind, "replaces": ended, "masked": len(item.masked)}
            self._audit("remember", same.id, details)
        return replace(same, replaces=ended)

    def _prolong(self, item: Prepared, copies: Sequence[Version]) -> Receipt | None:
        """The same text is stored for a part of the draft's period: extend it to all of it."""
        new = item.version
        for stored in copies:
            if stored.superseded_at is not None or not overlap(stored.period, new.period):
                continue
            if stored.source == "person" and new.source != "person":
                continue  # the person has also set how long it is true
            start, ends = min(stored.valid_from, new.valid_from), (stored.valid_until, new.valid_until)
            end = None if None in ends else max(end for end in ends if end)
            others = [version for version in current_versions(self.writer, stored.memory_id) if version != stored]
            if not any(overlap(other.period, (start, end)) for other in others):
                longer = replace(stored, text=new.text, valid_from=start, valid_until=end)
                return self._supersede(item, stored, longer, "known before, for a shorter time")
        return None

    def _versions_to_replace(self, item: Prepared) -> list[Version]:
        if item.draft.replaces is None:
            return []
        current = current_versions(self.writer, item.draft.replaces)
        if not current and self.direct:
            raise NotFound(f"There is no current memory {item.draft.replaces} to replace.", "See `waypost list`.")
        return current

    def _propose(self, item: Prepared, replaced: list[Version], *, is_known: bool = False) -> Receipt | None:
        """Propose what an agent may not write in place of a person's memory."""
        target = item.draft.replaces
        if target is None or not is_outranked(self.caller, replaced):
            return None
        return propose_replacement(self.space, self.writer, self.caller, item, target, self.key, is_known=is_known)

    def _add(self, item: Prepared, replaced: list[Version], conflict: tuple[str, str] | None) -> Receipt:
        version, replaces = item.version, item.draft.replaces
        self._end_replaced_versions(replaced, version)
        put(self.writer, version, item.passages, self.embedded)
        self._set_lifetime(item)
        if version.parent is not None:
            self.writer.edges.add(Edge("contains", version.parent, version.memory_id, made_at=version.recorded_at))
        if item.draft.protected:
            self.writer.memories.set_state(version.memory_id, protected=True)
        if item.draft.archived_at is not None:
            self.writer.memories.set_state(version.memory_id, archived_at=item.draft.archived_at)
        if item.draft.stale_reason is not None:
            self.writer.memories.set_state(version.memory_id, is_stale=True, stale_reason=item.draft.stale_reason)
        details: dict[str, object] = {"kind": version.kind, "masked": len(item.masked)}
        if replaces is not None:
            details["replaces"] = replaces
        self._audit("remember", version.memory_id, details)
        return Receipt(
            version.memory_id,
            "added",
            item.draft.key,
            reason=f"resembles {conflict[0]}, but {conflict[1]}" if conflict else None,
            masked=item.masked,
            replaces=replaces,
            conflicts_with=conflict[0] if conflict else None,
            pending=pending(self.writer, item.passages, self.embedded),
        )

    def _set_lifetime(self, item: Prepared) -> None:
        """Set when it expires. A lifetime starts now, unless an import brings the expiry date."""
        lifetime, draft = item.draft.lifetime, item.draft
        if lifetime is not None:
            self.writer.memories.set_state(
                item.version.memory_id,
                expires_at=draft.expires_at or item.version.recorded_at + timedelta(seconds=lifetime.seconds),
                on_expire=lifetime.on_expire,
                ttl_seconds=lifetime.seconds,
                ttl_class=draft.ttl_class,
                refresh=lifetime.refresh,
            )
        elif draft.expires_at is not None:
            self.writer.memories.set_state(item.version.memory_id, expires_at=draft.expires_at, on_expire="stale")

    def _renew(self, item: Prepared, memory_id: str | None) -> None:
        """Restart the lifetime of a memory that is stated again.

        Applies to direct writes, to the extractor, and to a memory that is about to be deleted: it would be lost
        otherwise.
        """
        state = self.writer.memories.states([memory_id]).get(memory_id) if memory_id is not None else None
        if memory_id is None or state is None:
            return
        draft, now = item.draft, self.space.clock()
        dying = has_expired(state, now) and state.on_expire == "delete" and draft.expires_at is None
        current = current_versions(self.writer, memory_id)
        if is_outranked(self.caller, current) and not dying:  # a person has set its lifetime
            self.writer.memories.set_state(
                memory_id, **(renewal_changes(state, now) if self.caller.source == "extractor" else {})
            )
            return
        renews = self.direct or self.caller.source == "extractor" or dying
        changes = restatement_changes(state, draft.lifetime, draft.ttl_class, now, renews=renews)
        self.writer.memories.set_state(memory_id, **changes)

    def _parent_problem(self, item: Prepared) -> str | None:
        """Why the parent does not fit, or None. An import may bring the parent later."""
        parent_id, version = item.draft.parent, item.version
        if not parent_id or not self.direct:
            return None
        parents = current_versions(self.writer, parent_id)
        if not parents:
            raise NotFound(f"There is no current memory {parent_id} to put it under.", "See `waypost list`.")
        above = parents[-1].level
        if version.level is not None and above is not None and version.level < above:
            return f"level {version.level} cannot stand under level {above}; give --level"
        return None

    def _end_replaced_versions(self, replaced: list[Version], new: Version) -> int:
        """The world changed: replaced versions stay true only outside the new version's period."""
        for memory_id in {old.memory_id for old in replaced}:
            self.writer.edges.add(Edge("supersedes", new.memory_id, memory_id, made_at=new.recorded_at))
        end_conflicts(self.writer, {old.memory_id for old in replaced})
        return make_room(self.writer, replaced, new.period, new.recorded_at, self.embedded, taken_key=new.key)

    def _merge(self, item: Prepared, stored: Version, reason: str) -> Receipt:
        """Store a new version of the stored fact with both texts."""
        both = [digest.hex() for version in (stored, item.version) for digest in rejection_marks(self.key, version)]
        details = {**stored.details, MERGED: sorted(set(both))}
        text = merge_texts(stored.text, item.version.text)
        return self._supersede(item, stored, replace(stored, text=text, details=details), reason)

    def _supersede(self, item: Prepared, stored: Version, better: Version, reason: str) -> Receipt:
        """Replace the stored version by `better`, with the evidence of both."""
        new = item.version
        merged = replace(
            better,
            recorded_at=new.recorded_at,
            source=new.source,
            actor=new.actor,
            evidence=tuple(dict.fromkeys(stored.evidence + new.evidence)),
            refs=merge_references(stored.refs, new.refs),
            tags={**stored.tags, **new.tags},
            details={name: value for name, value in better.details.items() if name != SAID_BY},
        )
        done = prepare_version(item.draft, merged, item.masked, self.key)
        if marks_standing(self.writer, self.key, done.version):
            return self._add(item, [], None)  # merged, they would state a rejected value
        self.writer.memories.supersede(stored.number, new.recorded_at)
        put(self.writer, done.version, done.passages, self.embedded)
        self._renew(item, stored.memory_id)
        if stored.text != done.version.text:
            self.writer.memories.set_state(stored.memory_id, verified_at=None)  # somebody verified another text
        same = "same words" if stored.fingerprint == done.version.fingerprint else "same meaning"
        self._audit("merge", stored.memory_id, {"kind": new.kind, "reason": same})
        pending_engines = pending(self.writer, done.passages, self.embedded)
        return Receipt(stored.memory_id, "merged", item.draft.key, reason, item.masked, pending=pending_engines)

    def _audit(self, action: str, memory_id: str | None, details: dict[str, object]) -> None:
        at = self.space.clock()
        self.writer.audit.add(AuditEntry(at, action, memory_id, self.caller.source, self.caller.actor, details))
