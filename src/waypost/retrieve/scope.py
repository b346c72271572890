"""Smart context at the start of a task: its keywords, and what is known scored by how well it fits them.

    task = read_task("Fix the login bug")
    task.keywords      # ("fix", "login", "bug")
    task.expanded      # those, then "auth", "authentication", "signin", … "error", "issue", …
    task.task_type     # "bug"
    select([score(task, document, now) for document in found])      # the best eight of more than 0.5

Pure functions over values; the word lists are `data/scope.toml`.
"""

import math
import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta

from waypost.model.scope import GENERAL, ScopeDocument, ScopeScored, ScopeTask
from waypost.retrieve.scope_words import scope_words
from waypost.text.identifiers import identifier_parts

SEMANTIC_WEIGHT, KEYWORD_WEIGHT, RECENCY_WEIGHT = 0.60, 0.25, 0.15
KEEP_ABOVE = 0.5
MOST_KEPT = 8

# The age of the last change in days, and what it is worth below that.
_RECENCIES = ((1, 1.0), (7, 0.8), (30, 0.5))
_OLD, _UNKNOWN = 0.2, 0.5

_SHORTEST_KEYWORD = 3
_LONGEST_KEYWORD = 64
_MOST_KEYWORDS = 64  # of a task: a page of text is no description any more, and each costs a search in each document
_MOST_READ = 20_000  # characters of a description
_WORD = re.compile(r"[^\W_]+")


def read_task(description: str) -> ScopeTask:
    """What a description asks for, in English, German or Russian, or a mixture of them."""
    words = list(dict.fromkeys(_WORD.findall(_plain(description[:_MOST_READ]))))
    lists = scope_words()
    keywords = [word for word in words if _tells(word)][:_MOST_KEYWORDS]
    topics = list(dict.fromkeys(group for keyword in keywords for group in lists.groups.named_by(keyword)))
    expanded = dict.fromkeys(keywords)
    for topic in topics:
        expanded |= dict.fromkeys((topic, *lists.related[topic]))
    return ScopeTask(description, tuple(keywords), tuple(expanded), _task_type(words), tuple(topics))


def score(task: ScopeTask, document: ScopeDocument, now: datetime) -> ScopeScored:
    """How well a document fits the task: 0.60 meaning, 0.25 keywords, 0.15 recency, and a bonus for its type."""
    semantic = _semantic(document.cosine)
    keyword = _keyword_share(task, document)
    recency = _recency(document.changed_at, now)
    bonus = _bonus(task.task_type, document)
    total = SEMANTIC_WEIGHT * semantic + KEYWORD_WEIGHT * keyword + RECENCY_WEIGHT * recency + bonus
    return ScopeScored(document, semantic, keyword, recency, bonus, min(1.0, max(0.0, total)))


def select(scored: Iterable[ScopeScored]) -> tuple[ScopeScored, ...]:
    """The best first, at most eight, each above 0.5 and once. The same input in another order gives the same answer."""
    best: dict[str, ScopeScored] = {}
    for document in sorted(scored, key=_rank):
        if document.final > KEEP_ABOVE:
            best.setdefault(document.document.id, document)
    return tuple(best.values())[:MOST_KEPT]


def _rank(document: ScopeScored) -> tuple[float, str, int, str]:
    return -document.final, document.document.path, document.document.line or 0, document.document.id


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower()


def _tells(word: str) -> bool:
    """Whether a word says something about the subject. `db` does, for it leads to others; `id` and `ui` do not."""
    lists = scope_words()
    if lists.is_stop(word) or len(word) > _LONGEST_KEYWORD:
        return False
    return len(word) >= _SHORTEST_KEYWORD or bool(lists.groups.named_by(word))


def _task_type(words: list[str]) -> str:
    named = {name for word in words[: 2 * _MOST_KEYWORDS] for name in scope_words().task_types.named_by(word)}
    return next((name for name in scope_words().task_types.names if name in named), GENERAL)


def _semantic(cosine: float | None) -> float:
    """From 0 (opposite) to 1 (the same). Without a vector nothing is known: as if the two had nothing in common."""
    if cosine is None or math.isnan(cosine):
        return 0.5
    return (1 + min(1.0, max(-1.0, cosine))) / 2


def _keyword_share(task: ScopeTask, document: ScopeDocument) -> float:
    """The share of the expanded keywords that stand in content or name, inside of longer words too."""
    text = _plain(f"{document.content} {document.name}")
    return sum(keyword in text for keyword in task.expanded) / max(1, len(task.expanded))


def _recency(changed_at: datetime | None, now: datetime) -> float:
    if changed_at is None:
        return _UNKNOWN
    age = now - changed_at
    return next((worth for days, worth in _RECENCIES if age < timedelta(days=days)), _OLD)


def _bonus(task_type: str, document: ScopeDocument) -> float:
    bonuses = scope_words().bonuses.get(task_type)
    if not bonuses:
        return 0.0
    return max(bonuses.get(name, 0.0) for name in _types(document))


def _types(document: ScopeDocument) -> set[str]:
    """What a document is: a function in a file of tests is both a function and a test."""
    lists = scope_words()
    kind = document.type.lower()
    parts = {part.lower() for name in _WORD.findall(document.path) for part in identifier_parts(name)}
    return {lists.same_as.get(kind, kind)} | {name for name, words in lists.path_types.items() if parts & words}
