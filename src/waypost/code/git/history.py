"""The git history of a repository: its current commit, changes since another commit, last change of each file.

All of this is optional: an index compares files itself. If git is absent, fails or takes too long, the result is
empty, and marked incomplete where that matters. Paths are relative to the given folder, with `/`, as in the walk.
Names that are not valid UTF-8 are left out, as are submodules.
"""

import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from waypost.code.files.skip import unsafe_name
from waypost.code.git.command import GitCheckout, open_checkout

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECONDS = 10.0
_MOST_HEAD, _MOST_PACKED = 4096, 16_000_000  # bytes read of files with the current commit
_MOST_BRANCHES = 50
_MOST_RENAMES = 1_000  # git compares each deleted file with each new one
_MOST_NEW_FILES = 5_000  # untracked files checked for renames


@dataclass(frozen=True, slots=True)
class GitHead:
    commit: str = ""  # empty before the first commit, and without git
    branch: str = ""  # empty if no branch is checked out


@dataclass(frozen=True, slots=True)
class TreeChanges:
    """Differences between a commit and the files on disk, staged or not.

    `changed`, `deleted` and `renamed` have no path in common, but a renamed file may also have changed.
    """

    changed: frozenset[str] = frozenset()  # including new files
    deleted: frozenset[str] = frozenset()
    renamed: dict[str, str] = field(default_factory=dict)  # old path to new path
    complete: bool = False  # False: git did not answer, compare the files themselves
    new: frozenset[str] = frozenset()  # those of `changed` that the commit does not have


def head(root: Path) -> GitHead:
    """The commit and branch that are checked out."""
    checkout = open_checkout(root)
    if checkout is None:
        return GitHead()
    written = _head_from_files(checkout)
    if written is not None:  # ten times faster than starting git twice
        return written
    commit = _line(checkout.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}", seconds=_SECONDS))
    branch = _line(checkout.ask("symbolic-ref", "--quiet", "--short", "HEAD", seconds=_SECONDS))
    return GitHead(commit, branch if unsafe_name(branch) is None else "")


def branch_commits(root: Path, *, seconds: float = _SECONDS) -> dict[str, str]:
    """The commits of the local branches and of the remote's main branch, those of the latest commits first."""
    checkout = open_checkout(root)
    if checkout is None:
        return {}
    answer = checkout.ask(
        *("for-each-ref", "--sort=-committerdate", f"--count={_MOST_BRANCHES}"),
        *("--format=%(objectname) %(refname:short)", "refs/heads", "refs/remotes/origin/HEAD"),
        seconds=seconds,
    )
    rows = (line.partition(" ") for line in (answer or b"").decode("utf-8", "replace").splitlines())
    return {name: commit for commit, _, name in rows if unsafe_name(name) is None}


def is_ancestor(root: Path, earlier: str, later: str, *, seconds: float = _SECONDS) -> bool:
    """Whether the later commit descends from the earlier one. False if git does not have one of them."""
    checkout = open_checkout(root)
    if checkout is None or not earlier or earlier.startswith("-") or not _COMMIT.fullmatch(later):
        return False
    commit = _line(checkout.ask("rev-parse", "--verify", "--quiet", f"{earlier}^{{commit}}", seconds=seconds))
    return bool(commit) and checkout.ask("merge-base", "--is-ancestor", commit, later, seconds=seconds) is not None


def _head_from_files(checkout: GitCheckout) -> GitHead | None:
    """The head according to git's files. None if they have another format and git must be run."""
    content = _short_file(checkout.git_dir / "HEAD", _MOST_HEAD)
    if _COMMIT.fullmatch(content):
        return GitHead(content)
    branch = content.removeprefix("ref: refs/heads/")
    if (
        branch == content
        or unsafe_name(branch) is not None
        or any(part in ("", ".", "..") for part in branch.split("/"))
    ):
        return None
    commit = _short_file(checkout.common_dir / "refs" / "heads" / branch, _MOST_HEAD)
    if not commit:
        packed = _short_file(checkout.common_dir / "packed-refs", _MOST_PACKED)
        commit = next(
            (line[: -len(branch) - 12] for line in packed.splitlines() if line.endswith(f" refs/heads/{branch}")), ""
        )
    return GitHead(commit, branch) if _COMMIT.fullmatch(commit) else None


