"""Follow lines that are not a symbol: part of a function, a comment, lines of configuration."""

import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.refs.other_shapes import NoOtherFiles, OtherShapes

from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.code.syntax.grammars import grammar_names
from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin

SAMPLES = Path(__file__).parents[1] / "code" / "syntax" / "samples"
TEXTS = {language: (SAMPLES / f"{language}.txt").read_text("utf-8") for language in grammar_names()}
TASK = """\
LIMIT = 3


def run(tasks, retries):
    done = []
    for task in tasks:
        # Try it again,
        # but not for ever.
        for attempt in range(retries):
            if task.start(attempt, timeout=LIMIT):
                done.append(task)
                break
        else:
            return None
    return done


def stop(tasks):
    for task in tasks:
        task.stop()
    return None
"""
LOOP = LineRange(9, 12)


@cache
def shape(path: str, text: str, language: str = "") -> FileShape:
    source = SourceFile(path, language or language_of_path(path, text), text)
    return shape_of(source, parse(source))


def followed(
    before: str,
    after: dict[str, str],
    lines: LineRange,
    path: str = "task.py",
    others: dict[str, str] | None = None,
) -> CodeVerdict:
    """`others`: other files at the time of the pin."""
    was = shape(path, before)
    place = pin(was, lines, None)
    assert place is not None
    assert place.symbol_id is None
    now = [shape(name, text) for name, text in after.items()]
    earlier = [shape(name, text) for name, text in (others or {}).items()]
    here = next((candidate for candidate in now if candidate.path == path), None)
    return follow(place.anchor, FollowedPlace(path, place.lines), here, OtherShapes(was, now, before=earlier))


PARSER = """\
class Parser {
  public Element next() throws ParseException {
    return read();
  }
}
"""


@pytest.mark.parametrize("path", ["Parser.java", "Parser.kt"])
def test_an_annotation_on_a_line_of_its_own_does_not_change_the_line_below(path: str) -> None:
    plain = (
        PARSER
        if path.endswith(".java")
        else PARSER.replace("Element next() throws ParseException", "fun next(): Element")
    )
    annotated = plain.replace("  public", "  @Override\n  public")
    for before, after, line in ((plain, annotated, 2), (annotated, plain, 3)):
        verdict = followed(before, {path: after}, LineRange(line, line), path=path)
        assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(5 - line, 5 - line))
    changed = annotated.replace("public", "private")
    assert followed(plain, {path: changed}, LineRange(2, 2), path=path).state == CHANGED


ROUTE = "package chi\n\ntype Route struct {\n\tPattern string\n\tHandlers map[string]Handler\n\tSubRoutes Routes\n}\n"


def test_a_short_field_that_occurs_once_is_found_among_fields_in_another_order() -> None:
    after = ROUTE.replace("\tSubRoutes Routes\n", "").replace("\tPattern", "\tSubRoutes Routes\n\tPattern")
    verdict = followed(ROUTE, {"route.go": after}, LineRange(6, 6), path="route.go")
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(4, 4))


def test_a_short_field_is_not_found_if_another_copy_of_it_was_added() -> None:
    after = ROUTE.replace("\tSubRoutes Routes\n", "\tMore int\n") + "\ntype Group struct {\n\tSubRoutes Routes\n}\n"
    assert followed(ROUTE, {"route.go": after}, LineRange(6, 6), path="route.go").state == CHANGED


ROWS = "".join(f"    <td><%=h exception.class_{row} %> at <%= not path.empty? %></td>\n" for row in range(60))
PAGE = f"""\
class Page
  TEMPLATE = <<-HTML
{ROWS}    <% if request.GET and not request.GET.empty? %>
    <% end %>
  HTML
end
"""


def test_a_line_of_a_template_that_was_indented_is_found_there() -> None:
    indented = PAGE.replace("    <", "      <")
    verdict = followed(PAGE, {"page.rb": f"require 'erb'\n\n{indented}"}, LineRange(63, 63), path="page.rb")
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(65, 65))  # its spaces are part of the page


DATABASE = """\
class Database:
    def __init__(self, url, pool):
        self.url = parse(url)
        self.pool = pool.connect(self.url, retries=3)

    def run(self, query):
        return self.pool.execute(query)
"""
SPEAKER = """\
class Speaker:
    def __init__(self, volume):
        self.volume = min(volume, 11)

    def run(self, query):
        print(query)
"""


