"""Candidates of a tree to scores: keywords, meaning, names and places, and what speaks for or against their file.

What the caller fetches for `question = read_code_question(text, language)`, in one read:
1. `code_keyword_search(question.terms, WEIGHTS, DEPTH)`, the score as `keyword`; and for a long question (`is_long`)
   the same with `subject_terms`, as `subject_keyword`;
2. `vector_search` with one vector for each serving engine: the sum of the vectors of `question.embedded`, brought to
   length 1; the best `DEPTH`, and the `Population` of each engine over what is derived from trees. For other
   languages the main engine reads `question.in_english`, and the multilingual one serves once it is ready;
3. `code_named` for the names of `question.names`, at most `MOST_NAMED`, and `code_in_files` for `question.places`;
4. the memory of kind `file` of every file that one of these stands in, by its exact path;
5. for all of them `vector_scores`, and `referrers`: how many other files of the tree, tests left out, import or call
   something in the candidate's file.

A score is a sum of named parts, so it explains itself:

    keywords  BM25 / best BM25; of a long question the mean of the subject's and of the whole's
    meaning   cosine, as deviations from the mean of its engine
    name      is defined under a name that the question uses
    called    one of the best hits calls it
    file      what the file itself means, and other good candidates in it
    place     the question names its path, its module, or words of its file's name
    weight    much of the tree uses its file, and there is much in it
    role      tests, documents, examples, old versions, code for another platform: less, unless asked for; declarations
              after the code
    quoted    the share of a sentence that it has word for word
    repeat    a file's second, third … hit: others should be seen as well

The weights lie on plateaus (benchmarks/code_retrieval.md says what each part is worth, and how sure that is).
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from waypost.retrieve.calibration import ServingEngines, Spreads, is_english
from waypost.retrieve.code_question import CodeQuestion
from waypost.retrieve.code_roles import Surroundings, only_declares, role_of
from waypost.retrieve.score import CODE_MIDDLE, ScoredMemory, shown_score
from waypost.store.protocol import Population
from waypost.text.keywords import keyword_terms

DEPTH = 100  # 200 gains nothing
MOST_NAMED = 400  # a name such as `get` is defined in hundreds of places, and then says little
WEIGHTS = (4.0, 2.0, 2.0, 1.0)  # of the keyword columns name, path, doc, body

MEANING = 0.15
FILE_MEANING = 0.15  # of the file that a candidate stands in
NAMED = 0.5  # something that the question names is defined here ...
LOOKED_UP = 1.5  # ... and nothing else is asked ...
EXACT = 6.0  # ... in the same letters: more than all other parts can differ by
QUOTED = EXACT  # a copied sentence is asked for where it stands
COHERENCE = 0.2  # for what each of the next best candidates of its file has
COHERENT = 4  # candidates of a file that count
CONSTANT = -0.3  # a name for a value seldom answers, unless it is asked for by that name
PLACE = 0.5  # a path that the question names
MODULE = 0.3  # a module, package or namespace that it names
FILE_NAME = 0.2
CALLED = 0.2  # by one of the best hits; .1 gains less, .4 loses in some repositories, and a weight for callers loses
CENTRAL = 0.2
SIZE = 0.1  # for the logarithm of the number of lines ...
SMALL = 20  # ... above this one
# A short question first sees the best of every file. An issue is about several places in few files: of the functions
# that had to change, .50 are among the first 10, with the other value .39.
REPEAT = -1.5
REPEAT_IN_ISSUE = -0.3

# How much a definition of a kind is worth that is looked for by name: types before functions before their members.
_KINDS: Mapping[str, float] = {
    "function": 0.9,
    "macro": 0.8,
    "module": 0.6,
    "method": 0.6,
    "property": 0.5,
    "constant": 0.5,
}
_OTHER_CASE = 0.6  # `response` for `Response`
_OTHER_OWNER = 0.6  # `Session.send` was asked for and `Adapter.send` is here


class CodeCandidate(NamedTuple):
    """A memory derived from a tree that may answer."""

    memory_id: str
    kind: str  # "symbol", "file", "table" …
    type: str  # of a symbol its kind: "class", "method" …
    name: str  # qualified
    path: str  # "" when it belongs to no single file
    line: int
    end_line: int
    keyword: float  # BM25 of the whole question; 0 where keywords did not bring it
    subject_keyword: float  # of the subject of a long one
    similarity: Mapping[str, float]  # cosine by engine
    is_test: bool = False
    is_document: bool = False
    referrers: int = 0
    called: float = 0.0  # how good the best hits are that call it


def rank_code(
    question: CodeQuestion,
    candidates: Sequence[CodeCandidate],
    populations: Mapping[str, Mapping[str, Population]],
    engines: ServingEngines,
) -> Iterator[ScoredMemory]:
    """All candidates, best first; equal ones by path, line and id. `populations` is by engine and language."""
    if not candidates:
        return
    parts = [
        {"keywords": keyword, "meaning": MEANING * meaning, "name": name, "called": CALLED * candidate.called}
        for keyword, meaning, name, candidate in zip(
            _keywords(question, candidates),
            _meanings(question.language, candidates, populations, engines),
            _names(question, candidates),
            candidates,
            strict=True,
        )
    ]
    files = _files(candidates)
    _add_file_parts(question, candidates, parts, files)
    for members in files.values():
        if len(members) == 1:
            continue
        members.sort(key=lambda at: _order(candidates[at], _total(parts[at])))
        for place, at in enumerate(members[1:], 1):
            if parts[at]["name"] < EXACT:
                parts[at]["repeat"] = (REPEAT_IN_ISSUE if question.is_long else REPEAT) * min(place, 5)
    totals = [round(_total(part), 9) for part in parts]
    for at in sorted(range(len(candidates)), key=lambda at: _order(candidates[at], totals[at])):
        why = {name: value for name, value in parts[at].items() if value}
        yield ScoredMemory(candidates[at].memory_id, shown_score(totals[at], CODE_MIDDLE), totals[at], why)


def with_quotations(ranked: Iterable[ScoredMemory], shares: Mapping[str, float]) -> list[ScoredMemory]:
    """A ranking in which what quotes the question moves up. `shares` are by memory."""
    moved = []
    for scored in ranked:
        if share := shares.get(scored.memory_id, 0.0):
            total, why = scored.total + QUOTED * share, {**scored.why, "quoted": QUOTED * share}
            moved.append(ScoredMemory(scored.memory_id, shown_score(total, CODE_MIDDLE), total, why))
        else:
            moved.append(scored)
    return sorted(moved, key=lambda scored: -scored.total)  # stable: equal ones keep their order


def _total(parts: Mapping[str, float]) -> float:
    return sum(parts.values())


def _order(candidate: CodeCandidate, total: float) -> tuple[float, str, int, str]:
    return -total, candidate.path, candidate.line, candidate.memory_id


def _files(candidates: Sequence[CodeCandidate]) -> dict[str, list[int]]:
    """The candidates of each file; one without a file stands alone."""
    files: dict[str, list[int]] = {}
    for at, candidate in enumerate(candidates):
        files.setdefault(candidate.path or f"\0{candidate.memory_id}", []).append(at)
    return files


def _keywords(question: CodeQuestion, candidates: Sequence[CodeCandidate]) -> list[float]:
    most = max(c.keyword for c in candidates) or 1.0
    if not question.is_long:
        return [c.keyword / most for c in candidates]
    most_subject = max(c.subject_keyword for c in candidates) or 1.0
    return [(c.keyword / most + c.subject_keyword / most_subject) / 2 for c in candidates]


def _meanings(
    language: str,
    candidates: Sequence[CodeCandidate],
    populations: Mapping[str, Mapping[str, Population]],
    engines: ServingEngines,
) -> list[float]:
    """Cosines in deviations from the mean; 0, the mean, where no engine has read it.

    An English question is judged by the English engine. Of another one it has read only the English words: then both
    engines count the same.
    """
    names = [name for name in (engines.english, engines.multilingual) if name is not None and name in populations]
    spreads = {name: Spreads(populations[name]) for name in names}
    alone = is_english(language)
    meanings = []
    for candidate in candidates:
        deviations = [
            spreads[name].deviations(candidate.similarity[name], "") for name in names if name in candidate.similarity
        ]
        counted = deviations[:1] if alone else deviations
        meanings.append(sum(counted) / len(counted) if counted else 0.0)
    return meanings


def _names(question: CodeQuestion, candidates: Sequence[CodeCandidate]) -> list[float]:
    """What a candidate is called, where the question calls it so. The more have that name, the less it says."""
    by_name: dict[str, list[int]] = {}
    for at, candidate in enumerate(candidates):
        if candidate.kind == "symbol":
            by_name.setdefault(candidate.name.rpartition(".")[2].lower(), []).append(at)
    worths = [0.0] * len(candidates)
    full = LOOKED_UP if question.is_lookup else NAMED
    for named in question.names:
        places = by_name.get(named.name.lower(), [])
        same_case = [at for at in places if candidates[at].name.rpartition(".")[2] == named.name]
        in_full = [at for at in same_case or places if _is_qualified(candidates[at].name, named.qualified)]
        for at in in_full or same_case or places:
            worth = _KINDS.get(candidates[at].type, 1.0) * (1.0 if same_case else _OTHER_CASE)
            if "." in named.qualified and not in_full:
                worth *= _OTHER_OWNER
            if not question.is_lookup:
                worth /= math.sqrt(len(in_full or same_case or places))
            exact = EXACT if question.is_lookup and same_case and (in_full or "." not in named.qualified) else 0.0
            worths[at] = max(worths[at], exact + full * named.weight * worth)
    return worths


def _is_qualified(name: str, wanted: str) -> bool:
    """Whether `asked` names it together with its owner: `Session.send` and `requests.Session.send` do."""
    return "." in wanted and "." in name and (f".{wanted}".endswith(f".{name}") or f".{name}".endswith(f".{wanted}"))


def _add_file_parts(
    question: CodeQuestion,
    candidates: Sequence[CodeCandidate],
    parts: list[dict[str, float]],
    files: Mapping[str, list[int]],
) -> None:
    most = math.log1p(max((c.referrers for c in candidates if not only_declares(c.path)), default=0)) or 1.0
    around = Surroundings.of(files)
    stems = frozenset(question.subject_terms)
    for path, members in files.items():
        first = candidates[members[0]]
        own = sorted((_total(parts[at]) - EXACT * (parts[at]["name"] >= EXACT) for at in members), reverse=True)
        file = COHERENCE * sum(max(value, 0.0) for value in own[1:COHERENT])
        weight = 0.0 if only_declares(path) else CENTRAL * math.log1p(first.referrers) / most
        for at in members:
            if candidates[at].kind == "file":
                file += FILE_MEANING / MEANING * parts[at]["meaning"]
                weight += SIZE * math.log(candidates[at].end_line / SMALL) if candidates[at].end_line > SMALL else 0.0
        place = _place(question, path) + FILE_NAME * _called(path, stems)
        role = role_of(question, first.path, around, is_test=first.is_test, is_document=first.is_document)
        for at in members:
            own_role = 0.0 if parts[at]["name"] >= EXACT else role
            parts[at] |= {"file": file, "place": place, "weight": weight, "role": own_role}
            if candidates[at].type == "constant" and not parts[at]["name"]:
                parts[at]["name"] = CONSTANT


def _called(path: str, stems: Set[str]) -> float:
    """The share of the words in a file's name that the question has."""
    words = keyword_terms(_EXTENSION.sub("", path.rpartition("/")[2]), "en").stems
    return sum(word in stems for word in words) / len(words) if words else 0.0


def _place(question: CodeQuestion, path: str) -> float:
    """Whether the question names the file, by its path or as a module."""
    for place in question.places:
        if f"/{path}".endswith(f"/{place}") or ("/" in path and f"/{place}".endswith(f"/{path}")):
            return PLACE
    module = _PATH_END.sub("", path).replace("/", ".").lower()
    for named in question.names:
        whole = named.qualified.lower()
        owner = whole.rpartition(".")[0]
        if any(
            "." in owner_or_whole and f".{module}".endswith(f".{owner_or_whole}") for owner_or_whole in (whole, owner)
        ):
            return MODULE
    return 0.0


_EXTENSION = re.compile(r"\.\w{1,10}$")
_PATH_END = re.compile(r"(?:/(?:__init__|index|mod|lib))?\.\w{1,10}$")
