"""The same random edits as in refs/test_follow_property, through the whole library: files, git, index, verdicts kept."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from tests.conftest import Git, OpenMemory, TestClock
from tests.refs.oracle.case import Case, lines_of, make_case
from tests.refs.oracle.edits import Editor
from tests.refs.oracle.make import Maker
from tests.refs.oracle.model import LANGUAGES, Tree, find
from tests.refs.oracle.printer import Printed, printed
from tests.refs.oracle.verdict import GONE, Allowed, Oracle, complaint, expected

from waypost.memory import Memory
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import CHANGED, MOVED, UNCHANGED

pytestmark = pytest.mark.slow  # not for the inner loop

CASES = 6  # for each way of keeping a tree
SOAK = 250
WAYS = list(product((False, True), repeat=2))
IDS = [f"{'git' if git else 'plain'}-{'index' if index else 'no-index'}" for git, index in WAYS]


class World:
    """A tree of files on disk and a memory that points into it."""

    def __init__(self, memory: Memory, clock: TestClock, git: Git | None) -> None:
        self.memory, self.clock, self.git = memory, clock, git
        self.root: Path = memory.code.root

    def write(self, pages: list[Printed], message: str = "") -> None:
        """The tree is these files; committed, if there is a message and git."""
        self.clock.advance(minutes=7)
        wanted = {page.path: page.text.encode() for page in pages}
        for path in [one for one in self.root.rglob("part*.*") if one.is_file()]:
            if path.relative_to(self.root).as_posix() not in wanted:
                path.unlink()
        for name, data in wanted.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        if self.git and message:
            self.git(self.root, "add", "-A")
            self.git(self.root, "commit", "-q", "--allow-empty", "-m", message)

    def point(self, case: Case) -> str:
        path = next(file.path for file in case.before if file.id == case.target.file)
        page = next(one for one in case.was if one.path == path)
        lines = lines_of(case.target, page)
        receipt = self.memory.remember("It was chosen after long talks.", refs=[f"{path}{lines or ''}"])
        assert receipt.id is not None
        return receipt.id


def right(found: LinkedMemory, case: Case, world: World) -> None:
    finding = found.links[0].finding
    wrong = complaint(finding, allowed(case, world), case.now)
    assert not wrong, f"{wrong}\n{case}"
    whole = case.target.definition == 0
    if finding.state in (UNCHANGED, MOVED):
        assert not found.state.is_stale
    elif not whole:
        assert found.state.is_stale
    assert (found.stale_since is not None) == found.state.is_stale


def allowed(case: Case, world: World) -> Oracle:
    """Without git nobody knows what became of a whole file that is not there."""
    found = expected(case.before, case.after, case.target)
    if not case.target.definition and not world.git and all(one.state not in (UNCHANGED, CHANGED) for one in found):
        return [*found, GONE]
    return found


@pytest.mark.parametrize(("with_git", "with_index"), WAYS, ids=IDS)
def test_a_memory_tells_what_became_of_its_code(
    open_memory: OpenMemory, clock: TestClock, git: Git, with_git: bool, with_index: bool
) -> None:
    for number in range(CASES):
        _try(open_memory, clock, git if with_git else None, with_index, number)


@pytest.mark.soak
@pytest.mark.parametrize(("with_git", "with_index"), WAYS, ids=IDS)
def test_soak_many_memories_tell_what_became_of_their_code(
    open_memory: OpenMemory, clock: TestClock, git: Git, with_git: bool, with_index: bool
) -> None:
    for number in range(CASES, SOAK):
        _try(open_memory, clock, git if with_git else None, with_index, number)


def _try(open_memory: OpenMemory, clock: TestClock, git: Git | None, with_index: bool, number: int) -> None:
    random = Random(f"library {git is not None} {with_index} {number}")
    case = make_case(random, None, LANGUAGES[number % len(LANGUAGES)], size=3)
    memory = open_memory(f"p{number}")
    if git is not None:
        git(memory.code.root, "init", "-q", "-b", "main")
        memory.close()
        memory = open_memory(f"p{number}")  # it is another space with git
    _live_through(World(memory, clock, git), case, random, with_index)
    memory.close()


def _live_through(world: World, case: Case, random: Random, with_index: bool) -> None:
    memory = world.memory
    world.write(case.was, "as it was")
    if with_index:
        memory.index()
    known = world.point(case)
    at_first = memory.show(known)
    assert at_first.links[0].finding.state == UNCHANGED and not at_first.state.is_stale

    world.write(case.now, "edited" if random.random() < 0.5 else "")
    edited = memory.show(known)
    right(edited, case, world)
    _same(edited, _checked(memory, known))
    if with_index and random.random() < 0.5:
        memory.index()
        _same(edited, memory.show(known))

    for _ in range(2):  # there and back again
        world.write(case.was)
        back = memory.show(known)
        assert back.links[0].finding == at_first.links[0].finding and not back.state.is_stale
        world.write(case.now)
        _same(edited, memory.show(known))

    _verify_and_go_on(world, case, random, known)


def _same(one: LinkedMemory, other: LinkedMemory) -> None:
    assert one.links[0].finding == other.links[0].finding
    assert one.stale_since == other.stale_since
    assert (one.state.is_stale, one.state.stale_reason) == (other.state.is_stale, other.state.stale_reason)


def _checked(memory: Memory, known: str) -> LinkedMemory:
    """After a check of everything; the report tells the same as the memory."""
    report = memory.code.stale(check=True)
    found = memory.show(known)
    assert [one.id for one in report.memories] == ([known] if found.state.is_stale else [])
    assert (report.checked, report.stale, report.errors) == (1, int(found.state.is_stale), 0)
    return found


def _verify_and_go_on(world: World, case: Case, random: Random, known: str) -> None:
    memory = world.memory
    finding = memory.show(known).links[0].finding
    repaired = memory.verify(known)
    if finding.path is None:
        assert repaired.left and memory.show(known).state.is_stale
        return
    fresh = memory.show(known)
    assert fresh.links[0].finding.state == UNCHANGED and not fresh.state.is_stale
    assert fresh.links[0].finding.path == finding.path

    next_case = _go_on(case, fresh, random)
    if next_case is not None:
        world.write(next_case.now)
        right(memory.show(known), next_case, world)


def _go_on(case: Case, fresh: LinkedMemory, random: Random) -> Case | None:
    """Another edit of the same, from the tree as it is now; None if something else was verified."""
    now, target = case.after, case.target
    spot = find(now, target.definition)
    place = fresh.links[0].finding
    if spot is None or target.statements or complaint(place, [_here(now, case)], case.now):
        return None
    target = replace(target, file=spot.file.id)
    editor = Editor(Maker(random, first=100_000), random, target.definition)  # lower ones are taken
    after = getattr(editor, random.choice(("edit", "nothing", "delete")))(now)
    return Case(now, after, target, ("then",), case.now, printed(after, random))


def _here(now: Tree, case: Case) -> Allowed:
    spot = find(now, case.target.definition)
    assert spot is not None
    return Allowed(UNCHANGED, spot.file.path, (spot.node.id,))
