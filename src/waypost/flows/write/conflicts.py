"""Facts that contradict each other: which a new one replaces, and which stay beside it until a person decides.

An undecided pair is an edge from the fact that counts to the other one. A person decides in the review. The newer fact
counts, but never in place of what a person said.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from waypost.facts.contradictions import contradiction
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import PERSON
from waypost.flows.versions.conflicts import COMPARED_KINDS, CONFLICTS, conflict_edges
from waypost.flows.versions.current import current_versions
from waypost.flows.versions.prepare import Prepared
from waypost.flows.write.proposals import drop_conflict_proposals, proposal_of, propose_conflict
from waypost.model.candidate import CandidateRow
from waypost.model.memory import Caller, Version
from waypost.store.protocol import Edge, Writer

_EXTRACTOR = "extractor"  # replaces its facts by topic


@dataclass(frozen=True, slots=True)
class Contradicted:
    """Stored facts that a draft contradicts, most similar first."""

    replaced: tuple[Version, ...] = ()
    undecided: tuple[Version, ...] = ()


def contradicted(item: Prepared, caller: Caller, near: Iterable[tuple[Version, float]]) -> Contradicted:
    """The facts that a draft contradicts, among those `near` it with their cosines."""
    new = item.version
    if new.kind not in COMPARED_KINDS or caller.source == _EXTRACTOR or new.valid_until is not None:
        return Contradicted()
    pairs = []
    for stored, similarity in near:
        if stored.source == _EXTRACTOR or stored.valid_until is not None or stored.kind not in COMPARED_KINDS:
            continue
        is_newer = new.valid_from >= stored.valid_from
        texts = (stored.text, new.text) if is_newer else (new.text, stored.text)
        difference = contradiction(*texts, similarity)
        if difference is not None:
            # An import may be old, and its order says nothing.
            decided = is_newer and item.draft.import_id is None
            pairs.append((stored, replace(difference, replaces=difference.replaces and decided)))
    replaced = tuple(stored for stored, difference in pairs if difference.replaces)
    undecided = [(stored, difference.is_exact) for stored, difference in pairs if not difference.replaces]
    short = [stored for stored, is_exact in undecided if not is_exact]
    if any(contradiction(short[0].text, stored.text, 1.0) is None for stored in short[1:]):
        undecided = [pair for pair in undecided if pair[1]]  # "the gateway" may be either of two
    return Contradicted(replaced, tuple(stored for stored, _ in undecided))


def counts_first(stored: Version, new: Version) -> bool:
    """Whether the stored one of two undecided facts counts until a person decides."""
    if (stored.source == PERSON) != (new.source == PERSON):
        return stored.source == PERSON
    return stored.valid_from > new.valid_from


def note_conflict(space: OpenSpace, writer: Writer, caller: Caller, item: Prepared, stored: Version) -> bool:
    """Record an undecided pair, and queue it for review. False if a person has decided that both hold."""
    if not propose_conflict(space, writer, caller, item, stored.memory_id):
        return False
    add_conflict(writer, stored, item.version)
    return True


def add_conflict(writer: Writer, stored: Version, new: Version) -> None:
    first, second = (stored, new) if counts_first(stored, new) else (new, stored)
    writer.edges.add(Edge(CONFLICTS, first.memory_id, second.memory_id, made_at=new.recorded_at))


def end_conflicts(writer: Writer, memory_ids: Iterable[str]) -> None:
    """These memories say something else now, or nothing: their conflicts are over."""
    for edge in conflict_edges(writer, memory_ids):
        end_conflict(writer, edge)
        drop_conflict_proposals(writer, edge.from_id, edge.to_id)


def end_conflict(writer: Writer, ended: Edge) -> None:
    others = [edge for edge in conflict_edges(writer, [ended.from_id]) if edge.from_id == ended.from_id]
    writer.edges.replace([ended.from_id], [CONFLICTS], [edge for edge in others if edge.to_id != ended.to_id])


def end_declined_conflict(writer: Writer, row: CandidateRow) -> None:
    """A person decided that both memories of a conflict hold."""
    proposal = proposal_of(row)
    if proposal is not None and proposal.newer:
        for edge in conflict_edges(writer, [proposal.newer]):
            if {edge.from_id, edge.to_id} == {proposal.newer, proposal.target}:
                end_conflict(writer, edge)


def add_reconsidered_conflict(writer: Writer, row: CandidateRow) -> None:
    """The decision about a conflict is undone: it is undecided again, if both memories hold."""
    proposal = proposal_of(row)
    if proposal is not None and proposal.newer:
        stored, new = (current_versions(writer, memory_id) for memory_id in (proposal.target, proposal.newer))
        if stored and new:
            add_conflict(writer, stored[-1], new[-1])
