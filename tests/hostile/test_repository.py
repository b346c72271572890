"""A repository made by somebody hostile: `init` finishes, and says what it left out."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from waypost import Memory
from waypost.code.git import command as git_questions
from waypost.code.schema import find_schema
from waypost.code.source import SourceFile
from waypost.errors import InvalidInput, NotFound
from waypost.facts.coldstart import tree as coldstart_tree
from waypost.facts.coldstart.ecosystems import READERS
from waypost.flows.checkouts.parsed_file import KILLED
from waypost.flows.index import file_digest
from waypost.flows.learn import cold_start

Git = Callable[..., str]
BLANK = "\n" * 60_000
END = 10  # seconds of processor time for all of them: what is linear needs less than three, most of them to start


@pytest.fixture
def tree(memory: Memory) -> Path:
    root = memory.code.root
    assert root is not None
    (root / "app.py").write_text("def deploy():\n    return 1\n")
    return root


@pytest.fixture
def repository(tree: Path, git: Git) -> Path:
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "Deploy by hand")
    return tree


def files_of(memory: Memory) -> set[str]:
    return {one.path for one in memory.code.files()}


def within(seconds: int, script: str, folder: Path, given: str) -> str:
    """Run a script in a child that is killed after so much processor time."""
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))\n{script}"
    command = [sys.executable, "-c", limited]
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    return done.stdout


# --- texts that make a reader slow


SLOW = {
    "Gemfile": f"{BLANK}gem 'rails', '7.1'\n",
    "go.mod": f"module example.com/shop\n{BLANK}require github.com/gin-gonic/gin v1.9.1\n",
    "go.work": f"{BLANK}use ./shop\n",
    "settings.gradle": f"{BLANK}include ':shop'\n",
    "setup.cfg": f"{BLANK}shop = shop.main:run\n",
    ".env.example": f"{BLANK}API_URL=https://example.com\n",
    "pom.xml": "<project><name>" + (" " * 200 + "\n") * 300,
    "table.md": "# Title\n\n" + "-" * 60_000 + "x\n",
}
INDEX_EACH = """
import sys
from waypost import Memory

for name in sys.stdin.read().split():
    print(name, end=" ", flush=True)
    done = Memory.open(name).index(facts=True, wait=False)
    print(done.indexed.files, done.given_up)
