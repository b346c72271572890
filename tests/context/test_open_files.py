"""The code to open: each file once, with the symbols that matter."""

from dataclasses import replace
from datetime import UTC, datetime

from waypost.context.open_files import BEHIND, LEAST, CodeDetails, OpenFile, files_to_open
from waypost.context.wording import wording
from waypost.model.recall import Hit

T0 = datetime(2026, 1, 30, tzinfo=UTC)
ENGLISH = wording("en")


def symbol(path: str, name: str, own: float, *, file: float = 1.0, repeat: float = 0.0, line: int = 1) -> Hit:
    why = {"keywords": own, "file": file, "repeat": repeat}
    return Hit(
        f"{path}{name}", 0.5, "", "symbol", "functions", "code", T0, T0,
        type="function", name=name, path=path, line=line, end_line=line + 5, why=why,
    )  # fmt: skip


def test_each_file_is_there_once_with_its_best_symbols_first() -> None:
    hits = [
        symbol("cli.py", "run", 0.6, repeat=-1.5),
        symbol("app.py", "App.load", 0.9),
        symbol("cli.py", "find_app", 1.0),
    ]
    files = files_to_open(hits)
    assert [file.path for file in files] == ["cli.py", "app.py"]
    assert [hit.name for hit in files[0].hits] == ["find_app", "run"]


def test_files_far_behind_the_best_one_and_weak_ones_are_left_out() -> None:
    hits = [symbol("best.py", "a", 2.0), symbol("near.py", "b", 2.1 - BEHIND), symbol("far.py", "c", 1.9 - BEHIND)]
    assert [file.path for file in files_to_open(hits)] == ["best.py", "near.py"]
    assert len(files_to_open(hits, lenient=1.0)) == 3
    assert files_to_open([symbol("weak.py", "a", LEAST - 1.6)]) == []
    assert files_to_open([]) == []


def test_symbols_that_only_share_the_file_are_left_out() -> None:
    hits = [symbol("cli.py", "find_app", 1.0), symbol("cli.py", "unrelated", 0.1), symbol("cli.py", "find_app", 0.9)]
    assert [hit.name for hit in files_to_open(hits)[0].hits] == ["find_app"]


def test_functions_inside_of_a_function_that_is_shown_are_left_out() -> None:
    hits = [symbol("cli.py", "stream", 1.0), symbol("cli.py", "stream.generator", 0.9)]
    assert [hit.name for hit in files_to_open(hits)[0].hits] == ["stream"]


def test_a_line_has_names_parameters_lines_and_tests() -> None:
    first, second = symbol("cli.py", "Info.load", 1.0, line=12), symbol("cli.py", "Info.save", 0.9, line=40)
    file = OpenFile("cli.py", 2.0, (first, second), ("tests/test_cli.py",))
    details = {first.id: CodeDetails(("path", "a", "b", "c", "d")), second.id: CodeDetails(())}
    assert file.line(details, ENGLISH) == (
        "- cli.py: Info.load(path, a, b, c, …) 12, .save() 40; tests: tests/test_cli.py"
    )
    assert "; Tests: tests/test_cli.py" in file.line(details, wording("de"))


def test_a_table_is_shown_with_its_columns() -> None:
    table = Hit("t", 0.5, "", "table", "database_schema", "code", T0, T0, name="users", path="m/1.sql", line=3)
    line = OpenFile("m/1.sql", 2.0, (table,)).line({"t": CodeDetails(columns=("id", "email"))}, ENGLISH)
    assert line == "- m/1.sql: table users(id, email)"


def test_names_of_a_stranger_stay_on_their_line() -> None:
    line = OpenFile("a\nb.py", 2.0, (symbol("a\nb.py", "x\ny", 1.0),)).line({}, ENGLISH)
    assert "\n" not in line


def test_nothing_is_opened_if_no_word_and_no_meaning_matches() -> None:
    near = symbol("near.py", "a", 0.0, file=2.0)
    assert files_to_open([near]) == []
    assert files_to_open([replace(near, why={**near.why, "meaning": 0.7})])
    assert files_to_open([near, symbol("other.py", "b", 0.1, file=2.0)])