def _short_file(path: Path, limit: int) -> str:
    try:
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "surrogateescape").removesuffix("\n")
    except (OSError, ValueError):
        return ""


def _line(answer: bytes | None) -> str:
    return (answer or b"").decode("utf-8", "surrogateescape").removesuffix("\n")


def changed_since(root: Path, commit: str, *, seconds: float = _SECONDS) -> TreeChanges:
    """Differences between a commit and the files on disk, with renames even if nothing is staged."""
    checkout = open_checkout(root)
    if checkout is None or not _COMMIT.fullmatch(commit):
        return TreeChanges()
    options = checkout.without_filters()
    if options is None:
        return TreeChanges()
    new = _new_files(checkout, seconds)
    difference = _difference(checkout, commit, options, seconds, {})
    if new is None or difference is None:
        return TreeChanges()
    if new and difference.deleted:
        better = _difference_with_new(checkout, commit, options, seconds, new)
        difference = better if better is not None else difference
    renamed = frozenset(difference.renamed.values())
    return TreeChanges(
        (difference.changed | new) - renamed,
        difference.deleted - new,
        difference.renamed,
        complete=True,
        new=(difference.new | new) - renamed,
    )


def touched_since(root: Path, earlier: str, commit: str, *, seconds: float = _SECONDS) -> frozenset[str] | None:
    """Files that are not as in the last commit, with new ones; and those that differ between it and an earlier one.

    `commit` is the last commit. Faster than `changed_since`, which also finds renames. None if git does not answer.
    """
    checkout = open_checkout(root)
    options = checkout.without_filters() if checkout is not None else None
    if checkout is None or options is None or (earlier != commit and not _COMMIT.fullmatch(earlier)):
        return None
    answer = checkout.ask(
        *("--no-optional-locks", "status", "--porcelain", "-z", "--untracked-files=all", "--ignore-submodules=all"),
        *("--no-renames", "--", "."),
        seconds=seconds,
        options=options,
    )
    if answer is None:
        return None
    listed = [entry[3:].removeprefix(checkout.prefix) for entry in _fields(answer)]
    if earlier != commit:
        answer = checkout.ask(
            *("diff", "-z", "--name-only", "--no-renames", "--relative", "--no-ext-diff", "--no-textconv"),
            *("--no-color", "--ignore-submodules=all", earlier, commit, "--", "."),
            seconds=seconds,
            options=options,
        )
        if answer is None:
            return None
        listed += _fields(answer)
    return frozenset(path for path in listed if path and not path.endswith("/") and unsafe_name(path) is None)


def git_state_files(root: Path) -> tuple[Path, ...]:
    """Files that git writes when another commit is checked out, and when changes are staged."""
    checkout = open_checkout(root)
    return () if checkout is None else (checkout.git_dir / "HEAD", checkout.git_dir / "index")


def _fields(answer: bytes) -> list[str]:
    return answer.decode("utf-8", "surrogateescape").split("\0")


def dirty(root: Path, *, seconds: float = _SECONDS) -> TreeChanges:
    """Differences between the last commit and the files on disk. Before the first commit: all listed files."""
    checkout = open_checkout(root)
    if checkout is None:
        return TreeChanges()
    commit = head(root).commit
    if commit:
        return changed_since(root, commit, seconds=seconds)
    answer = checkout.ask("ls-files", "-z", "--cached", "--others", "--exclude-standard", seconds=seconds)
    if answer is None:
        return TreeChanges()
    listed = frozenset(_paths(answer))
    return TreeChanges(changed=listed, complete=True, new=listed)