@pytest.mark.parametrize("line", [3, 7])
def test_a_line_is_not_followed_into_another_class_by_the_last_name_alone(line: int) -> None:
    after = {"speaker.py": SPEAKER, "cart.py": "RATE = 1\n"}
    assert followed(DATABASE, after, LineRange(line, line), path="database.py").state == DELETED


def test_the_order_in_which_other_files_are_found_does_not_decide() -> None:
    edited = DATABASE.replace("return self.pool.execute(query)", "return self.pool.execute(query, timeout=9)")
    files = {"b/backend.py": edited, "a/base.py": edited.replace("class Database", "class Base"), "c/old.py": edited}
    verdicts = [
        followed(
            DATABASE,
            {"database.py": "RATE = 1\n"} | {name: files[name] for name in names},
            LineRange(7, 7),
            path="database.py",
        )
        for names in (("a/base.py", "b/backend.py", "c/old.py"), ("c/old.py", "b/backend.py", "a/base.py"))
    ]
    assert [(verdict.state, verdict.path) for verdict in verdicts] == [(CHANGED, "b/backend.py")] * 2


SETUP = """\
import logging

logging.config(level="debug", handlers=["file", "console"], encoding="utf-8")
logging.capture(warnings=True, limit=500, target="stderr")
logging.start(delay=30, retries=4)
"""
CALLS = LineRange(3, 5)


def test_lines_outside_symbols_are_found_in_another_file() -> None:
    new = "import logging\n\nprint(1)\n" + SETUP.partition("\n\n")[2]
    verdict = followed(SETUP, {"task.py": "import logging\n", "start.py": new}, CALLS)
    assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "start.py", LineRange(4, 6))


def test_lines_outside_symbols_are_found_in_another_file_after_an_edit() -> None:
    new = "import logging\n\nprint(1)\n" + SETUP.partition("\n\n")[2].replace("500", "900")
    verdict = followed(SETUP, {"task.py": "import logging\n", "start.py": new}, CALLS)
    assert (verdict.state, verdict.path, verdict.lines) == (CHANGED, "start.py", LineRange(4, 6))


@pytest.mark.parametrize("edit", ["", "500"])
def test_lines_that_were_in_the_other_file_before_did_not_move_there(edit: str) -> None:
    copy = SETUP.replace(edit, "900") if edit else SETUP
    verdict = followed(
        SETUP, {"task.py": "import logging\n", "start.py": copy + "print(1)\n"}, CALLS, others={"start.py": copy}
    )
    assert verdict.state == DELETED


def test_lines_in_two_new_files_are_not_claimed_to_be_in_one() -> None:
    verdict = followed(SETUP, {"task.py": "import logging\n", "a.py": SETUP, "b.py": SETUP}, CALLS)
    assert verdict.state == DELETED


def test_a_few_common_words_are_not_searched_in_other_files() -> None:
    before = "import logging\n\nlogging.start()\n"
    verdict = followed(before, {"task.py": "import os\n", "start.py": before + "print(1)\n"}, LineRange(3, 3))
    assert verdict.state == DELETED


def test_a_comment_is_found_in_another_file() -> None:
    note = "# Warnings go to the file first,\n# because the console may be closed by then.\n"
    before = f"import logging\n\n{note}\nlogging.start()\n"
    after = {"task.py": "import logging\n\nlogging.start()\n", "start.py": f"import sys\n\n{note}\nsys.exit(1)\n"}
    verdict = followed(before, after, LineRange(3, 4))
    assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "start.py", LineRange(3, 4))
    copied = followed(before, after, LineRange(3, 4), others={"start.py": note})
    assert copied.state == DELETED


def test_a_comment_line_is_not_taken_for_a_longer_one_with_the_same_words() -> None:
    before = "x = 1\n\n# the tag and the date\n# match\n\ny = 2\n\n# the tag and the date of it\n"
    after = "# the tag and the date\n# match\n\ny = 2\nz = 3\n# the tag and the date of it\n"
    verdict = followed(before, {"task.py": after}, LineRange(3, 3))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(1, 1))


IMPORTS = """\
from a import one, two
import b.c
from d import (
    three,
)
import e

run(one, two)
"""


