"""Which files of a tree are read: trees as people have them, with git and without."""

import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost.code.files.walk import WalkedFile, look_at, walk
from waypost.errors import InvalidInput


def grow(root: Path, *paths: str, text: str = "x = 1\n") -> Path:
    """Write these files, with their folders."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def read(root: Path, **options: object) -> list[str]:
    return [entry.path for entry in walk(root, **options) if entry.skipped is None]  # type: ignore[arg-type]


def skipped(root: Path, **options: object) -> dict[str, str]:
    return {entry.path: entry.skipped for entry in walk(root, **options) if entry.skipped}  # type: ignore[arg-type]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


@pytest.fixture(params=["git", "plain"])
def tree(request: pytest.FixtureRequest, root: Path, git: Git) -> Path:
    """A folder that is a git checkout in one run and a plain folder in the other."""
    if request.param == "git":
        git(root, "init", "-q")
    return root


def test_files_come_with_size_and_time(tree: Path) -> None:
    grow(tree, "src/a.py")
    os.utime(tree / "src" / "a.py", ns=(0, 1_700_000_000_123_456_789))
    assert list(walk(tree)) == [WalkedFile("src/a.py", 6, 1_700_000_000_123_456_789)]


def test_ignore_files_count_at_every_level(tree: Path) -> None:
    grow(tree, "a.py", "a.tmp.py", "sub/b.tmp.py", "sub/keep.tmp.py", "sub/deep/c.py", "logs/x.py")
    (tree / ".gitignore").write_text("*.tmp.py\nlogs/\n")
    (tree / "sub" / ".gitignore").write_text("!keep.tmp.py\n/deep/\n")
    assert [path for path in read(tree) if path.endswith(".py")] == ["a.py", "sub/keep.tmp.py"]
    told = skipped(tree, explain=True)
    assert told["logs/"] == "ignored by .gitignore:2 (logs/)"
    assert told["a.tmp.py"] == "ignored by .gitignore:1 (*.tmp.py)"
    assert told["sub/deep/"] == "ignored by sub/.gitignore:2 (/deep/)"
    assert skipped(tree) == {}


def test_our_own_ignore_file_leaves_out_what_git_tracks(tree: Path) -> None:
    grow(tree, "a.py", "fixtures/b.py", "sub/c.py", "sub/d.py")
    (tree / ".waypostignore").write_text("fixtures/\n")
    (tree / "sub" / ".waypostignore").write_text("/d.py\n")
    if (tree / ".git").exists():
        subprocess.run(["git", "add", "-A"], cwd=tree, check=True)
    assert [path for path in read(tree) if path.endswith(".py")] == ["a.py", "sub/c.py"]
    told = skipped(tree, explain=True)
    assert told["fixtures/"] == "ignored by .waypostignore:1 (fixtures/)"
    assert told["sub/d.py"] == "ignored by sub/.waypostignore:1 (/d.py)"


def test_patterns_narrow_and_exclude(tree: Path) -> None:
    grow(tree, "src/a.ts", "src/a.js", "src/a.css", "src/gen/b.ts", "docs/c.md", "d.ts")
    assert read(tree, include=["src/**/*.{ts,js}"]) == ["src/a.js", "src/a.ts", "src/gen/b.ts"]
    assert read(tree, include=["*.ts"], exclude=["gen/"]) == ["d.ts", "src/a.ts"]
    assert read(tree, include=["docs/"]) == ["docs/c.md"]
    assert sorted(read(tree, exclude=["/src", "*.md"])) == ["d.ts"]
    told = skipped(tree, include=["*.ts"], exclude=["/src/gen"], explain=True)
    assert told["src/gen/"] == "excluded by /src/gen"
    assert told["docs/c.md"] == "no include pattern matches it"


def test_a_pattern_that_stands_for_too_many_is_refused(tree: Path) -> None:
    with pytest.raises(InvalidInput):
        list(walk(tree, include=["{a,b}" * 30]))


def test_an_include_that_names_it_lifts_a_skip_but_never_that_of_secrets_or_binaries(tree: Path) -> None:
    grow(tree, "vendor/acme/a.go", "vendor/acme/node_modules/m.js", "vendor/other/b.go", "api_pb2.py", "app.min.js")
    grow(tree, "vendor/acme/.env", "vendor/acme/logo.png", "vendor/acme/package-lock.json", "main.go")
    assert read(tree, include=["*.go"]) == ["main.go"]
    assert read(tree, include=["vendor/acme/**"]) == ["vendor/acme/a.go"]
    assert read(tree, include=["vendor"]) == ["vendor/acme/a.go", "vendor/other/b.go"]
    assert read(tree, include=["*.py", "*.js"]) == []
    assert [entry for entry in walk(tree, include=["*_pb2.py"]) if entry.named] == [
        WalkedFile("api_pb2.py", 6, os.stat(tree / "api_pb2.py").st_mtime_ns, None, named=True)
    ]
    told = skipped(tree, include=["vendor/acme/**", ".env", "logo.png"])
    assert told["vendor/acme/.env"] == "may hold secrets"
    assert told["vendor/acme/logo.png"] == "image"
    assert told["vendor/acme/node_modules/"] == "installed packages"


def test_a_skipped_folder_is_one_entry(tree: Path) -> None:
    grow(tree, "node_modules/a/index.js", "node_modules/b/index.js", "web/node_modules/c/d/e.js", "src/a.py")
    assert skipped(tree) == {"node_modules/": "installed packages", "web/node_modules/": "installed packages"}
    assert read(tree) == ["src/a.py"]


def test_links_are_never_followed(tree: Path, tmp_path: Path) -> None:
    grow(tmp_path, "outside/secret.py")
    grow(tree, "src/a.py")
    (tree / "copy.py").symlink_to("src/a.py")
    (tree / "out.py").symlink_to(tmp_path / "outside" / "secret.py")
    (tree / "folder").symlink_to(tmp_path / "outside")
    (tree / "inner").symlink_to("src")
    (tree / "src" / "loop").symlink_to("..")
    (tree / "self").symlink_to("self")
    (tree / "gone").symlink_to("nowhere")
    assert read(tree) == ["src/a.py"]
    assert skipped(tree) == {
        "copy.py": "symbolic link within the tree",
        "out.py": "symbolic link out of the tree",
        "folder": "symbolic link out of the tree",
        "inner": "symbolic link within the tree",
        "src/loop": "symbolic link within the tree",
        "self": "symbolic link that leads nowhere",
        "gone": "symbolic link that leads nowhere",
    }


def test_a_tracked_folder_that_became_a_link_is_not_followed(root: Path, git: Git, tmp_path: Path) -> None:
    git(root, "init", "-q")
    grow(root, "src/a.py", "b.py")
    git(root, "add", "-A")
    (root / "src").rename(tmp_path / "moved")
    (root / "src").symlink_to(tmp_path / "moved")
    assert read(root) == ["b.py"]
    assert skipped(root)["src/"] == "symbolic link out of the tree"


def test_pipes_and_sockets_are_skipped(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tree / "pipe.py")
    monkeypatch.chdir(tree)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.py")
        told = skipped(tree)
    # git does not list them at all.
    assert set(told) in ({"pipe.py", "socket.py"}, set())
    assert set(told.values()) <= {"not a regular file (a pipe, socket or device)"}
    assert read(tree) == []


def test_names_that_cannot_be_shown_are_skipped_and_shown_safely(tree: Path) -> None:
    (tree / "good é.py").write_text("x")
    (tree / "line\nend.py").write_text("x")
    (tree / "red\x1b[31m.py").write_text("x")
    (tree / "evil\u202egpj.py").write_text("x")
    Path(os.fsdecode(os.fsencode(tree) + b"/b\xffd.py")).write_text("x")
    folder = Path(os.fsdecode(os.fsencode(tree) + b"/f\xfe"))
    folder.mkdir()
    (folder / "a.py").write_text("x")
    assert read(tree) == ["good é.py"]
    assert skipped(tree) == {
        "line\\nend.py": "its name holds control characters",
        "red\\x1b[31m.py": "its name holds control characters",
        "evil\\u202egpj.py": "its name holds control characters",
        "b\\xffd.py": "its name is not valid UTF-8",
        "f\\xfe/": "its name is not valid UTF-8",
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_told(root: Path) -> None:
    grow(root, "closed/a.py", "b.py")
    (root / "closed").chmod(0)
    try:
        assert skipped(root) == {"closed/": "cannot be read: Permission denied"}
        assert read(root) == ["b.py"]
    finally:
        (root / "closed").chmod(stat.S_IRWXU)


def test_files_that_git_tracks_but_that_are_gone_do_not_come(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    grow(root, "a.py", "b.py", "gone/c.py")
    git(root, "add", "-A")
    (root / "b.py").unlink()
    (root / "gone" / "c.py").unlink()
    (root / "gone").rmdir()
    assert [entry.path for entry in walk(root)] == ["a.py"]


def test_an_ignored_file_that_git_tracks_is_read(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    grow(root, "kept.gen.py", "other.gen.py")
    git(root, "add", "kept.gen.py")
    (root / ".git" / "info" / "exclude").write_text("*.gen.py\n")
    assert read(root) == ["kept.gen.py"]


def test_a_conflict_does_not_list_a_file_three_times(root: Path, git: Git) -> None:
    git(root, "init", "-q", "-b", "main")
    for branch, text in (("main", "base\n"), ("side", "side\n"), ("main", "main\n")):
        if branch == "side":
            git(root, "checkout", "-q", "-b", "side")
        elif text == "main\n":
            git(root, "checkout", "-q", "main")
        grow(root, "a.py", text=text)
        git(root, "add", "-A")
        git(root, "commit", "-q", "-m", text)
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "merge", "-q", "side")
    assert read(root) == ["a.py"]


def make_submodule(parent: Path, path: str, git: Git, origin: Path) -> None:
    origin.mkdir(parents=True)
    git(origin, "init", "-q")
    grow(origin, "lib/s.py", "lib/ignored.py", "lib/node_modules/x.js")
    (origin / ".gitignore").write_text("ignored.py\n")
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "first")
    git(parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(origin), path)


@pytest.mark.slow
def test_submodules_are_trees_of_their_own(root: Path, git: Git, tmp_path: Path) -> None:
    git(root, "init", "-q")
    grow(root, "a.py")
    make_submodule(root, "mods/one", git, tmp_path / "origin")
    make_submodule(root, "third_party/two", git, tmp_path / "origin2")
    grow(root, "mods/one/lib/ignored.py", "mods/one/new.py")
    assert [path for path in read(root) if path.endswith(".py")] == ["a.py", "mods/one/lib/s.py", "mods/one/new.py"]
    assert skipped(root) == {
        "mods/one/lib/node_modules/": "installed packages",
        "third_party/": "other people's code kept in the tree",
    }
    assert read(root, include=["mods/one/lib/"], exclude=["s.py"]) == []
    git(root, "submodule", "--quiet", "deinit", "-f", "mods/one")
    assert skipped(root)["mods/one/"] == "submodule that is not checked out"


def test_a_worktree_is_walked_and_one_inside_the_tree_is_not(root: Path, git: Git, tmp_path: Path) -> None:
    git(root, "init", "-q")
    grow(root, "a.py")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "worktree", "add", "-q", str(tmp_path / "side"))
    git(root, "worktree", "add", "-q", str(root / "inner"))
    grow(tmp_path / "side", "b.py")
    assert read(tmp_path / "side") == ["a.py", "b.py"]
    assert read(root) == ["a.py"]
    assert skipped(root) == {"inner/": "another git repository"}
    assert read(root, include=["inner/", "a.py"]) == ["a.py", "inner/a.py"]


def test_repositories_in_a_folder_that_is_none_are_walked_each_by_its_own_rules(root: Path, git: Git) -> None:
    for name in ("one", "two"):
        grow(root, f"{name}/a.py", f"{name}/junk.py")
        git(root / name, "init", "-q")
    (root / "one" / ".gitignore").write_text("junk.py\n")
    grow(root, "notes.md")
    assert sorted(path for path in read(root) if "ignore" not in path) == [
        "notes.md", "one/a.py", "two/a.py", "two/junk.py",
    ]  # fmt: skip


def test_a_folder_inside_a_checkout_is_walked_with_the_rules_above_it(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.gen.py\n/scratch/\n")
    grow(root, "src/a.py", "src/b.gen.py", "scratch/c.py")
    assert read(root / "src") == ["a.py"]
    assert read(root / "scratch") == ["c.py"]  # ignored, but asked for


@pytest.fixture(params=["no git", "a bad index", "a bad pointer", "a bare repository"])
def broken(request: pytest.FixtureRequest, root: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose git cannot be asked."""
    grow(root, "a.py", "b.log.py", "sub/c.py", "own.py")
    (root / ".gitignore").write_text("*.log.py\n")
    if request.param == "a bare repository":
        subprocess.run(["git", "init", "-q", "--bare", str(root.parent)], check=True)
    elif request.param == "a bad pointer":
        (root / ".git").write_text("gitdir: /nowhere\n")
    else:
        git(root, "init", "-q")
        (root / ".git" / "info" / "exclude").write_text("own.py\n")
        if request.param == "no git":
            monkeypatch.setenv("PATH", str(root / "empty"))
        else:
            (root / ".git" / "index").write_bytes(b"not an index")
    return root


