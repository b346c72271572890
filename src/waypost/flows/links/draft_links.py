"""Pin a draft's references, and find references for names in its text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from waypost.errors import InvalidInput
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.pin import pin_reference
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import MAX_LEVEL, Draft
from waypost.model.kinds import CODE_COLLECTIONS, IS_TEST, KINDS
from waypost.model.recall import View
from waypost.model.receipt import CodeSuggestion, Receipt
from waypost.model.reference import CodeReference
from waypost.model.time import Moment
from waypost.refs.links.find import LinkedText, LinkSuggestion, TextLink, index_query, link, typo_lookups
from waypost.refs.links.index_entry import IndexEntry
from waypost.refs.links.mentions import mentions
from waypost.store.protocol import Reader

INFERRED = "inferred_from_code_index"
_MOST_KNOWN = 5_000  # definitions read for one text: a smaller limit could make a name look unique
_UNTIED = "Level 3 is about code, but this names no code that is known here: say where with --ref PATH#Symbol."
_WHOLE = frozenset({"class", "interface", "trait", "struct", "enum", "module", "file"})


@dataclass(frozen=True, slots=True)
class PinnedDraft:
    """A draft with pinned references, and notices about them."""

    draft: Draft
    suggestions: tuple[CodeSuggestion, ...] = ()
    notices: tuple[str, ...] = ()

    def on(self, receipt: Receipt) -> Receipt:
        if receipt.status not in ("added", "merged"):
            return receipt
        links = tuple(str(ref) for ref in self.draft.refs)
        return replace(receipt, links=links, suggestions=self.suggestions, notices=self.notices)


def point_at_code(space: OpenSpace, tree: TreeNow, drafts: Sequence[Draft], *, direct: bool) -> list[PinnedDraft]:
    """Pin the references of drafts. For a draft without any, look up the names in its text.

    An ambiguous name is refused for a `direct` write, whose writer can be more precise. In a batch it becomes a notice.
    """
    infers = any(map(_may_infer, drafts)) and _is_indexed(space)
    pointed = [
        _pinned(space, tree, draft, direct)
        if draft.refs
        else _inferred(space, tree, draft)
        if infers and _may_infer(draft)
        else PinnedDraft(draft)
        for draft in drafts
    ]
    return [replace(item, notices=(*item.notices, _UNTIED)) if _is_untied(item.draft) else item for item in pointed]


def _may_infer(draft: Draft) -> bool:
    return not draft.refs and not KINDS[draft.kind].is_journal


def _is_indexed(space: OpenSpace) -> bool:
    if space.identity.kind != "project":
        return False
    with space.store.read() as reader:
        return reader.code.has_any(space.identity.checkout_id)


def _is_untied(draft: Draft) -> bool:
    return draft.level == MAX_LEVEL and not draft.refs


def _pinned(space: OpenSpace, tree: TreeNow, draft: Draft, direct: bool) -> PinnedDraft:
    refs: list[CodeReference] = []
    notices: list[str] = []
    for given in draft.refs:
        try:
            pinned = pin_reference(space, tree, given, space.clock())
        except InvalidInput as error:
            if direct:
                raise
            refs.append(given)
            notices.append(error.what)
            continue
        refs.append(pinned.reference)
        if pinned.notice:
            notices.append(pinned.notice)
    return PinnedDraft(replace(draft, refs=tuple(refs)), notices=tuple(notices))


def _inferred(space: OpenSpace, tree: TreeNow, draft: Draft) -> PinnedDraft:
    links, suggestions = linked_by_text(space, tree, draft.text)
    return PinnedDraft(replace(draft, refs=links), suggestions)


def linked_by_text(
    space: OpenSpace, tree: TreeNow, text: str
) -> tuple[tuple[CodeReference, ...], tuple[CodeSuggestion, ...]]:
    """Pinned references for names in a text, and suggestions for ambiguous ones."""
    text_links = find_links(space, text)
    pinned = [_pin_link(space, tree, text_link) for text_link in text_links.links]
    links = tuple(reference for reference in pinned if reference is not None)
    return links, tuple(_suggestion_of(suggestion) for suggestion in text_links.suggestions)


def _pin_link(space: OpenSpace, tree: TreeNow, text_link: TextLink) -> CodeReference | None:
    entry = text_link.entry
    # Symbols by name: the index may be a moment older than the file.
    where = f"{entry.path}#{entry.qualified}" if entry.kind != "file" else entry.path
    given = CodeReference(where, text_link.lines if entry.kind == "file" else None)
    pinned = pin_reference(space, tree, given, space.clock())
    if pinned.notice and not pinned.reference.anchor and space.identity.has_tree:
        return None
    return replace(
        pinned.reference,
        confidence_reason=INFERRED,
        confidence_score=round(text_link.confidence, 2),
        whole=entry.kind in _WHOLE and text_link.mention.lines is None,
    )


def find_links(space: OpenSpace, text: str) -> LinkedText:
    """What a text says about code: certain places, and suggestions for the others."""
    named = mentions(text)
    if not named:
        return LinkedText()
    query = index_query(named)
    with space.store.read() as reader:
        entries = _indexed_entries(space, reader, query.names, query.file_names)
        again = typo_lookups(named, entries)
        if again:
            entries = {**entries, **_indexed_entries(space, reader, again, ())}
    root = space.identity.root
    names = (space.identity.name, root.name) if root is not None else (space.identity.name,)
    return link(named, entries, project=names)


def _indexed_entries(
    space: OpenSpace, reader: Reader, names: Sequence[str], files: Sequence[str]
) -> Mapping[str, list[IndexEntry]]:
    """Index entries for these names, by their last part or file name in lower case."""
    view = View(Moment(space.clock()), CODE_COLLECTIONS, space.identity.checkout_id)
    numbers = [*reader.code.symbols_named(names, _MOST_KNOWN, view)] if names else []
    numbers += reader.code.files_ending(files, _MOST_KNOWN, view) if files else []
    entries: dict[str, list[IndexEntry]] = {}
    for sketch in reader.code.sketches(numbers).values():
        is_file = sketch.kind == "file"
        name = sketch.path.rpartition("/")[2] if is_file else sketch.name.rpartition(".")[2]
        entries.setdefault(name.lower(), []).append(
            IndexEntry(
                name,
                sketch.path if is_file else sketch.name,
                "file" if is_file else sketch.type,
                sketch.path,
                sketch.line,
                sketch.end_line,
                is_test=bool(sketch.traits & IS_TEST),
                referrers=sketch.referrers,
            )
        )
    return entries


def _suggestion_of(suggestion: LinkSuggestion) -> CodeSuggestion:
    places = (
        entry.path if entry.kind == "file" else f"{entry.path}#{entry.qualified}" for entry in suggestion.candidates
    )
    return CodeSuggestion(suggestion.text, tuple(dict.fromkeys(places)))
