"""Cold start: the first facts about a repository, for the whole project or for one task."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from waypost.facts.coldstart.project_facts import FoundProject, find_project, part_facts
from waypost.facts.coldstart.prose import file_description
from waypost.facts.coldstart.slots import OBSERVED, STATED, code
from waypost.facts.coldstart.tree import PATIENCE, ProjectTree
from waypost.facts.rejection.marks import LEARNED
from waypost.flows.facts.candidates import key_of, take
from waypost.flows.learn.cold_start_task import relevant
from waypost.flows.learn.cold_start_tree import ScannedTree, is_code, known_project_of, scan_tree
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit, nothing_new
from waypost.flows.versions.prepare import put
from waypost.flows.write.insert import ENDED
from waypost.model.candidate import Candidate
from waypost.model.json_row import json_row
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.review_item import HELD, KNOWN, MERGED, OLDER, REPLACED, STORED, WAITING, DecidedCandidate
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Filter, Reader
from waypost.system.time_limit import OutOfTime, time_limit
from waypost.text.plural import join_items
from waypost.text.split import estimate_tokens

_CHARACTERS_OF_A_TOKEN = 4
_MOST_DOMAINS = 12  # that are suggested
_MOST_FILES = 300  # with facts found in the background
_MOST_GIVEN_UP = 5  # files that take too long: more of them are no accident
_MOST_NAMES = 6
_TYPES = ("class", "struct", "interface", "trait", "enum", "module")
_MOST_ENDED = 1_000
T = TypeVar("T")
_FOR_A_TASK = frozenset({"project:purpose", "project:runtime", "project:test", "project:lint", "project:parts"})


@dataclass(frozen=True, slots=True)
class Discovered:
    project_types: tuple[str, ...]  # "python", "node" …; the largest first
    packages: tuple[str, ...]  # folders of the packages of a monorepo
    taken: tuple[DecidedCandidate, ...]
    suggested_domains: tuple[str, ...]
    discovery_tokens: int  # of all facts: the cost of reading them
    tokens_read: int  # of the opened files: what the facts save
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
        return tuple(decided.candidate for decided in self.taken)

    def count(self, *statuses: str) -> int:
        return sum(decided.status in statuses for decided in self.taken)

    def to_json(self) -> dict[str, Any]:
        return json_row(
            self,
            "taken",
            status=self.status,
            project_type=self.project_type,
            monorepo=bool(self.packages),
            facts_created=self.count(STORED, REPLACED),
            facts_merged=self.count(MERGED),
            facts_known=self.count(KNOWN, OLDER),
            facts_held=self.count(HELD, WAITING),
            facts=self.taken,
        )


def discover(space: OpenSpace, caller: Caller, *, task: str | None = None, dry_run: bool = False) -> Discovered:
    """Find the first facts and store the certain ones. The others need review.

    With a task, only what it needs: its parts and files, and how the project is tested. Repeating it changes nothing
    unless files have changed.
    """
    seen = scan_tree(space)
    try:
        project, facts, domains = _find_facts(space, seen, task)
    except OutOfTime:
        return _discovery_of(seen, FoundProject((), (), ()), (), (), task, dry_run)
    extractor = Caller("extractor", caller.actor)
    taken = take(space, facts, extractor, dry_run=dry_run)
    if seen.tree.paths and not task and not dry_run:  # without files nothing is known
        end_vanished(space, "cold_start", {key for fact in facts if (key := key_of(fact.topic))}, extractor)
    return _discovery_of(seen, project, taken, domains, task, dry_run)


def _find_facts(
    space: OpenSpace, seen: ScannedTree, task: str | None
) -> tuple[FoundProject, list[Candidate], list[str]]:
    """The project, the facts, and the names of the parts. Raises OutOfTime if too many files take too long."""
    tree, layout = seen.tree, seen.layout
    known_project = _limited(tree, lambda: known_project_of(space, seen))
    project = _limited(tree, lambda: find_project(tree, layout, known_project))
    if task:
        wanted = relevant(space, seen, task)
        parts, files = wanted.domains, wanted.files
        facts = [fact for fact in project.facts if fact.topic in _FOR_A_TASK]
    else:
        parts, files = layout.domains(), ()
        facts = [*project.facts]
    facts += _limited(tree, lambda: list(part_facts(tree, parts)))
    facts += _limited(tree, lambda: [fact for path in files if (fact := file_fact(seen, path)) is not None])
    return project, facts, [domain.name for domain in parts]


def _discovery_of(
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
        discovery_tokens=sum(estimate_tokens(decided.candidate.text) for decided in taken),
        tokens_read=seen.tree.characters // _CHARACTERS_OF_A_TOKEN,
        files=len(seen.tree.paths),
        task=task,
        dry_run=dry_run,
        given_up=tuple(seen.tree.given_up),
    )


def _limited(tree: ProjectTree, work: Callable[[], T]) -> T:
    """The result of the work. Gives up a file that takes too long, and starts again without it."""
    while True:
        try:
            with time_limit(PATIENCE):
                return work()
        except OutOfTime:
            tree.give_up()
            if len(tree.given_up) >= _MOST_GIVEN_UP:
                raise


def facts_as_found(space: OpenSpace, priority: Sequence[str] = ()) -> Iterator[Candidate]:
    """Facts as they are found: files and parts at the priority paths first, then the project, its parts, its files."""
    seen = scan_tree(space)
    first = [path for wanted in priority for path in seen.tree.paths if _is_at(path, wanted)]
    domains = [
        domain for domain in seen.layout.domains() if any(seen.layout.domain(path) == domain.name for path in first)
    ]
    yield from part_facts(seen.tree, domains)
    done = set()
    for path in dict.fromkeys(first):
        done.add(path)
        fact = file_fact(seen, path)
        if fact is not None:
            yield fact
    yield from find_project(seen.tree, seen.layout, known_project_of(space, seen)).facts
    yield from part_facts(seen.tree, [domain for domain in seen.layout.domains() if domain not in domains])
    rest = [path for path in seen.tree.paths if path not in done and is_code(path)]
    for path in rest[:_MOST_FILES]:
        fact = file_fact(seen, path)
        if fact is not None:
            yield fact


def _is_at(path: str, wanted: str) -> bool:
    place = wanted.strip("/")
    return path == place or path.startswith(f"{place}/") or not place


# -- facts about single files


def file_fact(seen: ScannedTree, path: str) -> Candidate | None:
    """A fact of level 2 about a source file, or None if there is nothing to say."""
    if not is_code(path):
        return None
    parsed = seen.parsed(path)
    if parsed is None:
        return None
    sentence = file_description(seen.tree.text(path), parsed.doc)
    names = [symbol.name for symbol in parsed.symbols if symbol.kind in _TYPES] or [
        symbol.name for symbol in parsed.symbols if "." not in symbol.qualified
    ]
    names = [name for name in names if re.fullmatch(r"[^\W\d]\w{1,60}", name)]
    if sentence:
        text, sure = f'{code(path)} describes itself: "{sentence}"', STATED
    elif names:
        text, sure = f"{code(path)} defines {join_items(map(code, names), _MOST_NAMES)}.", OBSERVED + 0.05
    else:
        return None
    return Candidate(
        text=text,
        confidence=sure,
        origin="cold_start",
        level=2,
        domain=seen.layout.domain(path),
        module=seen.layout.module(path),
        topic=f"module:{path}",
        refs=(path,),
        reason=f"found in {path}",
    )


# -- facts that the tree does not state any more


def end_vanished(space: OpenSpace, origin: str, keys: Collection[str], caller: Caller) -> int:
    """End the extractor's own facts of this origin whose keys are not found any more. Returns how many.

    Protected facts and those of people stay. If the tree states one again, it becomes a fact again.
    """
    with space.store.read() as reader:
        gone = _vanished(space, reader, origin, keys)
    if not gone:
        return 0
    with space.store.write() as writer:
        now = space.clock()
        gone = _vanished(space, writer, origin, keys)
        for version in gone:
            writer.memories.supersede(version.number, now)
            if version.valid_from < now:
                until = replace(
                    version,
                    recorded_at=now,
                    valid_until=now,
                    key=None,
                    details={**version.details, ENDED: caller.source},
                )
                put(writer, until, passages_of(until), nothing_new(space, writer))
            audit(space, writer, "end", version.memory_id, caller, {"kind": version.kind})
    return len(gone)


def _vanished(space: OpenSpace, reader: Reader, origin: str, keys: Collection[str]) -> list[Version]:
    view = View(Moment(space.clock()), KEPT_COLLECTIONS, archived=True)
    current = [
        version
        for version in reader.memories.latest(view, Filter(tags=(("origin", origin),)), _MOST_ENDED)
        if version.source == "extractor"
        and version.valid_until is None
        and (version.key or "").startswith(LEARNED)
        and version.key not in keys
    ]
    states = reader.memories.states([version.memory_id for version in current])
    return [
        version for version in current if version.memory_id not in states or not states[version.memory_id].protected
    ]
