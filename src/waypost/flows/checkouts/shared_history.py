"""Whether two checkouts share history.

A commit counts only if its bytes give its id: knowing an id is not enough. It must also be the repository's own. Links,
alternates and replaced objects could lead to a stranger's.
"""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.git.command import GitCheckout, blocking_file
from waypost.errors import InvalidInput
from waypost.space.repository import Repository, find_repository
from waypost.system.platform import read_small_file

SECONDS = 10.0  # for one git command: walking all commits of the Linux kernel takes less
_MOST_COMPARED = 20  # shared commits that are checked: one is enough
_RECENT = 200  # commits of a shallow clone that are searched in known checkouts
_MOST_ROOTS = 50
_LARGEST_POINTER = 64_000
_HASHES = {40: "sha1", 64: "sha256"}
_AS_STORED = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
_TIPS = ("--branches", "--remotes=origin")


@dataclass(frozen=True, slots=True)
class Commits:
    """What identifies a repository: its root commits and its checked out commit."""

    roots: tuple[str, ...] = ()
    head: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(commit for commit in (self.head, *self.roots) if commit))


def commits_at(root: Path, *, seconds: float = SECONDS) -> Commits:
    """The commits that identify this repository; empty if it has none or git is too slow."""
    git = _git_at(root)
    if git is None:
        return Commits()
    head = _head(git, seconds)
    roots = _lines(_ask(git, "rev-list", "--max-parents=0", *([head] if head else []), *_TIPS, seconds=seconds))
    return Commits(tuple(roots[:_MOST_ROOTS]), head)


def why_apart(root: Path, commits: Sequence[str], siblings: Iterable[Path]) -> str | None:
    """Why the repository at `root` does not belong, or None if it shares a commit.

    It shares one with `commits`, or with one of the `siblings`: known checkouts on this machine.
    """
    repository, git = _repository(root), _git_at(root)
    if repository is None or git is None:
        return "it is not a git repository"
    others = [path for path in siblings if path != root]
    if _is_worktree_of(repository, others):
        return None
    reason = why_borrowed(root) or ("" if git.program else _why_not_asked(root))
    if reason:
        return reason
    wanted = list(dict.fromkeys([*commits, *(commit for path in others for commit in commits_at(path).all)]))
    shares = _has_one_of(git, wanted) or _has_sibling_with_commit(git, others)
    return None if shares else _why_not_shared(repository, git)


def _why_not_shared(repository: Repository, git: GitCheckout) -> str:
    if not _head(git, SECONDS):
        return "it has no commits yet"
    if (repository.common_dir / "shallow").exists():
        return "it is a shallow clone, and no known checkout has its commits (`git fetch --unshallow` gets the others)"
    return "it shares no commit with a known checkout"


def _why_not_asked(root: Path) -> str:
    path = blocking_file(root)
    return f"git cannot be asked about it, since {path} is no regular file" if path else "git is not installed"


def _is_worktree_of(repository: Repository, others: Sequence[Path]) -> bool:
    if repository.git_dir == repository.common_dir or not _is_linked_back(repository):
        return False
    repositories = (_repository(path) for path in others)
    return any(other is not None and other.common_dir == repository.common_dir for other in repositories)


def commits_held(root: Path, wanted: Sequence[str]) -> set[str]:
    """Which of these commits the repository at `root` has, from any source."""
    git = _git_at(root)
    return set() if git is None else set(_existing(git, wanted))


def why_borrowed(root: Path) -> str:
    """Why the history of this repository may not be its own, or empty if it is."""
    repository = _repository(root)
    if repository is None:
        return "it is not a git repository"
    dot_git = root / ".git"
    if repository.git_dir != repository.common_dir:
        is_own = _is_linked_back(repository)
    elif repository.git_dir == root:
        is_own = True  # bare
    elif dot_git.is_symlink():
        is_own = False
    elif dot_git.is_file():
        is_own = _names_as_worktree(repository)
    else:
        is_own = True
    if not is_own:
        return "its .git leads to another repository"
    objects = repository.common_dir / "objects"
    if (objects / "info" / "alternates").exists() or _has_links(objects):
        return "it borrows objects from another repository"
    return ""


def _repository(root: Path) -> Repository | None:
    try:
        return find_repository(root.resolve(strict=True))
    except (InvalidInput, OSError, RuntimeError):
        return None


