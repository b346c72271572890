"""Which files and parts a task is about, by their names alone."""

import math
from collections import Counter
from dataclasses import dataclass

from waypost.facts.domains import Domain
from waypost.flows.learn.cold_start_tree import ScannedTree, is_code
from waypost.flows.links.staleness import kept_view
from waypost.flows.open_space import OpenSpace
from waypost.retrieve.scope import read_task
from waypost.text.keywords import code_terms, query_terms

_MOST_FILES = 10
_MOST_DOMAINS = 4
_LONGEST = 2_000  # characters of a task
_RELATED = 0.4  # the weight of a related word
_ENOUGH = 0.35  # of the best file's score


@dataclass(frozen=True, slots=True)
class Relevant:
    domains: tuple[Domain, ...]
    files: tuple[str, ...]  # best first, without files that memories point at


def relevant(space: OpenSpace, seen: ScannedTree, task: str) -> Relevant:
    """Files whose names share rare words with the task, and their parts."""
    wanted = _terms(task)
    terms = {path: frozenset(code_terms(path).split()) for path in seen.tree.paths if is_code(path)}
    spread = Counter(term for path_terms in terms.values() for term in path_terms if term in wanted)
    scores: dict[str, float] = {}
    for path, path_terms in terms.items():
        name = frozenset(code_terms(path.rpartition("/")[2]).split())
        score = sum(
            wanted[term] * math.log(1 + len(terms) / spread[term]) * (1.5 if term in name else 1.0)
            for term in path_terms
            if term in wanted
        )
        if score:
            scores[path] = score
    best = max(scores.values(), default=0.0)
    ranked = sorted((path for path, score in scores.items() if score >= best * _ENOUGH), key=lambda p: (-scores[p], p))
    remembered = _paths_with_memories(space, ranked)
    files = [path for path in ranked if path not in remembered][:_MOST_FILES]
    return Relevant(_domains(seen, ranked, scores), tuple(files))


def _terms(task: str) -> dict[str, float]:
    """The words of a task with weights, and related words in code."""
    read = read_task(task[:_LONGEST])
    weights = dict.fromkeys(code_terms(" ".join(read.expanded)).split(), _RELATED)
    return weights | dict.fromkeys(query_terms(" ".join(read.keywords)), 1.0)


def _domains(seen: ScannedTree, ranked: list[str], scores: dict[str, float]) -> tuple[Domain, ...]:
    sums: Counter[str] = Counter()
    for path in ranked[: 5 * _MOST_FILES]:
        sums[seen.layout.domain(path)] += round(scores[path] * 1000)
    names = [name for name, _ in sums.most_common() if name][:_MOST_DOMAINS]
    by_name = {domain.name: domain for domain in seen.layout.domains()}
    return tuple(by_name[name] for name in names)


def _paths_with_memories(space: OpenSpace, paths: list[str]) -> frozenset[str]:
    with space.store.read() as reader:
        view = kept_view(space)
        rows = reader.references.to_files(space.identity.checkout_id, paths[: 10 * _MOST_FILES], view)
    return frozenset(row.reference.file_path for row in rows)
