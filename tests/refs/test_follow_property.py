"""Random edits of random programs: verdicts are compared with an oracle that has the identities of all parts.

The oracle, with the cases it cannot decide, is in oracle/verdict.py.
"""

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.refs.oracle.case import Case, follow_target, make_case, pin_target, shape, verdict
from tests.refs.oracle.edits import EDITS
from tests.refs.oracle.make import Maker
from tests.refs.oracle.model import CODE, LANGUAGES, SUFFIX, Class, File, Function, Tree, definitions, with_block
from tests.refs.oracle.printer import printed
from tests.refs.oracle.verdict import Target, complaint, expected, runs
from tests.refs.other_shapes import NoOtherFiles, OtherShapes

from waypost.code.parse import parse
from waypost.code.shape import sheet
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.code.syntax.grammars import grammar_names
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape, word_code
from waypost.refs import follow_part, follow_symbol
from waypost.refs.anchor import Anchor
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.occurrences import occurrences
from waypost.refs.pin import pin

pytestmark = pytest.mark.slow  # too slow for `make test-fast`

CASES = 30  # per language, with one edit and with several
SOAK = 20_000


def seeded(*what: object) -> Random:
    return Random(" ".join(map(str, what)))


def check(case: Case, random: Random) -> CodeVerdict:
    """The verdict is right, repeatable in any order, and stable when followed again."""
    was, pinned = pin_target(case)
    shapes = [shape(page) for page in case.now]
    all_changed = random.random() < 0.5
    finding = follow_target(case, was, pinned, shapes, all_changed=all_changed)
    wrong = complaint(finding, expected(case.before, case.after, case.target), case.now)
    assert not wrong, f"{wrong}\n{case}"
    random.shuffle(shapes)
    assert follow_target(case, was, pinned, shapes, all_changed=all_changed) == finding, str(case)
    if finding.path is not None:
        there = next(candidate for candidate in shapes if candidate.path == finding.path)
        again = pin(there, finding.lines, None)
        assert again is not None
        repeated = follow(again.anchor, FollowedPlace(there.path, again.lines), there, OtherShapes(there, shapes))
        assert (repeated.state, repeated.path, repeated.lines) == (UNCHANGED, finding.path, again.lines), str(case)
    return finding


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_edit_of_every_kind_is_judged_right(language: str) -> None:
    for number in range(CASES):
        random = seeded("one", language, number)
        check(make_case(random, (EDITS[number % len(EDITS)],), language, size=3), random)


@pytest.mark.parametrize("language", LANGUAGES)
def test_several_edits_one_after_the_other_are_judged_right(language: str) -> None:
    for number in range(CASES):
        random = seeded("several", language, number)
        check(make_case(random, None, language, size=3), random)


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_layout_changes_nothing_wherever_somebody_points(language: str) -> None:
    random = seeded("layout", language)
    make = Maker(random)
    for _ in range(3):
        tree = make.tree(language, 2)
        targets = [Target(spot.file.id, spot.node.id) for spot in definitions(tree)]
        targets += [Target(file.id) for file in tree]
        for length in (1, 3):
            part = [
                Target(spot.file.id, spot.node.id, tuple(statement.id for statement in run))
                for spot, run in runs(tree, length)
            ]
            targets += random.sample(part, min(8, len(part)))
        apart = frozenset(target.definition for target in targets)
        was, now = (printed(tree, random, apart=apart) for _ in range(2))
        for target in targets:
            check(Case(tree, tree, target, (), was, now), random)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_other_than_itself_whatever_lines_are_named(language: str) -> None:
    random = seeded("untouched", language)
    for page in printed(Maker(random).tree(language, 2), random)[:2]:
        there = shape(page)
        ends = range(1, there.line_count + 1)
        ranges = [LineRange(start, end) for start in ends for end in ends if start <= end]
        for lines in random.sample(ranges, min(400, len(ranges))):
            pinned = pin(there, lines, None)
            assert pinned is not None
            finding = follow(pinned.anchor, FollowedPlace(there.path, pinned.lines), there, NoOtherFiles())
            assert (finding.state, finding.lines, finding.amount) == (UNCHANGED, pinned.lines, 0.0), (
                f"{lines}\n{page.text}"
            )
        for landmark in there.landmarks:
            pinned = pin(there, None, landmark.qualified)
            assert pinned is not None
            assert pinned.lines == LineRange(landmark.start, landmark.end)
            assert follow(pinned.anchor, FollowedPlace(there.path), there, NoOtherFiles()).lines == pinned.lines


