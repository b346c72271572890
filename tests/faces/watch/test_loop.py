"""A watcher tells what a burst of changes did to the files of a tree. The trees, git and the system's watches are real."""

import contextlib
import os
import queue
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from waypost.errors import InvalidInput, WaypostError
from waypost.faces.watch import ChangeBatch, FileEvent, watch
from waypost.faces.watch import loop as loop_module

pytestmark = pytest.mark.slow  # not for the inner loop

LONG_MS = 250  # a burst that must be told as one: longer than a busy machine pauses within it
PATIENCE = 20  # seconds until a test gives up; none waits that long when all is well
Git = Callable[..., str]


class Watching:
    """A watch in a thread, and what it has told."""

    def __init__(self, root: Path, **options: object) -> None:
        self.batches: queue.Queue[ChangeBatch] = queue.Queue()
        self.stop = threading.Event()
        self.error: WaypostError | None = None
        self.files = -1
        self._root = root
        self._ready = threading.Event()
        self._options = {"debounce_ms": 60} | options
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    def _run(self) -> None:
        try:
            watch(self._root, self.batches.put, stop=self.stop, on_ready=self._begin, **self._options)  # type: ignore[arg-type]
        except WaypostError as error:
            self.error = error
        self._ready.set()

    def _begin(self, files: int) -> None:
        self.files = files
        self._ready.set()

    def next(self) -> ChangeBatch:
        return self.batches.get(timeout=PATIENCE)

    def changes(self) -> set[tuple[str, str]]:
        return {(change.path, change.action) for change in self.next().changes}

    def until(self, *expected: tuple[str, str]) -> set[tuple[str, str]]:
        """All that is told until this is: a burst may end before the content came."""
        seen: set[tuple[str, str]] = set()
        while not seen.issuperset(expected):
            seen |= self.changes()
        return seen

    def ended(self) -> WaypostError | None:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.error

    def end(self) -> None:
        self.stop.set()
        self.ended()


Watch = Callable[..., Watching]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "a.py").write_text("a")
    (root / "src" / "b.py").write_text("b")
    (root / "src" / "deep" / "c.py").write_text("c")
    return root


@pytest.fixture
def watching(root: Path) -> Iterator[Watch]:
    started: list[Watching] = []

    def start(folder: Path = root, **options: object) -> Watching:
        started.append(Watching(folder, **options))
        return started[-1]

    yield start
    for one in started:
        one.end()


def test_files_written_made_and_removed_are_told(root: Path, watching: Watch) -> None:
    w = watching()
    assert w.files == 3
    (root / "src" / "b.py").write_text("changed")
    assert w.until(("src/b.py", "modified")) == {("src/b.py", "modified")}
    (root / "src" / "new.py").write_text("new")
    assert w.until(("src/new.py", "added")) <= {("src/new.py", "added"), ("src/b.py", "modified")}
    (root / "a.py").unlink()
    assert ("src/b.py", "deleted") not in w.until(("a.py", "deleted"))


def test_a_burst_is_one_batch_with_each_file_once(root: Path, watching: Watch) -> None:
    w = watching(debounce_ms=LONG_MS)
    for turn in range(20):
        (root / "a.py").write_text(f"turn {turn}")
        (root / "src" / f"new{turn % 4}.py").write_text(f"turn {turn}")
    assert w.next() == ChangeBatch(
        (FileEvent("a.py", "modified"), *(FileEvent(f"src/new{number}.py", "added") for number in range(4)))
    )


def test_an_editor_that_writes_a_temporary_file_and_renames_it_has_modified_one_file(
    root: Path, watching: Watch
) -> None:
    w = watching(debounce_ms=LONG_MS)
    (root / "src" / ".b.py.swp").write_text("x")
    (root / "src" / "4913").write_text("")
    (root / "src" / "4913").unlink()
    os.replace(root / "src" / "b.py", root / "src" / "b.py~")
    (root / "src" / "b.py").write_text("edited")
    (root / "src" / "b.py~").unlink()
    (root / "src" / ".b.py.swp").unlink()
    assert w.next() == ChangeBatch((FileEvent("src/b.py", "modified"),))


