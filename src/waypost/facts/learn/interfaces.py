"""What others may use: functions and classes that came, changed for their callers, got another name, or went."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from waypost.facts.learn.change_context import Scene, Touched, is_class, is_inner
from waypost.facts.learn.message import CommitMessage
from waypost.facts.learn.signatures import what_callers_see
from waypost.facts.learn.vocabulary import words
from waypost.facts.learn.wording import (
    capital,
    clip,
    closed,
    first_sentence,
    last_part,
    plain,
    predicate,
    shown,
    tells,
    without_name,
)
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED
from waypost.text.identifiers import identifier_parts

_MOST_SIGNATURES = 2  # of one commit; of more it is a sweep, and the message tells it
_SWEEP = 6
_OF_PARAMETERS = re.compile(r"\b(?:param\w*|arg(?:ument)?s?|option\w*|flags?|keywords?|kwargs?)\b", re.I)
_NAMED = re.compile(r"`(\w+)`")
_MOST_NAMED = 4
_DOC_ROOM = 190


def added(scene: Scene) -> Candidate | None:
    """The one fact about new definitions in files that were there before."""
    verb = scene.message.verb
    if verb is not None and verb.kind in ("rename", "remove", "move"):
        return None  # what comes with that is a remnant
    found = [one for one in _tops(scene, ADDED) if one.file.change != ADDED]
    names = Counter(one.ref for one in scene.touched())  # a further overload of a function is nothing new
    found = [one for one in found if names[one.ref] == 1 and one.is_offered and _is_worth(scene, one)]
    if not found:
        return None
    found.sort(key=lambda one: -_standing(scene, one))
    main = found[0]
    others = [one for one in found[1:] if one.file.path == main.file.path]
    text, confidence = _about(scene, main)
    if not text:
        return None
    text = _with_others(text, others)
    is_named = scene.message.names(last_part(main.symbol.name))
    return scene.candidate(
        text,
        confidence,
        topic=f"api:{main.ref}",
        refs=[main.ref, *(one.ref for one in others[: _MOST_NAMED - 1])],
        level=3 if not is_class(main.symbol) else 1 if is_named else 2,
        origin="ast_analysis",
        reason="New, public" + (" and documented." if main.symbol.doc else "; the message tells what for."),
        from_message=not main.symbol.doc,
    )


def _about(scene: Scene, one: Touched) -> tuple[str, float]:
    """What a definition is for, by its own documentation, else by the message; with how sure that is."""
    symbol, message = one.symbol, scene.message
    doc = without_name(first_sentence(plain(symbol.doc)), symbol.name)
    doc = "" if _is_of_another(doc, symbol.name) else doc
    head = f"`{symbol.name}` ({shown(one.file.path)})"
    mentioned = message.mentions(last_part(symbol.name))
    if doc and tells(doc, symbol.name, least=2 if mentioned or is_class(symbol) else 3):
        said = predicate(doc, symbol.name)
        text = f"{head} {clip(said, _DOC_ROOM)}" if said else f"{head}: {clip(doc, _DOC_ROOM)}"
        sure = 0.66 + (0.12 if mentioned else 0.0) + (0.04 if scene.has_tests else 0.0)
        sure += (0.04 if scene.is_announced else 0.0) + (0.04 if said else 0.0)
        sure -= 0.2 if not said and not mentioned else 0.0  # what is no statement of what it does may be an aside
        return closed(text), sure - (0.1 if not said and len(doc) < 20 else 0.0)
    is_new = message.kind == "feature" or (message.verb is not None and message.verb.kind == "add")
    if is_new and message.names(last_part(symbol.name)) and tells(message.subject, symbol.name, "method", "add"):
        return f"{head} is new with “{clip(capital(message.subject), 120)}”.", 0.5 + (0.08 if scene.has_tests else 0.0)
    return "", 0.0


def _is_of_another(doc: str, name: str) -> bool:
    """Whether documentation begins with the name of something else: it was copied with its code."""
    first, _, rest = doc.partition(" ")
    is_name = first.isalnum() and first.lower() != last_part(name).lower() and any(sign.isupper() for sign in first[1:])
    return is_name and not first.isupper() and rest.partition(" ")[0] in words().thirds


def changed(scene: Scene) -> Iterator[Candidate]:
    """Signatures that callers must follow or may use."""
    found = []
    names = Counter(one.ref for one in scene.touched())
    for one in _offered(scene, MODIFIED, RENAMED):
        symbol = one.symbol
        if is_class(symbol) or names[one.ref] > 1:
            continue  # what it inherits from is nobody's argument; of overloads nobody knows which became which
        if symbol.signature and symbol.signature_before and symbol.signature != symbol.signature_before:
            seen, breaks = what_callers_see(
                symbol.name, one.file.language, symbol.signature_before, symbol.signature, symbol.name_before
            )
            if seen:
                found.append((one, seen, breaks))
    found.sort(key=lambda each: (not scene.message.mentions(last_part(each[0].symbol.name)), not each[2]))
    groups: dict[str, list[tuple[Touched, bool]]] = {}
    for one, seen, breaks in found:
        groups.setdefault(seen, []).append((one, breaks))
    if len(groups) > _SWEEP:
        return
    for seen, alike in list(groups.items())[:_MOST_SIGNATURES]:
        told = _signature(scene, [one for one, _ in alike], seen, breaks=any(breaks for _, breaks in alike))
        if told is not None:
            yield told


def _signature(scene: Scene, alike: list[Touched], seen: str, *, breaks: bool) -> Candidate | None:
    message, one = scene.message, alike[0]
    is_told = message.mentions(last_part(one.symbol.name)) or any(map(_is_parameter(message), _NAMED.findall(seen)))
    if message.subject and not is_told and not message.is_breaking:
        return None  # a by-product of what the message tells
    text = f"`{one.symbol.name}` ({shown(one.file.path)}) {seen}."
    if len(alike) > 1:
        text += f" The same goes for {_names(alike[1:])}."
    if message.tells >= 3 and not message.noise and len(text) < 170:
        text += f" From “{clip(capital(message.subject), 120)}”."
    return scene.candidate(
        text,
        (0.7 if is_told else 0.6) + (0.06 if breaks else 0.0) + (0.06 if scene.has_tests else 0.0),
        topic=f"signature:{one.ref}",
        refs=[each.ref for each in alike],
        level=1 if breaks else 3,
        origin="ast_analysis",
        reason="A public signature changed" + (": existing calls break." if breaks else "."),
    )


def _is_parameter(message: CommitMessage) -> Callable[[str], bool]:
    """Whether the subject speaks of a parameter, and does not only use the same word."""
    speaks = _OF_PARAMETERS.search(message.subject) is not None

    def is_one(name: str) -> bool:
        return message.names(name) and (_is_code(name, message) or speaks)

    return is_one


def _is_code(name: str, message: CommitMessage) -> bool:
    """Whether a word of the subject can only be this name."""
    return "_" in name or not (name.islower() or name.istitle()) or f"`{name}" in message.subject


def gone(scene: Scene) -> Candidate | None:
    """Public definitions that are there no more, one fact for all of a commit."""
    found = [one for one in _tops(scene, REMOVED) if one.is_offered and not _came_elsewhere(scene, one)]
    found = [one for one in found if one.file.change != RENAMED]
    if not found or scene.message.noise:
        return None
    message = scene.message
    is_meant = message.kind == "remove" or message.is_breaking
    named = [one for one in found if message.names(last_part(one.symbol.name))]
    if not is_meant:
        named = [one for one in named if _is_code(last_part(one.symbol.name), message)]  # no word of every day
    if not named and not is_meant:
        return None
    told = named or found
    told = [one for one in told if one.file.path == told[0].file.path]
    place = shown(told[0].file.path)
    text = f"{_names(told)} {'is' if len(told) == 1 else 'are'} no longer in {place}: “{clip(capital(message.subject), 120)}”."
    if message.reason and len(text) + len(message.reason) < 280:
        text += f" Reason: {closed(capital(message.reason))}"
    there = [one.file.path for one in told if one.file.change != REMOVED and scene.is_there(one.file.path)]
    return scene.candidate(
        text,
        0.6
        + (0.12 if named and is_meant else 0.0)
        + (0.05 if message.references else 0.0)
        + (0.05 if message.is_breaking else 0.0),
        topic=f"api:{told[0].ref}",
        refs=there[:1],
        level=1,
        origin="ast_analysis",
        reason="Public definitions were removed.",
        path=told[0].file.path,
    )


def renamed(scene: Scene) -> Candidate | None:
    """Public names that are others now."""
    found = [
        one
        for one in _offered(scene, RENAMED)
        if one.symbol.name_before and _is_kin(last_part(one.symbol.name_before), last_part(one.symbol.name))
    ]
    if scene.message.subject and scene.message.kind != "rename":
        found = [one for one in found if _is_renaming(scene.message, one)]
    if not found or len(found) > _SWEEP:
        return None
    found.sort(key=lambda one: not scene.message.mentions(last_part(one.symbol.name)))
    one = found[0]
    pairs = "; ".join(
        f"`{each.symbol.name_before}` is called `{each.symbol.name}` now ({shown(each.file.path)})"
        for each in found[:3]
    )
    is_told = scene.message.kind == "rename" or scene.message.mentions(last_part(one.symbol.name))
    return scene.candidate(
        closed(pairs),
        0.65 + (0.15 if is_told else 0.0),
        topic=f"name:{one.ref}",
        refs=[each.ref for each in found[:3]],
        level=1,
        origin="ast_analysis",
        reason="A public definition has another name.",
    )


def _is_kin(before: str, after: str) -> bool:
    """Whether one name came from the other: they differ, and share a word. Else one thing took another's place."""
    old, new = ({part.lower()[:5] for part in identifier_parts(re.sub(r"\W+", "_", name))} for name in (before, after))
    return before != after and bool(old & new)


