"""Read changes from git: commits, staged changes, the working tree, or one file.

Few processes for many commits: one for the log, one for all sizes, one per bundle of contents. A repository cannot
make git run a program (see waypost.code.git.command). Names that cannot be displayed are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from waypost.code.changes.git_objects import ChangedObject, contents, read_entries, reason_against, reason_inside, sizes
from waypost.code.changes.match import overlap
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import printable, size_limit, unsafe_name
from waypost.code.git.command import GitCheckout, blocking_file, open_checkout
from waypost.code.git.history import commit_time
from waypost.errors import InvalidInput, NotFound
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED
from waypost.model.reference import LineRange

_SECONDS = 60.0
_MOST_RENAMES = 1_000  # git compares each deleted file with each new one
_MOST_FILES = 3_000  # files read per commit; of more, the first by name
_BUNDLE = 32_000_000  # bytes of contents in memory at once
_FORMAT = "--format=tformat:/%H%x00%P%x00%ct%x00%an%x00%B"
_HUNK = re.compile(r"@@ -\S{1,30} \+(\d{1,9})(?:,(\d{1,9}))? @@")
_REVISION = re.compile(r"[\w@^~./+:{}!#%=,-]{1,400}")
_LONGEST_BODY = 8_000
_ALIKE = 0.5  # share of equal lines of a renamed file, as in git
_MOST_PAIRED = 60  # deleted and new files compared with each other
_DIFF = (
    *("--raw", "-z", "--no-abbrev", "-M", f"-l{_MOST_RENAMES}", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("--ignore-submodules=all", "--relative"),
)


def commits(root: Path, revisions: str, *, limit: int | None = None) -> Iterator[RawCommit]:
    """The commits of a range `A..B`, oldest first, or the one commit of a single revision.

    `limit` keeps the newest commits of a range. For a single revision, that many of its history. A merge has no
    files, and neither has a commit whose parent is missing in a shallow clone.
    """
    checkout = _checkout(root)
    revisions = checked_revision(revisions)
    if limit is not None and limit < 1:
        return
    count = limit if limit is not None else (None if ".." in revisions else 1)
    answer = checkout.ask(
        *("log", "--reverse", _FORMAT, "--encoding=UTF-8", "--no-notes", "--root", *_DIFF),
        *([] if count is None else [f"--max-count={count}"]),
        *(revisions, "--"),
        *(["."] if checkout.prefix else []),
        seconds=_SECONDS,
    )
    if answer is None:
        raise _unknown_revision(checkout, revisions)
    cut = _cut_commits(checkout)
    logged = [
        (replace(commit, is_cut=True) if commit.commit in cut else commit, entries)
        for commit, entries in _read_log(answer)
    ]
    yield from _with_contents(
        checkout, [(commit, () if commit.is_cut or commit.is_merge else entries) for commit, entries in logged]
    )


def uncommitted(root: Path, *, staged: bool, against: str = "HEAD") -> RawCommit:
    """Changes of the working tree, or with `staged` of the index, against a revision.

    In the working tree, files that git neither tracks nor ignores count as added. Before the first commit all files do.
    """
    checkout = _checkout(root)
    against = checked_revision(against)
    options = checkout.without_filters()
    base = _commit_id(checkout, against)
    if not base and against == "HEAD":
        base = (checkout.ask("hash-object", "-t", "tree", "--stdin") or b"").decode("ascii", "replace").strip()
    if not base:
        raise _unknown_revision(checkout, against)
    arguments = ("diff", *(["--cached"] if staged else []), *_DIFF, base, "--", ".")
    answer = None if options is None else checkout.ask(*arguments, seconds=_SECONDS, options=options)
    if answer is None:
        raise InvalidInput("git could not compare the working tree.", "Run `git status` in the repository to see why.")
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    entries = [entry for entry in read_entries(fields, next(fields, "")) if isinstance(entry, ChangedObject)]
    if not staged:
        entries += _untracked(checkout, {entry.path for entry in entries if entry.change != REMOVED})
    change = next(_with_contents(checkout, [(RawCommit(()), tuple(entries))]), RawCommit(()))
    return change if staged else replace(change, files=_join_renames(change.files))


def changed_lines(root: Path, *, staged: bool, against: str = "HEAD") -> dict[str, list[LineRange]]:
    """The changed lines of each file of the working tree, or with `staged` of the index, against a revision.

    Where lines were only deleted, the lines around them count. New files that git does not track are left out.
    """
    checkout = _checkout(root)
    base = _commit_id(checkout, checked_revision(against))
    if not base:
        raise _unknown_revision(checkout, against)
    options = checkout.without_filters()
    arguments = (
        "diff",
        *(["--cached"] if staged else []),
        "--unified=0",
        "--relative",
        "--no-ext-diff",
        "--no-textconv",
    )
    arguments = (*arguments, "--no-color", "--no-prefix", "--ignore-submodules=all", base, "--", ".")
    answer = None if options is None else checkout.ask(*arguments, seconds=_SECONDS, options=options)
    if answer is None:
        raise InvalidInput("git could not compare the working tree.", "Run `git status` in the repository to see why.")
    lines: dict[str, list[LineRange]] = {}
    path = ""
    for line in answer.decode("utf-8", "surrogateescape").split("\n"):
        if line.startswith("+++ "):
            name = line[4:].rstrip("\t")
            path = name if name != "/dev/null" and unsafe_name(name) is None else ""
        elif path and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, []).append(LineRange(max(first, 1), max(first + count - 1, first, 1)))
    return lines


def file_as_new(root: Path, path: str, *, whole: bool = False) -> RawCommit:
    """How one file on disk differs from the last commit. No files if it does not.

    Without git, or with `whole`, all of it counts as added.
    """
    reason = unsafe_name(path)
    if reason is not None:
        raise InvalidInput(f"This path cannot be read: {reason}.", "Give a path inside the project.")
    now = read_bytes(root, path, size_limit(path))
    checkout = None if whole else open_checkout(root)
    name = f"HEAD:{checkout.prefix}{path}" if checkout is not None else ""
    before = contents(checkout, [name])[0] if checkout is not None else None
    if isinstance(now, Unread):
        if before is None and now.missing:
            raise NotFound(f"There is no file {path}.", "Give a path inside the project, with `/`.")
        if now.missing:
            return RawCommit((_raw(ChangedObject(path, REMOVED), before, None),))
        return RawCommit((RawFile(path, ADDED if before is None else MODIFIED, skipped=now.reason),))
    if before == now[0]:
        return RawCommit(())
    return RawCommit((_raw(ChangedObject(path, ADDED if before is None else MODIFIED), before, now[0]),))


def checked_revision(revision: str) -> str:
    """The revision or range, checked so that git cannot read it as an option."""
    revision = revision.strip()
    if revision.startswith(("-", "^")) or not _REVISION.fullmatch(revision):
        raise InvalidInput(
            f"Not a revision: {revision[:80]!r}.", "Give a commit, a branch, a tag, or a range such as main..HEAD."
        )
    return revision


def _checkout(root: Path) -> GitCheckout:
    checkout = open_checkout(root)
    if checkout is None and (blocking := blocking_file(root)):
        raise NotFound(
            f"{printable(blocking)} is not a regular file, so Waypost does not run git here.",
            "Remove or repair it, or learn from single files instead.",
        )
    if checkout is None:
        raise NotFound("This folder is not in a git repository.", "Learn from single files instead, or run `git init`.")
    if not checkout.program:
        raise NotFound("git is not installed.", "Install git, or learn from single files instead.")
    return checkout


def _unknown_revision(checkout: GitCheckout, revisions: str) -> NotFound | InvalidInput:
    for end in re.split(r"\.{2,3}", revisions):
        if end and not _commit_id(checkout, end):
            return NotFound(f"git has no commit {end[:80]!r}.", "Run `git log` to list the commits.")
    return InvalidInput(f"git could not list {revisions[:80]!r}.", "Use a shorter range.")


def _commit_id(checkout: GitCheckout, revision: str) -> str:
    answer = checkout.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return (answer or b"").decode("ascii", "replace").strip()


def _cut_commits(checkout: GitCheckout) -> frozenset[str]:
    """Commits at the edge of a shallow clone."""
    try:
        return frozenset((checkout.common_dir / "shallow").read_text("ascii", "replace").split())
    except OSError:
        return frozenset()


def _read_log(answer: bytes) -> Iterator[tuple[RawCommit, tuple[ChangedObject, ...]]]:
    """Parse the log. Each field ends with a zero byte, which no name or message contains.

    A commit has five fields, the first starting with `/`. Its files follow, the first after a line end.
    """
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    field = next(fields, "")
    while field.startswith("/"):
        head, parents, time, author, message = field[1:], *(next(fields, "") for _ in range(4))
        subject, _, body = _printable(message).strip().partition("\n")
        commit = RawCommit(
            files=(),
            commit=head,
            time=commit_time(time),
            author=" ".join(_printable(author).split())[:200],
            subject=subject.strip()[:500],
            body=body.strip()[:_LONGEST_BODY],
            is_merge=" " in parents,
        )
        entries: list[ChangedObject] = []
        field = ""
        for item in read_entries(fields, next(fields, "").removeprefix("\n")):
            if isinstance(item, ChangedObject):
                entries.append(item)
            else:
                field = item
        yield commit, tuple(entries)


def _printable(text: str) -> str:
    """Replace what cannot be stored: invalid UTF-8 and control characters."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)