def test_a_new_folder_is_told_with_its_files_and_watched_from_then_on(root: Path, watching: Watch) -> None:
    w = watching()
    (root / "x" / "y" / "z").mkdir(parents=True)
    (root / "x" / "y" / "z" / "new.py").write_text("1")
    w.until(("x/y/z/new.py", "added"))
    (root / "x" / "y" / "z" / "other.py").write_text("2")
    w.until(("x/y/z/other.py", "added"))


def test_a_renamed_folder_takes_its_files_along(root: Path, watching: Watch) -> None:
    w = watching()
    (root / "src").rename(root / "lib")
    assert w.changes() == {
        ("src/b.py", "deleted"),
        ("src/deep/c.py", "deleted"),
        ("lib/b.py", "added"),
        ("lib/deep/c.py", "added"),
    }
    (root / "lib" / "deep" / "c.py").write_text("changed")
    assert w.until(("lib/deep/c.py", "modified")) == {("lib/deep/c.py", "modified")}


def test_a_removed_folder_takes_its_files_along(root: Path, watching: Watch) -> None:
    w = watching()
    shutil.rmtree(root / "src")
    gone = {("src/b.py", "deleted"), ("src/deep/c.py", "deleted")}
    assert w.until(*gone) == gone


def test_a_folder_replaced_by_another_of_its_name_is_watched_on(root: Path, watching: Watch) -> None:
    w = watching(debounce_ms=LONG_MS)
    shutil.rmtree(root / "src")
    (root / "src").mkdir()
    (root / "src" / "b.py").write_text("another")
    assert w.changes() == {("src/b.py", "modified"), ("src/deep/c.py", "deleted")}
    (root / "src" / "b.py").write_text("again")
    assert w.changes() == {("src/b.py", "modified")}


def test_a_file_that_becomes_a_folder_and_back_is_told(root: Path, watching: Watch) -> None:
    w = watching(debounce_ms=LONG_MS)
    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    (root / "a.py" / "in.py").write_text("1")
    assert w.changes() == {("a.py", "deleted"), ("a.py/in.py", "added")}
    shutil.rmtree(root / "a.py")
    (root / "a.py").write_text("file")
    assert w.changes() == {("a.py/in.py", "deleted"), ("a.py", "added")}


def test_whatever_happens_what_was_told_adds_up_to_what_is_there(root: Path, watching: Watch) -> None:
    """Files and folders that take each other's names, while the watcher looks."""
    chance = random.Random(20260130)
    w = watching(debounce_ms=20)
    known = {"a.py", "src/b.py", "src/deep/c.py"}

    def anywhere() -> Path:
        return root.joinpath(*(chance.choice("pqr") for _ in range(chance.randint(1, 3))))

    def write(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(chance.random()))

    deeds = (write, write, Path.mkdir, Path.unlink, shutil.rmtree, lambda path: path.rename(anywhere()))
    for _ in range(1500):
        with contextlib.suppress(OSError):  # the deed does not fit what is there
            chance.choice(deeds)(anywhere())
    (root / "last.py").write_text("end")
    while "last.py" not in known or not w.batches.empty():
        for change in w.next().changes:
            assert (change.path in known) == (change.action != "added")
            known = known - {change.path} if change.action == "deleted" else known | {change.path}
        if "last.py" in known:
            w.stop.set()
            w.ended()
    assert known == {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def test_what_is_ignored_is_neither_told_nor_watched(root: Path, watching: Watch) -> None:
    asked: set[str] = set()

    def ignored(path: str) -> bool:
        asked.add(path)
        return path == "node_modules/" or path.endswith(".log")

    (root / "node_modules" / "pkg").mkdir(parents=True)
    w = watching(ignored=ignored)
    (root / "node_modules" / "pkg" / "index.js").write_text("1")
    (root / "src" / "x.log").write_text("1")
    (root / "src" / "deep" / "made.py").write_text("1")
    assert w.changes() == {("src/deep/made.py", "added")}
    assert not [path for path in asked if path.startswith("node_modules/pkg")]


def test_links_are_not_followed_out_of_the_tree(root: Path, tmp_path: Path, watching: Watch) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside)
    (root / "loop").symlink_to(root)
    w = watching()
    assert w.files == 3
    (outside / "secret.py").write_text("1")
    (root / "later").symlink_to(outside)
    (outside / "more.py").write_text("1")
    (root / "a.py").write_text("changed")
    assert w.changes() == {("a.py", "modified")}


