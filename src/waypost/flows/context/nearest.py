"""The memories that match a message, by engines and by words."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from waypost.context.small_talk import is_small_talk, subject_words
from waypost.context.stated import statement_cues
from waypost.model.kinds import IS_DOCUMENT, IS_TEST, KEPT_COLLECTIONS, KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.model.session_turn import USER
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.certainty import STATED, StatedText, certainty, is_fitted_for, stated_evidence
from waypost.retrieve.relevance import nearness, shares_words, words_shared
from waypost.store.protocol import Reader
from waypost.text.keywords import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

DEPTH = 100  # passages that each engine searches
_WORDED = 30  # memories whose words are compared: the nearest, and as many that keywords find

_CODE_DEPTH = 20
_SYMBOLS = ("functions",)
CODE_LEAST = 0.4  # how near code must be: an agent can search it by itself
BEHIND = 0.6  # by which a memory may be farther than the nearest one
_ENOUGH_WORDS = 2  # about a subject; the words of a shorter message are shared by chance
_STATED = {"person": 0.1, "extractor": -0.3}
_FAR_BEHIND = 0.2  # by which one may be farther that has none of the message's telling words
_TELLING = 0.1  # share of the words, by rarity: less is chance
_MOST_WITH_NAME = 3  # statements about one thing
_SHORTEST_NAME = 4  # characters; shorter ones are abbreviations
_READ_FOR_NAMES = 4000  # characters
_LIKELY = 0.3  # that what a person stated matters to a prompt, whatever its nearness
_BEST_LIKELY = 0.1  # the same for the most likely one of a few: a rule that is missing costs more than a line too many
_AS_LIKELY = 0.75  # share of the most likely one's, for every further one
_FEW_STATED = 40  # with more, that would be another one for every prompt
_MOST_STATED = 200  # that are compared

_LONGEST_QUESTION = 500  # characters; a longer text also states something
_NAME = re.compile(
    r"\w{1,60}(?:[._/-]\w{1,60}){0,6}"  # pyproject.toml, 1.24, flush_templates, quic-go
)
_CORRECTS = re.compile(r"\s*(?:correction|korrektur|berichtigung|поправка|исправление)\b", re.IGNORECASE)
_STATEMENT = re.compile(r"[.!…:;]\s|\n")

IsKnown = Callable[[Version | Hit], bool]  # whether the agent has seen this already


@dataclass(frozen=True, slots=True)
class PromptQuery:
    """A message as engines and keywords see it, and what its sender knows already."""

    text: str
    language: str
    vectors: "Mapping[str, Vector]"
    roles: ServingEngines
    is_known: IsKnown
    most: int  # hits
    is_for_work: bool = False  # a prompt in a project: what people stated for work belongs to it


def nearest(reader: Reader, query: PromptQuery, view: View) -> dict[int, float]:
    """The versions of memories that match a message, nearest first, and how near each is. Code is not among them."""
    kept = replace(view, collections=tuple(name for name in view.collections if name in KEPT_COLLECTIONS))
    cosines = _cosines(reader, query, kept, DEPTH)
    terms = query_terms(query.text)
    worded = [passage.number for passage in reader.search.keywords(terms, _WORDED, kept)]
    if unseen := [number for number in dict.fromkeys(worded) if number not in cosines]:
        for engine, vector in query.vectors.items():
            for number, score in reader.search.vector_scores(engine, vector, unseen).items():
                cosines.setdefault(number, {})[engine] = score
    answering = {
        number: version
        for number, version in reader.memories.by_number([*cosines, *unseen]).items()
        if not (says_nothing(version) or _says_the_same(version, query.text))
    }
    versions = {number: version for number, version in answering.items() if not query.is_known(version)}
    shared = words_shared(terms, _readable_words(versions, cosines, worded))
    weight = min(1.0, subject_words(query.text) / _ENOUGH_WORDS)
    near = {}
    for number, version in versions.items():
        words = weight * shared.get(number, 0.0)
        near[number] = nearness(cosines.get(number, {}), query.roles, query.language, version.language, words)
        near[number] += stated_bonus(version)
    if query.is_for_work:
        for number, likely in likely_stated(query, answering, cosines).items():
            if number in near:
                near[number] = max(near[number], likely)
    chosen = sorted((number for number in near if near[number] >= 0), key=lambda number: -near[number])[: query.most]
    if not chosen:
        return {}
    best = versions[chosen[0]]

    def is_near(number: int) -> bool:
        has_words = shared.get(number, 0.0) >= _TELLING or shared.get(chosen[0], 0.0) < _TELLING
        return near[number] >= near[chosen[0]] - (BEHIND if has_words else _FAR_BEHIND)

    kept_numbers = [number for number in chosen if is_near(number) or may_correct(versions[number], best)]
    outdated = outdated_turns([versions[number] for number in kept_numbers])
    return {number: min(1.0, near[number]) for number in kept_numbers if number not in outdated}


def names_in(text: str) -> frozenset[str]:
    """Names in a text that are no plain words, folded: of symbols, files, hosts and packages, and versions."""
    written = [match[0] for match in _NAME.finditer(text[:_READ_FOR_NAMES])]
    parts = [part for name in written if "/" not in name for part in name.split(".")]  # engine.MaxBytes is MaxBytes too
    return frozenset(name.lower() for name in (*written, *parts) if _is_name(name))


def _is_name(word: str) -> bool:
    if len(word) < _SHORTEST_NAME:
        return False
    has_digit = any(sign.isdigit() for sign in word)
    has_hump = any(before.islower() and after.isupper() for before, after in pairwise(word))
    return has_hump or (has_digit and not word.isdecimal()) or any(sign in word for sign in "._/")


def likely_stated(
    query: "PromptQuery", versions: Mapping[int, Version], cosines: Mapping[int, Mapping[str, float]]
) -> dict[int, float]:
    """What people stated on purpose and probably matters to work on this message, and how likely it is.

    Of a few statements, the most likely one is enough if it is not quite unlikely.
    """
    compared = {number: version for number, version in versions.items() if number in cosines and _is_stated(version)}
    nearest_first = sorted(compared, key=lambda number: -max(cosines[number].values()))[:_MOST_STATED]
    if not nearest_first or not is_fitted_for(query.vectors):
        return {}
    newer = newer_values({number: compared[number] for number in nearest_first})
    stated = {number: [number] for number in nearest_first if number not in newer}
    for number, newest in newer.items():  # who asks in the words of the former value needs the newest one
        if newest in stated:
            stated[newest].append(number)
    texts = [
        StatedText(
            "\n".join(compared[each].text for each in numbers),
            compared[number].language,
            _best_of(cosines, numbers),
            names_in(compared[number].text),
            statement_cues(compared[number].text),
        )
        for number, numbers in stated.items()
    ]
    evidences = stated_evidence(query.text, query.language, names_in(query.text), texts, query.roles)
    likely = {number: certainty(each, STATED) for number, each in zip(stated, evidences, strict=True)}
    best = max(likely, key=lambda number: likely[number])
    least = max(_LIKELY, _AS_LIKELY * likely[best])
    shown_numbers = {number for number, probability in likely.items() if probability >= least}
    if len(stated) <= _FEW_STATED and likely[best] >= _BEST_LIKELY:
        shown_numbers.add(best)
    return {number: likely[number] for number in shown_numbers}


def _best_of(cosines: Mapping[int, Mapping[str, float]], numbers: Sequence[int]) -> dict[str, float]:
    best: dict[str, float] = {}
    for number in numbers:
        for engine, cosine in cosines[number].items():
            best[engine] = max(cosine, best.get(engine, cosine))
    return best


def _is_stated(version: Version) -> bool:
    if _is_of_user(version):
        return statement_cues(version.text) > 0
    return version.source == "person" and not KINDS[version.kind].is_journal


def newer_values(versions: Mapping[int, Version]) -> dict[int, int]:
    """By the numbers of statements with a name that few have: a later one that says that something changed, with a value too."""
    by_name: dict[str, list[int]] = {}
    for number, version in versions.items():
        for name in names_in(version.text):
            by_name.setdefault(name, []).append(number)
    newer = dict[int, int]()
    for numbers in by_name.values():
        if not 1 < len(numbers) <= _MOST_WITH_NAME:
            continue
        from waypost.facts.wordings import signals_change  # only if something may be outdated

        *earlier, last = sorted(numbers, key=lambda number: _when(versions[number]))
        newest = versions[last]
        if _has_value(newest.text) and signals_change(newest.text, newest.language or "en"):
            newer |= {number: last for number in earlier if _has_value(versions[number].text)}
    return newer


def _has_value(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def outdated_turns(versions: Sequence[Version]) -> set[int]:
    """Numbers of what the user said in a session and corrected later."""
    turns = sorted((version for version in versions if _is_of_user(version)), key=_when)
    if len(turns) < 2:
        return set()
    from waypost.facts.contradictions import contradiction  # only if something may be outdated

    outdated = set[int]()
    for place, older in enumerate(turns):
        for newer in turns[place + 1 :]:
            says_so = _CORRECTS.match(newer.text) is not None and may_correct(newer, older)
            change = None if says_so else contradiction(older.text, newer.text, 1.0)
            if says_so or (change is not None and change.replaces and change.is_exact):
                outdated.add(older.number)
    return outdated


def _is_of_user(version: Version) -> bool:
    return version.kind == "conversation" and version.speaker == USER


def may_correct(later: Version, best: Version) -> bool:
    """Whether the user said it after the nearest memory, and about the same: it may be what holds now."""
    if not _is_of_user(later) or _when(later) <= _when(best):
        return False
    return shares_words(query_terms(best.text), later.text, later.language)


def _when(version: Version) -> datetime:
    return version.time or version.recorded_at


def nearest_code(reader: Reader, query: PromptQuery, view: View) -> dict[int, float]:
    """The versions of symbols that match a message well, nearest first. Tests and documents are left out."""
    code = replace(view, collections=tuple(name for name in view.collections if name in _SYMBOLS))
    if not code.collections:
        return {}
    cosines = _cosines(reader, query, code, _CODE_DEPTH)
    versions = reader.memories.by_number(cosines)
    near = {
        number: nearness(cosines[number], query.roles, query.language, version.language)
        for number, version in versions.items()
        if not version.traits & (IS_TEST | IS_DOCUMENT) and not query.is_known(version)
    }
    chosen = sorted((number for number in near if near[number] >= CODE_LEAST), key=lambda number: -near[number])
    return {number: near[number] for number in chosen}


def stated_bonus(memory: Version | Hit) -> float:
    """What a person stated may be a little farther away; first facts about a project must be nearer."""
    return _STATED.get(memory.source, 0.0)


def says_nothing(memory: Version | Hit) -> bool:
    """Whether it is no answer: a question alone, or small talk."""
    return only_asks(memory) or (KINDS[memory.kind].is_journal and is_small_talk(memory.text))


def _says_the_same(memory: Version, message: str) -> bool:
    """Whether it is this request, made before: it is no answer, and the answer would be far behind it."""
    asks = message.rstrip().endswith("?")
    return asks and KINDS[memory.kind].is_journal and memory.text.split() == message.split()


def _cosines(reader: Reader, query: PromptQuery, view: View, depth: int) -> dict[int, dict[str, float]]:
    cosines: dict[int, dict[str, float]] = {}
    for engine, vector in query.vectors.items():
        for passage in reader.search.vectors(engine, vector, depth, view).hits:
            best = cosines.setdefault(passage.number, {})
            best[engine] = max(passage.score, best.get(engine, -1.0))
    return cosines


def only_asks(memory: Version | Hit) -> bool:
    """Whether it is only a question: its answer is worth showing, not the question."""
    return memory.kind == "conversation" and is_only_question(memory.text)


def _readable_words(
    versions: Mapping[int, Version], cosines: Mapping[int, Mapping[str, float]], worded: Collection[int]
) -> dict[int, tuple[str, str]]:
    """The texts whose words count: the nearest ones and those that keywords find."""
    best = sorted(versions, key=lambda number: -max(cosines.get(number, {}).values(), default=0.0))[:_WORDED]
    return {
        number: (versions[number].text, versions[number].language) for number in {*best, *worded} if number in versions
    }


def is_only_question(text: str) -> bool:
    """Whether every sentence is a question. A greeting or a reason makes it more than that."""
    stripped = text.strip()
    ends_as_question = stripped.rstrip(" \"'»“”)").endswith("?")
    return len(stripped) <= _LONGEST_QUESTION and ends_as_question and not _STATEMENT.search(stripped)
