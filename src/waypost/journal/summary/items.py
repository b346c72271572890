"""What a summary is made from: entries put in order, each once, with what must stay word for word told apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from waypost.journal.roles import role_of
from waypost.model.journal import Entry, ScoredEntry, mark_of
from waypost.text.normal import fingerprint_text

HELPING = 2  # the least score of an entry that may support a topic of others
DECISION, MARKED = 2, 2  # points for relevance, and for being called important (CM-3)
LONGEST_VERBATIM = 1200  # characters that somebody says; more is a document, of which the telling sentences are kept


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """An entry as a summary sees it; `ids` also has those of entries that say the same in the same words."""

    entry: Entry
    text: str
    role: str
    score: int
    relevance: int
    topic: int
    label: str
    ids: tuple[str, ...]
    is_verbatim: bool  # its words are kept as they are
    is_protected: bool

    @property
    def day(self) -> date:
        return self.entry.at.date()

    @property
    def is_question(self) -> bool:
        return self.role == "person" and self.text.rstrip(' )"“”»').endswith("?")


def items_of(entries: Sequence[ScoredEntry]) -> list[SummaryItem]:
    """The entries that hold, oldest first, whatever the order in which they are given; repeated words once."""
    found: dict[tuple[str, str, bool], SummaryItem] = {}
    for scored in sorted(entries, key=_order):
        item = _item(scored)
        if item is None:
            continue
        key = (item.role, fingerprint_text(item.text), item.is_protected)
        first = found.get(key)
        found[key] = item if first is None else _joined(first, item)
    return list(found.values())


def _order(scored: ScoredEntry) -> tuple[float, str, str, str]:
    entry = scored.entry
    return entry.at.timestamp(), entry.id or "", entry.speaker or "", entry.text


def _item(scored: ScoredEntry) -> SummaryItem | None:
    entry, score = scored.entry, scored.score
    text = (entry.held or "").strip()
    if not text:
        return None
    role = role_of(entry.speaker, entry.kind)
    marked = score.relevance_points >= DECISION or score.explicit_points >= MARKED
    own_words = role == "person" and marked and score.score >= HELPING and len(text) <= LONGEST_VERBATIM
    return SummaryItem(
        entry,
        text,
        role,
        score.score,
        score.relevance_points,
        scored.topic,
        scored.label,
        (source_of(entry),),
        is_verbatim=entry.protected or entry.kind == "preference" or own_words,
        is_protected=entry.protected,
    )


def _joined(first: SummaryItem, again: SummaryItem) -> SummaryItem:
    """Said again in the same words: the first time stands, with the higher worth."""
    best = max(first, again, key=lambda item: item.score)
    return SummaryItem(
        first.entry,
        first.text,
        first.role,
        best.score,
        max(first.relevance, again.relevance),
        first.topic or again.topic,
        first.label or again.label,
        tuple(dict.fromkeys(first.ids + again.ids)),
        first.is_verbatim or again.is_verbatim,
        first.is_protected,
    )


def source_of(entry: Entry) -> str:
    """How a line names the entry it came from: its id, else a mark of its words."""
    given = entry.id or ""
    if (
        given
        and all(char.isalnum() or char in "_.:-" for char in given)
        and "--" not in given
        and not given.endswith("-")
    ):
        return given
    return f"text:{mark_of(entry.text)}"


def answers_to(items: Sequence[SummaryItem]) -> dict[int, int]:
    """For the place of what a person said that of the answer that followed, if it is worth naming.

    An assistant answers whatever is said to it, another person only what was asked.
    """
    answers: dict[int, int] = {}
    for place, item in enumerate(items):
        if item.role != "person":
            continue
        for at in range(place + 1, min(place + 6, len(items))):
            following = items[at]
            if following.entry.session != item.entry.session or following.role == "tool":
                continue
            replies = following.entry.speaker != item.entry.speaker and following.day == item.day
            if replies and following.score >= HELPING and (following.role == "assistant" or item.is_question):
                answers[place] = at
            break
    return answers
