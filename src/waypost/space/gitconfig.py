"""The URL of `origin` in the repository's own configuration.

A plain file is parsed here, which takes microseconds. For others (includes, per-worktree configuration, escapes), git
is asked. `url.insteadOf` and the user's global configuration are ignored: the id must not depend on the user.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.errors import InvalidInput
from waypost.system.platform import read_small_file

if TYPE_CHECKING:
    import subprocess

_LARGEST_CONFIG = 1_000_000
_BLANK = re.compile(r"[ \t]*(?:[#;].*)?")
_SECTION = re.compile(r'[ \t]*\[(?P<name>[A-Za-z0-9-]+)(?:[ \t]+"(?P<sub>[^"\\]*)")?\][ \t]*(?:[#;].*)?')
_VARIABLE = re.compile(r"[ \t]*(?P<key>[A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*+(?P<value>.*))?")
_PLAIN_VALUE = re.compile(r'"(?P<quoted>[^"\\]*)"|(?P<bare>[^"\\#;\s]+(?: +[^"\\#;\s]+)*)?')


class _NotPlain(Exception):
    """Only git itself can read this file."""


def origin_url(git_dir: Path, common_dir: Path, *, timeout: float) -> str | None:
    """The URL of the remote `origin`, or None. If it has several, the first, from which git fetches.

    Raises InvalidInput if the configuration cannot be read, since guessing would open another memory.
    """
    config = common_dir / "config"
    try:
        text = read_small_file(config, _LARGEST_CONFIG).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"{config} cannot be read: {error.strerror}.", "Make it readable for this user.") from error
    try:
        urls = _plain_origin_urls(text)
    except _NotPlain:
        urls = _ask_git(git_dir, timeout)
    return _first_url(urls)


def _first_url(urls: list[str]) -> str | None:
    if "" in urls:  # an empty value clears the list before it
        urls = urls[len(urls) - urls[::-1].index("") :]
    return urls[0] if urls else None


def _plain_origin_urls(text: str) -> list[str]:
    urls: list[str] = []
    section: tuple[str, str | None] = ("", None)
    for raw in text.removeprefix("\ufeff").split("\n"):
        line = raw.removesuffix("\r")
        if line.endswith("\\") or "\0" in line:
            raise _NotPlain
        if _BLANK.fullmatch(line):
            continue
        if header := _SECTION.fullmatch(line):
            section = (header["name"].lower(), header["sub"])
            if section[0] in {"include", "includeif"}:
                raise _NotPlain
            continue
        variable = _VARIABLE.fullmatch(line)
        if variable is None:
            raise _NotPlain
        key, value = variable["key"].lower(), variable["value"]
        if section == ("extensions", None) and key == "worktreeconfig":
            raise _NotPlain
        if section == ("remote", "origin") and key == "url":
            urls.append(_plain_value(value))
    return urls


def _plain_value(value: str | None) -> str:
    plain = _PLAIN_VALUE.fullmatch(value.rstrip(" \t")) if value is not None else None
    if plain is None:
        raise _NotPlain
    return plain["quoted"] or plain["bare"] or ""


def _ask_git(git_dir: Path, timeout: float) -> list[str]:
    """Every value of `remote.origin.url`, read by git from this repository's configuration only.

    `git config` runs no hook, filter or monitor, and a directory given by name needs no `safe.directory`.
    """
    import shutil  # only unusual repositories need these
    import subprocess

    git = shutil.which("git")
    if git is None or not os.path.isabs(git):
        raise InvalidInput(
            f"{git_dir / 'config'} can only be read by git, and git is not installed.", "Install git and try again."
        )
    command = [git, "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", f"--git-dir={git_dir}"]
    process = subprocess.Popen(
        [*command, "config", "-z", "--get-all", "remote.origin.url"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=git_environment(),
        start_new_session=True,
    )
    with process:
        try:
            output, complaint = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as error:
            end_with_children(process)
            raise InvalidInput(
                f"git did not answer within {timeout:g} s about {git_dir}.",
                "Check that the disk answers and that `git config --list` works there, then try again.",
            ) from error
    if process.returncode == 1 and not output:
        return []
    if process.returncode != 0:
        reason = complaint.decode("utf-8", "replace").strip().partition("\n")[0]
        raise InvalidInput(f"git cannot read {git_dir / 'config'}: {reason}", "Repair that file and try again.")
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def git_environment() -> dict[str, str]:
    """An environment in which git uses only the given repository, without global or system settings."""
    # A git hook sets GIT_DIR and others for its own repository, which may not be the one in question.
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    return environment | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


def end_with_children(process: "subprocess.Popen[bytes]") -> None:
    """Kill git and its child processes, which could keep our pipes open."""
    if os.name == "posix":
        import signal

        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
