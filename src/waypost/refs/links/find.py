"""Pieces of code that a text names, found in what the index knows: links that are sure, suggestions where they are not.

    found = mentions(text)
    names, file_names = wanted(found)          # one query for each
    linked = link(found, known)                # known: by lower-cased last name or file name
    linked.links, linked.suggestions

A wrong link is worse than none: what could be two things is asked ("did you mean …?"), not linked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from waypost.model.reference import LineRange
from waypost.refs.links.choice import Around, SymbolChoice, choose, owner_of, speaks_of_tests
from waypost.refs.links.index_entry import TYPES, IndexEntry
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.paths import choose_file
from waypost.refs.links.spelling import is_telling, singular, slips, styles

MOST_LINKS = 5
MOST_SUGGESTIONS = 5
MOST_CANDIDATES = 5
LINKED_FROM = 0.7  # confidence; below it is a suggestion
_MOST_RESPELLED = 3  # names of a text that are worth a thousand spellings each


class IndexQuery(NamedTuple):
    """What to ask the index for: symbols by their last name in any case, files by the end of their path."""

    names: tuple[str, ...]
    file_names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TextLink:
    mention: CodeMention
    known: IndexEntry
    confidence: float

    @property
    def lines(self) -> LineRange | None:
        """The lines that were named, those of the symbol, or None for a whole file."""
        if self.mention.lines is not None and self.known.kind == "file":
            return self.mention.lines
        if self.known.kind == "file" or self.known.line < 1:
            return None
        return LineRange(self.known.line, max(self.known.line, self.known.end_line))


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


def wanted(mentions: Iterable[CodeMention]) -> IndexQuery:
    """Names in lower case, with those of other styles and of what stands before them; file names in lower case too."""
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
        names |= dict.fromkeys(styles(mention.name))
        names |= dict.fromkeys(part.lower() for part in (mention.name.lstrip("$"), *mention.qualifier[-1:]))
        if one := singular(mention.name):
            names[one.lower()] = None
    return IndexQuery(tuple(names), tuple(files))


def respelled(mentions: Iterable[CodeMention], known: Mapping[str, Sequence[IndexEntry]]) -> tuple[str, ...]:
    """A second look-up, for "did you mean": names one slip away from long names that the index did not know."""
    unknown = [
        mention
        for mention in mentions
        if not mention.path
        and is_telling(mention.name)
        and mention.strength >= LINKED_FROM
        and not any(known.get(name) for name in styles(mention.name))
    ]
    unknown.sort(key=lambda mention: -mention.strength)
    spelled = (name for mention in unknown[:_MOST_RESPELLED] for name in slips(mention.name))
    return tuple(dict.fromkeys(spelled))


def link(
    mentions: Sequence[CodeMention],
    known: Mapping[str, Sequence[IndexEntry]],
    *,
    most: int = MOST_LINKS,
    project: Iterable[str] = (),
) -> LinkedText:
    """What the mentions surely mean, best first, and what they may mean.

    `project`: what the tree is called by those who import it; `gin` in `gin.Engine` says nothing more.
    """
    around = Around(project=frozenset(project), of_tests=any(map(speaks_of_tests, mentions)))
    choices = [(mention, _choice(mention, known, around)) for mention in mentions]
    around = _with_sure(around, choices)
    choices = [(mention, _choice(mention, known, around)) for mention in mentions]
    links = [
        TextLink(mention, choice.candidates[0], choice.confidence)
        for mention, choice in choices
        if choice.candidates and choice.confidence >= LINKED_FROM
    ]
    kept = _most_precise(links)
    kept.sort(key=lambda one: (-round(one.confidence * one.mention.strength, 1), one.mention.start))
    asked = [
        LinkSuggestion(mention.text, choice.candidates[:MOST_CANDIDATES], choice.why)
        for mention, choice in choices
        if choice.candidates and choice.confidence < LINKED_FROM
    ]
    return LinkedText(tuple(kept[:most]), _asked_once(asked, links)[:MOST_SUGGESTIONS])


def _choice(mention: CodeMention, known: Mapping[str, Sequence[IndexEntry]], around: Around) -> SymbolChoice:
    if mention.is_file:
        return choose_file(mention, known, around)
    return choose(mention, known, around)


def _with_sure(around: Around, choices: Sequence[tuple[CodeMention, SymbolChoice]]) -> Around:
    """What is sure already helps to tell the rest."""
    sure = [(mention, choice.candidates[0]) for mention, choice in choices if choice.confidence >= LINKED_FROM]
    owners = {(one.path, one.qualified if one.kind in TYPES else owner_of(one)) for _, one in sure}
    return around._replace(
        files=frozenset(one.path for _, one in sure if not one.is_test),
        paths=frozenset(one.path for mention, one in sure if mention.path),
        owners=frozenset((path, owner) for path, owner in owners if owner),
    )


def _most_precise(links: Sequence[TextLink]) -> list[TextLink]:
    """One link for each target; a file or class gives way to what is named inside it, unless its lines are named."""
    best: dict[tuple[str, str, int], TextLink] = {}
    for one in links:
        line = one.lines.start if one.lines else 0
        key = (one.known.path, one.known.qualified, line)
        if key not in best or one.confidence > best[key].confidence:
            best[key] = one
    inner = [one.known for one in best.values() if one.known.kind != "file"]
    return [
        one
        for one in best.values()
        if one.mention.lines is not None or not any(_holds(one.known, other) for other in inner)
    ]


def _holds(outer: IndexEntry, inner: IndexEntry) -> bool:
    if outer.path != inner.path:
        return False
    return outer.kind == "file" or inner.qualified.startswith(outer.qualified + ".")


def _asked_once(asked: Sequence[LinkSuggestion], links: Sequence[TextLink]) -> tuple[LinkSuggestion, ...]:
    """No question about a name that is already linked, none twice."""
    texts = {one.mention.text for one in links}
    unique: dict[str, LinkSuggestion] = {}
    for one in asked:
        if one.text not in texts:
            unique.setdefault(one.text, one)
    return tuple(unique.values())