def _with_contents(
    checkout: GitCheckout, commits_with_entries: Sequence[tuple[RawCommit, tuple[ChangedObject, ...]]]
) -> Iterator[RawCommit]:
    commits_with_entries = [(commit, entries[:_MOST_FILES]) for commit, entries in commits_with_entries]
    objects = (entry for _, entries in commits_with_entries for entry in entries)
    known_sizes = sizes(checkout, (object_id for entry in objects for object_id in (entry.before, entry.after)))
    bundle: list[tuple[RawCommit, tuple[ChangedObject, ...]]] = []
    bundle_size = 0
    for commit, entries in commits_with_entries:
        size = sum(known_sizes.get(name, 0) for entry in entries for name in _readable_ids(entry, known_sizes))
        if bundle and bundle_size + size > _BUNDLE:
            yield from _load_bundle(checkout, bundle, known_sizes)
            bundle, bundle_size = [], 0
        bundle.append((commit, entries))
        bundle_size += size
    yield from _load_bundle(checkout, bundle, known_sizes)


def _readable_ids(entry: ChangedObject, known_sizes: dict[str, int]) -> list[str]:
    """The ids of an entry's objects that should be read."""
    old = entry.path_before or entry.path
    sides = ((entry.before, old), (entry.after, entry.path))
    return [name for name, path in sides if name in known_sizes and not reason_against(path, known_sizes[name])]


