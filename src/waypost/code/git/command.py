"""Run git in a checkout so that a hostile repository cannot make it run commands.

A repository's configuration names programs: monitors, hooks, filters, signature checkers, transports. Options with
higher priority switch all of them off; filters are listed first, since each needs its own option. The user's own
configuration stays active, for example `core.excludesFile`. The git directory is given explicitly, so git does not
search for one or need `safe.directory`.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.errors import InvalidInput
from waypost.space.gitconfig import end_with_children, git_environment
from waypost.space.repository import find_repository
from waypost.system.platform import sleeping_cpu_time

if TYPE_CHECKING:
    import subprocess

_PATIENCE = 30.0  # seconds; listing many files from a cold disk is slow
_QUIET = 1.0  # seconds between two checks: a git asleep at both is blocked
_UNASKED = 60.0  # seconds before a repository that did not answer is queried again
_LONG = 10.0  # seconds; who waits less only wants a quick answer, and says nothing about the repository
_MOST_FILTERS = 64
_OPTIONS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.quotePath=false",
    "core.splitIndex=false",  # a copy of the index must not write into the repository
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
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch missing objects
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_PAGER": "cat",
    "GIT_ATTR_NOSYSTEM": "1",
}
LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}  # paths are names, not patterns
_LARGEST_HEAD = 64_000  # bytes: it contains one name
_MOST_CHECKED = 20_000  # entries; with more references git is slow anyway
_FOLDERS = ("", "info", "objects/info", "objects/pack", "reftable")
_TREES = ("refs",)
_IN_TREE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")
_DROPPED_VARIABLES = ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL")


@dataclass(frozen=True, slots=True)
class GitCheckout:
    """A folder inside a git checkout, with a safe way to run git on it."""

    folder: Path
    prefix: str  # path of the folder within the checkout, such as `a/b/`; empty at its root
    top: Path
    git_dir: Path
    common_dir: Path
    program: str  # empty if git is not installed: then `ask` returns None

    def ask(
        self,
        *arguments: str,
        given: bytes = b"",
        seconds: float = _PATIENCE,
        variables: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
        accept_part: bool = False,
    ) -> bytes | None:
        """Run git and return its output. None on failure or timeout, unless `accept_part` allows partial output."""
        import subprocess

        if not self.program or self.is_silent():
            return None
        command = [self.program, "--no-pager", f"--git-dir={self.git_dir}", f"--work-tree={self.top}"]
        for option in (*_OPTIONS, *options):
            command += ["-c", option]
        environment = {name: value for name, value in git_environment().items() if name not in _DROPPED_VARIABLES}
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
            try:
                output = _output(process, given, seconds)
            except TimeoutError as error:
                end_with_children(process)
                output, _ = process.communicate()
                if not accept_part and (isinstance(error, _Blocked) or seconds >= _LONG):
                    _silent[self.git_dir] = time.monotonic()
                return output if accept_part else None
        return output if process.returncode == 0 else None

    def is_silent(self) -> bool:
        """Whether git did not answer lately, so that nobody asks it."""
        since = _silent.get(self.git_dir)
        return since is not None and time.monotonic() - since < _UNASKED

    def without_filters(self) -> tuple[str, ...] | None:
        """Options that disable every configured filter, for commands that compare contents.

        None if that cannot be guaranteed: then do not run such commands.
        """
        answer = self.ask("config", "--list", "--name-only", "-z")
        if answer is None:
            return None
        keys = answer.decode("utf-8", "surrogateescape").split("\0")
        names = {key.removeprefix("filter.").rpartition(".")[0] for key in keys if key.startswith("filter.")}
        if len(names) > _MOST_FILTERS or any("=" in name or "\n" in name for name in names):
            return None
        settings = ("clean=", "smudge=", "process=", "required=false")
        return tuple(f"filter.{name}.{setting}" for name in sorted(names) for setting in settings)


_silent: dict[Path, float] = {}  # git directories where git did not answer, and when


class _Blocked(TimeoutError):
    """Git sleeps without waiting for us."""


def _output(process: "subprocess.Popen[bytes]", given: bytes, seconds: float) -> bytes:
    """Output of git. Raises TimeoutError, or _Blocked.

    A hostile repository can make git wait, for example with a pipe in place of a file.
    """
    import subprocess

    end = time.monotonic() + seconds
    before: object = None
    sent: bytes | None = given or None
    while (left := end - time.monotonic()) > 0:
        try:
            return process.communicate(sent, timeout=min(left, _QUIET))[0]
        except subprocess.TimeoutExpired:
            sent = None
        now = sleeping_cpu_time(process.pid)
        if now is not None and now == before:
            raise _Blocked
        before = now
    raise TimeoutError


def open_checkout(folder: Path) -> GitCheckout | None:
    """The checkout that contains this folder, or None if there is no usable one."""
    import shutil

    try:
        folder = folder.resolve(strict=True)
        repository = find_repository(folder)
    except (InvalidInput, OSError, RuntimeError):
        return None
    if repository is None or repository.root == repository.git_dir or folder.is_relative_to(repository.git_dir):
        return None
    if _blocking_path(repository.root, repository.git_dir, repository.common_dir) is not None:
        return None
    program = shutil.which("git") or ""
    if not os.path.isabs(program):
        program = ""  # in the working directory, which may belong to the hostile repository
    inside = folder.relative_to(repository.root).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    return GitCheckout(folder, prefix, repository.root, repository.git_dir, repository.common_dir, program)


def blocking_file(folder: Path) -> str:
    """The file in this folder's repository that keeps Waypost from running git, or ""."""
    try:
        repository = find_repository(folder.resolve(strict=True))
    except (InvalidInput, OSError, RuntimeError):
        return ""
    blocking = repository and _blocking_path(repository.root, repository.git_dir, repository.common_dir)
    if not repository or not blocking:
        return ""
    inside = blocking.is_relative_to(repository.root)
    return blocking.relative_to(repository.root).as_posix() if inside else blocking.name


def _blocking_path(top: Path, git_dir: Path, common_dir: Path) -> Path | None:
    """The first file at which git would hang, or None.

    Git opens any file with the right name. In a repository from an archive or a shared folder, the index can be a named
    pipe: then git waits until someone writes to it.
    """
    places = [top / name for name in _IN_TREE]
    for base in dict.fromkeys((git_dir, common_dir)):
        places += [entry for folder in _FOLDERS for entry in _entries(base / folder)]
        for folder in _TREES:
            places += _files_below(base / folder)
    return next((place for place in places[:_MOST_CHECKED] if _hangs(place)), None)


def _files_below(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_dir() and not entry.is_symlink():
                waiting.append(entry)
            else:
                yield entry


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry, _ in zip(entries, range(_MOST_CHECKED), strict=False)]
    except OSError:
        return []


def _hangs(place: Path) -> bool:
    try:
        state = os.stat(place)
    except (OSError, ValueError):
        return False  # a circular or dangling link makes git fail at once
    if stat.S_ISDIR(state.st_mode):
        return False
    return not stat.S_ISREG(state.st_mode) or (place.name == "HEAD" and state.st_size > _LARGEST_HEAD)