@pytest.mark.parametrize("language", CODE)
def test_the_more_of_it_is_another_the_larger_is_the_amount(language: str) -> None:
    for number in range(5):
        random = seeded("amount", language, number)
        make = Maker(random)
        function = make.function(language, 20)
        around = make.class_(language)
        before: Tree = (File(make.id(), f"a/b.{SUFFIX[language]}", language, (around,)),)
        before = _with_method(before, function)
        amounts = []
        for many in (1, 10, 20):
            body = list(function.body)
            for place in random.sample(range(20), many):
                body[place] = make.statement(language)
            after = _with_method(before, with_block(function, function.body, tuple(body)))
            target = Target(before[0].id, function.id)
            case = Case(before, after, target, (), printed(before, random), printed(after, random))
            finding = check(case, random)
            assert finding.state == CHANGED
            amounts.append(finding.amount)
        assert 0 < amounts[0] < amounts[1] < amounts[2] <= 1, amounts
        assert amounts[0] < 0.3 < amounts[2], amounts


def _with_method(tree: Tree, method: Function) -> Tree:
    file = tree[0]
    around = file.items[0]
    assert isinstance(around, Class)
    kept = tuple(other_method for other_method in around.methods if other_method.id != method.id)
    return (replace(file, items=(replace(around, methods=(*kept, method)),)),)


# -- texts that nobody wrote -----------------------------------------------------------------------------------

_READ = (*grammar_names(), *LANGUAGES[-2:], "json", "toml", "ini", "text", "vue", "html", "")
_SNIPPETS = (
    "def f(a):\n    return a\n",
    "class A {\n  int f() { return 1; }\n}\n",
    "a: 1\nb:\n  - c\n",
    "# T\n\nwords\n",
)
_PIECES = (
    *_SNIPPETS,
    "{",
    "}",
    "(",
    ")",
    "/*",
    "*/",
    "//",
    "#",
    '"',
    "'",
    "`",
    '"""',
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\x0c",
)
_TEXTS = st.lists(
    st.one_of(st.sampled_from(_PIECES), st.text(st.characters(exclude_characters="\0"), max_size=8)), max_size=12
).map("".join)


def read(language: str, text: str) -> FileShape:
    source = SourceFile("a/b", language, text)
    return shape_of(source, parse(source))


def check_any(before: FileShape, after: FileShape, lines: LineRange | None) -> None:
    pinned = pin(before, lines, None)
    if pinned is None:
        assert lines is not None and lines.start > before.line_count
        return
    same = follow(pinned.anchor, FollowedPlace("a/b", pinned.lines), before, NoOtherFiles())
    assert (same.state, same.lines) == (UNCHANGED, pinned.lines)
    changed = follow(pinned.anchor, FollowedPlace("a/b", pinned.lines), after, NoOtherFiles())
    assert changed.state in {UNCHANGED, MOVED, CHANGED, DELETED, AMBIGUOUS, UNCHECKED}
    assert changed.lines is None or 1 <= changed.lines.start <= changed.lines.end <= max(1, after.line_count)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(_READ), _TEXTS, _TEXTS, st.integers(1, 12), st.integers(0, 12))
def test_no_text_is_too_strange_to_be_pointed_at(language: str, old: str, new: str, start: int, more: int) -> None:
    before, after = read(language, old), read(language, new)
    check_any(before, after, LineRange(start, start + more))
    check_any(before, after, None)


@pytest.mark.parametrize("language", CODE)
def test_a_file_cut_off_anywhere_is_followed(language: str) -> None:
    random = seeded("cut", language)
    page = printed(Maker(random).tree(language, 2), random)[0]
    text = page.text.replace("\r\n", "\n")
    before = read(language, text)
    for _ in range(10):
        after = read(language, text[: random.randrange(len(text))])
        start = random.randint(1, before.line_count)
        check_any(before, after, LineRange(start, random.randint(start, before.line_count)))


@pytest.mark.parametrize("language", [*CODE, "yaml", "markdown"])
def test_ten_thousand_brackets_are_followed(language: str) -> None:
    deep = "x = " + "(" * 10_000 + "1" + ")" * 10_000 + "\n"
    before, after = read(language, deep), read(language, f"y = 2\n{deep}")
    check_any(before, after, LineRange(1, 1))
    check_any(before, after, None)


# -- it can fail -----------------------------------------------------------------------------------------------------


