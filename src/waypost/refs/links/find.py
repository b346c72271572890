"""Find the code that a text names: certain links, and suggestions where several fit.

    code_mentions = mentions(text)
    names, file_names = index_query(code_mentions)   # one query for each
    linked = link(code_mentions, entries)            # entries: by lower-case last name or file name
    linked.links, linked.suggestions

A wrong link is worse than no link: ambiguous names become suggestions ("did you mean …?").
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from waypost.model.reference import LineRange
from waypost.refs.links.choice import Around, SymbolChoice, choose, owner_of, speaks_of_tests
from waypost.refs.links.index_entry import TYPES, EntriesByName, IndexEntry
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.paths import choose_file
from waypost.refs.links.spelling import is_distinctive, singular, spellings, typos

MOST_LINKS = 5
MOST_SUGGESTIONS = 5
MOST_CANDIDATES = 5
LINKED_FROM = 0.7  # minimum confidence of a link; below it is a suggestion
_MOST_RESPELLED = 3  # names per text that are looked up in a thousand spellings each


class IndexQuery(NamedTuple):
    """What to look up: symbols by last name in any case, files by the end of their path."""

    names: tuple[str, ...]
    file_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextLink:
    mention: CodeMention
    entry: IndexEntry
    confidence: float

    @property
    def lines(self) -> LineRange | None:
        """The named lines, the symbol's lines, or None for a whole file."""
        if self.mention.lines is not None and self.entry.kind == "file":
            return self.mention.lines
        if self.entry.kind == "file" or self.entry.line < 1:
            return None
        return LineRange(self.entry.line, max(self.entry.line, self.entry.end_line))


@dataclass(frozen=True, slots=True)
class LinkSuggestion:
    """`Did you mean …?`"""

    text: str
    candidates: tuple[IndexEntry, ...]  # best first
    why: str  # "several", "spelling" or "common word"


@dataclass(frozen=True, slots=True)
class LinkedText:
    links: tuple[TextLink, ...] = ()
    suggestions: tuple[LinkSuggestion, ...] = ()


def index_query(mentions: Iterable[CodeMention]) -> IndexQuery:
    """Lower-case names in all spellings, with their qualifiers; and file names."""
    names: dict[str, None] = {}
    files: dict[str, None] = {}
    for mention in mentions:
        if mention.is_file:
            files[mention.name] = None
            files[mention.name.lower()] = None
            stem = mention.name.rpartition(".")
            names |= dict.fromkeys((stem[2].lower(), stem[0].lower()) if "/" not in mention.path else ())
            continue
        if mention.path:
            files[mention.path.rsplit("/", 1)[-1]] = None
        names |= dict.fromkeys(spellings(mention.name))
        names |= dict.fromkeys(part.lower() for part in (mention.name.lstrip("$"), *mention.qualifier[-1:]))
        if singular_name := singular(mention.name):
            names[singular_name.lower()] = None
    return IndexQuery(tuple(names), tuple(files))


def typo_lookups(mentions: Iterable[CodeMention], entries: EntriesByName) -> tuple[str, ...]:
    """Names one typo away from distinctive names that the index does not have, for "did you mean"."""
    sure = [mention for mention in mentions if not mention.path and mention.strength >= LINKED_FROM]
    sure = [mention for mention in sure if is_distinctive(mention.name)]
    unknown = [mention for mention in sure if not any(entries.get(name) for name in spellings(mention.name))]
    unknown.sort(key=lambda mention: -mention.strength)
    spelled = (name for mention in unknown[:_MOST_RESPELLED] for name in typos(mention.name))
    return tuple(dict.fromkeys(spelled))


def link(
    mentions: Sequence[CodeMention], entries: EntriesByName, *, most: int = MOST_LINKS, project: Iterable[str] = ()
) -> LinkedText:
    """What the mentions certainly mean, best first, and suggestions for the rest.

    `project` has the names by which code imports this repository: they add nothing as qualifiers.
    """
    around = Around(project=frozenset(project), of_tests=any(map(speaks_of_tests, mentions)))
    choices = [(mention, _choice(mention, entries, around)) for mention in mentions]
    around = _with_certain(around, choices)
    choices = [(mention, _choice(mention, entries, around)) for mention in mentions]
    links = [
        TextLink(mention, choice.candidates[0], choice.confidence)
        for mention, choice in choices
        if choice.candidates and choice.confidence >= LINKED_FROM
    ]
    kept = _most_precise(links)
    kept.sort(
        key=lambda text_link: (-round(text_link.confidence * text_link.mention.strength, 1), text_link.mention.start)
    )
    suggestions = [
        LinkSuggestion(mention.text, choice.candidates[:MOST_CANDIDATES], choice.why)
        for mention, choice in choices
        if choice.candidates and choice.confidence < LINKED_FROM
    ]
    return LinkedText(tuple(kept[:most]), _unique_suggestions(suggestions, links)[:MOST_SUGGESTIONS])


def _choice(mention: CodeMention, entries: EntriesByName, around: Around) -> SymbolChoice:
    return (choose_file if mention.is_file else choose)(mention, entries, around)


def _with_certain(around: Around, choices: Sequence[tuple[CodeMention, SymbolChoice]]) -> Around:
    """Add what is certain, to decide the other mentions."""
    sure = [(mention, choice.candidates[0]) for mention, choice in choices if choice.confidence >= LINKED_FROM]
    owners = {(entry.path, entry.qualified if entry.kind in TYPES else owner_of(entry)) for _, entry in sure}
    return around._replace(
        files=frozenset(entry.path for _, entry in sure if not entry.is_test),
        paths=frozenset(entry.path for mention, entry in sure if mention.path),
        owners=frozenset((path, owner) for path, owner in owners if owner),
    )


def _most_precise(links: Sequence[TextLink]) -> list[TextLink]:
    """One link per target. A file or class yields to a named symbol in it, unless its lines are named."""
    best: dict[tuple[str, str, int], TextLink] = {}
    for text_link in links:
        line = text_link.lines.start if text_link.lines else 0
        key = (text_link.entry.path, text_link.entry.qualified, line)
        if key not in best or text_link.confidence > best[key].confidence:
            best[key] = text_link
    inner = [text_link.entry for text_link in best.values() if text_link.entry.kind != "file"]
    return [
        text_link
        for text_link in best.values()
        if text_link.mention.lines is not None or not any(_contains(text_link.entry, other) for other in inner)
    ]


def _contains(outer: IndexEntry, inner: IndexEntry) -> bool:
    if outer.path != inner.path:
        return False
    return outer.kind == "file" or inner.qualified.startswith(outer.qualified + ".")


def _unique_suggestions(suggestions: Sequence[LinkSuggestion], links: Sequence[TextLink]) -> tuple[LinkSuggestion, ...]:
    """Suggestions without duplicates and without linked names."""
    texts = {text_link.mention.text for text_link in links}
    unique: dict[str, LinkSuggestion] = {}
    for suggestion in suggestions:
        if suggestion.text not in texts:
            unique.setdefault(suggestion.text, suggestion)
    return tuple(unique.values())