def test_a_folder_replaced_by_a_link_is_gone(root: Path, tmp_path: Path, watching: Watch) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.py").write_text("not ours")
    w = watching(debounce_ms=LONG_MS)
    shutil.rmtree(root / "src")
    (root / "src").symlink_to(tmp_path / "outside")
    assert w.changes() == {("src/b.py", "deleted"), ("src/deep/c.py", "deleted")}


@pytest.fixture
def repository(root: Path, git: Git) -> Path:
    """Two branches that differ in 300 files."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    git(root, "switch", "-qc", "other")
    for folder in range(10):
        (root / "pkg" / f"f{folder}").mkdir(parents=True)
        for file in range(30):
            (root / "pkg" / f"f{folder}" / f"{file}.py").write_text("other")
    git(root, "add", ".")
    git(root, "commit", "-qm", "two")
    git(root, "switch", "-q", "main")
    return root


def test_another_branch_is_one_batch_that_says_that_everything_may_have_changed(
    repository: Path, git: Git, watching: Watch
) -> None:
    w = watching(repository)
    git(repository, "switch", "-q", "other")
    batch = w.next()
    while not batch.everything:  # a slow machine may see a part before git says what it was
        batch = w.next()
    (repository / "pkg" / "f9" / "29.py").write_text("after")
    w.until(("pkg/f9/29.py", "modified"))


def test_a_checkout_is_held_back_until_git_is_done(repository: Path, git: Git, watching: Watch) -> None:
    w = watching(repository)
    lock = repository / ".git" / "index.lock"
    lock.touch()
    (repository / "a.py").write_text("first")
    (repository / "a.py").write_text("second")
    with pytest.raises(queue.Empty):
        w.batches.get(timeout=0.3)
    lock.unlink()
    assert w.next() == ChangeBatch((FileEvent("a.py", "modified"),))


def test_a_lock_that_git_has_forgotten_holds_nothing_back_for_ever(
    repository: Path, watching: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "_LONGEST_HOLD", 0.2)
    (repository / ".git" / "index.lock").touch()
    w = watching(repository)
    (repository / "a.py").write_text("changed")
    assert w.changes() == {("a.py", "modified")}


def test_what_git_writes_for_itself_is_not_told(repository: Path, git: Git, watching: Watch) -> None:
    w = watching(repository)
    (repository / "a.py").write_text("changed")
    assert w.changes() == {("a.py", "modified")}
    git(repository, "status")
    git(repository, "commit", "-qam", "more")
    git(repository, "tag", "v1")
    (repository / "src" / "b.py").write_text("changed")
    assert w.next() == ChangeBatch((FileEvent("src/b.py", "modified"),))


def test_a_worktree_notices_its_own_branch(repository: Path, tmp_path: Path, git: Git, watching: Watch) -> None:
    second = tmp_path / "second"
    git(repository, "worktree", "add", "-q", str(second), "-b", "third")
    w = watching(second)
    git(second, "switch", "-qc", "fourth")
    assert w.next() == ChangeBatch((), everything=True)


def test_other_rules_of_what_to_ignore_change_everything(root: Path, watching: Watch) -> None:
    w = watching()
    (root / "src" / ".gitignore").write_text("*.log\n")
    assert w.next().everything


def test_very_many_changes_say_that_everything_may_have_changed(
    root: Path, watching: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "MANY", 50)
    w = watching(debounce_ms=LONG_MS)
    for number in range(60):
        (root / "src" / f"{number}.py").write_text("x")
    batch = w.next()
    assert batch.everything
    assert len(batch.changes) == 60


def test_the_end_of_the_root_is_said_and_its_files_are_not_called_deleted(root: Path, watching: Watch) -> None:
    w = watching()
    root.rename(root.with_name("elsewhere"))
    error = w.ended()
    assert error is not None
    assert "is gone" in error.what
    assert error.remedy
    assert w.batches.empty()


def test_another_tree_in_the_place_of_the_root_ends_the_watch(root: Path, watching: Watch) -> None:
    w = watching()
    root.rename(root.with_name("elsewhere"))
    root.mkdir()
    error = w.ended()
    assert error is not None and "is gone" in error.what
    assert w.batches.empty()


def test_a_name_that_cannot_be_written_down_does_not_end_the_watch(root: Path, watching: Watch) -> None:
    if sys.platform != "linux":
        pytest.skip("other systems allow no such names")
    w = watching(debounce_ms=LONG_MS)
    os.close(os.open(os.fsencode(root / "src") + b"/\xff\xfe.py", os.O_CREAT | os.O_WRONLY))
    (root / "src" / "good.py").write_text("1")
    assert w.changes() == {("src/good.py", "added")}
    (root / "src" / "good.py").write_text("2")
    w.until(("src/good.py", "modified"))


def test_a_watch_ends_soon_after_it_is_told_to(watching: Watch) -> None:
    w = watching()
    started = time.monotonic()
    w.stop.set()
    assert w.ended() is None
    assert time.monotonic() - started < 2


def test_a_root_that_is_no_directory_is_refused(root: Path) -> None:
    for path in (root / "missing", root / "a.py"):
        with pytest.raises(InvalidInput):
            watch(path, print, stop=threading.Event())


def test_what_a_callback_raises_ends_the_watch(root: Path) -> None:
    def begin(_: int) -> None:
        (root / "a.py").write_text("changed")

    def fail(_: ChangeBatch) -> None:
        raise LookupError("from the callback")

    with pytest.raises(LookupError):
        watch(root, fail, stop=threading.Event(), on_ready=begin, debounce_ms=30)


LIMITED = """
import sys, threading, pathlib
from waypost.errors import WaypostError
from waypost.faces.watch import watch
try:
    watch(pathlib.Path(sys.argv[1]), print, stop=threading.Event(), on_ready=lambda _: sys.exit(4))