"""


@pytest.mark.slow
def test_a_file_made_of_one_sign_does_not_stall_init(tmp_path: Path) -> None:
    """Each in a project of its own. What stalls is the last that is named."""
    for name, text in SLOW.items():
        root = tmp_path / "work" / f"of-{name}"
        root.mkdir(parents=True)
        (root / "app.py").write_text("def deploy():\n    return 1\n")
        (root / name).write_text(text)
    names = [f"of-{name}" for name in SLOW]
    told = within(END, INDEX_EACH, tmp_path / "work", "\n".join(names))
    assert told.splitlines() == [f"{name} 2 {{}}" for name in names]


def riddle(*_: Any) -> NoReturn:
    while True:
        pass


@pytest.mark.slow
def test_a_file_that_takes_too_long_is_skipped_by_name_and_the_rest_is_read(
    memory: Memory, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "riddle.sql").write_text("CREATE TABLE riddle (id integer);\n")

    def find(source: SourceFile) -> Any:
        return riddle() if source.path == "riddle.sql" else find_schema(source)

    monkeypatch.setattr(file_digest, "PATIENCE", 1.5)
    monkeypatch.setattr(file_digest, "find_schema", find)
    done = memory.index(facts=True)
    assert files_of(memory) == {"app.py"}
    assert done.given_up == {"riddle.sql": KILLED}
    assert done.to_json()["given_up"] == ["riddle.sql"]


@pytest.mark.slow
def test_a_manifest_that_takes_too_long_says_nothing_and_is_named(
    memory: Memory, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    (tree / "README.md").write_text("# Shop\n\nSells things to people who want them.\n")
    read = READERS["python"]

    def slow(tree: coldstart_tree.ProjectTree, folder: str) -> Any:
        return riddle() if tree.text("pyproject.toml") else read(tree, folder)

    for module in (cold_start, coldstart_tree):
        monkeypatch.setattr(module, "PATIENCE", 1.5)
    monkeypatch.setitem(READERS, "python", slow)
    done = memory.index(facts=True)
    assert list(done.given_up) == ["pyproject.toml"]
    assert any("Sells things" in row["text"] for row in memory.list(level=0))


# --- what git would wait for


IN_GIT = ["HEAD", "index", "packed-refs", "info/exclude", "refs/heads/pipe", "objects/info/alternates", "shallow"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", IN_GIT)
def test_a_pipe_inside_git_keeps_nobody_waiting(
    memory: Memory, repository: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_questions, "_PATIENCE", 600.0)
    place = repository / ".git" / name
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    done = memory.index()
    assert files_of(memory) == {"app.py"}
    assert list(done.given_up) == [f".git/{name}"]
    with pytest.raises(NotFound, match=r"not a regular file"):
        memory.facts.learn()
    assert memory.code.stale().memories == ()
    memory.remember("Deploys are done by hand", refs=["app.py"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", [".git/HEAD", ".git/refs/heads/zero", ".git/packed-refs"])
def test_a_link_to_a_device_is_not_read_without_end(
    memory: Memory, repository: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / name).unlink(missing_ok=True)
    (repository / name).symlink_to("/dev/zero")
    started: list[object] = []
    monkeypatch.setattr(git_questions, "_output", lambda *given: started.append(given))
    assert list(memory.index().given_up) == [name]
    assert started == []  # git would read it


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="sleeping processes cannot be seen here")
def test_a_pipe_among_the_files_of_the_tree_keeps_nobody_waiting(
    memory: Memory, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_questions, "_PATIENCE", 600.0)
    (repository / "inner").mkdir()
    (repository / "inner" / "more.py").write_text("def more(): ...\n")
    os.mkfifo(repository / "inner" / ".gitignore")
    os.mkfifo(repository / "pipe.py")
    memory.index()
    assert files_of(memory) == {"app.py", "inner/more.py"}


# --- patterns


@pytest.mark.parametrize(
    "pattern", ["nowhere/**", "*.cobol", "[a", "a\\", "", "  ", "#app.py", "!app.py", "x\ny", "{a,b", "app.py/"]
)
def test_an_include_pattern_that_cannot_match_is_refused_and_changes_nothing(
    memory: Memory, tree: Path, pattern: str
) -> None:
    memory.index(include=["*.py"])
    for given in ([pattern], ["*.py", pattern] if not pattern.startswith("!") else [pattern]):
        with pytest.raises(InvalidInput, match="Nothing was changed"):
            memory.index(include=given)
    assert memory.index().patterns.include == ("*.py",)
    assert files_of(memory) == {"app.py"}


def test_an_exclude_pattern_that_is_malformed_or_leaves_nothing_is_refused(memory: Memory, tree: Path) -> None:
    memory.index()
    for pattern in ("[a", "**"):
        with pytest.raises(InvalidInput, match="Nothing was changed"):
            memory.index(exclude=[pattern])
    assert files_of(memory) == {"app.py"}
    assert memory.index(exclude=["nowhere"]).patterns.exclude == ("nowhere",)  # it may come


def test_a_database_that_cannot_be_reached_leaves_the_patterns_as_they_were(memory: Memory, tree: Path) -> None:
    memory.index()
    with pytest.raises(InvalidInput):
        memory.index(include=["*.py"], database="nonsense://nowhere")
    assert memory.index().patterns.include == ()


# --- a task that deleted a file


def test_finishing_a_task_that_deleted_a_file_keeps_what_was_done(memory: Memory, tree: Path) -> None:
    (tree / "old.py").write_text("def old(): ...\n")
    memory.index()
    (tree / "old.py").unlink()
    receipt = memory.code.finish_task("Remove the old way", ["app.py", "old.py"])
    assert (receipt.status, receipt.links) == ("added", ("app.py",))
    assert "old.py" in receipt.notices[-1]
    assert files_of(memory) == {"app.py"}
    assert memory.show(receipt.id or "").version.tags == {"files_changed": "2", "files_deleted": "1"}


def test_finishing_without_naming_files_takes_a_deleted_one(memory: Memory, tree: Path) -> None:
    (tree / "old.py").write_text("def old(): ...\n")
    memory.index()
    (tree / "old.py").unlink()
    assert memory.code.finish_task("Remove the old way").status == "added"
    (tree / "folder").mkdir()
    assert memory.code.finish_task("Make a folder", ["folder"]).status == "added"
