"""A draft's places in the code: those it names, pinned, and those that its text speaks of, found in the index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from waypost.errors import InvalidInput
from waypost.flows.index.current_tree import TreeNow
from waypost.flows.links.pin import pin_reference
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import MAX_LEVEL, Draft
from waypost.model.kinds import CODE_COLLECTIONS, IS_TEST, KINDS
from waypost.model.recall import View
from waypost.model.receipt import CodeSuggestion, Receipt
from waypost.model.reference import CodeReference
from waypost.model.time import Moment
from waypost.refs.links.find import LinkedText, LinkSuggestion, TextLink, link, respelled, wanted
from waypost.refs.links.index_entry import IndexEntry
from waypost.refs.links.mentions import mentions
from waypost.store.protocol import Reader

INFERRED = "inferred_from_code_index"
_MOST_KNOWN = 5_000  # definitions looked at for one text: one that is cut off makes a name look unique
_UNTIED = "Level 3 is about code, but this names no code that is known here: say where with --ref PATH#Symbol."
_WHOLE = frozenset({"class", "interface", "trait", "struct", "enum", "module", "file"})


@dataclass(frozen=True, slots=True)
class Pointed:
    """A draft with its references pinned, and what its writer should be told about them."""

    draft: Draft
    suggestions: tuple[CodeSuggestion, ...] = ()
    notices: tuple[str, ...] = ()

    def on(self, receipt: Receipt) -> Receipt:
        if receipt.status not in ("added", "merged"):
            return receipt
        links = tuple(str(one) for one in self.draft.refs)
        return replace(receipt, links=links, suggestions=self.suggestions, notices=self.notices)


def point_at_code(space: OpenSpace, tree: TreeNow, drafts: Sequence[Draft], *, direct: bool) -> list[Pointed]:
    """Pin what the drafts point at. Where one names no place itself, the names in its text are looked up.

    A name that could be several things is refused when somebody says it now (`direct`) and can say it better; in a batch
    it is told, and the memory is kept without it.
    """
    with space.store.read() as reader:
        is_indexed = space.identity.kind == "project" and reader.code.has_any(space.identity.checkout_id)
    pointed = [
        _pinned(space, tree, draft, direct)
        if draft.refs
        else _inferred(space, tree, draft)
        if is_indexed and not KINDS[draft.kind].is_journal
        else Pointed(draft)
        for draft in drafts
    ]
    return [replace(one, notices=(*one.notices, _UNTIED)) if _is_untied(one.draft) else one for one in pointed]


def _is_untied(draft: Draft) -> bool:
    return draft.level == MAX_LEVEL and not draft.refs


def _pinned(space: OpenSpace, tree: TreeNow, draft: Draft, direct: bool) -> Pointed:
    refs: list[CodeReference] = []
    notices: list[str] = []
    for given in draft.refs:
        try:
            found = pin_reference(space, tree, given, space.clock())
        except InvalidInput as error:
            if direct:
                raise
            refs.append(given)
            notices.append(error.what)
            continue
        refs.append(found.reference)
        if found.notice:
            notices.append(found.notice)
    return Pointed(replace(draft, refs=tuple(refs)), notices=tuple(notices))


def _inferred(space: OpenSpace, tree: TreeNow, draft: Draft) -> Pointed:
    links, asked = linked_by_text(space, tree, draft.text)
    return Pointed(replace(draft, refs=links), asked)


def linked_by_text(
    space: OpenSpace, tree: TreeNow, text: str
) -> tuple[tuple[CodeReference, ...], tuple[CodeSuggestion, ...]]:
    """What a text speaks of, pinned, and the questions that are left."""
    found = find_links(space, text)
    pinned = [_pin_link(space, tree, one) for one in found.links]
    links = tuple(reference for reference in pinned if reference is not None)
    return links, tuple(_asked(one) for one in found.suggestions)


def _pin_link(space: OpenSpace, tree: TreeNow, found: TextLink) -> CodeReference | None:
    known = found.known
    # By name where it is a symbol: the index may be a moment older than the file.
    where = f"{known.path}#{known.qualified}" if known.kind != "file" else known.path
    given = CodeReference(where, found.lines if known.kind == "file" else None)
    pinned = pin_reference(space, tree, given, space.clock())
    if pinned.notice and space.identity.has_tree:
        return None
    return replace(
        pinned.reference,
        confidence_reason=INFERRED,
        confidence_score=round(found.confidence, 2),
        whole=known.kind in _WHOLE and found.mention.lines is None,
    )


def find_links(space: OpenSpace, text: str) -> LinkedText:
    """What a text says of the code: places that are sure, and questions about those that are not."""
    named = mentions(text)
    if not named:
        return LinkedText()
    asked = wanted(named)
    with space.store.read() as reader:
        known = _known(space, reader, asked.names, asked.file_names)
        again = respelled(named, known)
        if again:
            known = {**known, **_known(space, reader, again, ())}
    root = space.identity.root
    names = (space.identity.name, root.name) if root is not None else (space.identity.name,)
    return link(named, known, project=names)


def _known(
    space: OpenSpace, reader: Reader, names: Sequence[str], files: Sequence[str]
) -> Mapping[str, list[IndexEntry]]:
    """What the index has of these names, by the last name or the file's name in lower case."""
    view = View(Moment(space.clock()), CODE_COLLECTIONS, space.identity.checkout_id)
    numbers = [*reader.code.symbols_named(names, _MOST_KNOWN, view)] if names else []
    numbers += reader.code.files_ending(files, _MOST_KNOWN, view) if files else []
    found: dict[str, list[IndexEntry]] = {}
    for one in reader.code.sketches(numbers).values():
        is_file = one.kind == "file"
        name = one.path.rpartition("/")[2] if is_file else one.name.rpartition(".")[2]
        found.setdefault(name.lower(), []).append(
            IndexEntry(
                name,
                one.path if is_file else one.name,
                "file" if is_file else one.type,
                one.path,
                one.line,
                one.end_line,
                is_test=bool(one.traits & IS_TEST),
                referrers=one.referrers,
            )
        )
    return found


def _asked(one: LinkSuggestion) -> CodeSuggestion:
    places = (known.path if known.kind == "file" else f"{known.path}#{known.qualified}" for known in one.candidates)
    return CodeSuggestion(one.text, tuple(dict.fromkeys(places)))