def _load_bundle(
    checkout: GitCheckout, bundle: Sequence[tuple[RawCommit, tuple[ChangedObject, ...]]], known_sizes: dict[str, int]
) -> Iterator[RawCommit]:
    wanted = sorted({name for _, entries in bundle for entry in entries for name in _readable_ids(entry, known_sizes)})
    loaded = dict(zip(wanted, contents(checkout, wanted), strict=True))
    for commit, entries in bundle:
        files = (_file(checkout, entry, loaded, known_sizes) for entry in entries)
        # Line endings that git converts make a file differ from itself.
        kept = (file for file in files if file.change != MODIFIED or file.before is None or file.before != file.after)
        yield replace(commit, files=tuple(kept))


def _file(
    checkout: GitCheckout, entry: ChangedObject, loaded: dict[str, bytes | None], known_sizes: dict[str, int]
) -> RawFile:
    skipped = reason_against(entry.path, max(known_sizes.get(entry.before, 0), known_sizes.get(entry.after, 0)))
    if skipped:
        return RawFile(entry.path, entry.change, entry.path_before, skipped=skipped)
    after = loaded.get(entry.after)
    if entry.on_disk:
        now = read_bytes(checkout.folder, entry.path, size_limit(entry.path))
        if isinstance(now, Unread):
            return RawFile(entry.path, entry.change, entry.path_before, skipped=now.reason)
        after = now[0]
    elif entry.after and after is None:
        return RawFile(entry.path, entry.change, entry.path_before, skipped="its content is not in this clone")
    before = loaded.get(entry.before)
    if entry.before and before is None:
        return RawFile(entry.path, entry.change, entry.path_before, skipped="its content is not in this clone")
    return _raw(entry, before, after)


def _raw(entry: ChangedObject, before: bytes | None, after: bytes | None) -> RawFile:
    skipped = reason_inside(before) or reason_inside(after)
    if skipped:
        before = after = None
    return RawFile(entry.path, entry.change, entry.path_before, before, after, skipped)


def _untracked(checkout: GitCheckout, listed: set[str]) -> list[ChangedObject]:
    answer = checkout.ask("ls-files", "-z", "--others", "--exclude-standard", seconds=_SECONDS)
    names = (answer or b"").decode("utf-8", "surrogateescape").split("\0")
    safe = (name for name in names if name and not name.endswith("/") and unsafe_name(name) is None)
    return [ChangedObject(name, ADDED, on_disk=True) for name in sorted(safe) if name not in listed][:_MOST_FILES]


def _join_renames(files: tuple[RawFile, ...]) -> tuple[RawFile, ...]:
    """Join deleted and new files with similar content as renames. Git does not detect these until they are staged."""
    gone = [file for file in files if file.change == REMOVED and file.before][:_MOST_PAIRED]
    new = [file for file in files if file.change == ADDED and file.after][:_MOST_PAIRED]
    if not gone or not new:
        return files
    lines = {id(file): Counter((file.before or file.after or b"").splitlines()) for file in (*gone, *new)}
    scores = sorted(
        ((overlap(lines[id(old)], lines[id(added)]), old, added) for old in gone for added in new),
        key=lambda row: (-row[0], row[1].path, row[2].path),
    )
    taken: set[str] = set()
    renamed: dict[str, RawFile] = {}
    for score, old, added in scores:
        if score >= _ALIKE and old.path not in taken and added.path not in taken:
            taken |= {old.path, added.path}
            renamed[added.path] = RawFile(added.path, RENAMED, old.path, old.before, added.after)
    kept = (file for file in files if file.path not in taken or file.path in renamed)
    return tuple(renamed.get(file.path, file) for file in kept if not (file.change == REMOVED and file.path in taken))
