"""Memories as lines of a briefing, and a budget that is filled and never passed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from waypost.context.budget import CHARACTERS_PER_TOKEN, count_tokens, shorten
from waypost.context.wording import Wording, wording
from waypost.model.code_link import plain_reason, problem_of
from waypost.model.recall import Hit
from waypost.text.fence import fence

_LONG = 0.4  # of the budget: a longer memory may be cut to that; others are whole or not there
_GAP = "\n\n"  # between what stands outside of the fence and the fence


@dataclass(frozen=True, slots=True)
class BriefingEntry:
    section: str  # one of the headings' names
    hit: Hit
    day: str = ""  # of what was said: entries of a day stand together under it
    place: int = 0  # within its day
    line: str = ""  # by default, the hit as a line
    also: tuple[Hit, ...] = ()  # further memories in the line
    tokens: int = field(init=False)  # of the line, with its end

    def __post_init__(self) -> None:
        if not self.line:
            object.__setattr__(self, "line", _said_line(self.hit) if self.day else plain_line(self.hit))
        object.__setattr__(self, "tokens", _cost(self.line))


@dataclass(frozen=True, slots=True)
class Opening:
    """What stands first: outside of the fence, or as the first words inside."""

    outside: str = ""
    inside: str = ""

    def assembled(self, body: str) -> str:
        """The opening and the fenced body; empty if both are."""
        data = "\n".join(part for part in (self.inside, body) if part)
        return _GAP.join(part for part in (self.outside, fence(data) if data else "") if part)


@dataclass(frozen=True, slots=True)
class Rendered:
    text: str
    tokens: int
    used: tuple[Hit, ...]
    left_out: int


_NO_OPENING = Opening()
_ENGLISH = wording("en")


@dataclass(frozen=True, slots=True)
class _Chosen:
    entry: BriefingEntry
    line: str


def render(
    entries: Sequence[BriefingEntry],
    tokens: int,
    shares: Mapping[str, float] | None = None,
    opening: Opening = _NO_OPENING,
    words: Wording = _ENGLISH,
) -> Rendered:
    """As many entries as fit, in the order given, grouped under headings; `shares` bounds a section's part.

    The tokens of the opening count.
    """
    shares = shares or {}
    chosen: list[_Chosen] = []
    for _ in range(3):  # lines are rounded up one by one: the text as a whole leaves room for some more
        text = _assemble(chosen, opening, words)
        room = tokens - (count_tokens(text) if chosen else _around(opening))
        taken = {id(line.entry) for line in chosen}
        more = _fill([entry for entry in entries if id(entry) not in taken], chosen, room, tokens, shares, words)
        if not more:
            break
        chosen += more
    while chosen and count_tokens(text := _assemble(chosen, opening, words)) > tokens:
        chosen.pop()
    text = _assemble(chosen, opening, words)
    used = tuple(hit for line in chosen for hit in (line.entry.hit, *line.entry.also))
    return Rendered(text, count_tokens(text), used, len(entries) - len(chosen))


def _fill(
    entries: Sequence[BriefingEntry],
    before: Sequence[_Chosen],
    room: int,
    tokens: int,
    shares: Mapping[str, float],
    words: Wording,
) -> list[_Chosen]:
    """Further entries for the room that is left. One that does not fit is passed over."""
    frames = {frame for line in before for frame in _frames(line.entry, words)}
    spent = {name: sum(count_tokens(o.line) + 1 for o in before if o.entry.section == name) for name in shares}
    for name in shares:
        heading = _heading(name, words)
        spent[name] += _cost(heading) if heading in frames else 0
    chosen: list[_Chosen] = []
    for entry in entries:
        new = [frame for frame in _frames(entry, words) if frame not in frames]
        around = sum(map(_cost, new))
        most = room - around
        if entry.section in shares:
            most = min(most, int(tokens * shares[entry.section]) - spent[entry.section] - around - 1)
        line = _fitting(entry, most, tokens, may_be_cut=entry.section in shares or not (chosen or before))
        if line is None:
            continue
        room -= (entry.tokens if line is entry.line else _cost(line)) + around
        if entry.section in shares:
            spent[entry.section] += count_tokens(line) + 1 + around
        frames.update(new)
        chosen.append(_Chosen(entry, line))
    return chosen


def _fitting(entry: BriefingEntry, most: int, tokens: int, *, may_be_cut: bool) -> str | None:
    """The line of an entry, whole or cut; None where it has no place."""
    if entry.tokens <= most:
        return entry.line
    longest = int(_LONG * tokens)
    if may_be_cut or entry.tokens > longest:
        return shorten(entry.line, most if may_be_cut else min(most, longest))
    return None


def _cost(line: str) -> int:
    return max(count_tokens(line), -(-(len(line) + 1) // CHARACTERS_PER_TOKEN))  # with its line end


def _frames(entry: BriefingEntry, words: Wording) -> tuple[str, ...]:
    """The lines that have to stand above an entry."""
    heading = _heading(entry.section, words)
    return (heading, entry.day) if entry.day else (heading,)


def _heading(section: str, words: Wording) -> str:
    return f"## {words.heading[section]}"


def _around(opening: Opening) -> int:
    """What is taken before the first entry."""
    nothing = "" if opening.inside else "-"
    return count_tokens(opening.assembled(nothing)) + 1


def _assemble(chosen: Sequence[_Chosen], opening: Opening, words: Wording) -> str:
    lines: list[str] = []
    for name in words.heading:
        members = [line for line in chosen if line.entry.section == name]
        lines += [_heading(name, words)] if members else []
        for day in sorted({line.entry.day for line in members}):
            of_day = [line for line in members if line.entry.day == day]
            if day:
                of_day.sort(key=lambda line: (line.entry.hit.time or line.entry.hit.valid_from, line.entry.place))
                lines.append(day)
            lines += [line.line for line in of_day]
    return opening.assembled("\n".join(lines))


def place_of(hit: Hit) -> str:
    """The path and line of a memory with a space after it, or an empty string."""
    return f"{hit.path}:{hit.line} " if hit.path and hit.line else f"{hit.path} " if hit.path else ""


def stale_mark(hit: Hit) -> str:
    """Why a memory may be wrong: its code has changed or was never found, or others contradict it."""
    conflict = "" if hit.conflict is None else f" [{hit.conflict.line}]"
    conflict += "" if hit.newer_id is None else " [earlier]"
    problem = problem_of(hit.links)
    conflict += f" [{problem}]" if problem else ""
    return (f" [stale: {plain_reason(hit.stale_reason)}]" if hit.is_stale else "") + conflict


def _said_line(hit: Hit) -> str:
    """What was said, under its day: by whom, and the words."""
    who = hit.speaker or ("" if hit.source == "person" else hit.source)
    return f"- {f'{who}: ' if who else ''}{_flat(hit.text)}{stale_mark(hit)}"


def plain_line(hit: Hit, reasons: Sequence[str] = (), words: Wording = _ENGLISH) -> str:
    """One memory on one line: where it points, what it says and why, when and who, and whether to trust it."""
    place, stale, source = place_of(hit), stale_mark(hit), f"{hit.speaker}, {hit.source}" if hit.speaker else hit.source
    when = (hit.time or hit.valid_from).date().isoformat()
    if hit.project is not None:
        return f"- {_flat(_words(hit))} (from {hit.project.name}{f' {place}'.rstrip()}, {source}, {when}){stale}"
    if hit.source == "code":  # the place is what helps: an agent can open it
        name = f"{hit.name}: " if hit.name and hit.name != hit.path else ""
        return f"- {place}{name}{hit.summary or ''} ({hit.type or hit.kind}, changed {when})"
    why = f" {words.reason}: {'; '.join(map(_flat, reasons))}" if reasons else ""
    return f"- {place}{_flat(hit.text)}{why} ({source}, {when}){stale}"


def _words(hit: Hit) -> str:
    """What another project says: of code its name and what it does."""
    if hit.source != "code":
        return hit.text
    return ": ".join(part for part in (hit.name or "", hit.summary or "") if part)


def _flat(text: str) -> str:
    return " ".join(text.split())
