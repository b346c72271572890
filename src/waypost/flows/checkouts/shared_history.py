"""Whether a checkout shares history with others: whether it holds a commit that they have too.

The repository is hostile input. A commit counts only if its bytes give its id, so that knowing an id is not enough, and only
if it is the repository's own: not one that it borrows from another repository on this machine by a link, a `.git` file or
alternates.
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
from waypost.space.platform import read_small_file
from waypost.space.repository import Repository, find_repository

SECONDS = 10.0  # for one question; all commits of the Linux kernel are walked in less
_MOST_COMPARED = 20  # commits that both have, of which one is enough
_RECENT = 200  # commits of a shallow clone that are looked for elsewhere
_MOST_ROOTS = 50
_LARGEST_POINTER = 64_000
_HASHES = {40: "sha1", 64: "sha256"}
_AS_STORED = {"GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
_TIPS = ("--branches", "--remotes=origin")


@dataclass(frozen=True, slots=True)
class Commits:
    """What a repository is known by: commits without parents, and the one that is checked out."""

    roots: tuple[str, ...] = ()
    head: str = ""

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one for one in (self.head, *self.roots) if one))


def commits_at(root: Path, *, seconds: float = SECONDS) -> Commits:
    """The commits that this repository is known by; none where it has none, or git cannot say in time."""
    git = _git_at(root)
    if git is None:
        return Commits()
    head = _head(git, seconds)
    found = _lines(_ask(git, "rev-list", "--max-parents=0", *([head] if head else []), *_TIPS, seconds=seconds))
    return Commits(tuple(found[:_MOST_ROOTS]), head)


def why_apart(root: Path, known: Sequence[str], siblings: Iterable[Path]) -> str | None:
    """None where the repository at `root` shares a commit with the `known` ones, or with one of the `siblings`, which are
    known checkouts on this machine; else why that cannot be seen."""
    repository, git = _repository(root), _git_at(root)
    if repository is None or git is None:
        return "it is not a git repository"
    others = [path for path in siblings if path != root]
    if _is_worktree_of(repository, others):
        return None
    reason = why_borrowed(root) or ("" if git.program else _why_not_asked(root))
    if reason:
        return reason
    wanted = list(dict.fromkeys([*known, *(commit for path in others for commit in commits_at(path).all)]))
    shares = _shared(git, wanted) or _known_to(git, others)
    return None if shares else _why_not_shared(repository, git)


def _why_not_shared(repository: Repository, git: GitCheckout) -> str:
    if not _head(git, SECONDS):
        return "it has no commits yet"
    if (repository.common_dir / "shallow").exists():
        return "it is a shallow clone, and no known checkout has its commits (`git fetch --unshallow` gets the others)"
    return "it shares no commit with a known checkout"


def _why_not_asked(root: Path) -> str:
    found = blocking_file(root)
    return f"git cannot be asked about it, since {found} is no regular file" if found else "git is not installed"


def _is_worktree_of(repository: Repository, others: Sequence[Path]) -> bool:
    if repository.git_dir == repository.common_dir or not _is_linked_back(repository):
        return False
    found = (_repository(path) for path in others)
    return any(one is not None and one.common_dir == repository.common_dir for one in found)


def commits_held(root: Path, wanted: Sequence[str]) -> set[str]:
    """Which of these commits the repository at `root` has, wherever it has them from."""
    git = _git_at(root)
    return set() if git is None else set(_present(git, wanted))


def why_borrowed(root: Path) -> str:
    """Why the history of this repository is not surely its own; empty where it is."""
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
    found = _repository(root)
    if found is None or found.root != root.resolve():
        return None
    program = shutil.which("git") or ""
    if not os.path.isabs(program) or blocking_file(found.root):  # it would wait, or read without end
        program = ""
    return GitCheckout(found.root, "", found.root, found.git_dir, found.common_dir, program)


def _is_linked_back(repository: Repository) -> bool:
    """Whether the repository itself, where a stranger's folder cannot write, names this folder as one of its worktrees."""
    if repository.git_dir.parent != repository.common_dir / "worktrees":
        return False
    try:
        told = os.fsdecode(read_small_file(repository.git_dir / "gitdir", _LARGEST_POINTER)).rstrip("\r\n")
        return (repository.git_dir / told).parent.resolve() == repository.root.resolve()
    except (OSError, InvalidInput, ValueError, RuntimeError):
        return False


def _names_as_worktree(repository: Repository) -> bool:
    """The same for a submodule, whose repository says where its files are."""
    git = _git_at(repository.root)
    told = _lines(None if git is None else git.ask("config", "--get", "core.worktree", seconds=SECONDS))
    try:
        return bool(told) and (repository.git_dir / told[0]).resolve() == repository.root.resolve()
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


def _shared(git: GitCheckout, wanted: Sequence[str]) -> bool:
    """Whether one of these commits is part of the history here."""
    held = [one for one in _present(git, wanted) if _is_genuine(git, one)]
    return any(_is_reachable(git, one) for one in held[:_MOST_COMPARED])


def _known_to(git: GitCheckout, others: Sequence[Path]) -> bool:
    """Whether a known checkout has a recent commit of this one: all that a shallow clone can show."""
    recent = _lines(_ask(git, "rev-list", f"--max-count={_RECENT}", *_tips(git))) if others else []
    for path in others if recent else ():
        sibling = _git_at(path)
        if sibling is not None and any(_is_genuine(git, one) for one in _present(sibling, recent)[:_MOST_COMPARED]):
            return True
    return False


def _present(git: GitCheckout, wanted: Sequence[str]) -> list[str]:
    ids = [one for one in wanted if len(one) in _HASHES and one.isalnum()]
    if not ids:
        return []
    told = _lines(_ask(git, "cat-file", "--batch-check", given=("\n".join(ids) + "\n").encode()))
    return [line.split()[0] for line in told if line.split()[1:2] == ["commit"]]


def _is_genuine(git: GitCheckout, commit: str) -> bool:
    """Whether the repository has the bytes of this commit in a file of its own: git itself does not compare them."""
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
    found = _lines(_ask(git, "rev-parse", "--verify", "--quiet", "HEAD^{commit}", seconds=seconds))
    return found[0] if found else ""


def _ask(git: GitCheckout, *arguments: str, given: bytes = b"", seconds: float = SECONDS) -> bytes | None:
    return git.ask(*arguments, given=given, seconds=seconds, variables=_AS_STORED)


def _lines(answer: bytes | None) -> list[str]:
    return [] if answer is None else answer.decode("utf-8", "replace").splitlines()
