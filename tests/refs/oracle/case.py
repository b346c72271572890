"""One case: a program, a pinned piece of it, edits, another layout, and the verdict."""

from dataclasses import dataclass
from random import Random

from tests.refs.oracle.edits import AROUND, EDITS, INSIDE, PLACE, Editor
from tests.refs.oracle.make import Maker
from tests.refs.oracle.model import LANGUAGES, Function, Tree, blocks, definitions
from tests.refs.oracle.printer import Printed, printed
from tests.refs.oracle.verdict import Target, complaint, expected
from tests.refs.other_shapes import OtherShapes

from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.model.code_verdict import CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import PinnedCode, pin


@dataclass(frozen=True, slots=True)
class Case:
    before: Tree
    after: Tree
    target: Target
    edits: tuple[str, ...]
    was: list[Printed]
    now: list[Printed]

    def __str__(self) -> str:
        pages = [f"--- {name} {page.path}\n{page.text}" for name in ("was", "now") for page in getattr(self, name)]
        return "\n".join([f"{self.target} {self.edits}", *pages])


def shape(page: Printed, path: str = "") -> FileShape:
    # Files are read with line feeds only.
    source = SourceFile(path or page.path, page.language, page.text.replace("\r\n", "\n"))
    return shape_of(source, parse(source))


def make_case(random: Random, kinds: tuple[str, ...] | None = None, language: str = "", size: int = 4) -> Case:
    make = Maker(random)
    language = language or random.choice(LANGUAGES)
    before = make.tree(language, size)
    target = choose(random, before)
    if random.random() < 0.15:  # an equal piece exists elsewhere
        editor = Editor(make, random, target.definition)
        before = (editor.copy_here if random.random() < 0.5 else editor.repeat_elsewhere)(before)
    editor = Editor(make, random, target.definition)
    edits = kinds if kinds is not None else some_edits(random)
    after = before
    for edit in edits:
        after = getattr(editor, edit)(after) if after else after
    apart = frozenset({target.definition}) if target.statements else frozenset()
    was = printed(before, random, apart=apart)
    now = was if edits == () else printed(after, random, apart=apart)
    return Case(before, after, target, edits, was, now)


def some_edits(random: Random) -> tuple[str, ...]:
    chosen = random.random()
    if chosen < 0.3:
        return tuple(random.choices(AROUND, k=random.randint(1, 3)))
    if chosen < 0.6:
        return (*random.choices(AROUND, k=random.randint(0, 2)), random.choice(INSIDE))
    if chosen < 0.85:
        return (random.choice(PLACE), *random.choices(AROUND, k=random.randint(0, 2)))
    return tuple(random.choices(EDITS, k=random.randint(2, 4)))


def choose(random: Random, tree: Tree) -> Target:
    """A definition, some statements of one, or a file."""
    spots = list(definitions(tree))
    spot = random.choice(spots)
    chosen = random.random()
    if chosen < 0.4 and isinstance(spot.node, Function) and len(spot.node.body) > 1:
        block = random.choice([candidate for candidate in blocks(spot.node) if len(candidate) > 1])
        start = random.randrange(len(block))
        end = random.randint(start + 1, len(block))
        if end - start < len(spot.node.body):
            return Target(spot.file.id, spot.node.id, tuple(statement.id for statement in block[start:end]))
    if chosen > 0.9:
        return Target(spot.file.id, 0)
    return Target(spot.file.id, spot.node.id)


def pin_target(case: Case) -> tuple[FileShape, PinnedCode]:
    """Pin as a user would: by lines, or the whole file."""
    path = next(file.path for file in case.before if file.id == case.target.file)
    page = next(candidate for candidate in case.was if candidate.path == path)
    lines = lines_of(case.target, page)
    here = shape(page)
    pinned = pin(here, lines, None)
    assert pinned is not None
    return here, pinned


def lines_of(target: Target, page: Printed) -> LineRange | None:
    if not target.definition:
        return None
    owners = target.statements or (target.definition,)
    first, last = page.span(owners[0]), page.span(owners[-1])
    assert first is not None and last is not None
    return LineRange(first[0], last[1])


def follow_target(
    case: Case, was: FileShape, pinned: PinnedCode, shapes: list[FileShape], *, all_changed: bool
) -> CodeVerdict:
    texts = {page.path: page.text for page in case.was}
    changed = None if all_changed else [page.path for page in case.now if texts.get(page.path) != page.text]
    here = next((candidate for candidate in shapes if candidate.path == was.path), None)
    elsewhere = OtherShapes(was, shapes, changed)
    return follow(pinned.anchor, FollowedPlace(was.path, pinned.lines), here, elsewhere)


def verdict(case: Case, *, all_changed: bool = False) -> tuple[CodeVerdict, str]:
    """The verdict, and why it is wrong, if it is."""
    was, pinned = pin_target(case)
    finding = follow_target(case, was, pinned, [shape(page) for page in case.now], all_changed=all_changed)
    return finding, complaint(finding, expected(case.before, case.after, case.target), case.now)
