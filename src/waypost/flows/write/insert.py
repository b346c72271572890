"""The gate itself: what becomes of one draft after another, inside a write transaction."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from waypost.errors import NotFound
from waypost.facts.ageing import has_run_out, renewed, said_again
from waypost.facts.duplicates import THRESHOLDS, DuplicateVerdict, Judgement, judge, merge_texts
from waypost.facts.identity import MERGED
from waypost.facts.rejection import LEARNED, marks_left, topic_marks
from waypost.facts.validity import overlap, remaining, shared, without
from waypost.flows.facts.proposals import propose_replacement
from waypost.flows.links.draft_links import INFERRED
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.authority import is_outranked
from waypost.flows.write.prepare import Embedded, Prepared, finish, make_room, marks_standing, pending, put
from waypost.model.memory import SAID_BY, Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.reference import merge_references
from waypost.model.time import Moment, format_time
from waypost.retrieve.passages import Passage
from waypost.store.protocol import AuditEntry, Edge, Twin, Writer

ENDED = "ended"  # in a version's details: by which source it was ended, because nothing says it any more


def judging_engine(space: OpenSpace, passages: Sequence[Passage]) -> str | None:
    """Whose cosines can judge this text: each engine only for the languages it understands, if calibrated."""
    english = all(passage.language in ("en", "") for passage in passages)
    engine = space.engines.main if english else space.engines.multilingual
    return engine.name if engine is not None and engine.name in THRESHOLDS else None


@dataclass(frozen=True, slots=True)
class WriteGate:
    """Decides about one draft after another inside a write transaction."""

    space: OpenSpace
    writer: Writer
    embedded: Embedded
    caller: Caller
    direct: bool
    key: bytes

    def admit(self, item: Prepared, twins: list[Twin]) -> Receipt:
        rejected = self._rejected(item)
        if rejected is not None:
            return rejected
        same = self._same(item)
        if same is not None:
            self._said_again(item, same.id)
            return self._with_places(item, same) or self._end_replaced(item, same)
        corrected = None if self.direct else self._corrected_at(item)
        replaced = [] if corrected else self._replaced(item)
        if item.draft.replaces is not None and not corrected and not replaced:
            return self._refuse(item, f"there is no current memory {item.draft.replaces} to replace")
        orphaned = self._orphaned(item)
        if orphaned:
            return self._refuse(item, orphaned)
        if replaced:
            return self._taken(item) or self._proposed(item, replaced) or self._add(item, replaced, None)
        settled = None if corrected else self._prolong(item) or self._taken(item)
        return settled or self._compare(item, twins, corrected)

    def _rejected(self, item: Prepared) -> Receipt | None:
        """Refuse what was rejected, unless exactly this is held now: then what was rejected is a value that it contains."""
        met = marks_standing(self.writer, self.key, item.version)
        known = self.writer.find_fingerprint(item.version.fingerprint) if met else ()
        if not met or any(version.superseded_at is None for version in known):
            return None
        lifting = "a person can lift that with `waypost reject --lift"
        if not met <= {*topic_marks(self.key, item.draft.key)}:
            return self._refuse(item, f"it was rejected or forgotten before; {lifting}`")
        # An extractor says it in other words. The audit does not name the topic: it may be what was forgotten.
        topic = str(item.draft.key).removeprefix(LEARNED)
        refused = self._refuse(item, "its topic was rejected or forgotten before")
        return replace(
            refused, reason=f"the topic {topic} was rejected or forgotten before; {lifting} {shlex.quote(topic)}`"
        )

    def _compare(self, item: Prepared, twins: list[Twin], corrected: str | None) -> Receipt:
        """Skip, merge or add in the face of what means nearly the same; refuse what was corrected."""
        conflict = None
        for known, judged in self._judged(item, twins):
            if corrected and known.fingerprint == item.version.fingerprint:
                continue  # the very words, held for another time: they say nothing of the time they were given up for
            if judged.verdict is DuplicateVerdict.SKIP or (corrected and judged.verdict is DuplicateVerdict.MERGE):
                self._said_again(item, known.memory_id)
                return self._pointed_anew(item, known) or Receipt(
                    known.memory_id, "duplicate", item.draft.key, reason=judged.reason, masked=item.masked
                )
            theirs = known.source == "person" and item.version.source != "person"
            if judged.verdict is DuplicateVerdict.MERGE and not theirs:
                return self._merge(item, known, judged.reason)
            if judged.verdict in (DuplicateVerdict.MERGE, DuplicateVerdict.CONFLICT) and conflict is None:
                # What a person said is not changed by others' words: those stand beside it.
                conflict = (known.memory_id, "a person said that" if theirs else judged.reason)
        if corrected:
            return self._refuse(item, f"it was corrected or retracted on {corrected}, and this is not newer")
        return self._add(item, [], conflict)

    def _judged(self, item: Prepared, twins: list[Twin]) -> Iterator[tuple[Version, Judgement]]:
        """What is known beside the draft, most alike first. One that ends before the draft does says less."""
        engine = judging_engine(self.space, item.passages)
        skip, merge = THRESHOLDS[engine] if engine else (1.0, 1.0)
        for twin in twins:
            known = self.writer.version(twin.memory_id, Moment(item.version.recorded_at))
            if known is None or known.number != twin.number or not overlap(known.period, item.version.period):
                continue
            if any(start != item.version.valid_from for start, _ in without(item.version.period, known.period)):
                continue
            yield known, judge(item.version.text, known.text, twin.similarity, skip_above=skip, merge_above=merge)

    def _refuse(self, item: Prepared, reason: str) -> Receipt:
        self._audit("refuse", None, {"kind": item.version.kind, "reason": reason})
        return Receipt(None, "refused", item.draft.key, reason, item.masked)

    def _taken(self, item: Prepared) -> Receipt | None:
        """Refuse what would overwrite another memory."""
        given = item.draft.memory_id
        if given and self.writer.versions(given):
            return self._refuse(item, f"{given} exists and says something else; `waypost correct` changes it")
        return None

    def _corrected_at(self, item: Prepared) -> str | None:
        """When this very value was given up for a part of the draft's time for which nobody holds it any more."""
        known = self.writer.find_fingerprint(item.version.fingerprint)
        held = [version.period for version in known if version.superseded_at is None]
        ended = [
            version.superseded_at
            for version in known
            if version.superseded_at
            and remaining(shared(version.period, item.version.period), held)
            and not self._went_on(version, item)
        ]
        if not ended:
            return None
        last = max(ended)
        return None if item.own_time is not None and item.own_time > last else format_time(last)

    def _went_on(self, ended: Version, item: Prepared) -> bool:
        """Nobody gave it up: the extractor found another word on the same topic, and now one that is later still. When they
        were learned says nothing, so a history can be learned piece by piece, and a tree can go back to what it was."""
        if item.draft.key is None or self.caller.source != "extractor":
            return False
        if any(
            (rest.recorded_at, rest.details.get(ENDED)) == (ended.superseded_at, "extractor")
            for rest in self.writer.versions(ended.memory_id)
        ):
            return True  # and now the tree says it again
        return any(
            (by.recorded_at, by.key, by.source) == (ended.superseded_at, item.draft.key, "extractor")
            and (item.own_time is None or item.own_time > by.valid_from)
            for edge in self.writer.edges(ended.memory_id)
            if edge.kind == "supersedes" and edge.to_id == ended.memory_id
            for by in self.writer.versions(edge.from_id)
        )

    def _same(self, item: Prepared) -> Receipt | None:
        if item.draft.key is not None:
            if item.draft.key.startswith(LEARNED) and item.draft.memory_id is None:
                return self._refuse(item, f"keys that begin with {LEARNED!r} are those of learned facts")
            known = self.writer.find_key(item.draft.key)
            if known is not None and known.memory_id == item.draft.replaces:
                return None
            if known is not None and known.fingerprint == item.version.fingerprint:
                return Receipt(known.memory_id, "duplicate", item.draft.key, "this key is stored", item.masked)
            if known is not None:
                return self._refuse(item, f"its key belongs to {known.memory_id}, which says something else")
        # Said without a time, it holds from when it is stored: another process may have stored it while we embedded.
        start = item.version.valid_from if item.own_time is not None else self.space.clock()
        for known in self.writer.find_fingerprint(item.version.fingerprint):
            if known.superseded_at is None and not without((start, item.version.valid_until), known.period):
                return Receipt(known.memory_id, "duplicate", item.draft.key, "exactly this is stored", item.masked)
        return None

    def _with_places(self, item: Prepared, same: Receipt) -> Receipt | None:
        """Exactly this is known, and now it is said where in the code: from here on it points there too."""
        if same.status != "duplicate" or item.draft.replaces is not None:
            return None
        for known in self.writer.find_fingerprint(item.version.fingerprint):
            if known.memory_id == same.id and known.superseded_at is None:
                return self._vouched_for(item, known) or self._pointed_anew(item, known)
        return None

    def _vouched_for(self, item: Prepared, known: Version) -> Receipt | None:
        """What others had said a person says now: from here on it is a person's word."""
        if not self.direct or item.version.source != "person" or known.source == "person":
            return None
        return self._supersede(item, known, known, "known before; now a person says it")

    def _pointed_anew(self, item: Prepared, known: Version) -> Receipt | None:
        """Somebody says the same now, of this code: it is as true of it as when it was said first. A batch or an import may
        be old: it adds places, and leaves those that are known as they are pinned."""
        new = item.version.refs
        inferred = all(one.confidence_reason == INFERRED for one in item.draft.refs)
        if inferred or (known.source == "person" and item.version.source != "person"):
            return None
        refs = merge_references(known.refs, new if self.direct else merge_references(new, known.refs))
        if [(str(one), one.anchor) for one in refs] == [(str(one), one.anchor) for one in known.refs]:
            return None
        return self._supersede(item, known, known, "known before; it now points at this code")

    def _end_replaced(self, item: Prepared, same: Receipt) -> Receipt:
        """What takes another's place was known already: the other one ends all the same."""
        ended = item.draft.replaces
        if same.status != "duplicate" or same.id is None or ended is None or ended == same.id:
            return same
        held = [v for v in self.writer.versions(ended) if v.superseded_at is None]
        proposed = self._proposed(item, held, known=True)
        if proposed is not None:
            return proposed
        if self._close(held, replace(item.version, memory_id=same.id)):
            details = {"kind": item.version.kind, "replaces": ended, "masked": len(item.masked)}
            self._audit("remember", same.id, details)
        return replace(same, replaces=ended)

    def _prolong(self, item: Prepared) -> Receipt | None:
        """The same words are held for a part of the draft's time: now they are for all of it."""
        new = item.version
        for known in self.writer.find_fingerprint(new.fingerprint):
            if known.superseded_at is not None or not overlap(known.period, new.period):
                continue
            if known.source == "person" and new.source != "person":
                continue  # for how long it is true they have said too
            start, ends = min(known.valid_from, new.valid_from), (known.valid_until, new.valid_until)
            end = None if None in ends else max(end for end in ends if end)
            others = [v for v in self.writer.versions(known.memory_id) if v.superseded_at is None and v != known]
            if not any(overlap(other.period, (start, end)) for other in others):
                longer = replace(known, text=new.text, valid_from=start, valid_until=end)
                return self._supersede(item, known, longer, "known before, for a shorter time")
        return None

    def _replaced(self, item: Prepared) -> list[Version]:
        """What the draft replaces: all that is still held of that memory."""
        if item.draft.replaces is None:
            return []
        held = [v for v in self.writer.versions(item.draft.replaces) if v.superseded_at is None]
        if not held and self.direct:
            raise NotFound(f"There is no current memory {item.draft.replaces} to replace.", "See `waypost list`.")
        return held

    def _proposed(self, item: Prepared, replaced: list[Version], *, known: bool = False) -> Receipt | None:
        """What an agent would put in the place of a person's words waits for a person."""
        target = item.draft.replaces
        if target is None or not is_outranked(self.caller, replaced):
            return None
        return propose_replacement(self.space, self.writer, self.caller, item, target, self.key, known=known)

    def _add(self, item: Prepared, replaced: list[Version], conflict: tuple[str, str] | None) -> Receipt:
        version, replaces = item.version, item.draft.replaces
        self._close(replaced, version)
        put(self.writer, version, item.passages, self.embedded)
        self._limit(item)
        if version.parent is not None:
            self.writer.add_edge(Edge("contains", version.parent, version.memory_id, made_at=version.recorded_at))
        if item.draft.protected:
            self.writer.set_state(version.memory_id, protected=True)
        if item.draft.archived_at is not None:
            self.writer.set_state(version.memory_id, archived_at=item.draft.archived_at)
        if item.draft.stale_reason is not None:
            self.writer.set_state(version.memory_id, is_stale=True, stale_reason=item.draft.stale_reason)
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

    def _limit(self, item: Prepared) -> None:
        """Its time begins now, unless an import says when it ends."""
        lifetime, draft = item.draft.lifetime, item.draft
        if lifetime is not None:
            self.writer.set_state(
                item.version.memory_id,
                expires_at=draft.expires_at or item.version.recorded_at + timedelta(seconds=lifetime.seconds),
                on_expire=lifetime.on_expire,
                ttl_seconds=lifetime.seconds,
                ttl_class=draft.ttl_class,
                refresh=lifetime.refresh,
            )
        elif draft.expires_at is not None:
            self.writer.set_state(item.version.memory_id, expires_at=draft.expires_at, on_expire="stale")

    def _said_again(self, item: Prepared, memory_id: str | None) -> None:
        """What somebody says now, or still finds in the tree, has its whole time before it again; so has what is just about to
        be deleted, or it would be lost with what was said before."""
        state = self.writer.states([memory_id]).get(memory_id) if memory_id is not None else None
        if memory_id is None or state is None:
            return
        draft, now = item.draft, self.space.clock()
        dying = has_run_out(state, now) and state.on_expire == "delete" and draft.expires_at is None
        held = [v for v in self.writer.versions(memory_id) if v.superseded_at is None]
        if is_outranked(self.caller, held) and not dying:  # for how long it holds, a person has said
            self.writer.set_state(memory_id, **(renewed(state, now) if self.caller.source == "extractor" else {}))
            return
        renews = self.direct or self.caller.source == "extractor" or dying
        changes = said_again(state, draft.lifetime, draft.ttl_class, now, renews=renews)
        self.writer.set_state(memory_id, **changes)

    def _orphaned(self, item: Prepared) -> str | None:
        """What is wrong with its parent. An import may bring the parent later."""
        given, version = item.draft.parent, item.version
        held = [v for v in self.writer.versions(given) if v.superseded_at is None] if given and self.direct else []
        if not given or not self.direct:
            return None
        if not held:
            raise NotFound(f"There is no current memory {given} to put it under.", "See `waypost list`.")
        above = held[-1].level
        if version.level is not None and above is not None and version.level < above:
            return f"level {version.level} cannot stand under level {above}; give --level"
        return None

    def _close(self, held: list[Version], new: Version) -> int:
        """The world changed: what `held` says is true only where `new` does not hold."""
        for memory_id in {old.memory_id for old in held}:
            self.writer.add_edge(Edge("supersedes", new.memory_id, memory_id, made_at=new.recorded_at))
        return make_room(self.writer, held, new.period, new.recorded_at, self.embedded, taken_key=new.key)

    def _merge(self, item: Prepared, known: Version, reason: str) -> Receipt:
        """A new version of the known fact that says what both say."""
        both = [digest.hex() for one in (known, item.version) for digest in marks_left(self.key, one)]
        details = {**known.details, MERGED: sorted(set(both))}
        text = merge_texts(known.text, item.version.text)
        return self._supersede(item, known, replace(known, text=text, details=details), reason)

    def _supersede(self, item: Prepared, known: Version, better: Version, reason: str) -> Receipt:
        """Put `better` in the place of the known version, with the evidence of both."""
        new = item.version
        merged = replace(
            better,
            recorded_at=new.recorded_at,
            source=new.source,
            actor=new.actor,
            evidence=tuple(dict.fromkeys(known.evidence + new.evidence)),
            refs=merge_references(known.refs, new.refs),
            tags={**known.tags, **new.tags},
            details={name: value for name, value in better.details.items() if name != SAID_BY},
        )
        done = finish(item.draft, merged, item.masked, self.key)
        if marks_standing(self.writer, self.key, done.version):
            return self._add(item, [], None)  # together they would say what was rejected
        self.writer.supersede(known.number, new.recorded_at)
        put(self.writer, done.version, done.passages, self.embedded)
        self._said_again(item, known.memory_id)
        if known.text != done.version.text:
            self.writer.set_state(known.memory_id, verified_at=None)  # what somebody verified were other words
        same = "same words" if known.fingerprint == done.version.fingerprint else "same meaning"
        self._audit("merge", known.memory_id, {"kind": new.kind, "reason": same})
        owed = pending(self.writer, done.passages, self.embedded)
        return Receipt(known.memory_id, "merged", item.draft.key, reason, item.masked, pending=owed)

    def _audit(self, action: str, memory_id: str | None, details: dict[str, object]) -> None:
        at = self.space.clock()
        self.writer.add_audit(AuditEntry(at, action, memory_id, self.caller.source, self.caller.actor, details))