def _ignores_operators(patch: pytest.MonkeyPatch) -> None:
    real = word_code
    patch.setattr(sheet, "word_code", lambda text: real(b"+" if text in (b"-", b"*", b"<", b"==") else text))


def _ignores_numbers(patch: pytest.MonkeyPatch) -> None:
    real = word_code
    patch.setattr(sheet, "word_code", lambda text: real(b"0" if text.isdigit() else text))


def _ignores_brackets(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FileShape, "_inside", lambda *_: [])


def _ignores_order(patch: pytest.MonkeyPatch) -> None:
    real = FileShape.symbol_words
    patch.setattr(FileShape, "symbol_words", lambda *given: array("Q", sorted(real(*given))))
    patch.setattr(FileShape, "_inside", lambda *_: [])


def _ignores_neighbours(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(follow_part, "_equal_sides", lambda *_: 0)


def _takes_any_copy(patch: pytest.MonkeyPatch) -> None:
    def first(anchor: Anchor, there: FileShape, _: object) -> int | None:
        whole = (0, len(there.words))
        return next(iter(occurrences(there, whole, anchor.opening, anchor.count, anchor.meaning)), None)

    patch.setattr(follow_part, "_exact_place", first)


def _lets_blocks_grow(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FileShape, "count_closing_marks", lambda *_: 0)


def _takes_anything_similar(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(follow_symbol, "_ALIKE_NAMED", 0.0)
    patch.setattr(follow_symbol, "_WORDS_NAMED", 0)
    patch.setattr(OtherShapes, "before", lambda *_: None)  # as without git: nobody knows what was there before


def _minds_its_own_name(patch: pytest.MonkeyPatch) -> None:
    real = FileShape.symbol_words
    patch.setattr(FileShape, "symbol_words", lambda self, first, behind, *_: real(self, first, behind))


def _never_says_that_it_cannot_tell(patch: pytest.MonkeyPatch) -> None:
    real = follow_symbol._unambiguous
    patch.setattr(follow_symbol, "_unambiguous", lambda anchor, spots, *given: real(anchor, spots[:1], *given))


def _reads_comments(patch: pytest.MonkeyPatch) -> None:
    def note(self: sheet.ShapeSheet, start: int, end: int) -> None:
        self.word(self.data[start:end], start)

    patch.setattr(sheet.ShapeSheet, "note", note)


MISTAKES = [
    (_ignores_operators, ("change_operator",)),
    (_ignores_numbers, ("change_number",)),
    (_ignores_brackets, ("regroup",)),
    (_ignores_order, ("swap_arguments",)),
    (_ignores_neighbours, ("repeat_statement",)),
    (_takes_any_copy, ("repeat_elsewhere", "edit")),
    (_lets_blocks_grow, ("extend_block",)),
    (_takes_anything_similar, ("delete",)),
    (_minds_its_own_name, ("rename",)),
    (_never_says_that_it_cannot_tell, ("copy_here", "rename")),
    (_reads_comments, ("nothing",)),
]


@pytest.mark.parametrize(("mistake", "edits"), MISTAKES, ids=[mistake.__name__[1:] for mistake, _ in MISTAKES])
def test_a_mistake_is_found_out(
    mistake: Callable[[pytest.MonkeyPatch], None], edits: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A judge with this mistake is wrong within a few hundred cases; the first one is right without the mistake."""
    cases = (make_case(seeded("mistake", number), edits, CODE[number % len(CODE)], size=2) for number in range(400))
    with monkeypatch.context() as patch:
        mistake(patch)
        wrong = next((case for case in cases if verdict(case)[1]), None)
    assert wrong is not None
    assert not verdict(wrong)[1]


# -- many more -----------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_soak_twenty_thousand_cases() -> None:
    """Print a table: cases and wrong verdicts by last edit and by language."""
    tried, wrong = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    first = ""
    for number in range(SOAK):
        random = seeded("soak", number)
        case = make_case(random)
        finding, why = verdict(case, all_changed=number % 2 == 0)
        for key in (("edit", edit) for edit in set(case.edits)):
            tried[key] += 1
            wrong[key] += bool(why)
        for key in (("language", case.before[0].language), ("verdict", finding.state)):
            tried[key] += 1
            wrong[key] += bool(why)
        first = first or (f"{number}: {why}\n{case}" if why else "")
    print(f"\n{'':30}{'cases':>8}{'wrong':>8}")
    for group, name in sorted(tried):
        print(f"{group:12}{name:18}{tried[group, name]:8}{wrong[group, name]:8}")
    assert not first, first
