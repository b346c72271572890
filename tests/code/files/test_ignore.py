"""The rules of `.gitignore`, as git itself applies them."""

import random
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import Git

from waypost.code.files.globs import expand_braces
from waypost.code.files.ignore import Ignoring, parse_rules
from waypost.errors import InvalidInput


def ignored(text: str, path: str) -> bool:
    """Whether these lines in the root's file leave the path out; a slash at its end makes it a folder."""
    ignoring = Ignoring((parse_rules(text),))
    if path.endswith("/"):
        return ignoring.rule_against(path.rstrip("/"), True) is not None
    return ignoring.rule_against_any_part(path) is not None


@pytest.mark.parametrize(
    ("lines", "path", "expected"),
    [
        ("*.log", "deep/down/x.log", True),
        ("/x.log", "deep/x.log", False),
        ("/x.log", "x.log", True),
        ("doc/*.txt", "doc/a.txt", True),
        ("doc/*.txt", "doc/sub/a.txt", False),
        ("doc/*.txt", "other/doc/a.txt", False),
        ("build/", "build", False),
        ("build/", "build/", True),
        ("build/", "sub/build/x.py", True),
        ("*\n!keep.py", "keep.py", False),
        ("folder/\n!folder/keep.py", "folder/keep.py", True),
        ("folder/*\n!folder/keep.py", "folder/keep.py", False),
        ("a/**/z", "a/z", True),
        ("a/**/z", "a/b/c/z", True),
        ("a/**", "a/", False),
        ("a/**", "a/b", True),
        ("**/z", "z", True),
        ("**/a/b", "x/y/a/b", True),
        ("\\#file", "#file", True),
        ("#file", "#file", False),
        ("\\!x", "!x", True),
        ("end\\ ", "end ", True),
        ("end  ", "end", True),
        ("[a-c]?.py", "bx.py", True),
        ("[!a-c].py", "b.py", False),
        ("[[:digit:]]*", "9lives", True),
        ("[", "[", False),
        ("x\\", "x\\", False),
        ("a.py\r\nb.py\r\n", "a.py", True),
        ("\ufeffa.py", "a.py", True),
        ("a**b", "axxb", True),
        ("f?o", "f/o", False),
    ],
)
def test_lines_mean_what_git_says_they_mean(lines: str, path: str, expected: bool) -> None:
    assert ignored(lines, path) is expected


def test_a_deeper_file_outweighs_one_above_it() -> None:
    ignoring = Ignoring((parse_rules("*.sql"), parse_rules("!seed.sql", "db/", "db/.gitignore")))
    assert ignoring.rule_against_any_part("db/seed.sql") is None
    against = ignoring.rule_against_any_part("db/dump.sql")
    assert against is not None and (against.source, against.line, against.text) == (".gitignore", 1, "*.sql")
    assert ignoring.rule_against_any_part("seed.sql") is not None


NAMES = ["a", "b", "ab", "ba", "a.b", "b.a", "*a", "[a]", "a b", "a-b", "#a", "!a", "a\\b", "A"]
PATTERN_SIGNS = [
    "a", "b", "a", "b", "*", "*", "**", "/", "/", "?", ".", "[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[a", "]", "\\", "\\*",
    " ", "#", "!", "-", "[[:alpha:]]", "[[:punct:]]", "[a-]", "[--b]", "**/", "/**", "***", "[[:x:]]", "[[:a]", "[\\]a]",
    "[a/b]",
]  # fmt: skip


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with folders two deep, each holding a file of every name."""
    root = tmp_path_factory.mktemp("scratch")
    subprocess.run(["git", "init", "-q", str(root)], check=True, env={"PATH": "/usr/bin:/bin", "HOME": str(root)})
    folders = ("", "a", "b", "ab", "a/b", "b/a", "a/b/a")
    for folder in folders:
        (root / folder).mkdir(exist_ok=True)
    for folder in folders:
        for name in NAMES:
            if not (root / folder / name).exists():
                (root / folder / name).write_text("x")
    return root


a_line = st.lists(st.sampled_from(PATTERN_SIGNS), min_size=1, max_size=6).map("".join)
# Of a slash behind a backslash git makes one kind of slash in one place and another elsewhere; nobody writes it.
lines_of_rules = st.lists(a_line.filter(lambda line: "\\/" not in line), max_size=4)


@pytest.mark.slow
@settings(
    max_examples=60,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(outer=lines_of_rules, inner=lines_of_rules)
def test_no_pattern_is_understood_differently_from_git(scratch: Path, outer: list[str], inner: list[str]) -> None:
    (scratch / ".gitignore").write_text("\n".join(outer) + "\n")
    (scratch / "a" / ".gitignore").write_text("\n".join(inner))
    by_git = set(_git_lists_ignored(scratch))
    ignoring = Ignoring((parse_rules("\n".join(outer) + "\n"), parse_rules("\n".join(inner), "a/")))
    files = [path.relative_to(scratch).as_posix() for path in scratch.rglob("*") if path.is_file()]
    ours = {path for path in files if not path.startswith(".git/") and ignoring.rule_against_any_part(path)}
    assert ours == by_git


def _git_lists_ignored(root: Path) -> list[str]:
    command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--ignored", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, check=True, capture_output=True, env={"PATH": "/usr/bin:/bin"})
    return done.stdout.decode().split("\0")[:-1]


def test_a_hostile_pattern_is_not_slow() -> None:
    rules = parse_rules("\n".join(["*a" * 60 + "b", "**/a/" * 60 + "b", "/" + "**/*a*/" * 60 + "b"]))
    started = time.process_time()
    for path in ("a" * 250, "/".join(["a"] * 400), "/".join(["aa" * 50] * 40)):
        assert Ignoring((rules,)).rule_against(path, False) is None
    assert time.process_time() - started < 1


def test_arbitrary_bytes_in_an_ignore_file_are_read_without_complaint() -> None:
    generator = random.Random(4)
    for _ in range(200):
        text = generator.randbytes(200).decode("utf-8", "surrogateescape")
        Ignoring((parse_rules(text),)).rule_against_any_part("a/b.py")


def test_braces_stand_for_alternatives() -> None:
    assert expand_braces("src/*.{js,ts}") == ["src/*.js", "src/*.ts"]
    assert expand_braces("{a,b{c,d}}/x") == ["a/x", "bc/x", "bd/x"]
    assert expand_braces("{a}/{,b}") == ["{a}/", "{a}/b"]
    assert expand_braces("\\{a,b}") == ["\\{a,b}"]
    assert expand_braces("{a,b") == ["{a,b"]


def test_too_many_braces_are_refused() -> None:
    with pytest.raises(InvalidInput, match="too many"):
        expand_braces("{a,b}" * 40)


def test_git_and_we_agree_about_a_file_that_is_spared(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/*\n!/src\n/src/*\n!/src/kept.py\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "kept.py").write_text("x")
    (tmp_path / "src" / "lost.py").write_text("x")
    ignoring = Ignoring((parse_rules((tmp_path / ".gitignore").read_text()),))
    assert _git_lists_ignored(tmp_path) == [".gitignore", "src/lost.py"]
    assert ignoring.rule_against_any_part("src/lost.py") and not ignoring.rule_against_any_part("src/kept.py")
