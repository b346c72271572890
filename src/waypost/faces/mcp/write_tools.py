"""Default tools that write: remember, decide, review."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.mcp.session import confirmed_by_person, now_of
from waypost.faces.mcp.text_answers import (
    LONGEST,
    Row,
    age,
    fenced,
    joined,
    line_of,
    linked_row,
    with_notices,
    without_empty,
)
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.text.durations import parse_duration
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.receipt import Receipt

LONGEST_TEXT = 20_000  # characters; longer text belongs in a file
_MOST_SHOWN = 10
_LONGEST_QUESTION = 1000  # characters of a text that the user is asked about
_STATUS_TEXT = {
    "added": "Remembered.",
    "merged": "Merged with an existing memory.",
    "duplicate": "Already stored.",
    "refused": "Not stored.",
}


def remember(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    if "retract" in given:
        if "text" in given or "replaces" in given:
            raise InvalidInput("retract takes no text.", "To correct a memory, use text with replaces=ID.")
        memory_id = call.memory.admin.full_id(given["retract"])
        proposed = memory.retract(memory_id)
        if proposed is not None:
            return _reply(proposed)
        data = {"id": memory_id, "status": "retracted"}
        return ToolReply(f"Retracted {memory_id}. Recall no longer returns it; its history stays.", data)
    if "text" not in given:
        raise InvalidInput("There is no text.", "Give text, or retract=ID.")
    fields = {**_defaults_from_replaced(memory, given), **given}
    if "ttl" in fields:
        fields["ttl"] = parse_duration(fields["ttl"])
    inferred = {} if "replaces" in given else _inferred(memory, fields)
    return _reply(memory.remember(**{**inferred, **fields}), _place_text(inferred))


def _inferred(memory: "Memory", fields: Mapping[str, Any]) -> dict[str, Any]:
    """Level, domain and lifetime by the text, as far as the agent gave none."""
    inferred = memory.facts.infer_place(fields["text"], fields.get("kind", "fact"), fields.get("refs", ()))
    return {name: value for name, value in inferred.items() if name not in fields}


def _place_text(inferred: Mapping[str, Any]) -> str:
    """What an agent should know of inferred fields: those that change when the memory is shown."""
    parts = [f"expires in {counted(inferred['ttl'] // 86_400, 'day', 'days')}" if "ttl" in inferred else ""]
    parts += ["shown in every briefing (level 0)" if inferred.get("level") == 0 else ""]
    effects = ", ".join(part for part in parts if part)
    return f"By its text: {effects}; give ttl or level to change that." if effects else ""


def _reply(receipt: "Receipt", more: str = "") -> ToolReply:
    text = joined(_receipt_text(receipt), more if receipt.status == "added" else "")
    return ToolReply(text, receipt.to_json(), is_error=receipt.status == "refused")


def _defaults_from_replaced(memory: "Memory", given: Mapping[str, Any]) -> dict[str, Any]:
    """By default a correction keeps the kind, place and code references of the memory it replaces."""
    if "replaces" not in given:
        return {}
    old = memory.show(given["replaces"])
    if old.version.checkout_id is not None:
        raise InvalidInput("That memory comes from the code.", "Change the code, then call status with index=true.")
    place = {"level": old.version.level, "domain": old.version.domain or None}
    named = {name: value for name, value in place.items() if value is not None}
    return {"kind": old.version.kind, "refs": [str(link.reference) for link in old.links], **named}


def _receipt_text(receipt: "Receipt") -> str:
    if receipt.review:
        return f"Needs review: {receipt.reason}. Nothing has changed. Proposal {receipt.id}, about {receipt.replaces}."
    head = " ".join(part for part in (_STATUS_TEXT[receipt.status], receipt.reason or "", f"id {receipt.id}") if part)
    lines = [head if receipt.id else _STATUS_TEXT[receipt.status] + f" {receipt.reason or ''}"]
    lines += [f"Masked: {', '.join(receipt.masked)}"] if receipt.masked else []
    lines += [f"Points at {', '.join(receipt.links)}"] if receipt.links else []
    if receipt.conflicts_with:
        near = receipt.conflicts_with
        lines.append(f"Both are stored. If {near} no longer holds, remember this again with replaces={near}.")
    for suggestion in receipt.suggestions[:3]:
        lines.append(
            f"Did {one_line(suggestion.name, 80)} mean {' or '.join(one_line(p, 160) for p in suggestion.places[:3])}?"
        )
    lines += list(receipt.notices)
    if receipt.pending:
        lines.append("Not embedded yet; keyword search finds it.")
    return "\n".join(lines)


def decide(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    done = call.memory.decide(**given)
    parts = {"because": done.reasons, "leads_to": done.consequences, "given": done.constraints}
    lines = [_receipt_text(done.decision)]
    lines += [
        f"{name}: {', '.join(receipt.id or 'not stored' for receipt in receipts)}"
        for name, receipts in parts.items()
        if receipts
    ]
    data = {
        **done.decision.to_json(),
        **{name: [receipt.id for receipt in receipts] for name, receipts in parts.items() if receipts},
    }
    return ToolReply(joined(*lines), data, is_error=done.decision.status == "refused")


def review(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    action = given["action"]
    if action == "list":
        return _pending(call)
    if "id" not in given:
        raise InvalidInput(f"{action} needs an id.", "review without an action lists them.")
    if action == "edit" and "text" not in given:
        raise InvalidInput("edit needs the new text.", "")
    return _apply(call, action, call.memory.admin.full_id(given["id"]), given.get("text"))


def _pending(call: ToolCall) -> ToolReply:
    from waypost.flows.write.proposals import proposal_of  # not needed to start a server

    review, now = call.memory.facts.review(), now_of(call)
    rows = [
        without_empty(
            {
                "id": row.candidate_id,
                "where": one_line(", ".join(candidate.refs[:3]), LONGEST),
                "text": one_line(candidate.text, LONGEST),
                "kind": candidate.kind,
                "action": proposal.action if (proposal := proposal_of(row)) is not None else "",
                "by": f"{row.origin}, {row.confidence:.0%} sure",
                "age": age(row.made_at, now),
                "reason": one_line(row.reason, LONGEST),
                "instead_of": one_line(review.replaced[row.candidate_id].text, LONGEST)
                if row.candidate_id in review.replaced
                else "",
            }
        )
        for row, candidate in review.candidates[:_MOST_SHOWN]
    ]
    expired: list[Row] = [linked_row(candidate, now) for candidate in review.stale[:_MOST_SHOWN]]
    data = {"candidates": rows, "waiting": len(review.candidates), "expired": expired}
    if not rows and not expired:
        return ToolReply("Nothing to review.", data)
    lines = [f"To approve ({len(review.candidates)}):"] if rows else []
    lines += [_proposed_line(row) for row in rows]
    lines += ["Expired; if still true, remember again, else retract:"] if expired else []
    lines += [line_of(row) for row in expired]
    hidden = max(0, len(review.candidates) - _MOST_SHOWN) + max(0, len(review.stale) - _MOST_SHOWN)
    more = [f"{hidden} more; `waypost review` shows all."] if hidden else []
    more.append("Only the user decides; an action with an id asks them.")
    return ToolReply(joined(fenced(lines), *more), with_notices(data, more))


def _proposed_line(row: Row) -> str:
    """The proposed change and the text it changes, as `waypost review` shows it."""
    old, text = row.get("instead_of", ""), row["text"]
    if row.get("action") == "retract":
        return line_of({**row, "text": f"retract: {text}"})
    return line_of(row) + (f"\n  instead of: {old}" if old and old != text else "")


def _apply(call: ToolCall, action: str, memory_id: str, text: str | None) -> ToolReply:
    """Show the user the text, ask them, and apply the action with their rights."""
    from waypost.flows.write.proposals import RETRACT, proposal_of  # not needed to start a server

    memory = call.memory
    review_state = memory.facts.review()
    row, candidate = next(
        ((row, proposed.text) for row, proposed in review_state.candidates if row.candidate_id == memory_id),
        (None, None),
    )
    current_text = candidate if candidate is not None else _remembered(memory, memory_id, action)
    questions = {
        "approve": "Is this true, and should it be stored under your name?",
        "edit": "Change this text, and leave it to review?",
        "reject": "Reject this, so that it is never stored again?",
        "forget": "Delete this permanently with every trace?",
    }
    if action in ("approve", "edit") and len(text or current_text) > _LONGEST_QUESTION:  # the user must see all of it
        raise SecurityError(
            f"The text is too long to show to the user: {len(text or current_text):,} characters, limit {_LONGEST_QUESTION:,}.",
            "Shorten it, or ask them to run `waypost review` at a terminal.",
        )
    proposal = proposal_of(row) if row is not None else None
    if proposal is not None and proposal.action == RETRACT and action == "approve":
        questions["approve"] = "Is this no longer true, and should it be retracted?"
    replaced = review_state.replaced.get(memory_id)
    old = (
        ""
        if replaced is None or replaced.text == current_text
        else f"\nInstead of: {one_line(replaced.text, _LONGEST_QUESTION)}"
    )
    new = f"\nNew text: {one_line(text, _LONGEST_QUESTION)}" if text else ""
    question = f"{questions[action]}\n{one_line(current_text, _LONGEST_QUESTION)}{old}{new}"
    persons_memory = confirmed_by_person(call, question, forgetting=action == "forget")
    if action == "approve":
        receipt = persons_memory.facts.approve(memory_id, text=text)[0][1]
        return ToolReply(f"Approved by the user. {_receipt_text(receipt)}", receipt.to_json())
    if action == "edit":
        edited = persons_memory.facts.edit(memory_id, text or "")
        return ToolReply(
            "The user agreed: the text is changed; it still needs approval.", {"id": memory_id, "text": edited}
        )
    if action == "reject":
        if candidate is not None:
            persons_memory.facts.reject(memory_id)
        else:
            persons_memory.reject(memory_id)
        return ToolReply("Rejected by the user; it will not be stored again.", {"id": memory_id, "status": "rejected"})
    forgotten = persons_memory.forget(memory_id)
    details = {"id": memory_id, "status": "forgotten", "answers": list(forgotten.answers)}
    return ToolReply("Deleted permanently by the user.", details)


def _remembered(memory: "Memory", memory_id: str, action: str) -> str:
    if action in ("approve", "edit"):
        raise NotFound(f"No proposed fact {memory_id}.", "review without an action lists them.")
    return memory.history(memory_id).versions[-1].text


_ID = {"type": "string"}
_REFS = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Code: a.py, a.py#L3-L9, a.py#Class.method",
}
_PARTS = {"type": "array", "items": {"type": "string"}}
_WRITTEN = {"type": "object", "properties": {"id": {}, "status": {}}}

REMEMBER = Tool(
    "remember",
    "Store something that will matter later, in self-contained text. Also correct or retract a memory; history stays.",
    remember,
    {
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "kind": {"type": "string", "enum": ["fact", "learning", "fix", "preference", "constraint", "note"]},
        "refs": _REFS,
        "replaces": {**_ID, "description": "ID that text corrects or verifies"},
        "retract": {**_ID, "description": "ID, without text"},
        "valid_from": {"type": "string", "description": "True since"},
        "level": {"type": "integer", "description": "0 (every task) to 3 (code)"},
        "domain": {"type": "string"},
        "ttl": {"type": "string", "description": "12h, 3d, 2w"},
    },
    (),
    _WRITTEN,
)
DECIDE = Tool(
    "decide",
    "Record a decision: because (reasons), leads_to (consequences), given (constraints).",
    decide,
    {
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "because": {**_PARTS, "description": "Texts or IDs"},
        "leads_to": _PARTS,
        "given": _PARTS,
        "refs": _PARTS,
        "replaces": _ID,
    },
    ("text",),
    _WRITTEN,
)
REVIEW = Tool(
    "review",
    "List facts pending approval or expired. All other actions ask the user to confirm.",
    review,
    {
        "action": {"type": "string", "enum": ["list", "approve", "edit", "reject", "forget"], "default": "list"},
        "id": _ID,
        "text": {"type": "string", "description": "New text", "maxLength": LONGEST_TEXT},
    },
    (),
    {"type": "object"},
    destroys=True,
)
