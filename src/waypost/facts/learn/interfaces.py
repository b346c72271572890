"""Facts about public definitions: new, changed for callers, renamed or removed."""

import re
from collections import Counter
from collections.abc import Iterator

from waypost.facts.learn.change_context import ChangeContext, ChangedSymbol, is_class, is_internal
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.signatures import signature_difference
from waypost.facts.learn.vocabulary import name_stems, vocabulary
from waypost.facts.learn.wording import (
    clip,
    first_sentence,
    last_part,
    predicate,
    says_more_than,
    short_path,
    upper_first,
    with_addition,
    with_full_stop,
    without_markup,
    without_name,
)
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED
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
    names = Counter(changed.ref for changed in context.changed_symbols())  # another overload of a function is not new
    new = [changed for changed in _outermost(context, ADDED) if changed.file.change != ADDED]
    new = [changed for changed in new if names[changed.ref] == 1 and _is_worth_noting(context, changed)]
    if not new:
        return None
    new.sort(key=lambda changed: -_rank(context, changed))
    main = new[0]
    others = [changed for changed in new[1:] if changed.path == main.path]
    text, confidence = _purpose_text(context, main)
    if not text:
        return None
    text = with_addition(text, f" With it: {_names(others)}.") if others else text
    is_named = context.message.names(main.last_name)
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
    head = f"`{symbol.name}` ({short_path(changed.path)})"
    mentioned = message.mentions(changed.last_name)
    if doc and says_more_than(doc, symbol.name, least=2 if mentioned or is_class(symbol) else 3):
        phrase = predicate(doc, symbol.name)
        text = f"{head} {clip(phrase, _DOC_ROOM)}" if phrase else f"{head}: {clip(doc, _DOC_ROOM)}"
        confidence = 0.66 + (0.12 if mentioned else 0.0) + (0.04 if context.has_tests else 0.0)
        confidence += (0.04 if context.is_announced else 0.0) + (0.04 if phrase else 0.0)
        confidence -= 0.2 if not phrase and not mentioned else 0.0  # without a statement it may be an aside
        return with_full_stop(text), confidence - (0.1 if not phrase and len(doc) < 20 else 0.0)
    is_new = message.kind == "feature" or (message.verb is not None and message.verb.kind == "add")
    if is_new and message.names(changed.last_name) and says_more_than(message.subject, symbol.name, "method", "add"):
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
        symbol, language = changed.symbol, changed.file.language
        if is_class(symbol) or names[changed.ref] > 1:
            continue  # base classes are not arguments, and overloads cannot be matched
        before, after = symbol.signature_before, symbol.signature
        if before and after and before != after:
            difference, breaks = signature_difference(symbol.name, language, before, after, symbol.name_before)
            if difference:
                differences.append((changed, difference, breaks))
    differences.sort(key=lambda row: (not context.message.mentions(row[0].last_name), not row[2]))
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
    is_mentioned = any(_is_parameter(name, message) for name in _NAMED.findall(difference))
    is_mentioned = is_mentioned or message.mentions(first.last_name)
    if message.subject and not is_mentioned and not message.is_breaking:
        return None  # a by-product of the change in the message
    text = f"`{first.name}` ({short_path(first.path)}) {difference}."
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


def _is_parameter(name: str, message: CommitMessage) -> bool:
    """Whether the subject means a parameter, and does not only use the same word."""
    return message.names(name) and (_is_code(name, message) or _OF_PARAMETERS.search(message.subject) is not None)


def _is_code(name: str, message: CommitMessage) -> bool:
    """Whether a word of the subject can only be this name."""
    return "_" in name or not (name.islower() or name.istitle()) or f"`{name}" in message.subject


