"""Commits of a history and the source files of a commit, read from a bare git directory."""

import subprocess
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

DAYS = 180
LARGEST = 300_000  # bytes; a larger file is made by a machine
OTHER_LINE_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # tools disagree whether these end a line


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    ends: tuple[str, ...]
    skip: tuple[str, ...]
    histories: tuple["History", ...]


@dataclass(frozen=True, slots=True)
class History:
    repo: str
    folders: tuple[str, ...]
    pairs: int
    head: str
    until: str | None = None
    since: str | None = None
    days: int = DAYS


@dataclass(frozen=True, slots=True)
class Pair:
    id: str
    repo: str
    a: str
    b: str
    tree_a: dict[str, str]
    tree_b: dict[str, str]


def languages() -> dict[str, Language]:
    table = tomllib.loads((Path(__file__).parent / "histories.toml").read_text("utf-8"))
    return {
        name: Language(
            name,
            tuple(row["ends"]),
            tuple(row["skip"]),
            tuple(
                History(
                    one["repo"], tuple(one["folders"]), one["pairs"], one["head"], one.get("until"), one.get("since")
                )
                for one in row["histories"]
            ),
        )
        for name, row in table.items()
    }


def git_directory(root: Path, repo: str) -> Path:
    """The git directory of owner/name below `root`: owner/name, owner/name.git, owner+name or owner+name/repo."""
    owner, _, name = repo.partition("/")
    for place in (root / owner / name, root / owner / f"{name}.git", root / f"{owner}+{name}" / "repo", root / repo):
        for found in (place, place / ".git"):
            if (found / "objects").is_dir():
                return found
    raise SystemExit(f"No git directory of {repo} below {root}.")


def _git(directory: Path, *arguments: str, given: bytes | None = None) -> bytes:
    command = ["git", f"--git-dir={directory}", *arguments]
    return subprocess.run(command, check=True, input=given, stdout=subprocess.PIPE).stdout


def commits(directory: Path, history: History, ends: Sequence[str]) -> list[tuple[str, date]]:
    """Commits of the main line that touch source files, the oldest first."""
    bounds = [f"--{key}={value}" for key, value in (("until", history.until), ("since", history.since)) if value]
    specs = [f":(glob){folder + '/' if folder else ''}**/*{end}" for folder in history.folders for end in ends]
    out = _git(directory, "log", "--first-parent", "--reverse", "--format=%H %cs", *bounds, history.head, "--", *specs)
    rows = [line.split(" ") for line in out.decode().splitlines()]
    return [(sha, date.fromisoformat(day)) for sha, day in rows]


def chosen(line: Sequence[tuple[str, date]], pairs: int, days: int) -> list[tuple[str, str]]:
    """Pairs whose first commits are spread evenly; the second is the first one at least `days` later."""
    out: list[tuple[str, str]] = []
    latest = line[-1][1] - timedelta(days=days)
    starts = [at for at, (_, day) in enumerate(line) if day <= latest]
    for number in range(pairs):
        at = starts[(2 * number + 1) * len(starts) // (2 * pairs)]  # the middle of the number-th part
        sha, day = line[at]
        later = next(other for other, when in line[at:] if when >= day + timedelta(days=days))
        out.append((sha, later))
    return out


def files(directory: Path, sha: str, history: History, language: Language, largest: int = LARGEST) -> dict[str, str]:
    """The source files of a commit: path to blob id."""
    out = _git(directory, "ls-tree", "-r", "-l", "-z", sha).decode("utf-8", "replace")
    found = {}
    for row in out.split("\0"):
        head, _, path = row.partition("\t")
        if not path or not path.endswith(language.ends) or any(part in path for part in language.skip):
            continue
        if not any(folder == "" or path.startswith(folder + "/") for folder in history.folders):
            continue
        mode, kind, blob, size = head.split()
        if kind == "blob" and mode != "120000" and int(size) <= largest:
            found[path] = blob
    return found


def blobs(directory: Path, ids: Iterable[str]) -> dict[str, str]:
    """The text of each blob that is UTF-8 and whose lines end the same for everybody."""
    wanted = sorted(set(ids))
    out = _git(directory, "cat-file", "--batch", given="\n".join(wanted).encode() + b"\n")
    texts, at = {}, 0
    for blob in wanted:
        end = out.index(b"\n", at)
        size = int(out[at:end].split()[2])
        raw = out[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if not any(mark in text for mark in OTHER_LINE_ENDS):
            texts[blob] = text
    return texts


def pairs(root: Path, language: Language) -> tuple[list[Pair], dict[str, str]]:
    """All pairs of commits of a language with their trees, and the texts of the blobs in these."""
    found: list[Pair] = []
    texts: dict[str, str] = {}
    for history in language.histories:
        directory = git_directory(root, history.repo)
        line = commits(directory, history, language.ends)
        mine = []
        for a, b in chosen(line, history.pairs, history.days):
            trees = [files(directory, sha, history, language) for sha in (a, b)]
            mine.append(
                Pair(f"{history.repo.partition('/')[2]}-{a[:8]}-{b[:8]}", history.repo, a, b, trees[0], trees[1])
            )
        texts.update(
            blobs(directory, (blob for pair in mine for tree in (pair.tree_a, pair.tree_b) for blob in tree.values()))
        )
        for pair in mine:
            kept = [{path: blob for path, blob in tree.items() if blob in texts} for tree in (pair.tree_a, pair.tree_b)]
            found.append(Pair(pair.id, pair.repo, pair.a, pair.b, kept[0], kept[1]))
    return found, texts
