"""Memories as lines of a briefing."""

from collections.abc import Sequence
from dataclasses import dataclass

from waypost.context.budget import count_tokens, shorten
from waypost.model.recall import Hit
from waypost.text.fence import fence

_HEADINGS = (
    ("always", "Always true here"),
    ("preferences", "Preferences"),
    ("facts", "Facts and decisions"),
    ("code", "Code"),
    ("journal", "From conversations"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    section: str  # one of the headings' names
    hit: Hit


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    tokens: int
    used: tuple[Hit, ...]
    left_out: int


def render(entries: Sequence[Entry], tokens: int, shares: dict[str, float]) -> Rendered:
    """As many entries as fit, in the order given, grouped under headings; `shares` bounds a section's part."""
    spent, by_section = _overhead(), {name: 0 for name, _ in _HEADINGS}
    chosen: list[tuple[Entry, str]] = []
    for entry in entries:
        heading = 0 if any(e.section == entry.section for e, _ in chosen) else _heading_cost(entry.section)
        room = tokens - spent - heading
        if entry.section in shares:
            room = min(room, int(tokens * shares[entry.section]) - by_section[entry.section] - heading)
        line = shorten(_line(entry.hit), room - 1) if room > 1 else None
        if line is not None:
            cost = count_tokens(line) + 1 + heading
            spent += cost
            by_section[entry.section] += cost
            chosen.append((entry, line))
    while True:
        text = _assemble(chosen)
        if count_tokens(text) <= tokens or not chosen:
            break
        chosen.pop()
    if not chosen:
        return Rendered("", 0, (), len(entries))
    return Rendered(text, count_tokens(text), tuple(e.hit for e, _ in chosen), len(entries) - len(chosen))


def _assemble(chosen: Sequence[tuple[Entry, str]]) -> str:
    lines = []
    for name, heading in _HEADINGS:
        members = [line for entry, line in chosen if entry.section == name]
        lines += [f"## {heading}", *members] if members else []
    return fence("\n".join(lines)) if lines else ""


def _overhead() -> int:
    return count_tokens(fence("")) + 1


def _heading_cost(section: str) -> int:
    return count_tokens("## " + dict(_HEADINGS)[section]) + 1


def _line(hit: Hit) -> str:
    """One memory on one line: where it points, what it says, when and who, and whether to trust it."""
    place = f"{hit.path}:{hit.line} " if hit.path and hit.line else f"{hit.path} " if hit.path else ""
    who = f"{hit.speaker}, " if hit.speaker else ""
    when = (hit.time or hit.valid_from).date().isoformat()
    stale = f" [stale: {hit.stale_reason or 'the code has changed'}]" if hit.is_stale else ""
    if hit.source == "code":  # the place is what helps: whoever needs the lines opens it
        name = f"{hit.name}: " if hit.name and hit.name != hit.path else ""
        return f"- {place}{name}{hit.summary or ''} ({hit.type or hit.kind}, changed {when})"
    said = " ".join(hit.text.split())
    return f"- {place}{said} ({who}{hit.source}, {when}){stale}"
