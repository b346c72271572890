"""Patterns against files that have changed."""

import time

import pytest

from waypost.code.files.changed_patterns import ChangedFiles, check_triggers
from waypost.errors import InvalidInput
from waypost.model.lifetime import CLASSES


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("src/auth/**/*.py", "src/auth/login.py", True),
        ("src/auth/**/*.py", "src/auth/a/b/login.py", True),
        ("src/auth/**/*.py", "src/other/login.py", False),
        ("src/auth/**/*.py", "lib/src/auth/login.py", False),
        ("**/api/**/*.py", "api/users.py", True),
        ("**/api/**/*.py", "shop/api/v1/users.py", True),
        ("**/api/**/*.py", "shop/api.py", False),
        ("*.py", "a/b/c.py", True),
        ("*.py", "a/b/c.pyc", False),
        ("README.md", "docs/README.md", True),
        ("/README.md", "docs/README.md", False),
        ("./docs/*.md", "docs/a.md", True),
        ("src/auth", "src/auth/login.py", True),
        ("src/auth/", "src/auth/login.py", True),
        ("src/auth", "src/authors.py", False),
        ("src/*.{ts,tsx}", "src/page.tsx", True),
        ("src/*.{ts,tsx}", "src/page.js", False),
        ("src/[a-c]?/x", "src/b1/x", True),
        ("src/[!a-c]?/x", "src/b1/x", False),
        (r"src/\[id\].ts", "src/[id].ts", True),
        ("src/Größe/*.py", "src/Größe/a.py", True),
    ],
)
def test_a_pattern_means_files_as_gitignore_says(pattern: str, path: str, meant: bool) -> None:
    assert ChangedFiles([path]).any_meant(check_triggers([pattern])) == meant
    assert ChangedFiles(["elsewhere/x.txt", path]).any_meant([pattern]) == meant


def test_the_usual_api_contract_waits_for_the_languages_that_are_parsed() -> None:
    usual = CLASSES["api_contract"].refresh
    for path in ("api/a.py", "shop/api/v2/a.ts", "api/x/y.go", "src/api/A.java"):
        assert ChangedFiles([path]).any_meant(usual), path
    for path in ("api/README.md", "shop/a.py"):
        assert not ChangedFiles([path]).any_meant(usual), path


@pytest.mark.parametrize("pattern", ["[", "a/[b", "x{a,[}", "!*.py", "/", "./", "", "a\nb", "x" * 10_000, "{a,b}" * 30])
def test_a_pattern_that_means_no_files_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_triggers(["*.py", pattern])
    assert "refresh" in refused.value.what or "pattern" in refused.value.what


def test_a_pattern_that_cannot_be_read_means_nothing_and_stops_nobody() -> None:
    files = ChangedFiles(["a.py"])
    assert not files.any_meant(["[", "{a,b}" * 30])
    assert files.any_meant(["[", "*.py"])


@pytest.mark.parametrize(
    "pattern",
    ["**/" * 160 + "x", "*a" * 240 + "b", "a*" * 240 + "/b", "**/*a*a*a*a*a*a*a*a*a*b", "[!a]" * 120, "?" * 490],
)
def test_a_hostile_pattern_costs_little_against_hostile_paths(pattern: str) -> None:
    paths = ["a" * 250, "/".join(["a"] * 2_000), "/".join(["a" * 200] * 20), "a/" * 500 + "b"]
    began = time.process_time()
    ChangedFiles(paths).any_meant(check_triggers([pattern]))
    assert time.process_time() - began < 1.0


def test_a_thousand_patterns_against_a_thousand_paths_take_a_moment() -> None:
    paths = [f"src/mod_{n % 100}/sub_{n % 7}/file_{n}.py" for n in range(1_000)]
    patterns = [(f"src/mod_{n}/**/*.py", f"**/api_{n}/**", f"file_{n}.py") for n in range(1_000)]
    began = time.process_time()
    files = ChangedFiles(paths)
    found = sum(files.any_meant(one) for one in patterns)
    assert found == 1_000
    assert time.process_time() - began < 1.0  # about 100 ms
