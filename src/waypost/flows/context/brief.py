"""The briefing that an agent gets at the start of a task: what is worth its tokens, and nothing else.

Rules and preferences come first. Decisions with their reasons, pitfalls and facts about the task follow, then the code
to open. A briefing ends when nothing more is useful enough, however much room there is.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from waypost.context.briefing import Briefing, check_budget
from waypost.context.open_files import OpenFile
from waypost.context.render import BriefingEntry, plain_line, render
from waypost.context.usefulness import AT_SYMBOL, IN_FILE, floor_of, matches, usefulness, warns
from waypost.context.wording import Wording, summary, wording
from waypost.flows.context.decisions import Reasons, with_reasons
from waypost.flows.context.dna import opening_of
from waypost.flows.context.nearest import only_asks
from waypost.flows.context.open_files import CodeToOpen, code_to_open
from waypost.flows.context.said import with_turns_beside
from waypost.flows.context.standing import standing_rules
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.recall import Hit, View
from waypost.model.reference import CodeReference
from waypost.retrieve.neighbours import value
from waypost.retrieve.score import total_of
from waypost.store.protocol import Reader
from waypost.text.language import language_of

__all__ = ["Briefing", "brief", "check_budget"]

_MOST_MEMORIES = 300
_LEAST_MEMORIES = 40
_LINE_TOKENS = (
    32  # of a usual memory; more hits than would fit at that length find nothing more (benchmarks/evidence.py)
)
_SHARES = {"rules": 0.15, "preferences": 0.15}
_SAID_SHARE = 0.25  # of the budget for conversations, in a project with code
_OPENED = 0.8  # by which a file to open counts more than a memory with its total ...
_FIRST_OPENED = 0.7  # ... and the first one even more: a task begins there
_MOST_PINNED, _PINNED_SCORE = 5, 0.3  # memories that point at code to open, which recall did not return
_MOST_SHARED = 3  # places in code of other projects
_LEAST_SHARED = 0.7  # their score


def brief(space: OpenSpace, task: str, view: View, *, tokens: int, now: datetime | None = None) -> Briefing:
    """What is worth knowing for a task: DNA.md, rules, preferences, decisions, pitfalls, facts, and the code to open."""
    check_budget(tokens)
    opening, notices = opening_of(space, tokens)
    words = wording(language_of(task))
    collections = tuple(name for name in view.collections if name in KEPT_COLLECTIONS)
    kept_view = replace(view, collections=collections)
    answer = recall(space, task, kept_view, k=_most(tokens), now=now, shared=True)
    code = code_to_open(space, task, view, tokens=tokens, now=now)
    memories = _Memories(space, kept_view, code.files, words, floor_of(tokens))
    with space.store.read() as reader:
        has_code = reader.code.has_any(view.checkout_id)
        scores = {hit.id: hit.score for hit in answer.hits}
        standing = standing_rules(space, reader, kept_view, scores)
        hits, reasons = with_reasons(space, reader, [*answer.hits, *memories.pinned(reader, answer.hits)], kept_view)
    least = floor_of(tokens) if has_code else None
    listed = {entry.hit.id for entry in standing}
    stated = [hit for hit in hits if hit.collection != "journal" or hit.kind == "preference"]
    facts = memories.useful([hit for hit in stated if hit.id not in listed], reasons)
    said = _said(space, kept_view, [hit for hit in answer.hits if hit.collection == "journal"], listed, least)
    ranked = sorted([*facts, *said, *_code_entries(code, words)], key=lambda entry: -entry.worth)
    shares = _SHARES | ({"journal": _SAID_SHARE} if has_code else {})
    rendered = render([*standing, *(useful.entry for useful in ranked)], tokens, shares, opening, words)
    ranked_ids = {useful.entry.hit.id for useful in ranked}  # what every briefing has says nothing about the task
    confidence = max((hit.score for hit in rendered.used if hit.id in ranked_ids), default=0.0)
    more = tuple(dict.fromkeys((*notices, *answer.notices, *code.notices)))
    explanation = summary(words, len(rendered.used), rendered.left_out, rendered.tokens, tokens)
    return Briefing(rendered.text, rendered.tokens, rendered.used, confidence, " ".join((explanation, *more)))


def _most(tokens: int) -> int:
    return min(_MOST_MEMORIES, max(_LEAST_MEMORIES, tokens // _LINE_TOKENS))


@dataclass(frozen=True, slots=True)
class _UsefulEntry:
    entry: BriefingEntry
    worth: float  # by which entries compete for the budget


@dataclass(frozen=True, slots=True)
class _Memories:
    """Memories of people and agents about a task whose files to open are known."""

    space: OpenSpace
    view: View
    files: Sequence[OpenFile]
    words: Wording
    floor: float

    def useful(self, hits: Sequence[Hit], reasons: Reasons) -> list[_UsefulEntry]:
        """Those worth their tokens."""
        useful = []
        for hit in hits:
            pinned = self._pin(hit)
            worth = usefulness(total_of(hit.score), hit, pinned)
            if warns(hit, pinned):
                worth = max(worth, self.floor)
            elif not matches(hit):
                continue
            if worth >= self.floor:
                line = plain_line(hit, reasons.get(hit.id, ()), self.words)
                entry = BriefingEntry("facts", hit, line=line)
                useful.append(_UsefulEntry(entry, value(worth, entry.tokens)))
        return useful

    def pinned(self, reader: Reader, hits: Sequence[Hit]) -> list[Hit]:
        """Memories that recall did not return, but that point at a symbol to open."""
        if not self.files or self.view.checkout_id is None:
            return []
        listed = {hit.id for hit in hits}
        rows = reader.references.to_files(self.view.checkout_id, [file.path for file in self.files], self.view)
        numbers = {row.number for row in rows if row.memory_id not in listed}
        memories = looked_at(self.space, reader, list(reader.memories.by_number(numbers).values())) if numbers else {}
        made = [hit_of(memory, _PINNED_SCORE, {"pinned": AT_SYMBOL}) for memory in memories.values()]
        return [hit for hit in made if warns(hit, self._pin(hit))][:_MOST_PINNED]

    def _pin(self, hit: Hit) -> float:
        """What it is worth that a memory points at code to open."""
        pins = [
            AT_SYMBOL if any(_overlap(reference, symbol) for symbol in file.hits) else IN_FILE
            for file in self.files
            for reference in hit.code_refs
            if reference.file_path == file.path
        ]
        return max(pins, default=0.0)


def _overlap(reference: CodeReference, hit: Hit) -> bool:
    lines = reference.line_range
    if lines is None or hit.line is None or hit.kind != "symbol":
        return False
    return lines.start <= (hit.end_line or hit.line) and hit.line <= lines.end


def _code_entries(code: CodeToOpen, words: Wording) -> list[_UsefulEntry]:
    entries = []
    for place, file in enumerate(code.files):
        entry = BriefingEntry("code", file.hits[0], line=file.line(code.details, words), also=file.hits[1:])
        worth = file.total + _OPENED + (_FIRST_OPENED if place == 0 else 0.0)
        entries.append(_UsefulEntry(entry, value(worth, entry.tokens)))
    shared = [hit for hit in code.shared if hit.score >= _LEAST_SHARED][:_MOST_SHARED]
    return entries + [_UsefulEntry(BriefingEntry("code", hit), total_of(hit.score)) for hit in shared]


def _said(
    space: OpenSpace, view: View, hits: Sequence[Hit], listed: set[str], floor: float | None
) -> list[_UsefulEntry]:
    """Messages and the turns around them, by their value for their length; only useful ones if there is a `floor`."""
    if floor is not None:
        hits = [hit for hit in hits if not only_asks(hit) and usefulness(total_of(hit.score), hit) >= floor]
    by_id, totals, places = with_turns_beside(space, hits, view)
    entries = [
        _entry(hit, places.get(hit.id, 0), space.journal.today)
        for hit in by_id.values()
        if hit.id not in listed and hit.kind != "preference"
    ]
    return [_UsefulEntry(entry, value(totals[entry.hit.id], entry.tokens)) for entry in entries]


def _entry(hit: Hit, place: int, day_of: Callable[[datetime], date]) -> BriefingEntry:
    return BriefingEntry("journal", hit, day_of(hit.time or hit.valid_from).isoformat(), place)
