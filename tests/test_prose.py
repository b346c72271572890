"""Docstrings, comments, messages and documents are in plain English (`python -m tests.prose` lists the same)."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.prose import ROOT, ProseFault, checked_files, faults

CHANGELOG = ROOT / "CHANGELOG.md"
LONG = "one two three four five six seven eight nine ten " * 2 + "and one more."


@pytest.mark.parametrize("folder", ["src", "docs"])
def test_source_and_documents_are_in_plain_english(folder: str) -> None:
    expect_none(fault for path in checked_files(ROOT / folder) for fault in faults(path))


def test_readme_and_unreleased_changes_are_in_plain_english() -> None:
    lines = CHANGELOG.read_text().splitlines()
    released = next(number for number, line in enumerate(lines, 1) if re.match(r"## \d", line))
    changes = [fault for fault in faults(CHANGELOG) if fault.line < released]
    expect_none((*faults(ROOT / "README.md"), *changes))


def expect_none(faults_found: Iterable[ProseFault]) -> None:
    lines = [str(fault) for fault in faults_found]
    assert not lines, "\n" + "\n".join(lines)


FaultsIn = Callable[[str, str], list[tuple[int, str]]]


@pytest.fixture
def faults_in(tmp_path: Path) -> FaultsIn:
    def check(name: str, text: str) -> list[tuple[int, str]]:
        (tmp_path / name).write_text(text)
        return [(fault.line, fault.what.partition(" (")[0]) for fault in faults(tmp_path / name)]

    return check


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (f'"""{LONG}"""\n', 1),
        (f'def f():\n    """First.\n\n    {LONG}\n    """\n', 4),
        (f"x = 1\n# Short.\n# {LONG}\n", 3),
        (f"x = 1  # {LONG}\n", 1),
        (f'x = (\n    "{LONG[:40]}"\n    "{LONG[40:]}"\n)\n', 2),
        (f"raise ValueError(f'{{x}} {LONG}')\n", 1),
    ],
)
def test_a_long_sentence_is_found_in_every_kind_of_text(faults_in: FaultsIn, source: str, line: int) -> None:
    assert [(number, what.split()[1]) for number, what in faults_in("module.py", source)] == [(line, "words")]


def test_expressions_are_found_with_their_line(faults_in: FaultsIn) -> None:
    assert faults_in("page.md", "Fine.\n\nIts vectors\nare owed.\n") == [(4, "“owed”")]
    assert faults_in("page.html", "<p>\n{% if x %}\nSigned in</p>\n<p>Upkeep</p>") == [(4, "“Upkeep”")]
    assert faults_in("module.py", 'say("that is what the tree says so")\n') == [(1, "“says so”")]


def test_code_names_and_quotations_are_not_checked(faults_in: FaultsIn) -> None:
    assert faults_in("page.md", "The table `owed`.\n\n```\nupkeep\n```\n") == []
    assert faults_in("module.py", 'x = "SELECT a, b FROM owed WHERE a is not null"\n"owed"\n') == []


def test_a_fault_says_where_it_is() -> None:
    assert str(ProseFault(Path("docs/a.md"), 3, "21 words", "A\nlong one")) == "docs/a.md:3: 21 words: A long one"
