import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from waypost.errors import InvalidInput
from waypost.space import gitconfig, identify, identify_person

Git = Callable[..., str]
ORIGIN = "https://git.example.org/team/shop.git"


def digits(content: bytes | str) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:16]


def place_git(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    folder.mkdir()
    fake = folder / "git"
    fake.write_text(f"#!/bin/sh\n{script}\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_the_id_is_the_hash_of_the_url_of_origin(repository: Path, git: Git) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    identity = identify(repository)
    assert identity.space_id == digits(ORIGIN)
    assert (identity.kind, identity.source, identity.name) == ("project", "origin", "shop")
    assert identity.origin == ORIGIN
    assert identity.root == repository
    assert identity.checkout_id == digits(str(repository))


def test_without_origin_the_id_is_the_hash_of_the_git_root(repository: Path, git: Git) -> None:
    git(repository, "remote", "add", "upstream", ORIGIN)
    identity = identify(repository)
    assert (identity.space_id, identity.source) == (digits(str(repository)), "git-root")
    assert (identity.name, identity.origin) == ("project", None)


def test_without_git_the_id_is_the_hash_of_the_resolved_directory(tmp_path: Path) -> None:
    folder, link = tmp_path / "notes", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    assert identify(folder).space_id == digits(str(folder))
    assert identify(folder).source == "directory"
    assert identify(link) == identify(folder)


def test_the_id_is_the_same_from_any_subdirectory_and_from_inside_the_git_directory(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    assert identify(deep) == identify(repository) == identify(repository / ".git" / "refs")
    monkeypatch.chdir(deep)
    assert identify(Path()) == identify(Path("..")) == identify(repository)


def test_two_clones_and_a_worktree_of_one_origin_are_one_space_with_three_checkouts(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "server.git")
    for name in ("one", "two"):
        git(tmp_path, "clone", "-q", str(tmp_path / "server.git"), name)
    git(tmp_path / "one", "worktree", "add", "-q", str(tmp_path / "three"))
    identities = [identify(tmp_path / name) for name in ("one", "two", "three")]
    assert {identity.space_id for identity in identities} == {digits(str(tmp_path / "server.git"))}
    assert len({identity.checkout_id for identity in identities}) == 3
    assert [identity.root for identity in identities] == [tmp_path / name for name in ("one", "two", "three")]


def test_worktrees_without_origin_share_the_space_of_the_main_worktree(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    main, other = identify(repository), identify(tmp_path / "other")
    assert main.space_id == other.space_id == digits(str(repository))
    assert main.name == other.name == "project"
    assert main.checkout_id != other.checkout_id


def test_worktrees_of_a_bare_repository_share_its_space(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "store.git")
    git(tmp_path / "store.git", "remote", "remove", "origin")
    git(tmp_path / "store.git", "worktree", "add", "-q", str(tmp_path / "tree"), "main")
    bare, tree = identify(tmp_path / "store.git"), identify(tmp_path / "tree")
    assert bare.space_id == tree.space_id == digits(str(tmp_path / "store.git"))
    assert (bare.name, bare.source) == ("store", "git-root")


def test_a_submodule_is_a_project_of_its_own(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repository), "part.git")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "part.git"), "sub")
    inner = identify(repository / "sub")
    assert inner.space_id == digits(str(tmp_path / "part.git"))
    assert inner.root == repository / "sub"
    assert inner.space_id != identify(repository).space_id


def test_a_separate_git_directory_and_its_worktree_share_a_space(tmp_path: Path, git: Git) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    git(root, "worktree", "add", "-q", str(tmp_path / "second"))
    assert identify(root).root == root
    assert identify(root).space_id == identify(tmp_path / "second").space_id


def test_a_hooks_environment_does_not_change_whose_memory_it_is(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "extra").write_text(f'[remote "origin"]\n\turl = {ORIGIN}\n')
    git(other, "config", "include.path", str(other / "extra"))  # so that git itself is asked
    expected = identify(other)
    assert expected.space_id == digits(ORIGIN)
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(repository))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "remote.origin.url")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://evil.example.org/x")
    assert identify(other) == expected


def test_a_bare_repository_checked_in_by_a_stranger_does_not_name_another_project(repository: Path, git: Git) -> None:
    trap = repository / "vendor" / "trap"
    trap.mkdir(parents=True)
    git(trap, "init", "-q", "--bare")
    git(trap, "remote", "add", "origin", ORIGIN)
    assert identify(trap) == identify(repository)


def test_an_empty_git_directory_is_no_repository(repository: Path) -> None:
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    assert identify(inner) == identify(repository)


def test_nothing_that_the_repository_configures_is_executed(repository: Path, git: Git, tmp_path: Path) -> None:
    mark = tmp_path / "executed"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "alias.config", "pager.config"):
        git(repository, "config", key, str(script))
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(repository, "config", "remote.origin.url", ORIGIN)
    assert identify(repository).space_id == digits(ORIGIN)
    assert not mark.exists()


def test_a_repository_of_another_owner_has_the_same_id(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "config", "remote.origin.url", ORIGIN)
    git(repository, "config", "extensions.worktreeConfig", "true")  # so that git itself is asked
    # git's own switch for its tests; our calls drop every GIT_ variable, so it is put behind that.
    pretend = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}
    clean = gitconfig.git_environment()
    refused = subprocess.run(
        ["git", "status"], cwd=repository, env=clean | pretend, capture_output=True, text=True, check=False
    )
    assert "dubious ownership" in refused.stderr
    monkeypatch.setattr(gitconfig, "git_environment", lambda: clean | pretend)
    assert identify(repository).space_id == digits(ORIGIN)