def removed_definitions(context: ChangeContext) -> Candidate | None:
    """Removed public definitions, in one fact per commit."""
    message, added = context.message, {changed.last_name for changed in context.changed_symbols(ADDED, RENAMED)}
    removed = [changed for changed in _outermost(context, REMOVED) if changed.is_public_api]
    removed = [changed for changed in removed if changed.last_name not in added and changed.file.change != RENAMED]
    if not removed or message.noise:
        return None
    is_meant = message.kind == "remove" or message.is_breaking
    named = [changed for changed in removed if message.names(changed.last_name)]
    if not is_meant:
        named = [changed for changed in named if _is_code(changed.last_name, message)]  # not everyday words
    if not named and not is_meant:
        return None
    listed_symbols = named or removed
    listed_symbols = [changed for changed in listed_symbols if changed.path == listed_symbols[0].path]
    place = short_path(listed_symbols[0].path)
    verb = "is" if len(listed_symbols) == 1 else "are"
    text = f"{_names(listed_symbols)} {verb} no longer in {place}: “{clip(upper_first(message.subject), 120)}”."
    if message.reason and len(text) + len(message.reason) < 280:
        text += f" Reason: {with_full_stop(upper_first(message.reason))}"
    first = listed_symbols[0]
    return context.candidate(
        text,
        0.6 + 0.12 * bool(named and is_meant) + 0.05 * bool(message.references) + 0.05 * message.is_breaking,
        topic=f"api:{first.ref}",
        refs=[first.path] if first.file.change != REMOVED and context.exists(first.path) else [],
        level=1,
        origin="ast_analysis",
        reason="Public definitions were removed.",
        path=first.path,
    )


def renamed_definitions(context: ChangeContext) -> Candidate | None:
    """Renamed public definitions."""
    renames = [
        changed
        for changed in _public_symbols(context, RENAMED)
        if changed.symbol.name_before and _share_word(last_part(changed.symbol.name_before), changed.last_name)
    ]
    if context.message.subject and context.message.kind != "rename":
        renames = [changed for changed in renames if _mentions_either_name(context.message, changed)]
    if not renames or len(renames) > _SWEEP:
        return None
    renames.sort(key=lambda changed: not context.message.mentions(changed.last_name))
    first = renames[0]
    pairs = "; ".join(
        f"`{changed.symbol.name_before}` is called `{changed.name}` now ({short_path(changed.path)})"
        for changed in renames[:3]
    )
    is_mentioned = context.message.kind == "rename" or context.message.mentions(first.last_name)
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
    return before != after and not name_stems(before).isdisjoint(name_stems(after))


def _mentions_either_name(message: CommitMessage, changed: ChangedSymbol) -> bool:
    return message.mentions(changed.last_name) or message.mentions(last_part(changed.symbol.name_before))


def _public_symbols(context: ChangeContext, *changes: str) -> list[ChangedSymbol]:
    return [
        changed
        for changed in context.changed_symbols(*changes)
        if changed.is_public_api and context.exists(changed.path, changed.name) and not is_internal(changed.path)
    ]


def _outermost(context: ChangeContext, change: str) -> list[ChangedSymbol]:
    """Definitions with one kind of change, without those inside another: a class stands for its methods."""
    symbols = list(context.changed_symbols(change))
    names = {(changed.path, changed.name) for changed in symbols}
    return [changed for changed in symbols if not any((changed.path, name) in names for name in _owners(changed.name))]


def _owners(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:length]) for length in range(1, len(parts)))


def _is_worth_noting(context: ChangeContext, changed: ChangedSymbol) -> bool:
    symbol, name = changed.symbol, changed.last_name
    is_required = name.startswith("__") or (name != symbol.name and name.lower() in vocabulary().everyday)
    if not changed.is_public_api or is_required:  # by the language or an interface
        return False
    is_value = symbol.type in ("constant", "variable", "property", "field")
    if is_value and not (name.isupper() and context.message.mentions(name)):
        return False
    return context.exists(changed.path, symbol.name) and (bool(symbol.doc) or context.message.names(name))


def _rank(context: ChangeContext, changed: ChangedSymbol) -> float:
    symbol, message = changed.symbol, context.message
    named = 3 * message.names(changed.last_name) + message.mentions(changed.last_name)
    return named + 2 * is_class(symbol) + bool(symbol.doc) + min(symbol.lines_changed, 100) / 100


def _names(symbols: list[ChangedSymbol]) -> str:
    return join_items((f"`{changed.name}`" for changed in symbols), _MOST_NAMED)
