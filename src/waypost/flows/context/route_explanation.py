"""How a routed briefing came about, in plain words."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from waypost.context.route import RELATED, Routed
from waypost.retrieve.route import FACT, WIDENED, Joined

if TYPE_CHECKING:
    from waypost.flows.context.route_facts import RoutedTo

_MOST_NAMED = 8  # domains


def explain(routed_to: "RoutedTo", routed: Routed, left_out: Mapping[str, int], confidence: float, tokens: int) -> str:
    """Which domains joined and why, what is shown in how many tokens, and what is not."""
    parts = [_domains(routed_to, confidence), _shown(routed, tokens), left_out_note(left_out), *routed_to.notices]
    return " ".join(part for part in parts if part)


def left_out_note(left_out: Mapping[str, int]) -> str:
    parts = [
        f"{left_out['project']} of the project for want of room" if left_out["project"] else "",
        f"{left_out['room']} more for want of room" if left_out["room"] else "",
        f"{left_out['stale']} stale" if left_out["stale"] else "",
    ]
    return f"Left out: {', '.join(part for part in parts if part)}." if any(parts) else ""


def _domains(routed_to: "RoutedTo", confidence: float) -> str:
    if not routed_to.by_meaning:
        return "No engine was available to find near domains, so keywords searched the facts of all domains."
    if not routed_to.known_domains:
        return ""
    near = [domain for domain in routed_to.joined if domain.why != WIDENED]
    wider = [domain for domain in routed_to.joined if domain.why == WIDENED]
    text = f"Near the task: {_named(near)}" if near else "No domain is near the task"
    text += f", of {_count(routed_to.known_domains, 'domain')}."
    if wider:
        text += f" No fact of a domain answered well (confidence {confidence:.2f}), so the next nearest joined: {_named(wider)}."
    return text


def _named(domains: Iterable[Joined]) -> str:
    all_of_them = list(domains)
    named = ", ".join(
        f"{domain.domain} ({domain.similarity:.2f}{', by a fact' if domain.why == FACT else ''})"
        for domain in all_of_them[:_MOST_NAMED]
    )
    more = len(all_of_them) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _shown(routed: Routed, tokens: int) -> str:
    if not routed.lines:
        return f"Nothing is shown in {tokens} tokens."
    counts: dict[str, tuple[int, int]] = {}
    for line in routed.lines:
        name = "related" if line.section == RELATED else f"of level {line.entry.hits[0].level}"
        facts, used = counts.get(name, (0, 0))
        counts[name] = facts + 1, used + line.tokens
    listed = [f"{facts} {name} in {used}" for name, (facts, used) in sorted(counts.items())]
    return f"Shown: {', '.join(listed)} tokens; {routed.tokens} of {tokens} in all."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
