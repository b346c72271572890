"""Cold start: the first facts of a tree that the memory knows nothing of, for the whole project or for one task."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from waypost.facts.coldstart.project_facts import FoundProject, find_project, part_facts
from waypost.facts.coldstart.tree import PATIENCE, ProjectTree
from waypost.flows.facts.candidates import key_of, take
from waypost.flows.learn.cold_start_files import file_fact
from waypost.flows.learn.cold_start_task import relevant
from waypost.flows.learn.cold_start_tree import ScannedTree, is_code, known_of, look
from waypost.flows.learn.vanished import end_vanished
from waypost.flows.open_space import OpenSpace
from waypost.model.candidate import Candidate
from waypost.model.memory import Caller
from waypost.model.review_item import HELD, KNOWN, MERGED, OLDER, REPLACED, STORED, WAITING, DecidedCandidate
from waypost.space.time_limit import OutOfTime, time_limit
from waypost.text.split import estimate_tokens

_CHARACTERS_OF_A_TOKEN = 4
_MOST_DOMAINS = 12  # that are suggested
_MOST_FILES = 300  # that facts are found about in the background
_MOST_GIVEN_UP = 5  # files that take too long; a tree with more of them is made for it
T = TypeVar("T")
_FOR_A_TASK = frozenset({"project:purpose", "project:runtime", "project:test", "project:lint", "project:parts"})


@dataclass(frozen=True, slots=True)
class Discovered:
    """What a first look at a tree brought."""

    project_types: tuple[str, ...]  # "python", "node" …; the largest first
    packages: tuple[str, ...]  # folders of the packages of a monorepo
    taken: tuple[DecidedCandidate, ...]
    suggested_domains: tuple[str, ...]
    discovery_tokens: int  # of all facts: what they cost whoever reads them
    tokens_read: int  # of the files that were opened: what they spare whoever reads them
    files: int  # in the tree
    task: str | None = None
    dry_run: bool = False
    given_up: tuple[str, ...] = ()  # files that took too long to read

    @property
    def status(self) -> str:
        return "success" if self.taken else "nothing_found"

    @property
    def project_type(self) -> str:
        return self.project_types[0] if self.project_types else "unknown"

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return tuple(one.candidate for one in self.taken)

    def count(self, *statuses: str) -> int:
        return sum(one.status in statuses for one in self.taken)

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "project_type": self.project_type,
            "project_types": list(self.project_types),
            "monorepo": bool(self.packages),
            "packages": list(self.packages),
            "facts_created": self.count(STORED, REPLACED),
            "facts_merged": self.count(MERGED),
            "facts_known": self.count(KNOWN, OLDER),
            "facts_held": self.count(HELD, WAITING),
            "discovery_tokens": self.discovery_tokens,
            "tokens_read": self.tokens_read,
            "suggested_domains": list(self.suggested_domains),
            "facts": [one.to_json() for one in self.taken],
            "files": self.files,
            "task": self.task,
            "dry_run": self.dry_run,
            "given_up": list(self.given_up),
        }


def discover(space: OpenSpace, caller: Caller, *, task: str | None = None, dry_run: bool = False) -> Discovered:
    """Find the first facts and store those that are certain; the others wait for review.

    With a task, only what it needs: the parts and files that it speaks of, and how the project is tested. Running it
    again changes nothing where nothing has changed.
    """
    seen = look(space)
    try:
        project, found, domains = _found(space, seen, task)
    except OutOfTime:
        return _discovered(seen, FoundProject((), (), ()), (), (), task, dry_run)
    extractor = Caller("extractor", caller.actor)
    taken = take(space, found, extractor, dry_run=dry_run)
    if seen.tree.paths and not task and not dry_run:  # a tree that is away says nothing
        end_vanished(space, "cold_start", {key for one in found if (key := key_of(one.topic))}, extractor)
    return _discovered(seen, project, taken, domains, task, dry_run)


def _found(space: OpenSpace, seen: ScannedTree, task: str | None) -> tuple[FoundProject, list[Candidate], list[str]]:
    """The project, the facts, the names of the parts. Raises OutOfTime where too many files take too long."""
    tree, layout = seen.tree, seen.layout
    known = _limited(tree, lambda: known_of(space, seen))
    project = _limited(tree, lambda: find_project(tree, layout, known))
    if task:
        wanted = relevant(space, seen, task)
        parts, files = wanted.domains, wanted.files
        found = [fact for fact in project.facts if fact.topic in _FOR_A_TASK]
    else:
        parts, files = layout.domains(), ()
        found = [*project.facts]
    found += _limited(tree, lambda: list(part_facts(tree, layout, parts)))
    found += _limited(tree, lambda: [fact for path in files if (fact := file_fact(seen, path)) is not None])
    return project, found, [domain.name for domain in parts]


def _discovered(
    seen: ScannedTree,
    project: FoundProject,
    taken: tuple[DecidedCandidate, ...],
    domains: Sequence[str],
    task: str | None,
    dry_run: bool,
) -> Discovered:
    return Discovered(
        project_types=project.types,
        packages=project.packages,
        taken=taken,
        suggested_domains=tuple(domains[:_MOST_DOMAINS]),
        discovery_tokens=sum(estimate_tokens(one.candidate.text) for one in taken),
        tokens_read=seen.tree.characters // _CHARACTERS_OF_A_TOKEN,
        files=len(seen.tree.paths),
        task=task,
        dry_run=dry_run,
        given_up=tuple(seen.tree.given_up),
    )


def _limited(tree: ProjectTree, work: Callable[[], T]) -> T:
    """What the work finds. A file that takes too long is given up, and the work begins anew without it."""
    while True:
        try:
            with time_limit(PATIENCE):
                return work()
        except OutOfTime:
            tree.give_up()
            if len(tree.given_up) >= _MOST_GIVEN_UP:
                raise


def facts_as_found(space: OpenSpace, priority: Sequence[str] = ()) -> Iterator[Candidate]:
    """The facts one after the other, as they are found: files and parts at the priority paths first, then the project,
    its parts, and at last its files. Whoever stops asking stops the search."""
    seen = look(space)
    first = [path for wanted in priority for path in seen.tree.paths if _is_at(path, wanted)]
    domains = [one for one in seen.layout.domains() if any(seen.layout.domain(path) == one.name for path in first)]
    yield from part_facts(seen.tree, seen.layout, domains)
    done = set()
    for path in dict.fromkeys(first):
        done.add(path)
        fact = file_fact(seen, path)
        if fact is not None:
            yield fact
    yield from find_project(seen.tree, seen.layout, known_of(space, seen)).facts
    yield from part_facts(seen.tree, seen.layout, [one for one in seen.layout.domains() if one not in domains])
    rest = [path for path in seen.tree.paths if path not in done and is_code(path)]
    for path in rest[:_MOST_FILES]:
        fact = file_fact(seen, path)
        if fact is not None:
            yield fact


def _is_at(path: str, wanted: str) -> bool:
    place = wanted.strip("/")
    return path == place or path.startswith(f"{place}/") or not place
