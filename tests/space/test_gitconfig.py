import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waypost.errors import InvalidInput
from waypost.space.gitconfig import origin_url

HEAD = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"


def git_says(config: Path) -> str | None:
    command = ["git", "config", "-z", "--includes", "--file", str(config), "--get-all", "remote.origin.url"]
    done = subprocess.run(command, capture_output=True, check=False)
    values = done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return values[0] if values else None


@pytest.mark.parametrize(
    "text",
    [
        '[remote "origin"]\n\turl = https://h/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
        '[Remote "origin"]\n  URL=https://h/x.git   \n',
        '[remote "origin"] url = https://h/x.git\n',
        '[remote "origin"]\r\n\turl = https://h/x.git\r\n',
        '[remote "origin"]\n\turl = https://h/x.git # ours\n',
        '[remote "origin"]\n\turl = "https://h/#x;y.git"\n',
        '[remote "origin"]\n\turl = https://h/"a b"/x.git\n',
        '[remote "origin"]\n\turl = /srv/my repositories/x.git\n',
        '[remote "origin"]\n\turl = https://h/\\\n/x.git\n',
        '[remote "origin"]\n\turl = C:\\\\repo\\tx\n',
        '[remote "Origin"]\n\turl = https://h/other.git\n',
        "[remote.origin]\n\turl = https://h/dotted.git\n",
        '[remote "ori\\gin"]\n\turl = https://h/escaped.git\n',
        '[remote "upstream"]\n\turl = https://h/up.git\n',
        '# [remote "origin"]\n; url = x\n',
        '[remote "origin"]\n\turl = https://h/1\n\turl = https://h/2\n[remote "origin"]\n\turl = https://h/3\n',
        '[alias]\n\tx = "!f() { \\\n[remote \\"origin\\"] \\\nurl = no; }; f"\n[remote "origin"]\nurl = yes\n',
        '\ufeff[remote "origin"]\n\turl = https://h/bom.git\n',
        '[remote "origin"]\n\turl = https://h/äöü/ёж.git\n',
        '[remote "origin"]\n\tpushurl = https://h/push.git\n',
        "",
    ],
)
def test_the_url_is_the_one_git_reads(repository: Path, text: str) -> None:
    config = repository / ".git" / "config"
    config.write_bytes((text if text.startswith("\ufeff") else HEAD + text).encode())
    assert origin_url(repository / ".git", repository / ".git", timeout=5) == git_says(config)


def test_an_empty_url_clears_the_ones_before_it(repository: Path) -> None:
    config = repository / ".git" / "config"
    config.write_text(HEAD + '[remote "origin"]\n\turl = https://h/1\n\turl =\n\turl = https://h/2\n')
    assert origin_url(repository / ".git", repository / ".git", timeout=5) == "https://h/2"
    config.write_text(HEAD + '[remote "origin"]\n\turl = https://h/1\n\turl = ""\n')
    assert origin_url(repository / ".git", repository / ".git", timeout=5) is None


def test_includes_and_worktree_configuration_are_followed(repository: Path) -> None:
    git_dir = repository / ".git"
    (git_dir / "extra").write_text('[remote "origin"]\n\turl = https://h/included.git\n')
    (git_dir / "config").write_text(HEAD + "[include]\n\tpath = extra\n")
    assert origin_url(git_dir, git_dir, timeout=5) == "https://h/included.git"
    (git_dir / "config").write_text(HEAD + f'[includeIf "gitdir:{git_dir}"]\n\tpath = extra\n')
    assert origin_url(git_dir, git_dir, timeout=5) == "https://h/included.git"
    (git_dir / "config").write_text("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n")
    (git_dir / "config.worktree").write_text('[remote "origin"]\n\turl = https://h/worktree.git\n')
    assert origin_url(git_dir, git_dir, timeout=5) == "https://h/worktree.git"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.sampled_from('ab/:@.#; "\\\tüн'), max_size=12))
def test_any_value_is_read_as_git_reads_it(repository: Path, value: str) -> None:
    config = repository / ".git" / "config"
    config.write_text(HEAD + f'[remote "origin"]\n\turl = {value}\n')
    try:
        ours = origin_url(repository / ".git", repository / ".git", timeout=5)
    except InvalidInput:
        check = subprocess.run(["git", "config", "--file", str(config), "--list"], capture_output=True, check=False)
        assert check.returncode != 0
        return
    assert ours == (git_says(config) or None)