def test_a_plain_repository_needs_no_git_command(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert identify(repository).space_id == digits(ORIGIN)


def test_where_only_git_can_tell_and_it_is_missing_the_error_says_so(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "config", "include.path", "extra")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(InvalidInput, match="git is not installed"):
        identify(repository)


def test_a_git_that_hangs_is_ended_with_an_error_not_another_id(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "config", "include.path", "extra")
    place_git(tmp_path / "bin", monkeypatch, f"echo $$ > {tmp_path / 'pid'}\nsleep 60")
    with pytest.raises(InvalidInput, match=r"did not answer within 0\.5 s"):
        identify(repository, timeout=0.5)
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_git_that_fails_is_an_error_not_another_id(repository: Path) -> None:
    with (repository / ".git" / "config").open("a") as config:
        config.write('[remote "origin"\nurl = x\n')
    with pytest.raises(InvalidInput, match="bad config"):
        identify(repository)


def test_the_users_own_git_settings_have_no_part_in_the_id(repository: Path, git: Git) -> None:
    git(repository, "config", "remote.origin.url", "https://git.example.org/x.git")
    git(repository, "config", "--global", "url.ssh://git@mirror/.insteadOf", "https://git.example.org/")
    before = identify(repository)
    git(repository, "config", "extensions.worktreeConfig", "true")
    assert before == identify(repository)
    assert before.space_id == digits("https://git.example.org/x.git")


def test_a_worktree_that_lost_its_repository_is_an_error_not_another_id(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    shutil.rmtree(repository)
    with pytest.raises(InvalidInput, match="not a git repository"):
        identify(tmp_path / "other")


@pytest.mark.parametrize("content", [b"", b"nonsense", b"gitdir: \0", b"gitdir: " + b"x" * 100_000])
def test_a_broken_git_file_is_an_error_not_another_id(repository: Path, content: bytes) -> None:
    inner = repository / "inner"
    inner.mkdir()
    (inner / ".git").write_bytes(content)
    with pytest.raises(InvalidInput):
        identify(inner)


def test_a_pipe_in_place_of_the_configuration_does_not_keep_us_waiting(repository: Path) -> None:
    config = repository / ".git" / "config"
    config.unlink()
    os.mkfifo(config)
    with pytest.raises(InvalidInput, match="not a plain file"):
        identify(repository)


def test_a_missing_directory_a_file_and_a_loop_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for given in ("missing", "file", "loop", "nul\0", "x" * 5000):
        with pytest.raises(InvalidInput):
            identify(tmp_path / given)


def test_odd_directory_names_have_an_id_and_a_printable_name(tmp_path: Path) -> None:
    for name in (b"new\nline", b"not-utf8-\xff\xfe", "żółw und Ёж".encode(), b" space "):
        folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        folder.mkdir()
        identity = identify(folder)
        assert identity.space_id == digits(os.fsencode(folder))
        identity.name.encode("utf-8")
        assert "\n" not in identity.name


def test_projects_whose_paths_differ_in_case_only_are_different(tmp_path: Path) -> None:
    for name in ("Shop", "shop"):
        (tmp_path / name).mkdir(exist_ok=True)
    if len(list(tmp_path.iterdir())) == 2:
        assert identify(tmp_path / "Shop").space_id != identify(tmp_path / "shop").space_id
    else:  # a file system that ignores case: one directory, one project
        assert identify(tmp_path / "Shop") == identify(tmp_path / "shop")


def test_a_relative_origin_names_another_project_in_every_place(tmp_path: Path, git: Git) -> None:
    ids = set()
    for parent in ("a", "b"):
        root = tmp_path / parent / "work"
        root.mkdir(parents=True)
        git(root, "init", "-q")
        git(root, "remote", "add", "origin", "../server.git")
        identity = identify(root)
        assert identity.space_id == digits(str(tmp_path / parent / "server.git"))
        ids.add(identity.space_id)
    assert len(ids) == 2


def test_an_unreadable_configuration_is_an_error_not_another_id(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = repository / ".git" / "config"
    real_open = os.open

    def refuse(path: os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        if Path(path) == config:  # root, who runs some test machines, is refused nothing
            raise PermissionError(13, "Permission denied")
        return real_open(path, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InvalidInput, match="Permission denied"):
        identify(repository)


def test_a_person_has_a_space_of_their_own() -> None:
    ada = identify_person("Ada")
    assert (ada.kind, ada.name, ada.source, ada.origin) == ("person", "Ada", "person", None)
    assert ada.space_id == identify_person(" Ada ").space_id
    assert ada.space_id != identify_person("ada").space_id
    assert identify_person("Zoe\u0308").space_id == identify_person("Zo\u00eb").space_id


@pytest.mark.parametrize("claim", ["person:Ada", "person\\0Ada", '"person\0Ada"', "Ada"])
def test_no_project_computes_a_persons_id(repository: Path, claim: str) -> None:
    with (repository / ".git" / "config").open("a") as config:
        config.write(f'[remote "origin"]\n\turl = {claim}\n')
    try:
        identity = identify(repository)
    except InvalidInput:
        return
    assert identity.space_id != identify_person("Ada").space_id


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a\0b", "x" * 256, "\ud800"])
def test_an_unusable_persons_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        identify_person(name)


def test_identifying_writes_nothing_into_the_repository(repository: Path, git: Git) -> None:
    git(repository, "config", "extensions.worktreeConfig", "true")

    def state() -> set[tuple[str, int]]:
        return {(str(p), p.stat().st_mtime_ns) for p in repository.rglob("*") if stat.S_ISREG(p.stat().st_mode)}

    before = state()
    identify(repository)
    assert state() == before
