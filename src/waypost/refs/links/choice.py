"""Which symbol of the tree a name in a text means.

A name that is defined once is that; of several, what stands before the name decides, then what else the text names,
then source before tests and types before what is called like them. What is still open is no choice.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from waypost.refs.links.fit import LOOSE, fit
from waypost.refs.links.index_entry import FILE, TYPES, IndexEntry, path_ends
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.parts import shape_of
from waypost.refs.links.spelling import is_telling, nearest, singular, squeezed, styles
from waypost.refs.links.word_lists import link_words

_ONLY_ONE, _IN_SOURCE, _SAME_FILE, _THE_TYPE = 0.95, 0.9, 0.85, 0.8
_OF_A_VARIABLE, _THE_OWNER = 0.78, 0.76
_UNSURE = 0.4
_PLURAL, _BARE = 0.95, 0.9  # times
_SURE_CODE = 0.5  # strength from which on a mention may be linked
_LONG_WORD = 10  # letters of a plain word that is no word of prose
_SHORTEST_OTHER_CASE = 4  # letters of a name that is asked about in another case
_MOST_ASKED = 8  # definitions of a name that are worth a question

_TRIAL = re.compile(r"test|spec|bench|example|mock|fake|fixture|stub", re.IGNORECASE)

SEVERAL, SPELLING, COMMON_WORD = "several", "spelling", "common word"


class SymbolChoice(NamedTuple):
    candidates: tuple[IndexEntry, ...]  # best first
    confidence: float
    why: str = ""  # for those that are not sure


class Around(NamedTuple):
    """What is known beside the mention itself."""

    files: frozenset[str] = frozenset()  # files in which something is that the text surely names
    paths: frozenset[str] = frozenset()  # files that it names by their paths
    owners: frozenset[tuple[str, str]] = frozenset()  # types, by path and qualified name, of which it names something
    project: frozenset[str] = frozenset()
    of_tests: bool = False  # the text speaks of tests


NOTHING = SymbolChoice((), 0.0)


def choose(mention: CodeMention, known: Mapping[str, Sequence[IndexEntry]], around: Around) -> SymbolChoice:
    if _is_project_itself(mention, around):
        return NOTHING
    named = _symbols(known, mention.name.lower())
    exact = [one for one in named if one.name == mention.name]
    share = 1.0
    if not exact and mention.name[:1] == "$" and mention.name[1:2].islower():  # a variable of PHP
        bare = mention.name[1:]
        exact, share = [one for one in _symbols(known, bare.lower()) if one.name == bare], _BARE
    if not exact and not mention.is_called and (one := singular(mention.name)) and shape_of(one) == "pascal":
        exact, share = [other for other in _symbols(known, one.lower()) if other.name == one], _PLURAL
    if mention.path:
        exact = [one for one in exact if path_ends(one.path, mention.path) or path_ends(mention.path, one.path)]
    choice = _among(mention, exact, around) if exact else NOTHING
    owner = _owner(mention, known, around) if choice.confidence <= _UNSURE else NOTHING
    if owner.confidence > choice.confidence:
        choice = owner
    if choice.candidates and choice.confidence > _UNSURE and _is_only_tried(mention, choice.candidates[0], around):
        choice = SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    if not choice.candidates and not exact:
        choice = _respelled(mention, named, known)
    confidence = choice.confidence * share * (0.85 + 0.15 * mention.strength)
    if mention.strength < _SURE_CODE and confidence > _UNSURE:
        return SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    return SymbolChoice(choice.candidates, round(confidence, 2), choice.why)


def speaks_of_tests(mention: CodeMention) -> bool:
    return _TRIAL.search(mention.path or mention.name) is not None


def _is_only_tried(mention: CodeMention, one: IndexEntry, around: Around) -> bool:
    """Whether the one definition is in a test or an example: prose that speaks of none means another, outside."""
    if not one.is_aside or mention.path or mention.qualifier or around.of_tests:
        return False
    return "." in one.qualified or one.kind == "constant" or not is_telling(mention.name)


def _symbols(known: Mapping[str, Sequence[IndexEntry]], name: str) -> list[IndexEntry]:
    return [one for one in known.get(name, ()) if one.kind != FILE]


def _among(mention: CodeMention, exact: Sequence[IndexEntry], around: Around) -> SymbolChoice:
    """The one of these definitions that is meant, by what stands before the name and by the rest of the text."""
    qualifier = _telling(mention.qualifier, around)
    if not qualifier:
        offered = _offered(exact, around) if mention.qualifier[-1:] and _is_project(mention, around) else exact
        return _needing_proof(mention, _narrowed(offered, around), around)
    fits = [(fit(one, qualifier), one) for one in exact]
    best = max(grade for grade, _ in fits)
    if best > 0:
        choice = _narrowed([one for grade, one in fits if grade == best], around)
        return choice._replace(confidence=choice.confidence * (1 if best > LOOSE else 0.9))
    if not is_telling(mention.name):
        return NOTHING
    choice = _narrowed(exact, around)
    is_variable = len(qualifier) == 1 and qualifier[0][:1].islower()
    most = _OF_A_VARIABLE if is_variable else _UNSURE
    return choice._replace(confidence=min(choice.confidence, most), why=choice.why or SPELLING)


def _telling(qualifier: tuple[str, ...], around: Around) -> tuple[str, ...]:
    """The parts that say whose the name is: not `self`, not the project itself."""
    parts = [part for part in qualifier if part.lower().lstrip("$") not in link_words().selves]
    while parts and parts[0].lower() in around.project:
        parts.pop(0)
    return tuple(parts)


def _is_project_itself(mention: CodeMention, around: Around) -> bool:
    """`OkHttp` in prose is the project, though a class may be called so."""
    if mention.is_marked or mention.is_called or mention.qualifier or mention.path:
        return False
    return squeezed(mention.name) in {squeezed(name) for name in around.project}


def _is_project(mention: CodeMention, around: Around) -> bool:
    return mention.qualifier[-1].lower() in around.project


def _offered(exact: Sequence[IndexEntry], around: Around) -> Sequence[IndexEntry]:
    """What the project itself offers: not members, and what stands at its root before what stands deeper."""
    top = [one for one in exact if "." not in one.qualified]
    root = [one for one in top if "/" not in one.path or one.path.split("/")[-2].lstrip("_") in around.project]
    return root or top


def _needing_proof(mention: CodeMention, choice: SymbolChoice, around: Around) -> SymbolChoice:
    """A plain word in backticks may be an option, a column, a value: it is linked when something else speaks for it.

    So may what is called but is everybody's: `setattr()` is not the method of that name.
    """
    if choice.confidence <= _UNSURE:
        return choice
    one = choice.candidates[0]
    is_member, words = "." in one.qualified, link_words()
    if is_member and mention.name.lower() in words.members and not _is_of_owner(one, around):
        return SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    if shape_of(mention.name):
        return choice
    is_everybodys = mention.name.lower() in words.builtins
    if (one.path in around.files and not is_everybodys) or (mention.is_cued and mention.is_marked):
        return choice
    is_common = words.is_common(mention.name)
    if is_everybodys:
        is_proven = False
    elif mention.is_called or mention.is_cued:
        is_proven = not (is_member and is_common)
    elif is_member:
        is_proven = len(mention.name) >= _LONG_WORD and not is_common
    else:
        is_proven = not is_common or (one.kind in TYPES and mention.name[:1].isupper())
    return choice if is_proven else SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)


def _narrowed(exact: Sequence[IndexEntry], around: Around) -> SymbolChoice:
    places = _one_a_place(exact)
    if len(places) == 1:
        return SymbolChoice(tuple(places), _ONLY_ONE)
    source = [one for one in places if not one.is_aside] or places
    here = [one for one in source if one.path in around.paths or _is_of_owner(one, around)]
    types = [one for one in source if one.kind in TYPES and "." not in one.qualified]
    for confidence, kept in ((_IN_SOURCE, source), (_SAME_FILE, here), (_THE_TYPE, types)):
        if len(kept) == 1:
            return SymbolChoice((kept[0], *(one for one in places if one is not kept[0])), confidence)
    if len(places) > _MOST_ASKED:
        return SymbolChoice((), 0.0)
    return SymbolChoice(tuple(sorted(places, key=lambda one: _order(one, around))), _UNSURE, SEVERAL)


def _is_of_owner(one: IndexEntry, around: Around) -> bool:
    """Whether it is a member of a type that the text speaks of; `__init__` and its like are members of all."""
    return (one.path, owner_of(one)) in around.owners and shape_of(one.name) != "dunder"


def owner_of(one: IndexEntry) -> str:
    return one.qualified.rpartition(".")[0]


def _one_a_place(exact: Sequence[IndexEntry]) -> list[IndexEntry]:
    """Overloads, setters and conditional definitions are one: the type among them, or the first. A type and its
    constructor are one too."""
    places: dict[tuple[str, str], IndexEntry] = {}
    for one in exact:
        double = f"{one.name}.{one.name}"
        is_constructor = one.qualified == double or one.qualified.endswith("." + double)
        key = (one.path, one.qualified[: -len(one.name) - 1] if is_constructor else one.qualified)
        before = places.get(key)
        if before is None or (one.kind not in TYPES, one.line) < (before.kind not in TYPES, before.line):
            places[key] = one
    return list(places.values())


def _order(one: IndexEntry, around: Around) -> tuple[bool, bool, bool, int, str, int]:
    return (one.is_aside, one.path not in around.files, one.kind not in TYPES, -one.referrers, one.path, one.line)


def _owner(mention: CodeMention, known: Mapping[str, Sequence[IndexEntry]], around: Around) -> SymbolChoice:
    """The class, where its member is not a symbol of its own or is inherited."""
    if not mention.qualifier or not mention.qualifier[-1][:1].isupper():
        return NOTHING
    owner, above = mention.qualifier[-1], _telling(mention.qualifier[:-1], around)
    types = [one for one in _symbols(known, owner.lower()) if one.name == owner and one.kind in TYPES]
    types = [one for one in types if not above or fit(one, above) > 0]
    if mention.path or not types:
        return NOTHING
    choice = _narrowed(types, around)
    return choice._replace(confidence=min(choice.confidence, _THE_OWNER))


def _respelled(
    mention: CodeMention, named: Sequence[IndexEntry], known: Mapping[str, Sequence[IndexEntry]]
) -> SymbolChoice:
    """Names in another case or style, and those that are a slip away."""
    is_dunder = mention.name.startswith("__") and mention.name.endswith("__")
    if mention.path or is_dunder or (mention.is_plain and not mention.is_called):
        return NOTHING
    telling = is_telling(mention.name)
    near = list(named) if len(mention.name) >= _SHORTEST_OTHER_CASE else []
    if telling:
        for style in styles(mention.name):
            near += [one for one in _symbols(known, style) if squeezed(one.name) == squeezed(mention.name)]
    if telling and not near:
        near = [one for name in nearest(mention.name.lower(), known) for one in _symbols(known, name)]
    if mention.qualifier:
        near = [one for one in near if fit(one, mention.qualifier) > 0 or (telling and one.name[:1] != "_")]
    places = _one_a_place(near)
    if not places or len(places) > _MOST_ASKED:
        return NOTHING
    return SymbolChoice(tuple(sorted(places, key=lambda one: _order(one, Around()))), _UNSURE, SPELLING)
