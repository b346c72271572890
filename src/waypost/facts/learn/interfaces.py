"""Facts about public definitions: new, changed for callers, renamed or removed."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from waypost.facts.learn.change_context import ChangeContext, ChangedSymbol, is_class, is_internal
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.signatures import SignatureDifference, signature_difference
from waypost.facts.learn.vocabulary import name_stems, vocabulary
from waypost.facts.learn.wording import (
    MOST_TEXT,
    first_sentence,
    in_quotes,
    last_part,
    on_one_line,
    says_more_than,
    short_path,
    without_markup,
)
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED
from waypost.text.plural import join_items

_MOST_SIGNATURES = 2  # per commit; more are a sweep that the message describes
_SWEEP = 6
_OF_PARAMETERS = re.compile(r"\b(?:param\w*|arg(?:ument)?s?|option\w*|flags?|keywords?|kwargs?)\b", re.I)
_MOST_NAMED = 4
_LONGEST_SUBJECT = 160
_LONGEST_DOC = 220  # a longer sentence is not quoted
_LONGEST_SIGNATURE = 140


def new_definitions(context: ChangeContext) -> Candidate | None:
    """The new public definition that the subject names, with its documentation."""
    verb = context.message.verb
    if verb is not None and verb.kind in ("rename", "remove", "move"):
        return None  # additions of such a commit are leftovers
    names = Counter(changed.ref for changed in context.changed_symbols())  # another overload of a function is not new
    new = [changed for changed in _outermost(context, ADDED) if changed.file.change != ADDED]
    new = [changed for changed in new if names[changed.ref] == 1 and _is_worth_noting(context, changed)]
    if not new:
        return None
    main = max(new, key=lambda changed: (is_class(changed.symbol), min(changed.symbol.lines_changed, 100)))
    doc = first_sentence(without_markup(main.symbol.doc))
    if not doc or len(doc) > _LONGEST_DOC or _is_of_another(doc, main.name) or not says_more_than(doc, main.name):
        return None
    return context.candidate(
        f"New in {short_path(main.path)}: `{main.name}`: {in_quotes(doc)}",
        0.74 + (0.06 if context.has_tests else 0.0) + (0.06 if context.is_announced else 0.0),
        topic=f"api:{main.ref}",
        refs=[main.ref],
        level=3 if not is_class(main.symbol) else 2,
        origin="ast_analysis",
        reason="New, public and documented, and the message names it.",
    )


def _is_of_another(doc: str, name: str) -> bool:
    """Whether documentation begins with another name: it was copied with its code."""
    first = doc.partition(" ")[0]
    return (
        first.isalnum()
        and first != last_part(name)
        and any(sign.isupper() for sign in first[1:])
        and not first.isupper()
    )


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
            difference = signature_difference(symbol.name, language, before, after, symbol.name_before)
            if difference.parameters:
                differences.append((changed, difference))
    differences.sort(key=lambda row: (not context.message.mentions(row[0].last_name), not row[1].breaks))
    if len(differences) > _SWEEP:
        return
    candidates = (_signature(context, changed, difference) for changed, difference in differences)
    yield from islice((candidate for candidate in candidates if candidate is not None), _MOST_SIGNATURES)


def _signature(context: ChangeContext, changed: ChangedSymbol, difference: SignatureDifference) -> Candidate | None:
    message, symbol = context.message, changed.symbol
    names_parameter = any(_is_parameter(name, message) for name in difference.parameters)
    if message.subject and not names_parameter and not (difference.breaks and message.names(changed.last_name)):
        return None  # a by-product of the change in the message
    before, after = on_one_line(symbol.signature_before), on_one_line(symbol.signature)
    if max(len(before), len(after)) > _LONGEST_SIGNATURE:
        return None
    text = f"`{changed.name}` ({short_path(changed.path)}) is now `{after}`; before: `{before}`."
    return context.candidate(
        text + _quoted_subject(context),
        0.72 + (0.06 if difference.breaks else 0.0) + (0.06 if context.has_tests else 0.0),
        topic=f"signature:{changed.ref}",
        refs=[changed.ref],
        level=1 if difference.breaks else 3,
        origin="ast_analysis",
        reason="A public signature changed" + (": existing calls break." if difference.breaks else "."),
    )


def _quoted_subject(context: ChangeContext) -> str:
    message = context.message
    is_told = message.content_count >= 2 and not message.noise and len(message.subject) <= _LONGEST_SUBJECT
    return f" {in_quotes(message.subject)}." if is_told else ""


def _is_parameter(name: str, message: CommitMessage) -> bool:
    """Whether the subject means a parameter, and does not only use the same word."""
    return message.names(name) and (_is_code(name, message) or _OF_PARAMETERS.search(message.subject) is not None)


def _is_code(name: str, message: CommitMessage) -> bool:
    """Whether a word of the subject can only be this name."""
    return "_" in name or not (name.islower() or name.istitle()) or f"`{name}" in message.subject


def removed_definitions(context: ChangeContext) -> Candidate | None:
    """Removed public definitions, in one fact per commit."""
    message, added = context.message, {changed.last_name for changed in context.changed_symbols(ADDED, RENAMED)}
    if message.noise or not (message.kind == "remove" or message.is_breaking):
        return None
    removed = [changed for changed in context.changed_symbols(REMOVED) if message.names(changed.last_name)]
    removed = [changed for changed in removed if changed.is_public_api and changed.last_name not in added]
    outer = {owner for changed in removed for owner in _owners(changed.name)}
    listed_symbols = [
        changed
        for changed in removed
        if changed.name not in outer and not changed.last_name.startswith("__") and changed.file.change != RENAMED
    ]
    listed_symbols = [changed for changed in listed_symbols if changed.path == listed_symbols[0].path]
    if not listed_symbols:
        return None
    place = short_path(listed_symbols[0].path)
    text = f"Removed from {place}: {_names(listed_symbols)}.{_quoted_subject(context)}"
    if message.reason and len(text) + len(message.reason) < MOST_TEXT:
        text += f" {in_quotes(message.reason)}"
    first = listed_symbols[0]
    return context.candidate(
        text,
        0.72 + 0.05 * bool(message.references) + 0.05 * message.is_breaking,
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
        f"`{changed.symbol.name_before}` → `{changed.name}` ({short_path(changed.path)})" for changed in renames[:3]
    )
    is_mentioned = context.message.kind == "rename" or context.message.mentions(first.last_name)
    return context.candidate(
        f"Renamed: {pairs}.{_quoted_subject(context)}",
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
        if changed.is_public_api
        and context.exists(changed.path, changed.name)
        and not is_internal(changed.path)
        and not changed.symbol.signature.startswith("defp ")  # private in Elixir
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
    is_meant = context.message.names(name) or not context.message.subject
    is_usable = bool(symbol.doc) and not is_value and is_meant
    return is_usable and context.exists(changed.path, symbol.name)


def _names(symbols: list[ChangedSymbol]) -> str:
    return join_items((f"`{changed.name}`" for changed in symbols), _MOST_NAMED)