def _git_at(root: Path) -> GitCheckout | None:
    repository = _repository(root)
    if repository is None or repository.root != root.resolve():
        return None
    program = shutil.which("git") or ""
    if not os.path.isabs(program) or blocking_file(repository.root):  # git would wait, or read without end
        program = ""
    return GitCheckout(repository.root, "", repository.root, repository.git_dir, repository.common_dir, program)


def _is_linked_back(repository: Repository) -> bool:
    """Whether the main repository names this folder as a worktree. A stranger's folder cannot write there."""
    if repository.git_dir.parent != repository.common_dir / "worktrees":
        return False
    try:
        pointer = os.fsdecode(read_small_file(repository.git_dir / "gitdir", _LARGEST_POINTER)).rstrip("\r\n")
        return (repository.git_dir / pointer).parent.resolve() == repository.root.resolve()
    except (OSError, InvalidInput, ValueError, RuntimeError):
        return False


def _names_as_worktree(repository: Repository) -> bool:
    """The same for a submodule, whose repository stores where its files are."""
    git = _git_at(repository.root)
    worktree = _lines(None if git is None else git.ask("config", "--get", "core.worktree", seconds=SECONDS))
    try:
        return bool(worktree) and (repository.git_dir / worktree[0]).resolve() == repository.root.resolve()
    except (OSError, ValueError, RuntimeError):
        return False


def _has_links(objects: Path) -> bool:
    try:
        if not stat.S_ISDIR(os.lstat(objects).st_mode):
            return True
        for folder in (objects, objects / "pack", objects / "info"):
            if folder.is_dir():
                with os.scandir(folder) as entries:
                    if any(entry.is_symlink() for entry in entries):
                        return True
    except OSError:
        return True
    return False


def _has_one_of(git: GitCheckout, wanted: Sequence[str]) -> bool:
    present = [commit for commit in _existing(git, wanted) if _is_genuine(git, commit)]
    return any(_is_reachable(git, commit) for commit in present[:_MOST_COMPARED])


def _has_sibling_with_commit(git: GitCheckout, others: Sequence[Path]) -> bool:
    """Whether a known checkout has a recent commit of this one: the only proof of a shallow clone."""
    recent = _lines(_ask(git, "rev-list", f"--max-count={_RECENT}", *_tips(git))) if others else []
    for path in others if recent else ():
        sibling = _git_at(path)
        if sibling is not None and any(
            _is_genuine(git, commit) for commit in _existing(sibling, recent)[:_MOST_COMPARED]
        ):
            return True
    return False


def _existing(git: GitCheckout, wanted: Sequence[str]) -> list[str]:
    ids = [commit for commit in wanted if len(commit) in _HASHES and commit.isalnum()]
    if not ids:
        return []
    answers = _lines(_ask(git, "cat-file", "--batch-check", given=("\n".join(ids) + "\n").encode()))
    return [line.split()[0] for line in answers if line.split()[1:2] == ["commit"]]


def _is_genuine(git: GitCheckout, commit: str) -> bool:
    """Whether the repository has the bytes of this commit in a file of its own. Git does not compare them."""
    loose = git.common_dir / "objects" / commit[:2]
    if loose.is_symlink() or (loose / commit[2:]).is_symlink():
        return False
    content = _ask(git, "cat-file", "commit", commit)
    if content is None:
        return False
    return hashlib.new(_HASHES[len(commit)], b"commit %d\0" % len(content) + content).hexdigest() == commit


def _is_reachable(git: GitCheckout, commit: str) -> bool:
    answer = _ask(git, "rev-list", "--max-count=1", commit, "--not", *_tips(git))
    return answer is not None and not answer.strip()


def _tips(git: GitCheckout) -> list[str]:
    head = _head(git, SECONDS)
    return [*([head] if head else []), *_TIPS]


def _head(git: GitCheckout, seconds: float) -> str:
    lines = _lines(_ask(git, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", seconds=seconds))
    return lines[0] if lines else ""


def _ask(git: GitCheckout, *arguments: str, given: bytes = b"", seconds: float = SECONDS) -> bytes | None:
    return git.ask(*arguments, given=given, seconds=seconds, variables=_AS_STORED)


def _lines(answer: bytes | None) -> list[str]:
    return [] if answer is None else answer.decode("utf-8", "replace").splitlines()