def _is_renaming(message: CommitMessage, one: Touched) -> bool:
    """Whether the message speaks of either name; else one may have taken the place of the other."""
    return message.mentions(last_part(one.symbol.name)) or message.mentions(last_part(one.symbol.name_before))


def _came_elsewhere(scene: Scene, gone: Touched) -> bool:
    """Whether what went from one file came in another, under the same name."""
    name = last_part(gone.symbol.name)
    return any(last_part(one.symbol.name) == name for one in scene.touched(ADDED, RENAMED))


def _offered(scene: Scene, *changes: str) -> list[Touched]:
    return [
        one
        for one in scene.touched(*changes)
        if one.is_offered and scene.is_there(one.file.path, one.symbol.name) and not is_inner(one.file.path)
    ]


def _tops(scene: Scene, change: str) -> list[Touched]:
    """Definitions of one kind of change, without those inside of another of them: a class stands for its methods."""
    found = list(scene.touched(change))
    known = {(one.file.path, one.symbol.name) for one in found}
    tops = []
    for one in found:
        parts = one.symbol.name.split(".")
        above = (".".join(parts[:length]) for length in range(1, len(parts)))
        if not any((one.file.path, name) in known for name in above):
            tops.append(one)
    return tops


def _is_worth(scene: Scene, one: Touched) -> bool:
    symbol = one.symbol
    name = last_part(symbol.name)
    if name.startswith("__") or (name != symbol.name and name.lower() in words().everyday):
        return False  # the language or an interface asks for it
    if symbol.type in ("constant", "variable", "property", "field") and not (
        name.isupper() and scene.message.mentions(name)
    ):
        return False
    if not scene.is_there(one.file.path, symbol.name):
        return False
    return bool(symbol.doc) or scene.message.names(last_part(symbol.name))


def _standing(scene: Scene, one: Touched) -> float:
    named = scene.message.names(last_part(one.symbol.name)) * 3 + scene.message.mentions(last_part(one.symbol.name))
    return named + 2 * is_class(one.symbol) + bool(one.symbol.doc) + min(one.symbol.lines_changed, 100) / 100


def _with_others(text: str, others: list[Touched]) -> str:
    if not others:
        return text
    more = f" With it: {_names(others)}."
    return text + more if len(text) + len(more) <= 290 else text


def _names(found: list[Touched]) -> str:
    alone = list(dict.fromkeys(f"`{one.symbol.name}`" for one in found))
    names = alone[:_MOST_NAMED]
    more = len(alone) - len(names)
    if more:
        return f"{', '.join(names)} and {more} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