except WaypostError as error:
    print(error.what); print(error.remedy); sys.exit(error.exit_code)
"""


@pytest.mark.parametrize(
    ("limit", "what"), [("max_inotify_watches", "no more watches"), ("max_inotify_instances", "no more watchers")]
)
def test_a_system_out_of_watches_is_told_with_what_to_do(root: Path, limit: str, what: str) -> None:
    """In a user namespace of its own, where the limit can be lowered without touching anyone else."""
    set_limit = f'echo 0 > /proc/sys/user/{limit} || exit 77; exec "$0" -c "$1" "$2"'
    command = ["unshare", "-Ur", "sh", "-c", set_limit, sys.executable, LIMITED, str(root)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except FileNotFoundError:
        pytest.skip("no user namespaces here")
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("no user namespaces here")
    assert done.returncode == 1, done.stderr
    assert what in done.stdout
    assert "sysctl" in done.stdout and "waypost index" in done.stdout


@pytest.mark.slow
def test_new_ignore_rules_of_our_own_are_followed() -> None:
    """By whoever watches: what is told to `update` is the file with the rules, and nothing else has changed."""
    from waypost.faces.watch import FileEvent
    from waypost.faces.watch.loop import _Watched

    watched = _Watched.__new__(_Watched)
    assert watched.batch([FileEvent(".gitignore", "added")], everything=False).everything
    assert watched.batch([FileEvent(".waypostignore", "added")], everything=False).everything
