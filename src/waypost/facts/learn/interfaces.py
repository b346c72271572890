"""Facts about public definitions: new, changed for callers, renamed or removed."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from waypost.facts.learn.change_context import ChangeContext, ChangedSymbol, is_class, is_internal
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.signatures import signature_difference
from waypost.facts.learn.vocabulary import vocabulary
from waypost.facts.learn.wording import (
    clip,
    first_sentence,
    last_part,
    predicate,
    says_more_than,
    short_path,
    upper_first,
    with_full_stop,
    without_markup,
    without_name,
)
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED
from waypost.text.identifiers import identifier_parts
from waypost.text.plural import join_items

_MOST_SIGNATURES = 2  # per commit; more are a sweep that the message describes
_SWEEP = 6
_OF_PARAMETERS = re.compile(r"\b(?:param\w*|arg(?:ument)?s?|option\w*|flags?|keywords?|kwargs?)\b", re.I)
_NAMED = re.compile(r"`(\w+)`")
_MOST_NAMED = 4
_DOC_ROOM = 190


def new_definitions(context: ChangeContext) -> Candidate | None:
    """One fact about new definitions in existing files."""
    verb = context.message.verb
    if verb is not None and verb.kind in ("rename", "remove", "move"):
        return None  # additions of such a commit are leftovers
    new = [changed for changed in _outermost(context, ADDED) if changed.file.change != ADDED]
    names = Counter(changed.ref for changed in context.changed_symbols())  # another overload of a function is not new
    new = [
        changed
        for changed in new
        if names[changed.ref] == 1 and changed.is_public_api and _is_worth_noting(context, changed)
    ]
    if not new:
        return None
    new.sort(key=lambda changed: -_rank(context, changed))
    main = new[0]
    others = [changed for changed in new[1:] if changed.file.path == main.file.path]
    text, confidence = _purpose_text(context, main)
    if not text:
        return None
    text = _with_others(text, others)
    is_named = context.message.names(last_part(main.symbol.name))
    return context.candidate(
        text,
        confidence,
        topic=f"api:{main.ref}",
        refs=[main.ref, *(changed.ref for changed in others[: _MOST_NAMED - 1])],
        level=3 if not is_class(main.symbol) else 1 if is_named else 2,
        origin="ast_analysis",
        reason="New, public" + (" and documented." if main.symbol.doc else "; the message says what for."),
        from_message=not main.symbol.doc,
    )


def _purpose_text(context: ChangeContext, changed: ChangedSymbol) -> tuple[str, float]:
    """What a definition is for, by its documentation or the message, and the confidence."""
    symbol, message = changed.symbol, context.message
    doc = without_name(first_sentence(without_markup(symbol.doc)), symbol.name)
    doc = "" if _is_of_another(doc, symbol.name) else doc
    head = f"`{symbol.name}` ({short_path(changed.file.path)})"
    mentioned = message.mentions(last_part(symbol.name))
    if doc and says_more_than(doc, symbol.name, least=2 if mentioned or is_class(symbol) else 3):
        phrase = predicate(doc, symbol.name)
        text = f"{head} {clip(phrase, _DOC_ROOM)}" if phrase else f"{head}: {clip(doc, _DOC_ROOM)}"
        confidence = 0.66 + (0.12 if mentioned else 0.0) + (0.04 if context.has_tests else 0.0)
        confidence += (0.04 if context.is_announced else 0.0) + (0.04 if phrase else 0.0)
        confidence -= 0.2 if not phrase and not mentioned else 0.0  # without a statement it may be an aside
        return with_full_stop(text), confidence - (0.1 if not phrase and len(doc) < 20 else 0.0)
    is_new = message.kind == "feature" or (message.verb is not None and message.verb.kind == "add")
    if (
        is_new
        and message.names(last_part(symbol.name))
        and says_more_than(message.subject, symbol.name, "method", "add")
    ):
        confidence = 0.58 if context.has_tests else 0.5
        return f"{head} is new with “{clip(upper_first(message.subject), 120)}”.", confidence
    return "", 0.0


def _is_of_another(doc: str, name: str) -> bool:
    """Whether documentation begins with another name: it was copied with its code."""
    first, _, rest = doc.partition(" ")
    is_name = first.isalnum() and first.lower() != last_part(name).lower() and any(sign.isupper() for sign in first[1:])
    return is_name and not first.isupper() and rest.partition(" ")[0] in vocabulary().thirds


def changed_signatures(context: ChangeContext) -> Iterator[Candidate]:
    """Signatures that callers must follow or may use."""
    differences = []
    names = Counter(changed.ref for changed in context.changed_symbols())
    for changed in _public_symbols(context, MODIFIED, RENAMED):
        symbol = changed.symbol
        if is_class(symbol) or names[changed.ref] > 1:
            continue  # base classes are not arguments, and overloads cannot be matched
        if symbol.signature and symbol.signature_before and symbol.signature != symbol.signature_before:
            difference, breaks = signature_difference(
                symbol.name, changed.file.language, symbol.signature_before, symbol.signature, symbol.name_before
            )
            if difference:
                differences.append((changed, difference, breaks))
    differences.sort(key=lambda row: (not context.message.mentions(last_part(row[0].symbol.name)), not row[2]))
    groups: dict[str, list[tuple[ChangedSymbol, bool]]] = {}
    for changed, difference, breaks in differences:
        groups.setdefault(difference, []).append((changed, breaks))
    if len(groups) > _SWEEP:
        return
    for difference, group in list(groups.items())[:_MOST_SIGNATURES]:
        symbols = [changed for changed, _ in group]
        candidate = _signature(context, symbols, difference, breaks=any(breaks for _, breaks in group))
        if candidate is not None:
            yield candidate


def _signature(
    context: ChangeContext, group: list[ChangedSymbol], difference: str, *, breaks: bool
) -> Candidate | None:
    message, first = context.message, group[0]
    is_mentioned = message.mentions(last_part(first.symbol.name)) or any(
        map(_is_parameter(message), _NAMED.findall(difference))
    )
    if message.subject and not is_mentioned and not message.is_breaking:
        return None  # a by-product of the change in the message
    text = f"`{first.symbol.name}` ({short_path(first.file.path)}) {difference}."
    if len(group) > 1:
        text += f" The same goes for {_names(group[1:])}."
    if message.content_count >= 3 and not message.noise and len(text) < 170:
        text += f" From “{clip(upper_first(message.subject), 120)}”."
    return context.candidate(
        text,
        (0.7 if is_mentioned else 0.6) + (0.06 if breaks else 0.0) + (0.06 if context.has_tests else 0.0),
        topic=f"signature:{first.ref}",
        refs=[changed.ref for changed in group],
        level=1 if breaks else 3,
        origin="ast_analysis",
        reason="A public signature changed" + (": existing calls break." if breaks else "."),
    )


def _is_parameter(message: CommitMessage) -> Callable[[str], bool]:
    """Whether the subject means a parameter, and does not only use the same word."""
    is_about_parameters = _OF_PARAMETERS.search(message.subject) is not None

    def is_named_parameter(name: str) -> bool:
        return message.names(name) and (_is_code(name, message) or is_about_parameters)

    return is_named_parameter


def _is_code(name: str, message: CommitMessage) -> bool:
    """Whether a word of the subject can only be this name."""
    return "_" in name or not (name.islower() or name.istitle()) or f"`{name}" in message.subject


def removed_definitions(context: ChangeContext) -> Candidate | None:
    """Removed public definitions, in one fact per commit."""
    removed = [
        changed
        for changed in _outermost(context, REMOVED)
        if changed.is_public_api and not _is_added_elsewhere(context, changed)
    ]
    removed = [changed for changed in removed if changed.file.change != RENAMED]
    if not removed or context.message.noise:
        return None
    message = context.message
    is_meant = message.kind == "remove" or message.is_breaking
    named = [changed for changed in removed if message.names(last_part(changed.symbol.name))]
    if not is_meant:
        # Not everyday words.
        named = [changed for changed in named if _is_code(last_part(changed.symbol.name), message)]
    if not named and not is_meant:
        return None
    listed_symbols = named or removed
    listed_symbols = [changed for changed in listed_symbols if changed.file.path == listed_symbols[0].file.path]
    place = short_path(listed_symbols[0].file.path)
    verb = "is" if len(listed_symbols) == 1 else "are"
    text = f"{_names(listed_symbols)} {verb} no longer in {place}: “{clip(upper_first(message.subject), 120)}”."
    if message.reason and len(text) + len(message.reason) < 280:
        text += f" Reason: {with_full_stop(upper_first(message.reason))}"
    existing_paths = [
        changed.file.path
        for changed in listed_symbols
        if changed.file.change != REMOVED and context.exists(changed.file.path)
    ]
    return context.candidate(
        text,
        0.6
        + (0.12 if named and is_meant else 0.0)
        + (0.05 if message.references else 0.0)
        + (0.05 if message.is_breaking else 0.0),
        topic=f"api:{listed_symbols[0].ref}",
        refs=existing_paths[:1],
        level=1,
        origin="ast_analysis",
        reason="Public definitions were removed.",
        path=listed_symbols[0].file.path,
    )


def renamed_definitions(context: ChangeContext) -> Candidate | None:
    """Renamed public definitions."""
    renames = [
        changed
        for changed in _public_symbols(context, RENAMED)
        if changed.symbol.name_before
        and _share_word(last_part(changed.symbol.name_before), last_part(changed.symbol.name))
    ]
    if context.message.subject and context.message.kind != "rename":
        renames = [changed for changed in renames if _mentions_either_name(context.message, changed)]
    if not renames or len(renames) > _SWEEP:
        return None
    renames.sort(key=lambda changed: not context.message.mentions(last_part(changed.symbol.name)))
    first = renames[0]
    pairs = "; ".join(
        f"`{changed.symbol.name_before}` is called `{changed.symbol.name}` now ({short_path(changed.file.path)})"
        for changed in renames[:3]
    )
    is_mentioned = context.message.kind == "rename" or context.message.mentions(last_part(first.symbol.name))
    return context.candidate(
        with_full_stop(pairs),
        0.65 + (0.15 if is_mentioned else 0.0),
        topic=f"name:{first.ref}",
        refs=[changed.ref for changed in renames[:3]],
        level=1,
        origin="ast_analysis",
        reason="A public definition has another name.",
    )


def _share_word(before: str, after: str) -> bool:
    """Whether the names differ and share a word. Otherwise one thing replaced another."""
    old, new = ({part.lower()[:5] for part in identifier_parts(re.sub(r"\W+", "_", name))} for name in (before, after))
    return before != after and bool(old & new)


def _mentions_either_name(message: CommitMessage, changed: ChangedSymbol) -> bool:
    return message.mentions(last_part(changed.symbol.name)) or message.mentions(last_part(changed.symbol.name_before))


def _is_added_elsewhere(context: ChangeContext, removed: ChangedSymbol) -> bool:
    name = last_part(removed.symbol.name)
    return any(last_part(changed.symbol.name) == name for changed in context.changed_symbols(ADDED, RENAMED))


def _public_symbols(context: ChangeContext, *changes: str) -> list[ChangedSymbol]:
    return [
        changed
        for changed in context.changed_symbols(*changes)
        if changed.is_public_api
        and context.exists(changed.file.path, changed.symbol.name)
        and not is_internal(changed.file.path)
    ]


def _outermost(context: ChangeContext, change: str) -> list[ChangedSymbol]:
    """Definitions with one kind of change, without those inside another: a class stands for its methods."""
    symbols = list(context.changed_symbols(change))
    names = {(changed.file.path, changed.symbol.name) for changed in symbols}
    tops = []
    for changed in symbols:
        parts = changed.symbol.name.split(".")
        above = (".".join(parts[:length]) for length in range(1, len(parts)))
        if not any((changed.file.path, name) in names for name in above):
            tops.append(changed)
    return tops


def _is_worth_noting(context: ChangeContext, changed: ChangedSymbol) -> bool:
    symbol = changed.symbol
    name = last_part(symbol.name)
    if name.startswith("__") or (name != symbol.name and name.lower() in vocabulary().everyday):
        return False  # required by the language or an interface
    if symbol.type in ("constant", "variable", "property", "field") and not (
        name.isupper() and context.message.mentions(name)
    ):
        return False
    if not context.exists(changed.file.path, symbol.name):
        return False
    return bool(symbol.doc) or context.message.names(last_part(symbol.name))


def _rank(context: ChangeContext, changed: ChangedSymbol) -> float:
    symbol, message = changed.symbol, context.message
    named = 3 * message.names(last_part(symbol.name)) + message.mentions(last_part(symbol.name))
    return named + 2 * is_class(symbol) + bool(symbol.doc) + min(symbol.lines_changed, 100) / 100


def _with_others(text: str, others: list[ChangedSymbol]) -> str:
    if not others:
        return text
    more = f" With it: {_names(others)}."
    return text + more if len(text) + len(more) <= 290 else text


def _names(symbols: list[ChangedSymbol]) -> str:
    return join_items((f"`{changed.symbol.name}`" for changed in symbols), _MOST_NAMED)
