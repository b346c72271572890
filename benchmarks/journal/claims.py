"""Sentences of chats that are easily taken for something else: `claims.txt` says what each really states."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from waypost.journal.statements.profile import SINGLE, SpokenText, facts_over_time, holding
from waypost.journal.statements.recognise import statements_of

_PATH = Path(__file__).with_name("claims.txt")
_DAY = date(2026, 3, 18)


@dataclass(frozen=True, slots=True)
class Claim:
    language: str
    kind: str  # none, small, life, or slots with words
    texts: tuple[str, ...]
    is_unseen: bool


def claims() -> list[Claim]:
    found: list[Claim] = []
    language, place = "", 0
    for line in _PATH.read_text("utf-8").splitlines():
        if line.startswith("["):
            language, place = line.strip("[]"), 0
        elif line and not line.startswith("#"):
            kind, text = (part.strip() for part in line.split("|", 1))
            found.append(Claim(language, kind, tuple(part.strip() for part in text.split("||")), place % 2 == 1))
            place += 1
    return found


def problem(claim: Claim) -> str | None:
    """`false: …` for what is stated but not so, `missed: …` for what is so but not stated, None if all is right."""
    said = [SpokenText(text, claim.language, str(number), _DAY) for number, text in enumerate(claim.texts)]
    facts = holding(facts_over_time(said))
    if claim.kind.startswith("gone="):
        words = claim.kind.removeprefix("gone=").casefold()
        left = [fact for fact in facts if words in fact.text.casefold() and fact.slot not in ("status", "dropped")]
        return f"false: still {left[0].slot} {left[0].text!r}" if left else None
    if claim.kind in ("none", "small", "life"):
        return _problem_of_event(claim, [fact for fact in facts if fact.slot != "status"])
    for wanted in claim.kind.split(";"):
        slot, words = wanted.strip().split("=")
        if not any(fact.slot == slot and words.casefold() in fact.text.casefold() for fact in facts):
            return f"missed: {slot}"
    wanted_slots = {wanted.strip().split("=")[0] for wanted in claim.kind.split(";")}
    other = [fact for fact in facts if fact.slot in SINGLE and fact.slot not in (*wanted_slots, "home", "work")]
    return f"false: {other[0].slot} {other[0].text!r}" if other else None


def _problem_of_event(claim: Claim, facts: list[object]) -> str | None:
    statements = statements_of(claim.texts[0], claim.language)
    is_milestone = any(statement.is_milestone and statement.is_real for statement in statements)
    if claim.kind == "life":
        return None if is_milestone else "missed: event"
    if is_milestone:
        return "false: event that changes a life"
    if facts:
        return f"false: {facts[0]}"
    told = [statement for statement in statements if statement.is_real and statement.kind != "remark"]
    return f"false: {told[0].kind}" if claim.kind == "none" and told else None