def test_imports_in_another_order_are_unchanged() -> None:
    after = "import e\nimport b.c\nfrom d import three\nfrom a import one, two\n\nrun(one, two)\n"
    verdict = followed(IMPORTS, {"task.py": after}, LineRange(1, 6))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(1, 4))
    whole = followed(IMPORTS, {"task.py": after}, LineRange(1, 8))
    assert (whole.state, whole.lines) == (UNCHANGED, LineRange(1, 6))


def test_imports_of_something_else_are_changed() -> None:
    after = "import e\nimport b.c\nfrom d import four\nfrom a import one, two\n\nrun(one, two)\n"
    assert followed(IMPORTS, {"task.py": after}, LineRange(1, 6)).state == CHANGED
    assert followed(IMPORTS, {"task.py": after}, LineRange(1, 8)).state == CHANGED


def test_a_part_is_unchanged_when_what_is_around_it_changes() -> None:
    after = TASK.replace("    done = []\n", "    log(tasks)\n    done = list()\n").replace(
        "return done", "return set(done)"
    )
    assert followed(TASK, {"task.py": after}, LOOP) == CodeVerdict(UNCHANGED, "task.py", LineRange(10, 13), name="run")


def test_a_part_is_followed_with_its_function() -> None:
    run, stop = TASK.split("\n\n\ndef stop")
    after = f"LIMIT = 3\n\n\ndef stop{stop}\n\ndef run" + run.split("def run")[1] + "\n"
    verdict = followed(TASK, {"task.py": after}, LOOP)
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(15, 18))
    verdict = followed(TASK, {"task.py": TASK.replace("def run", "def run_all")}, LOOP)
    assert (verdict.state, verdict.lines) == (UNCHANGED, LOOP)
    verdict = followed(TASK, {"task.py": "LIMIT = 3\n", "jobs.py": TASK}, LOOP)
    assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "jobs.py", LOOP)


def test_a_part_that_was_edited_is_changed_where_it_is() -> None:
    verdict = followed(TASK, {"task.py": "\n" + TASK.replace("timeout=LIMIT", "timeout=2 * LIMIT")}, LOOP)
    assert (verdict.state, verdict.lines, verdict.name) == (CHANGED, LineRange(10, 13), "run")
    assert 0 < verdict.amount < 0.3


def test_a_part_that_is_no_longer_in_its_function_is_changed_at_the_function() -> None:
    after = TASK.replace("\n".join(TASK.split("\n")[8:14]) + "\n", "        done += queue(task)\n")
    verdict = followed(TASK, {"task.py": after}, LOOP)
    assert (verdict.state, verdict.amount, verdict.name) == (CHANGED, 1.0, "run")


def test_a_part_whose_function_is_gone_is_deleted() -> None:
    assert followed(TASK, {"task.py": "LIMIT = 3\n"}, LOOP) == CodeVerdict(DELETED)


def test_a_line_that_is_everywhere_is_not_taken_from_another_function() -> None:
    after = TASK.replace("        else:\n            return None\n", "")
    assert followed(TASK, {"task.py": after}, LineRange(14, 14)).state == CHANGED


def test_of_two_equal_lines_in_a_function_the_other_one_is_not_it() -> None:
    before = "def f(a, b):\n    if a:\n        return None\n    log(b)\n    if b:\n        return None\n    return a\n"
    after = before.replace("    if b:\n        return None\n", "    use(b, a)\n")
    assert followed(before, {"task.py": after}, LineRange(6, 6)).state == CHANGED
    assert followed(before, {"task.py": "x = 1\n" + before}, LineRange(6, 6)).lines == LineRange(7, 7)


def test_something_new_on_the_same_line_is_a_change() -> None:
    before = "from a import b\nfrom c import d\nfrom e import f\n"
    after = before.replace("import d", "import d as g")
    assert followed(before, {"task.py": after}, LineRange(2, 2)).state == CHANGED


def test_lines_that_were_joined_are_no_change() -> None:
    before = "call(\n    first,\n    second,\n    third,\n)\n"
    verdict = followed(before, {"task.py": "\ncall(first, second, third)\n"}, LineRange(3, 3))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(2, 2))


def test_comments_around_a_part_stay_with_it() -> None:
    verdict = followed(TASK, {"task.py": "\n" + TASK}, LineRange(7, 12))
    assert verdict.lines == LineRange(8, 13)
    verdict = followed(TASK, {"task.py": TASK.replace("        # Try it again,\n", "")}, LineRange(7, 12))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(7, 11))