def recent_changes(root: Path, *, commits: int = 2_000, seconds: float = 2.0) -> dict[str, datetime]:
    """When each file last changed, by its last commit or, if modified since, by its timestamp.

    Reading stops after `commits` or `seconds`; older files are absent.
    """
    checkout = open_checkout(root)
    if checkout is None:
        return {}
    answer = checkout.ask(
        *("log", "-z", f"--max-count={commits}", "--format=tformat:/%ct", "--name-only", "--no-renames", "--relative"),
        *("--no-notes", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color", "HEAD", "--"),
        *(["."] if checkout.prefix else []),
        seconds=seconds,
        accept_part=True,
    )
    times = _times_of_log(answer or b"")
    for path in dirty(root).changed:
        try:
            state = os.lstat(root / path)
        except (OSError, ValueError):
            continue
        times[path] = datetime.fromtimestamp(state.st_mtime_ns // 1_000 / 1_000_000, UTC)
    return times


def _times_of_log(answer: bytes) -> dict[str, datetime]:
    """Parse records that end with a zero byte.

    A commit's record is `/` and its time; no path begins that way. The first path after it starts with a newline. What
    follows the last zero byte is incomplete.
    """
    times: dict[str, datetime] = {}
    time: datetime | None = None
    first = False
    for record in answer.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        if record.startswith("/"):
            time, first = commit_time(record[1:]), True
            continue
        path = record.removeprefix("\n") if first else record
        first = False
        if time is not None and path and unsafe_name(path) is None:
            times.setdefault(path, time)
    return times


def commit_time(digits: str) -> datetime | None:
    """The time of a commit, which can claim any. None if it is impossible."""
    try:
        return datetime.fromtimestamp(int(digits), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _new_files(checkout: GitCheckout, seconds: float) -> frozenset[str] | None:
    """Files that git neither tracks nor ignores, without nested repositories."""
    answer = checkout.ask("ls-files", "-z", "--others", "--exclude-standard", seconds=seconds)
    if answer is None:
        return None
    return frozenset(path for path in _paths(answer) if not path.endswith("/"))


def _paths(answer: bytes) -> list[str]:
    return [name for name in _fields(answer) if name and unsafe_name(name) is None]


def _difference(
    checkout: GitCheckout, commit: str, options: tuple[str, ...], seconds: float, variables: dict[str, str]
) -> TreeChanges | None:
    answer = checkout.ask(
        *("diff", "-z", "--name-status", "--find-renames", f"-l{_MOST_RENAMES}", "--relative", "--no-ext-diff"),
        *("--no-textconv", "--no-color", "--ignore-submodules=all", commit, "--", "."),
        seconds=seconds,
        options=options,
        variables=variables,
    )
    return None if answer is None else _changes_of_diff(answer)


def _changes_of_diff(answer: bytes) -> TreeChanges:
    """Parse `M`, path or `R087`, old path, new path. Each field ends with a zero byte."""
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    changed: set[str] = set()
    new_paths: set[str] = set()
    deleted: set[str] = set()
    renamed: dict[str, str] = {}
    for status in fields:
        if not status:
            break
        path = next(fields, "")
        if status[0] in "RC":
            new = next(fields, "")
            if status[0] == "R" and unsafe_name(path) is None and unsafe_name(new) is None:
                renamed[path] = new
                continue
            if status[0] == "R":
                deleted.add(path)
            path = new
        (deleted if status == "D" else changed).add(path)
        if status[0] in "AC":
            new_paths.add(path)
    safe = (frozenset(path for path in paths if unsafe_name(path) is None) for paths in (changed, deleted, new_paths))
    return TreeChanges(next(safe), next(safe), renamed, new=next(safe))


def _difference_with_new(
    checkout: GitCheckout, commit: str, options: tuple[str, ...], seconds: float, new: frozenset[str]
) -> TreeChanges | None:
    """The difference as if new files were added, so that git detects renames.

    Works on a temporary copy of the index: the repository stays unchanged.
    """
    if len(new) > _MOST_NEW_FILES:
        return None
    with tempfile.TemporaryDirectory(prefix="waypost-") as folder:
        index = Path(folder) / "index"
        try:
            shutil.copyfile(checkout.git_dir / "index", index)
        except OSError:
            return None
        variables = {"GIT_INDEX_FILE": os.fspath(index)}
        names = b"".join(b":(literal)" + os.fsencode(path) + b"\0" for path in sorted(new))
        added = checkout.ask(
            *("add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"),
            given=names,
            seconds=seconds,
            options=options,
            variables=variables,
        )
        return None if added is None else _difference(checkout, commit, options, seconds, variables)
