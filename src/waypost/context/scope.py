"""Smart context as an agent reads it: grouped by category, fenced, within its budget.

    📚 **Relevant context from memory:**

    🔐 **Authentication:**
    • app/Http/Controllers/AuthController.php:45
      └─ login(email, password) → JsonResponse

    💡 **Latest relevant changes:**
    • 2d ago: app/Http/Controllers/AuthController.php

Names, paths and contents are a stranger's words: each stays on its line, and nothing in it acts on a reader.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from waypost.context.budget import CHARACTERS_PER_TOKEN
from waypost.context.one_line import one_line
from waypost.model.scope import ScopeDocument, ScopeScored
from waypost.text.fence import fence
from waypost.text.identifiers import identifier_parts

SCOPE_TOKENS = 500
MOST_OF_A_CATEGORY = 3
MOST_CHANGES = 2
RECENT_DAYS = 7

TITLE = "📚 **Relevant context from memory:**"
CHANGES_TITLE = "💡 **Latest relevant changes:**"
NOTHING_RELEVANT = "📚 Memory: nothing strongly relevant was found."
NO_MEMORY = """\
💡 **Long-term memory is available.**
   Run `waypost init` for:
   - context at the start of every task
   - search by meaning over the code
   - knowledge of the project that lasts"""

_SHOWN_COLUMNS, _SHOWN_FUNCTIONS = 4, 3
_LONGEST_PATH = 200  # characters shown
_LONGEST_DETAIL = 160
_LONGEST_BEGINNING = 80  # of a text that has no first sentence
_MOST_READ = 2_000  # characters of a content: its first sentence is near its beginning
_DATA = Path(__file__).with_name("data") / "scope.toml"
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class ScopeText:
    text: str  # fenced; "" when not even one result fits
    tokens: int  # four characters to a token
    used: tuple[ScopeScored, ...]  # what is shown, best first
    left_out: int


def format_scope(scored: Sequence[ScopeScored], now: datetime, max_tokens: int = SCOPE_TOKENS) -> ScopeText:
    """The results, best first, as a block of at most `max_tokens` tokens, fence and all.

    What does not fit goes from the end: the changes first, then the lowest results. Nothing passed is a plain sentence.
    """
    if not scored:
        text = NOTHING_RELEVANT if count_scope_tokens(NOTHING_RELEVANT) <= max_tokens else ""
        return ScopeText(text, count_scope_tokens(text), (), 0)
    places = _at_most_of_each(scored)
    changes = _changes(scored, now)
    while places:
        text = fence(_body(places, changes))
        if count_scope_tokens(text) <= max_tokens:
            return ScopeText(text, count_scope_tokens(text), tuple(places), len(scored) - len(places))
        if changes:
            changes.pop()
        else:
            places.pop()
    return ScopeText("", 0, (), len(scored))


def count_scope_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _at_most_of_each(scored: Sequence[ScopeScored]) -> list[ScopeScored]:
    counts: dict[str, int] = {}
    places = []
    for place in scored:
        name = _category(place.document).name
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= MOST_OF_A_CATEGORY or name == _categories()[-1].name:  # the last one says nothing
            places.append(place)
    return places


def _body(places: Sequence[ScopeScored], changes: Sequence[str]) -> str:
    """The category of the best result comes first."""
    groups: dict[_Category, list[ScopeDocument]] = {}
    for place in places:
        groups.setdefault(_category(place.document), []).append(place.document)
    blocks = [TITLE]
    for category, documents in groups.items():
        lines = [f"{category.icon} **{category.title}:**"]
        for document in documents:
            detail = _detail(document)
            lines += [f"• {_headline(document)}", *([f"  └─ {detail}"] if detail else [])]
        blocks.append("\n".join(lines))
    if changes:
        blocks.append("\n".join((CHANGES_TITLE, *(f"• {change}" for change in changes))))
    return "\n\n".join(blocks)


def _headline(document: ScopeDocument) -> str:
    """Where it is; a table goes by its name."""
    path = one_line(document.path, _LONGEST_PATH)
    place = f"{path}:{document.line}" if path and document.line else path
    name = one_line(document.name, _LONGEST_PATH)
    if document.type == "table" and name:
        return f"{name} ({place})" if place else name
    return place or name or "unknown"


def _detail(document: ScopeDocument) -> str:
    name = one_line(document.name, _LONGEST_DETAIL)
    if document.type in {"function", "method"} and name:
        returns = f" → {document.returns}" if document.returns else ""
        return one_line(f"{name}({', '.join(document.parameters)}){returns}", _LONGEST_DETAIL)
    if document.type == "table" and document.columns:
        more = "..." if len(document.columns) > _SHOWN_COLUMNS else ""
        return one_line(f"Columns: {', '.join(document.columns[:_SHOWN_COLUMNS])}{more}", _LONGEST_DETAIL)
    if document.type == "file" and document.functions:
        return one_line(f"Functions: {', '.join(document.functions[:_SHOWN_FUNCTIONS])}", _LONGEST_DETAIL)
    return _beginning(document.content)


def _beginning(content: str) -> str:
    """The first sentence, or the first 80 characters."""
    text = one_line(content[:_MOST_READ], _MOST_READ)
    sentence, stop, _ = text.partition(". ")
    if stop and len(sentence) < _LONGEST_DETAIL:
        return sentence + "."
    return one_line(text, _LONGEST_BEGINNING)


def _changes(scored: Sequence[ScopeScored], now: datetime) -> list[str]:
    """The latest changes of the last seven days, each file once."""
    changed: dict[str, datetime] = {}
    for document in (place.document for place in scored):
        if document.path and document.changed_at and (now - document.changed_at).days < RECENT_DAYS:
            path = one_line(document.path, _LONGEST_PATH)
            changed[path] = max(document.changed_at, changed.get(path, document.changed_at))
    latest = sorted(changed.items(), key=lambda change: change[1], reverse=True)[:MOST_CHANGES]
    return [f"{_ago((now - at).days)}: {path}" for path, at in latest]


def _ago(days: int) -> str:
    return f"{days}d ago" if days > 0 else "today"  # a clock that was set back makes no negative days


@dataclass(frozen=True, slots=True)
class _Category:
    name: str
    title: str
    icon: str
    types: frozenset[str]
    collections: frozenset[str]
    paths: frozenset[str]


@cache
def _categories() -> tuple[_Category, ...]:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    words = ("types", "collections", "paths")
    return tuple(
        _Category(
            name=row["name"],
            title=row["title"],
            icon=row.get("icon", data["default_icon"]),
            **{list_: frozenset(row.get(list_, "").split()) for list_ in words},
        )
        for row in data["categories"]
    )


def _category(document: ScopeDocument) -> _Category:
    """The first category that a document's type, collection or path names; the last one takes the rest."""
    kind = document.type.lower()
    parts = {part.lower() for name in _WORD.findall(document.path) for part in identifier_parts(name)}
    for category in _categories():
        if kind in category.types or document.collection in category.collections or parts & category.paths:
            return category
    return _categories()[-1]
