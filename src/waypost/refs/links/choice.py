"""Decide which symbol a name in a text means.

A name with one definition means that. Of several, the qualifier decides, then what else the text names. Then
source wins over tests, and types win over others of the same name. Otherwise there is no choice.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from waypost.refs.links.index_entry import FILE, TYPES, EntriesByName, IndexEntry, path_ends
from waypost.refs.links.mentions import CodeMention
from waypost.refs.links.name_reading import shape_of
from waypost.refs.links.spelling import is_distinctive, normalized, similar_names, singular, spellings
from waypost.refs.links.word_lists import is_common, link_words

_ONLY_ONE, _IN_SOURCE, _SAME_FILE, _THE_TYPE = 0.95, 0.9, 0.85, 0.8
_OF_A_VARIABLE, _THE_OWNER = 0.78, 0.76
_UNSURE = 0.4
_PLURAL, _BARE = 0.95, 0.9  # factors
_SURE_CODE = 0.5  # minimum strength of a mention that may be linked
_LONG_WORD = 10  # letters of a plain word that is not prose
_SHORTEST_OTHER_CASE = 4  # letters of a name that is also matched in another case
_MOST_SUGGESTED = 8  # definitions of a name that are worth suggesting

# How well a qualifier fits a symbol: its very owner, a variable named like the owner, or one with the same ending.
_EXACT, _NAMED_AFTER, _LOOSE = 3, 2, 1
_NO_MODULE = frozenset({"", "index", "__init__", "mod", "lib", "main"})
_SHORTEST_ENDING = 4  # letters of an owner's name that a variable may end with

_TEST_NAME = re.compile(r"test|spec|bench|example|mock|fake|fixture|stub", re.I)

SEVERAL, SPELLING, COMMON_WORD = "several", "spelling", "common word"


class SymbolChoice(NamedTuple):
    candidates: tuple[IndexEntry, ...]  # best first
    confidence: float
    why: str = ""  # why it is uncertain


class Around(NamedTuple):
    """What the text says besides the mention."""

    files: frozenset[str] = frozenset()  # files that contain something the text certainly names
    paths: frozenset[str] = frozenset()  # files it names by path
    owners: frozenset[tuple[str, str]] = frozenset()  # types, by path and qualified name, with a named member
    project: frozenset[str] = frozenset()
    of_tests: bool = False  # the text is about tests


NOTHING = SymbolChoice((), 0.0)


def choose(mention: CodeMention, entries: EntriesByName, around: Around) -> SymbolChoice:
    if _is_project_itself(mention, around):
        return NOTHING
    exact, share = _exact(entries, mention.name), 1.0
    if not exact and mention.name[:1] == "$" and mention.name[1:2].islower():  # a PHP variable
        exact, share = _exact(entries, mention.name[1:]), _BARE
    singular_name = "" if exact or mention.is_called else singular(mention.name)
    if shape_of(singular_name) == "pascal":
        exact, share = _exact(entries, singular_name), _PLURAL
    if mention.path:
        exact = [entry for entry in exact if path_ends(entry.path, mention.path) or path_ends(mention.path, entry.path)]
    choice = _choose_definition(mention, exact, around) if exact else NOTHING
    owner = _owner(mention, entries, around) if choice.confidence <= _UNSURE else NOTHING
    if owner.confidence > choice.confidence:
        choice = owner
    if choice.candidates and choice.confidence > _UNSURE and _is_only_in_tests(mention, choice.candidates[0], around):
        choice = SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    if not choice.candidates and not exact:
        choice = _similarly_spelled(mention, entries)
    confidence = choice.confidence * share * (0.85 + 0.15 * mention.strength)
    if mention.strength < _SURE_CODE and confidence > _UNSURE:
        return SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    return SymbolChoice(choice.candidates, round(confidence, 2), choice.why)


def speaks_of_tests(mention: CodeMention) -> bool:
    return _TEST_NAME.search(mention.path or mention.name) is not None


def _is_only_in_tests(mention: CodeMention, entry: IndexEntry, around: Around) -> bool:
    """Whether its definition is only in a test or example, while the text is about neither."""
    if not entry.is_aside or mention.path or mention.qualifier or around.of_tests:
        return False
    return "." in entry.qualified or entry.kind == "constant" or not is_distinctive(mention.name)


def _symbols(entries: EntriesByName, name: str) -> list[IndexEntry]:
    return [entry for entry in entries.get(name, ()) if entry.kind != FILE]


def _exact(entries: EntriesByName, name: str) -> list[IndexEntry]:
    return [entry for entry in _symbols(entries, name.lower()) if entry.name == name]


def _choose_definition(mention: CodeMention, exact: Sequence[IndexEntry], around: Around) -> SymbolChoice:
    """The definition that is meant, by the qualifier and by the rest of the text."""
    qualifier = _distinctive_qualifier(mention.qualifier, around)
    if not qualifier:
        is_of_project = bool(mention.qualifier) and mention.qualifier[-1].lower() in around.project
        offered = _exported(exact, around) if is_of_project else exact
        return _require_evidence(mention, _narrow(offered, around), around)
    fits = [(_fit(entry, qualifier), entry) for entry in exact]
    best = max(grade for grade, _ in fits)
    if best > 0:
        choice = _narrow([entry for grade, entry in fits if grade == best], around)
        return choice._replace(confidence=choice.confidence * (1 if best > _LOOSE else 0.9))
    if not is_distinctive(mention.name):
        return NOTHING
    choice = _narrow(exact, around)
    is_variable = len(qualifier) == 1 and qualifier[0][:1].islower()
    most = _OF_A_VARIABLE if is_variable else _UNSURE
    return choice._replace(confidence=min(choice.confidence, most), why=choice.why or SPELLING)


def _distinctive_qualifier(qualifier: tuple[str, ...], around: Around) -> tuple[str, ...]:
    """The qualifier without `self` and the project's name."""
    parts = [part for part in qualifier if part.lower().lstrip("$") not in link_words()["selves"]]
    while parts and parts[0].lower() in around.project:
        parts.pop(0)
    return tuple(parts)