def test_a_comment_is_followed_by_its_words() -> None:
    verdict = followed(TASK, {"task.py": "\n" + TASK}, LineRange(7, 8))
    assert verdict == CodeVerdict(UNCHANGED, "task.py", LineRange(8, 9), name="run")
    after = TASK.replace("        # Try it again,\n        # but not", "        # Try it again, but\n        # not")
    assert followed(TASK, {"task.py": after}, LineRange(7, 8)).state == UNCHANGED
    changed = followed(TASK, {"task.py": TASK.replace("not for ever", "at most once")}, LineRange(7, 8))
    assert (changed.state, changed.lines) == (CHANGED, LineRange(7, 8))
    gone = TASK.replace("        # Try it again,\n        # but not for ever.\n", "")
    assert followed(TASK, {"task.py": gone}, LineRange(7, 8)).state == DELETED


def test_lines_of_a_long_string_are_followed() -> None:
    before = 'TEXT = """\none two\nthree four\n"""\nX = 1\n'
    verdict = followed(before, {"task.py": "import a\n" + before}, LineRange(3, 3))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(4, 4))
    assert followed(before, {"task.py": before.replace("four", "five")}, LineRange(3, 3)).state == CHANGED


def test_configuration_and_prose_are_followed_too() -> None:
    before = "name: a\njobs:\n  build:\n    steps:\n      - run: make\n      - run: make test\n  other: 1\n"
    after = before.replace("name: a\n", "name: a\n# why\nenv: b\n")
    verdict = followed(before, {"ci.yml": after}, LineRange(5, 6), "ci.yml")
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(7, 8))
    verdict = followed(before, {"ci.yml": after.replace("make test", "make check")}, LineRange(5, 6), "ci.yml")
    assert verdict.state == CHANGED
    text = "# Use\n\nFirst this is done.\n\n# More\n\nThen that other thing is\ndone as well.\n"
    verdict = followed(
        text, {"a.md": "New.\n\n" + text.replace("thing is\ndone", "thing\nis done")}, LineRange(7, 8), "a.md"
    )
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(9, 10))


@pytest.mark.slow
@pytest.mark.parametrize("language", grammar_names())
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_pinned_is_unchanged_in_the_same_file(language: str, data: st.DataObject) -> None:
    read = shape("a/b", TEXTS[language], language)
    start = data.draw(st.integers(1, read.line_count))
    place = pin(read, LineRange(start, data.draw(st.integers(start, min(read.line_count, start + 15)))), None)
    assert place is not None
    assert place.lines is not None
    verdict = follow(place.anchor, FollowedPlace("a/b", place.lines), read, NoOtherFiles())
    assert (verdict.state, verdict.path, verdict.amount) == (UNCHANGED, "a/b", 0.0)
    assert verdict.lines is not None
    if place.symbol_id:
        assert verdict.lines == place.lines
    else:
        # A line that occurs twice in a row is indistinguishable from the one before.
        texts = read.texts_between(place.lines.start, place.lines.end)
        assert read.texts_between(verdict.lines.start, verdict.lines.end) == texts


@pytest.mark.parametrize("language", ["python", "typescript", "go", "rust", "java"])
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_symbol_keeps_its_lines_when_lines_are_put_before_it(language: str, data: st.DataObject) -> None:
    text = TEXTS[language]
    read = shape("a/b", text, language)
    landmark = data.draw(st.sampled_from(read.landmarks))
    place = pin(read, LineRange(landmark.start, landmark.end), None)
    assert place is not None
    assert place.lines is not None
    blank = data.draw(st.integers(1, 40))
    verdict = follow(
        place.anchor, FollowedPlace("a/b", place.lines), shape("a/b", "\n" * blank + text, language), NoOtherFiles()
    )
    assert verdict.state == UNCHANGED
    assert verdict.lines == LineRange(place.lines.start + blank, place.lines.end + blank)


@pytest.mark.slow
def test_a_file_that_says_one_thing_again_and_again_is_followed_in_time() -> None:
    text = "a = b\n" * 1_500 + "# c d\n" * 1_000
    read, other = shape("a.py", text), shape("a.py", text.replace("a = b\n", "a = a = b\n"))
    for lines in (LineRange(10, 700), LineRange(1_510, 2_000), LineRange(1_490, 1_510)):
        place = pin(read, lines, None)
        assert place is not None
        begun = time.process_time()
        follow(place.anchor, FollowedPlace("a.py", place.lines), other, NoOtherFiles())
        assert time.process_time() - begun < 2
