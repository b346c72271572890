"""Ask git about a checkout, in a way that a hostile repository cannot turn into running its commands.

A repository's own configuration names programs: monitors, hooks, filters, signature checkers, transports. All are
switched off by options that outrank it; filters are first asked by name, since each must be switched off by itself. The
user's own configuration stays in force, for it says what they never want to see (`core.excludesFile`). The git directory
is named, so that git neither searches for one nor needs `safe.directory`.
"""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.code.git.git_directory import obstacle
from waypost.errors import InvalidInput
from waypost.space.gitconfig import end_with_children, git_environment
from waypost.space.platform import is_asleep
from waypost.space.repository import find_repository

if TYPE_CHECKING:
    import subprocess

_PATIENCE = 30.0  # seconds, for a listing of a cold tree of many files
_QUIET = 1.0  # seconds between two looks at a git that has not answered: one that sleeps at both waits for somebody
_UNASKED = 60.0  # seconds for which a repository that did not answer is not asked again
_MOST_FILTERS = 64
_OPTIONS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "core.splitIndex=false",  # a copy of the index must not write parts of itself into the repository
    "core.untrackedCache=keep",
    "core.sshCommand=false",
    "protocol.allow=never",
    "log.showSignature=false",
    "log.follow=false",
    "diff.external=",
    f"diff.orderFile={os.devnull}",
    "status.showStash=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch what it lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "GIT_ATTR_NOSYSTEM": "1",
}
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # paths given to git are names, not patterns
_NEVER_ASKED = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL")


@dataclass(frozen=True, slots=True)
class GitCheckout:
    """A folder inside a git checkout, and the git that can be asked about it."""

    folder: Path
    prefix: str  # of the folder inside the checkout, as `a/b/`; empty at its root
    top: Path
    git_dir: Path
    common_dir: Path
    program: str  # empty when git is not installed: then every question has the answer None

    def ask(
        self,
        *arguments: str,
        given: bytes = b"",
        seconds: float = _PATIENCE,
        variables: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        accept_part: bool = False,
    ) -> bytes | None:
        """What git prints; None when it fails or takes too long. `accept_part`: what came in time is good enough."""
        import subprocess

        if not self.program or self._is_silent():
            return None
        command = [self.program, "--no-pager", f"--git-dir={self.git_dir}", f"--work-tree={self.top}"]
        for option in (*_OPTIONS, *options):
            command += ["-c", option]
        environment = {name: value for name, value in git_environment().items() if name not in _NEVER_ASKED}
        try:
            process = subprocess.Popen(
                [*command, *arguments],
                cwd=self.folder,
                stdin=subprocess.PIPE if given else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment | _VARIABLES | dict(variables or {}),
                start_new_session=True,
            )
        except OSError:
            return None
        with process:
            output = _output(process, given, seconds)
            if output is None:
                end_with_children(process)
                output, _ = process.communicate()
                if not accept_part:
                    _silent[self.git_dir] = time.monotonic()
                return output if accept_part else None
        return output if process.returncode == 0 else None

    def _is_silent(self) -> bool:
        since = _silent.get(self.git_dir)
        return since is not None and time.monotonic() - since < _UNASKED

    def without_filters(self) -> tuple[str, ...] | None:
        """Options that switch every configured filter off, for questions that compare contents.

        None when that cannot be done for sure: then such questions must not be asked.
        """
        answer = self.ask("config", "--list", "--name-only", "-z")
        if answer is None:
            return None
        names = {
            key.removeprefix("filter.").rpartition(".")[0]
            for key in answer.decode("utf-8", "surrogateescape").split("\0")
            if key.startswith("filter.")
        }
        if len(names) > _MOST_FILTERS or any("=" in name or "\n" in name for name in names):
            return None
        settings = ("clean=", "smudge=", "process=", "required=false")
        return tuple(f"filter.{name}.{setting}" for name in sorted(names) for setting in settings)


_silent: dict[Path, float] = {}  # git directories about which git did not answer, and when that was


def _output(process: "subprocess.Popen[bytes]", given: bytes, seconds: float) -> bytes | None:
    """What git prints; None when it takes too long, or sleeps although nobody keeps it waiting: on a pipe, say, that a
    hostile repository has as one of its files."""
    import subprocess

    end = time.monotonic() + seconds
    before: object = None
    sent: bytes | None = given or None
    while (left := end - time.monotonic()) > 0:
        try:
            return process.communicate(sent, timeout=min(left, _QUIET))[0]
        except subprocess.TimeoutExpired:
            sent = None
        now = is_asleep(process.pid)
        if now is not None and now == before:
            return None
        before = now
    return None


def open_checkout(folder: Path) -> GitCheckout | None:
    """The checkout that holds this folder; None when there is none, or when git cannot be asked about it."""
    import shutil

    try:
        folder = folder.resolve(strict=True)
        repository = find_repository(folder)
    except (InvalidInput, OSError, RuntimeError):
        return None
    if repository is None or repository.root == repository.git_dir or folder.is_relative_to(repository.git_dir):
        return None
    if obstacle(repository.root, repository.git_dir, repository.common_dir) is not None:
        return None
    program = shutil.which("git") or ""
    if not os.path.isabs(program):
        program = ""  # found in the working directory, which may be the hostile tree itself
    inside = folder.relative_to(repository.root).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    return GitCheckout(folder, prefix, repository.root, repository.git_dir, repository.common_dir, program)


def hindrance(folder: Path) -> str:
    """The file of the repository around this folder because of which git is not asked; "" when there is none."""
    try:
        repository = find_repository(folder.resolve(strict=True))
    except (InvalidInput, OSError, RuntimeError):
        return ""
    found = repository and obstacle(repository.root, repository.git_dir, repository.common_dir)
    if not repository or not found:
        return ""
    return found.relative_to(repository.root).as_posix() if found.is_relative_to(repository.root) else found.name
