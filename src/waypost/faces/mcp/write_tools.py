"""The default tools that write: remember, decide, review."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.context.one_line import one_line
from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.mcp.session import now_of, persons_word
from waypost.faces.mcp.text_answers import LONGEST, Row, age, fenced, filled, line_of, linked_row, noted, told
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.ids import check_id

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.model.receipt import Receipt

LONGEST_TEXT = 20_000  # characters; a longer one is a file
_MOST_SHOWN = 10
_BEFORE_EYES = 1000  # characters that a person is shown of what they are asked about
_SAID = {
    "added": "Remembered.",
    "merged": "Merged with what was known.",
    "duplicate": "Known already.",
    "refused": "Not kept.",
}


def remember(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    if "retract" in given:
        if "text" in given or "replaces" in given:
            raise InvalidInput("retract takes a memory back without words.", "To put it right: text with replaces=ID.")
        memory_id = check_id(given["retract"])
        proposed = memory.retract(memory_id)
        if proposed is not None:
            return _replied(proposed)
        data = {"id": memory_id, "status": "retracted"}
        return ToolReply(f"Taken back: {memory_id}. Recall no longer tells it; its history stays.", data)
    if "text" not in given:
        raise InvalidInput("There is nothing to remember.", "Give text; or retract=ID to take one back.")
    return _replied(memory.remember(**{**_of_the_replaced(memory, given), **given}))


def _replied(receipt: "Receipt") -> ToolReply:
    return ToolReply(_receipt_text(receipt), receipt.to_json(), is_error=receipt.status == "refused")


def _of_the_replaced(memory: "Memory", given: Mapping[str, Any]) -> dict[str, Any]:
    """What is right takes the place of what was wrong: of the same kind, and about the same code, unless told."""
    if "replaces" not in given:
        return {}
    old = memory.show(given["replaces"])
    if old.version.checkout_id is not None:
        raise InvalidInput("That was read out of the code.", "Change the code, then call status with index=true.")
    return {"kind": old.version.kind, "refs": [str(link.reference) for link in old.links]}


def _receipt_text(receipt: "Receipt") -> str:
    if receipt.review:
        return f"Needs review: {receipt.reason}. Nothing has changed. Proposal {receipt.id}, about {receipt.replaces}."
    said = " ".join(part for part in (_SAID[receipt.status], receipt.reason or "", f"id {receipt.id}") if part)
    lines = [said if receipt.id else _SAID[receipt.status] + f" {receipt.reason or ''}"]
    lines += [f"Masked: {', '.join(receipt.masked)}"] if receipt.masked else []
    lines += [f"Points at {', '.join(receipt.links)}"] if receipt.links else []
    if receipt.conflicts_with:
        near = receipt.conflicts_with
        lines.append(f"It differs from {near}; recall that id, and if it is wrong use replaces={near}.")
    for one in receipt.suggestions[:3]:
        lines.append(f"Did {one_line(one.name, 80)} mean {' or '.join(one_line(p, 160) for p in one.places[:3])}?")
    lines += list(receipt.notices)
    if receipt.pending:
        lines.append("It is not embedded yet; keywords find it.")
    return "\n".join(lines)


def decide(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    done = call.memory.decide(**given)
    parts = {"because": done.reasons, "leads_to": done.consequences, "given": done.constraints}
    lines = [_receipt_text(done.decision)]
    lines += [
        f"{name}: {', '.join(one.id or 'not kept' for one in receipts)}" for name, receipts in parts.items() if receipts
    ]
    data = {
        **done.decision.to_json(),
        **{name: [one.id for one in receipts] for name, receipts in parts.items() if receipts},
    }
    return ToolReply(told(*lines), data, is_error=done.decision.status == "refused")


def review(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    action = given["action"]
    if action == "list":
        return _waiting(call)
    if "id" not in given:
        raise InvalidInput(f"{action} needs the id of one.", "review without an action lists them.")
    if action == "edit" and "text" not in given:
        raise InvalidInput("edit needs text: the words put right.", "")
    return _decided(call, action, check_id(given["id"]), given.get("text"))


def _waiting(call: ToolCall) -> ToolReply:
    from waypost.flows.write.proposals import proposal_of  # a server starts without what writing needs

    found, now = call.memory.facts.review(), now_of(call)
    rows = [
        filled(
            {
                "id": row.candidate_id,
                "where": one_line(", ".join(one.refs[:3]), LONGEST),
                "text": one_line(one.text, LONGEST),
                "kind": one.kind,
                "action": proposal.action if (proposal := proposal_of(row)) is not None else "",
                "by": f"{row.origin}, {row.confidence:.0%} sure",
                "age": age(row.made_at, now),
                "reason": one_line(row.reason, LONGEST),
                "instead_of": one_line(found.replaced[row.candidate_id].text, LONGEST)
                if row.candidate_id in found.replaced
                else "",
            }
        )
        for row, one in found.candidates[:_MOST_SHOWN]
    ]
    expired: list[Row] = [linked_row(one, now) for one in found.stale[:_MOST_SHOWN]]
    data = {"candidates": rows, "waiting": len(found.candidates), "expired": expired}
    if not rows and not expired:
        return ToolReply("Nothing waits for the person.", data)
    lines = [f"To approve ({len(found.candidates)}):"] if rows else []
    lines += [_proposed_line(row) for row in rows]
    lines += ["Their time has run out; true still? remember again, or retract:"] if expired else []
    lines += [line_of(row) for row in expired]
    hidden = max(0, len(found.candidates) - _MOST_SHOWN) + max(0, len(found.stale) - _MOST_SHOWN)
    more = [f"{hidden} more wait; `waypost review` shows all."] if hidden else []
    more.append("Only the person decides; an action with an id asks them.")
    return ToolReply(told(fenced(lines), *more), noted(data, more))


def _proposed_line(row: Row) -> str:
    """As `waypost review` shows it: what would be done, and to which words."""
    old, text = row.get("instead_of", ""), row["text"]
    if row.get("action") == "retract":
        return line_of({**row, "text": f"retract: {text}"})
    return line_of(row) + (f"\n  instead of: {old}" if old and old != text else "")


def _decided(call: ToolCall, action: str, memory_id: str, text: str | None) -> ToolReply:
    """Ask the person, with the words that it is about before their eyes, and do it as their word."""
    from waypost.flows.write.proposals import RETRACT, proposal_of  # a server starts without what writing needs

    memory = call.memory
    found = memory.facts.review()
    row, candidate = next(
        ((row, one.text) for row, one in found.candidates if row.candidate_id == memory_id), (None, None)
    )
    words = candidate if candidate is not None else _remembered(memory, memory_id, action)
    questions = {
        "approve": "Is this true, and to be remembered as your word?",
        "edit": "Put this right, and leave it waiting?",
        "reject": "Reject this, so that it is never stored again?",
        "forget": "Forget this for good, with every trace? There is no way back.",
    }
    if action in ("approve", "edit") and len(text or words) > _BEFORE_EYES:  # nobody answers for what they did not see
        raise SecurityError(
            f"This is too long to be shown to the person: {len(text or words):,} characters, and {_BEFORE_EYES:,} fit.",
            "Shorten it; or tell them, `waypost review` at a terminal shows all of it.",
        )
    proposal = proposal_of(row) if row is not None else None
    if proposal is not None and proposal.action == RETRACT and action == "approve":
        questions["approve"] = "Is this no longer true, and to be retracted?"
    replaced = found.replaced.get(memory_id)
    old = "" if replaced is None or replaced.text == words else f"\nInstead of: {one_line(replaced.text, _BEFORE_EYES)}"
    new = f"\nNew words: {one_line(text, _BEFORE_EYES)}" if text else ""
    asked = f"{questions[action]}\n{one_line(words, _BEFORE_EYES)}{old}{new}"
    hands = persons_word(call, asked, forgetting=action == "forget")
    if action == "approve":
        receipt = hands.facts.approve(memory_id, text=text)[0][1]
        return ToolReply(f"Approved by the person. {_receipt_text(receipt)}", receipt.to_json())
    if action == "edit":
        kept = hands.facts.edit(memory_id, text or "")
        return ToolReply(
            "The person agreed: the words are put right; it still waits for approval.", {"id": memory_id, "text": kept}
        )
    if action == "reject":
        if candidate is not None:
            hands.facts.reject(memory_id)
        else:
            hands.reject(memory_id)
        return ToolReply("Rejected by the person; it is not stored again.", {"id": memory_id, "status": "rejected"})
    hands.forget(memory_id)
    return ToolReply("Forgotten for good, by the person's word.", {"id": memory_id, "status": "forgotten"})


def _remembered(memory: "Memory", memory_id: str, action: str) -> str:
    if action in ("approve", "edit"):
        raise NotFound(f"No candidate {memory_id} waits for approval.", "review without an action lists those that do.")
    return memory.history(memory_id).versions[-1].text


_ID = {"type": "string"}
_REFS = {
    "type": "array",
    "items": {"type": "string"},
    "maxItems": 20,
    "description": "Code: a.py, a.py#L3-L9, a.py#Class.method",
}
_PARTS = {"type": "array", "items": {"type": "string"}, "maxItems": 20}
_WRITTEN = {"type": "object", "properties": {"id": {}, "status": {}}}

REMEMBER = Tool(
    "remember",
    "Keep what will matter later (a fact, learning, fix, preference) in self-contained words. "
    "Correct or take back what is wrong; history stays.",
    remember,
    {
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "kind": {
            "type": "string",
            "enum": ["fact", "learning", "fix", "preference", "constraint", "note"],
        },
        "refs": _REFS,
        "replaces": {**_ID, "description": "ID that text corrects"},
        "retract": {**_ID, "description": "ID to take back, without text"},
        "valid_from": {"type": "string", "description": "Since when it is true"},
    },
    (),
    _WRITTEN,
)
DECIDE = Tool(
    "decide",
    "Record a decision: because (reasons), leads_to (consequences), given (constraints). `why` tells them later.",
    decide,
    {
        "text": {"type": "string", "maxLength": LONGEST_TEXT},
        "because": {**_PARTS, "description": "Texts or IDs"},
        "leads_to": _PARTS,
        "given": _PARTS,
        "refs": _REFS,
        "replaces": {**_ID, "description": "ID"},
    },
    ("text",),
    _WRITTEN,
)
REVIEW = Tool(
    "review",
    "What waits for the person: learned facts to approve, facts that ran out. "
    "Every action but list asks the person and does what they say.",
    review,
    {
        "action": {"type": "string", "enum": ["list", "approve", "edit", "reject", "forget"], "default": "list"},
        "id": _ID,
        "text": {"type": "string", "description": "Better words", "maxLength": LONGEST_TEXT},
    },
    (),
    {"type": "object"},
    destroys=True,
)
