"""Putting hooks beside those that are there, and taking them away again to the byte."""

import os
import shutil
import stat
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.hooks.conftest import Background, WriteHook, commit_file

from waypost.errors import InvalidInput, Refused, StoreReadOnly
from waypost.faces.hooks.git import install as hooks
from waypost.faces.hooks.git.install import HookReport, install, status, uninstall
from waypost.faces.hooks.git.script import EVENTS, Installer

pytestmark = pytest.mark.slow  # not for the inner loop

Tree = dict[str, tuple[int, bytes]]


def tree_of(folder: Path) -> Tree:
    """Every file and link of a folder with its mode and content."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else b"" if path.is_dir() else path.read_bytes()
        found[path.relative_to(folder).as_posix()] = (mode, content)
    return found


def deeds(report: HookReport) -> list[str]:
    return [one.deed for one in report.done]


def test_hooks_are_installed_executable_and_for_their_owner_to_change(repository: Path, installer: Installer) -> None:
    old = os.umask(0)
    try:
        report = install(repository, installer)
    finally:
        os.umask(old)
    assert deeds(report) == ["installed"] * 4
    assert [one.hook.name for one in report.done] == list(EVENTS)
    assert {stat.S_IMODE(one.hook.stat().st_mode) for one in report.done} == {0o755}
    assert status(repository, installer).installed


def test_installing_again_changes_nothing_and_another_python_brings_them_up_to_date(
    repository: Path, installer: Installer
) -> None:
    install(repository, installer)
    before = tree_of(repository / ".git/hooks")
    assert deeds(install(repository, installer)) == ["unchanged"] * 4
    assert tree_of(repository / ".git/hooks") == before
    other = Installer("/elsewhere/python", "/other/home")
    assert {hook.state for hook in status(repository, other).hooks} == {"outdated"}
    assert deeds(install(repository, other)) == ["updated"] * 4
    assert b"/elsewhere/python" in (repository / ".git/hooks/post-merge").read_bytes()


def test_uninstalling_gives_everything_back_to_the_byte(
    repository: Path, installer: Installer, write_hook: WriteHook
) -> None:
    write_hook("post-commit", "echo mine\r\n# \x00 \xff", mode=0o751)
    write_hook("post-merge", "exit 3", mode=0o640)
    write_hook("pre-push", "exit 1")
    (repository / "scripts").mkdir()
    os.symlink("../../scripts/missing", repository / ".git/hooks/post-checkout")
    before = tree_of(repository / ".git/hooks")
    assert deeds(install(repository, installer)) == ["installed"] * 4
    assert tree_of(repository / ".git/hooks") != before
    assert deeds(uninstall(repository)) == ["restored", "restored", "removed", "restored"]
    assert tree_of(repository / ".git/hooks") == before
    assert deeds(uninstall(repository)) == ["missing"] * 4
    assert tree_of(repository / ".git/hooks") == before


def test_the_hook_that_was_there_runs_first_with_what_git_gives_and_its_exit_code_counts(
    repository: Path, git: Git, background: Background, installer: Installer, write_hook: WriteHook
) -> None:
    write_hook("post-rewrite", 'echo "$* $(cat)" >seen')
    write_hook("post-checkout", "exit 7")
    old = git(repository, "rev-parse", "HEAD")
    install(repository, installer)
    background.of(repository, "commit", "-q", "--amend", "-m", "better")
    assert (repository / "seen").read_text() == f"amend {old} {git(repository, 'rev-parse', 'HEAD')}\n"
    assert background.events(repository, "checkout", "-q", "-b", "side", fails=True) == ["post-checkout"]
    done = subprocess.run([".git/hooks/post-checkout", old, old, "1"], cwd=repository, check=False)
    assert done.returncode == 7


@pytest.mark.parametrize(
    ("shebang", "body"),
    [
        ("#!/bin/sh", 'basename "$0" >seen'),
        ("#!/usr/bin/env sh", '. "$(dirname "$0")/h"'),
        ("#!/bin/sh -e", 'echo "${0##*/}" >seen; false; echo no >>seen'),
    ],
)
def test_a_shell_script_still_finds_the_name_that_git_called(
    repository: Path, git: Git, installer: Installer, write_hook: WriteHook, shebang: str, body: str
) -> None:
    write_hook("post-commit", body, shebang=shebang)
    write_hook("h", 'n=$(basename "$0")\necho "$n" >seen')
    install(repository, installer)
    commit_file(repository, git, "b.txt")
    assert (repository / "seen").read_text() == "post-commit\n"


def test_a_script_that_asks_whether_it_is_read_in_is_started(
    repository: Path, git: Git, installer: Installer, write_hook: WriteHook
) -> None:
    if not shutil.which("bash"):
        pytest.skip("no bash here")
    write_hook("post-commit", '[ "${BASH_SOURCE[0]}" = "$0" ] && echo main >seen', shebang="#!/usr/bin/env bash")
    install(repository, installer)
    commit_file(repository, git, "b.txt")
    assert (repository / "seen").read_text() == "main\n"


def test_a_hook_that_was_not_executable_is_still_not_run(
    repository: Path, git: Git, installer: Installer, write_hook: WriteHook
) -> None:
    write_hook("post-commit", "touch seen", mode=0o644)
    install(repository, installer)
    commit_file(repository, git, "b.txt")
    assert not (repository / "seen").exists()


def test_a_hook_that_somebody_changed_is_left_by_uninstall_and_refused_by_install(
    repository: Path, installer: Installer
) -> None:
    install(repository, installer)
    hook = repository / ".git/hooks/post-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    changed = hook.read_bytes()
    with pytest.raises(Refused, match="edited"):
        install(repository, Installer("/other"))
    assert deeds(uninstall(repository)) == ["left", "removed", "removed", "removed"]
    assert hook.read_bytes() == changed


def test_a_hook_that_was_put_over_ours_is_left_and_so_is_the_one_that_was_kept(
    repository: Path, installer: Installer, write_hook: WriteHook
) -> None:
    write_hook("post-commit", "echo first")
    install(repository, installer)
    write_hook("post-commit", "echo second")
    with pytest.raises(Refused, match="waypost-kept"):
        install(repository, installer)
    assert "another program" in status(repository, installer).notes[0]
    report = uninstall(repository)
    assert deeds(report) == ["left", "removed", "removed", "removed"]
    assert "over" in report.done[0].reason
    hooks = repository / ".git/hooks"
    assert (hooks / "post-commit").read_text() == "#!/bin/sh\necho second\n"
    assert (hooks / "post-commit.waypost-kept").read_text() == "#!/bin/sh\necho first\n"


def test_a_program_that_writes_its_own_hook_again_can_be_joined_again(
    repository: Path, installer: Installer, write_hook: WriteHook
) -> None:
    write_hook("post-commit", "echo husky")
    install(repository, installer)
    write_hook("post-commit", "echo husky")
    assert deeds(install(repository, installer))[0] == "installed"
    assert deeds(uninstall(repository))[0] == "restored"
    assert (repository / ".git/hooks/post-commit").read_text() == "#!/bin/sh\necho husky\n"


def test_nothing_is_half_done_where_the_folder_cannot_be_written(
    repository: Path, installer: Installer, write_hook: WriteHook, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_hook("post-commit", "echo mine")
    write_hook("post-merge", "echo mine")
    before = tree_of(repository / ".git/hooks")
    replace, calls = os.replace, iter(range(9))

    def fail_once(source: Path, target: Path) -> None:
        if next(calls) == 1:
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        install(repository, installer)
    assert tree_of(repository / ".git/hooks") == before


def test_two_who_install_at_once_lose_nobodys_hook(
    repository: Path, installer: Installer, write_hook: WriteHook, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_hook("post-commit", "echo mine")
    place_all = hooks._place_all

    def after_another(found: Sequence[hooks.Hook], by: Installer) -> None:
        monkeypatch.setattr(hooks, "_place_all", place_all)
        install(repository, installer)
        place_all(found, by)

    monkeypatch.setattr(hooks, "_place_all", after_another)
    with pytest.raises(Refused, match="meanwhile"):
        install(repository, installer)
    assert status(repository, installer).installed
    uninstall(repository)
    assert (repository / ".git/hooks/post-commit").read_text() == "#!/bin/sh\necho mine\n"


def test_a_folder_that_is_read_only_is_told(repository: Path, installer: Installer, write_hook: WriteHook) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    hooks = write_hook("post-commit", "echo mine").parent
    before = tree_of(hooks)
    hooks.chmod(0o555)
    try:
        with pytest.raises(StoreReadOnly, match="hooks"):
            install(repository, installer)
    finally:
        hooks.chmod(0o755)
    assert tree_of(hooks) == before


@pytest.mark.parametrize("how", ["absolute", "relative", "home"])
def test_hooks_go_where_the_configuration_says(
    repository: Path, git: Git, installer: Installer, background: Background, tmp_path: Path, how: str
) -> None:
    home = Path(os.environ["HOME"])
    value, folder, place = {
        "absolute": (str(tmp_path / "my hooks"), tmp_path / "my hooks", "shared"),
        "relative": ("tools/hooks", repository / "tools/hooks", "tree"),
        "home": ("~/hooks", home / "hooks", "shared"),
    }[how]
    git(repository, "config", "core.hooksPath", value)
    with pytest.raises(Refused, match=r"core\.hooksPath"):
        install(repository, installer)
    assert not folder.exists()
    report = install(repository, installer, force=True)
    assert (report.folder.path, report.folder.place) == (folder, place)
    assert report.notes
    assert background.events(repository, "commit", "-q", "--allow-empty", "-m", "x") == ["post-commit"]
    assert deeds(uninstall(repository)) == ["removed"] * 4
    assert tree_of(folder) == {}


def test_a_folder_that_git_ignores_is_used_with_a_warning(repository: Path, git: Git, installer: Installer) -> None:
    husky = repository / ".husky/_"
    husky.mkdir(parents=True)
    (husky / ".gitignore").write_text("*")
    git(repository, "config", "core.hooksPath", ".husky/_")
    report = install(repository, installer)
    assert report.folder.place == "ignored"
    assert "another program" in report.notes[0]
    assert git(repository, "status", "--porcelain") == ""


def test_a_link_to_a_folder_of_the_tree_is_a_folder_of_the_tree(repository: Path, installer: Installer) -> None:
    (repository / "scripts").mkdir()
    shutil.rmtree(repository / ".git/hooks")
    os.symlink("../scripts", repository / ".git/hooks")
    with pytest.raises(Refused, match="is versioned"):
        install(repository, installer)
    assert list((repository / "scripts").iterdir()) == []


def test_hooks_from_before_the_configuration_changed_are_told_and_removed(
    repository: Path, git: Git, installer: Installer
) -> None:
    install(repository, installer)
    git(repository, "config", "core.hooksPath", "elsewhere")
    assert "does not use" in status(repository, installer).notes[0]
    report = uninstall(repository)
    assert deeds(report) == ["missing"] * 4 + ["removed"] * 4
    assert not (repository / ".git/hooks/post-commit").exists()


def test_worktrees_share_their_hooks_unless_one_is_configured_by_itself(
    repository: Path, git: Git, installer: Installer, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(repository, "worktree", "add", "-q", str(other))
    assert install(other, installer).folder.path == repository / ".git/hooks"
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(other, "config", "--worktree", "core.hooksPath", ".git-hooks")
    assert status(other, installer).folder.path == other / ".git-hooks"
    assert status(repository, installer).folder.path == repository / ".git/hooks"
    assert not status(other, installer).installed


def test_where_there_is_no_checkout_it_is_said(
    repository: Path, git: Git, installer: Installer, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    (tmp_path / "plain").mkdir()
    for place, words in (
        (bare, "bare"),
        (tmp_path / "plain", "not in a git repository"),
        (repository / ".git", "inside a git directory"),
        (tmp_path / "missing", "no directory"),
    ):
        with pytest.raises(InvalidInput, match=words):
            install(place, installer)
    assert not (bare / "hooks/post-commit").exists()
    git(repository, "config", "core.bare", "true")
    with pytest.raises(InvalidInput, match="bare"):
        install(repository, installer)


@pytest.mark.parametrize(
    ("value", "words"), [("/dev/null", "switched off"), ("", "empty"), ("~nobody-here/x", "not report")]
)
def test_hooks_that_are_switched_off_are_told(
    repository: Path, git: Git, installer: Installer, value: str, words: str
) -> None:
    git(repository, "config", "core.hooksPath", value)
    with pytest.raises(InvalidInput, match=words):
        install(repository, installer)
