"""Hits for questions about the structure of code: the symbols that answer, each with the line of its use."""

from dataclasses import replace

from waypost.flows.links.hits import derived, hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.structure.answers import SymbolUse
from waypost.flows.structure.current import bring_relations_up_to_date
from waypost.model.checkout import Checkout
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit, View
from waypost.retrieve.structure_question import read_structure_question, statement
from waypost.store.protocol import Reader


def prepare_structure(space: OpenSpace, text: str) -> tuple[str, ...]:
    """Before a question about structure: update relations. Returns notices."""
    return bring_relations_up_to_date(space) if read_structure_question(text) is not None else ()


def structure_hits(
    space: OpenSpace, reader: Reader, text: str, language: str, view: View, k: int, seen: Checkout | None
) -> tuple[list[Hit], tuple[str, ...]]:
    """At most k hits, and notices. Empty if it is no such question, or if nothing has the name."""
    moment = view.moment
    if moment.explicit or moment.known_at is not None or CODE_COLLECTIONS[0] not in view.collections:
        return [], ()  # only the current relations are stored
    has_code = reader.code.has_any(space.identity.checkout_id)
    question = read_structure_question(text) if has_code else None
    if question is None:
        return [], ()
    from waypost.flows.structure.questions import absent_name, answer_question  # imports parsers; few questions need it

    answer = answer_question(space, reader, question)
    if answer is None:
        name = absent_name(question)
        return [], (statement("absent", language, name=name),) if name else ()
    if answer.meant > 1:
        return [], (statement("several", language, name=answer.name, number=answer.meant, place=answer.place),)
    notices = (statement("unresolved", language, number=answer.unresolved),) if answer.unresolved else ()
    if not answer.rows:
        return [], (statement("none", language, name=answer.name, place=answer.place), *notices)
    rows: dict[str, SymbolUse] = {}
    for row in answer.rows:
        rows.setdefault(row.id, row)
    first = list(rows.values())[:k]
    versions = reader.memories.visible([row.id for row in first], view)
    said = statement(answer.relation, language, name=answer.name)
    hits = []
    for row in first:
        if row.id in versions:
            hit = hit_of(
                derived(versions[row.id], moment.asked_at or space.clock(), seen),
                row.certainty,
                {"structure": row.certainty},
            )
            line = hit.line if answer.relation == "callees" else row.line
            hits.append(replace(hit, line=line, end_line=line, summary=said))
    if len(rows) > len(hits) and answer.relation not in ("key", "table"):
        more = statement("more", language, listed=len(hits), total=len(rows), command=answer.command)
        notices = (more, *notices)
    return hits, notices