def _is_project_itself(mention: CodeMention, around: Around) -> bool:
    """`OkHttp` in prose is the project, even if a class has that name."""
    if mention.is_marked or mention.is_called or mention.qualifier or mention.path:
        return False
    return normalized(mention.name) in {normalized(name) for name in around.project}


def _exported(exact: Sequence[IndexEntry], around: Around) -> Sequence[IndexEntry]:
    """What the project exports: no members, and definitions at its root first."""
    top = [entry for entry in exact if "." not in entry.qualified]
    root = [entry for entry in top if "/" not in entry.path or entry.path.split("/")[-2].lstrip("_") in around.project]
    return root or top


def _require_evidence(mention: CodeMention, choice: SymbolChoice, around: Around) -> SymbolChoice:
    """A plain word in backticks can be an option, a column or a value: link it only with other evidence.

    The same goes for calls of built-in names: `setattr()` is not a method of that name.
    """
    if choice.confidence <= _UNSURE:
        return choice
    entry = choice.candidates[0]
    is_member, words = "." in entry.qualified, link_words()
    if is_member and mention.name.lower() in words["members"] and not _is_of_owner(entry, around):
        return SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)
    if shape_of(mention.name):
        return choice
    is_everybodys = mention.name.lower() in words["builtins"]
    if (entry.path in around.files and not is_everybodys) or (mention.is_cued and mention.is_marked):
        return choice
    is_ordinary = is_common(mention.name)
    if is_everybodys:
        is_proven = False
    elif mention.is_called or mention.is_cued:
        is_proven = not (is_member and is_ordinary)
    elif is_member:
        is_proven = len(mention.name) >= _LONG_WORD and not is_ordinary
    else:
        is_proven = not is_ordinary or (entry.kind in TYPES and mention.name[:1].isupper())
    return choice if is_proven else SymbolChoice(choice.candidates, _UNSURE, COMMON_WORD)


def _narrow(exact: Sequence[IndexEntry], around: Around) -> SymbolChoice:
    places = _one_per_place(exact)
    if len(places) == 1:
        return SymbolChoice(tuple(places), _ONLY_ONE)
    source = [entry for entry in places if not entry.is_aside] or places
    here = [entry for entry in source if entry.path in around.paths or _is_of_owner(entry, around)]
    types = [entry for entry in source if entry.kind in TYPES and "." not in entry.qualified]
    for confidence, kept in ((_IN_SOURCE, source), (_SAME_FILE, here), (_THE_TYPE, types)):
        if len(kept) == 1:
            return SymbolChoice((kept[0], *(entry for entry in places if entry is not kept[0])), confidence)
    if len(places) > _MOST_SUGGESTED:
        return NOTHING
    return SymbolChoice(tuple(sorted(places, key=lambda entry: _order(entry, around))), _UNSURE, SEVERAL)


def _is_of_owner(entry: IndexEntry, around: Around) -> bool:
    """Whether it is a member of a type that the text names. Dunder methods do not count."""
    return (entry.path, owner_of(entry)) in around.owners and shape_of(entry.name) != "dunder"


def owner_of(entry: IndexEntry) -> str:
    return entry.qualified.rpartition(".")[0]