def test_where_git_cannot_be_asked_the_rules_are_read_here(broken: Path) -> None:
    assert [path for path in read(broken) if path != "own.py"] == [".gitignore", "a.py", "sub/c.py"]


def test_info_exclude_counts_without_git(root: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "init", "-q")
    grow(root, "a.py", "own.py")
    (root / ".git" / "info" / "exclude").write_text("/own.py\n")
    assert read(root) == ["a.py"]
    monkeypatch.setenv("PATH", str(root / "empty"))
    assert read(root) == ["a.py"]
    assert skipped(root, explain=True)["own.py"] == "ignored by .git/info/exclude:1 (/own.py)"


def test_what_the_user_ignores_everywhere_is_ignored_here(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    grow(root, "a.py", "a.scratch")
    grow(Path.home(), ".config/git/ignore", text="*.scratch\n")
    assert read(root) == ["a.py"]


def test_a_tree_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert list(walk(tmp_path / "none")) == [WalkedFile("/", skipped="cannot be read: No such file or directory")]


def test_files_left_out_of_a_sparse_checkout_do_not_come(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    grow(root, "in/a.py", "out/b.py")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "sparse-checkout", "set", "in")
    assert [entry.path for entry in walk(root)] == ["in/a.py"]


def test_listing_runs_nothing_that_a_hostile_repository_names(root: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    git(root, "init", "-q")
    grow(root, "a.py")
    (root / ".gitignore").write_text("x\n")
    git(root, "add", "-A")
    git(root, "config", "core.fsmonitor", f"touch {trap}; false")
    git(root, "config", "core.worktree", "/")
    assert read(root, explain=True) == [".gitignore", "a.py"]
    assert not trap.exists()


def test_a_very_deep_tree_is_walked(tree: Path) -> None:
    depth = 400
    handle = os.open(tree, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=handle)
        inner = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("a.py", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    assert read(tree) == ["d/" * depth + "a.py"]


def test_both_ways_of_walking_agree(root: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(root, "a.py", "src/b.py", "src/x.log", "build/out.js", "vendor/m/v.go", "dist/d.js", "src/vendor/shop.py")
    grow(root, "web/static/vendor/jquery.js", ".env", "src/deep/er/c.py", "tmp/t.py", "k.pem", "package-lock.json")
    (root / ".gitignore").write_text("tmp\n!src/\n")
    git(root, "init", "-q")
    by_git = set(walk(root, explain=True))
    monkeypatch.setenv("PATH", str(root / "empty"))
    assert by_git == set(walk(root, explain=True))


def test_some_paths_have_the_entries_of_a_whole_walk(tree: Path) -> None:
    grow(
        tree, "a.py", "src/b.py", "src/deep/c.py", "src/x.log", "node_modules/m/i.js", ".env", "tmp/t.py", "build/o.txt"
    )
    grow(tree, ":(top)odd.py", "-x.py", "src/*.py", "mine/w.py")
    (tree / ".gitignore").write_text("tmp\n")
    (tree / ".waypostignore").write_text("mine\n")
    whole = {entry.path: entry for entry in walk(tree)}
    asked = [
        "a.py",
        "src/b.py",
        "node_modules/m/i.js",
        ".env",
        "tmp/t.py",
        "build/o.txt",
        ":(top)odd.py",
        "-x.py",
        "gone.py",
    ]
    assert set(look_at(tree, [*asked, "mine/w.py", "a.py"])) == {
        whole[path] for path in ("a.py", "src/b.py", "node_modules/", ".env", "build/", ":(top)odd.py", "-x.py")
    }
    assert {entry.path for entry in look_at(tree, ["src"])} == {"src/*.py", "src/b.py", "src/deep/c.py", "src/x.log"}
    assert [entry.path for entry in look_at(tree, ["src/*.py"])] == ["src/*.py"]
    assert [entry.path for entry in look_at(tree, ["src"], include=["c.py"])] == ["src/deep/c.py"]
    many = [f"none/{number}.py" for number in range(600)]
    assert {entry.path for entry in look_at(tree, [*many, "a.py", "src/deep"])} == {"a.py", "src/deep/c.py"}


@pytest.mark.parametrize(
    "path", ["", "..", "../outside.py", "/etc/passwd", "src/../a.py", ".git/config", "a//b", "a\0b"]
)
def test_paths_that_no_walk_gives_have_no_entries(tree: Path, path: str) -> None:
    grow(tree, "a.py", "../outside.py")
    assert list(look_at(tree, [path])) == []


@pytest.mark.slow
def test_some_paths_of_submodules_and_of_other_repositories(root: Path, git: Git, tmp_path: Path) -> None:
    git(root, "init", "-q")
    make_submodule(root, "mods/one", git, tmp_path / "origin")
    make_submodule(root, "third_party/two", git, tmp_path / "origin2")
    make_submodule(root / "mods/one", "inner", git, tmp_path / "origin3")
    grow(root, "clone/a.py", "mods/one/lib/ignored.py")
    git(root / "clone", "init", "-q")
    asked = [
        "mods/one/lib/s.py",
        "mods/one/lib/ignored.py",
        "mods/one/inner/lib/s.py",
        "third_party/two/lib/s.py",
        "clone/a.py",
    ]
    assert {entry.path: entry.skipped for entry in look_at(root, asked)} == {
        "mods/one/lib/s.py": None,
        "mods/one/inner/lib/s.py": None,
        "third_party/": "other people's code kept in the tree",
        "clone/": "another git repository",
    }


def test_a_new_file_in_a_tracked_build_folder_is_source(root: Path, git: Git) -> None:
    git(root, "init", "-q")
    grow(root, "build/ci/a.yml", "build/ci/b.yml")
    assert skipped(root) == {"build/": "build output"}
    git(root, "add", "build/ci/a.yml")
    assert read(root) == [entry.path for entry in look_at(root, ["build/ci/a.yml", "build/ci/b.yml"])]
    assert [entry.skipped for entry in look_at(root, ["build/ci/b.yml"])] == [None]