def _one_per_place(exact: Sequence[IndexEntry]) -> list[IndexEntry]:
    """One entry per place: overloads, setters and conditional definitions count once, as do a type and its constructor.

    The type wins, then the first line.
    """
    places: dict[tuple[str, str], IndexEntry] = {}
    for entry in exact:
        double = f"{entry.name}.{entry.name}"
        is_constructor = entry.qualified == double or entry.qualified.endswith("." + double)
        key = (entry.path, entry.qualified[: -len(entry.name) - 1] if is_constructor else entry.qualified)
        before = places.get(key)
        if before is None or (entry.kind not in TYPES, entry.line) < (before.kind not in TYPES, before.line):
            places[key] = entry
    return list(places.values())


def _order(entry: IndexEntry, around: Around) -> tuple[bool, bool, bool, int, str, int]:
    is_elsewhere, is_member = entry.path not in around.files, entry.kind not in TYPES
    return entry.is_aside, is_elsewhere, is_member, -entry.referrers, entry.path, entry.line


def _owner(mention: CodeMention, entries: EntriesByName, around: Around) -> SymbolChoice:
    """The class, if its member is inherited or not a symbol."""
    if not mention.qualifier or not mention.qualifier[-1][:1].isupper():
        return NOTHING
    owner, above = mention.qualifier[-1], _distinctive_qualifier(mention.qualifier[:-1], around)
    types = [entry for entry in _exact(entries, owner) if entry.kind in TYPES]
    types = [entry for entry in types if not above or _fit(entry, above) > 0]
    if mention.path or not types:
        return NOTHING
    choice = _narrow(types, around)
    return choice._replace(confidence=min(choice.confidence, _THE_OWNER))


def _similarly_spelled(mention: CodeMention, entries: EntriesByName) -> SymbolChoice:
    """Names in another case or style, and names one typo away."""
    is_dunder = mention.name.startswith("__") and mention.name.endswith("__")
    if mention.path or is_dunder or (mention.is_plain and not mention.is_called):
        return NOTHING
    distinctive = is_distinctive(mention.name)
    near = _symbols(entries, mention.name.lower()) if len(mention.name) >= _SHORTEST_OTHER_CASE else []
    if distinctive:
        for style in spellings(mention.name):
            near += [entry for entry in _symbols(entries, style) if normalized(entry.name) == normalized(mention.name)]
    if distinctive and not near:
        near = [entry for name in similar_names(mention.name.lower(), entries) for entry in _symbols(entries, name)]
    if mention.qualifier:
        near = [
            entry for entry in near if _fit(entry, mention.qualifier) > 0 or (distinctive and entry.name[:1] != "_")
        ]
    places = _one_per_place(near)
    if not places or len(places) > _MOST_SUGGESTED:
        return NOTHING
    return SymbolChoice(tuple(sorted(places, key=lambda entry: _order(entry, Around()))), _UNSURE, SPELLING)


def _fit(entry: IndexEntry, qualifier: Sequence[str]) -> int:
    """How well a qualifier (not empty) fits where a symbol is: `models.QuerySet` fits `QuerySet.delete`. 0 if it does not."""
    *parents, _ = entry.qualified.split(".")
    modules = _modules(entry.path)
    last, above = qualifier[-1], qualifier[:-1]
    if not parents:
        return _EXACT if _is_within(qualifier, modules) else 0
    grade = _same_owner(last, parents[-1])
    if grade and above and not _is_within(above, [*modules, *map(str.lower, parents[:-1])]):
        return _LOOSE if grade == _EXACT and all(part[:1].islower() for part in above) else 0
    return grade


def _same_owner(last: str, parent: str) -> int:
    if last == parent:
        return _EXACT
    if last[:1] == "$" and not last[1:2].islower():  # `$` is part of the name, unlike in `$store`
        return 0
    spoken, owner = normalized(last), normalized(parent)
    if spoken == owner:
        return _NAMED_AFTER
    if not last[:1].islower() and last[:1] != "_":
        return 0
    short, long = sorted((spoken, owner), key=len)
    return _LOOSE if len(short) >= _SHORTEST_ENDING and long.endswith(short) else 0


def _modules(path: str) -> list[str]:
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    return [*folders, *([] if stem in _NO_MODULE else [stem])]


def _is_within(parts: Sequence[str], chain: Sequence[str]) -> bool:
    """Whether the parts are a subsequence of the chain."""
    place = 0
    for part in parts:
        wanted = part.lower()
        while place < len(chain) and chain[place] != wanted and chain[place].replace("-", "_") != wanted:
            place += 1
        if place == len(chain):
            return False
        place += 1
    return True
