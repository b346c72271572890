"""Changes as git has them: of commits, of what is staged, of the working tree, of one file.

Few processes for many commits: one for the log, one for all sizes, one for each bundle of contents. Nothing that a
repository says can run a program (see waypost.code.git.command); names that cannot be shown are left out, as the walk does.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from waypost.code.changes.objects import ChangedObject, contents, read_entries, reason_against, reason_inside, sizes
from waypost.code.changes.raw import RawCommit, RawFile
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.files.skip import printable, size_limit, unsafe_name
from waypost.code.git.command import GitCheckout, hindrance, open_checkout
from waypost.errors import InvalidInput, NotFound
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED

_SECONDS = 60.0
_MOST_RENAMES = 1_000  # git compares each vanished file with each new one
_MOST_FILES = 3_000  # of one commit that are read; of more, the first by name
_BUNDLE = 32_000_000  # bytes of contents that are held at once
_FORMAT = "--format=tformat:/%H%x00%P%x00%ct%x00%an%x00%B"
_REVISION = re.compile(r"[\w@^~./+:{}!#%=,-]{1,400}")
_LONGEST_BODY = 8_000
_ALIKE = 0.5  # the share of lines by which git, too, calls a file renamed
_MOST_PAIRED = 60  # files gone and new that are compared with each other
_DIFF = (
    *("--raw", "-z", "--no-abbrev", "-M", f"-l{_MOST_RENAMES}", "--no-ext-diff", "--no-textconv", "--no-color"),
    *("--ignore-submodules=all", "--relative"),
)


def commits(root: Path, revisions: str, *, limit: int | None = None) -> Iterator[RawCommit]:
    """The commits of a range `A..B`, oldest first, or the one commit that a single revision names.

    `limit` keeps the newest ones of a range; with a single revision it gives as many of those that lead to it.
    A merge has no files of its own, nor has a commit whose parent a shallow clone lacks.
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
        raise _unknown(checkout, revisions)
    cut = _cut_commits(checkout)
    told = [(_without_past(one) if one.commit in cut else one, entries) for one, entries in _read_log(answer)]
    yield from _with_contents(checkout, [(one, () if one.is_cut or one.is_merge else entries) for one, entries in told])


def uncommitted(root: Path, *, staged: bool, against: str = "HEAD") -> RawCommit:
    """What the working tree, or with `staged` the index, has that a revision has not.

    In the working tree files that git neither tracks nor ignores count as added. Before the first commit everything is.
    """
    checkout = _checkout(root)
    against = checked_revision(against)
    options = checkout.without_filters()
    base = _commit_id(checkout, against)
    if not base and against == "HEAD":
        base = (checkout.ask("hash-object", "-t", "tree", "--stdin") or b"").decode("ascii", "replace").strip()
    if not base:
        raise _unknown(checkout, against)
    arguments = ("diff", *(["--cached"] if staged else []), *_DIFF, base, "--", ".")
    answer = None if options is None else checkout.ask(*arguments, seconds=_SECONDS, options=options)
    if answer is None:
        raise InvalidInput("git could not compare the working tree.", "Run `git status` there and see what it says.")
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    entries = [entry for entry in read_entries(fields, next(fields, "")) if isinstance(entry, ChangedObject)]
    if not staged:
        entries += _untracked(checkout, {entry.path for entry in entries if entry.change != REMOVED})
    found = next(_with_contents(checkout, [(RawCommit(()), tuple(entries))]), RawCommit(()))
    return found if staged else replace(found, files=_paired(found.files))


def file_as_new(root: Path, path: str, *, whole: bool = False) -> RawCommit:
    """What one file on disk has that the last commit has not: no files when it is the same.

    Where there is no git, or with `whole`, all of it counts as added.
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
    """The revision or range, if it is one that git cannot take for an option."""
    revision = revision.strip()
    if revision.startswith(("-", "^")) or not _REVISION.fullmatch(revision):
        raise InvalidInput(
            f"This is no revision: {revision[:80]!r}.", "Give a commit, a branch, a tag, or a range such as main..HEAD."
        )
    return revision


def _checkout(root: Path) -> GitCheckout:
    checkout = open_checkout(root)
    if checkout is None and (stopped := hindrance(root)):
        raise NotFound(
            f"{printable(stopped)} is no regular file, so git is not asked about this repository.",
            "Remove or repair it, or learn from single files instead.",
        )
    if checkout is None:
        raise NotFound("This folder is in no git repository.", "Learn from single files instead, or run `git init`.")
    if not checkout.program:
        raise NotFound("git is not installed.", "Install git, or learn from single files instead.")
    return checkout


def _unknown(checkout: GitCheckout, revisions: str) -> NotFound | InvalidInput:
    for end in re.split(r"\.{2,3}", revisions):
        if end and not _commit_id(checkout, end):
            return NotFound(f"git knows no commit {end[:80]!r}.", "Run `git log` to see which there are.")
    return InvalidInput(f"git could not list {revisions[:80]!r}.", "Ask for a shorter range.")


def _commit_id(checkout: GitCheckout, revision: str) -> str:
    answer = checkout.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return (answer or b"").decode("ascii", "replace").strip()


def _cut_commits(checkout: GitCheckout) -> frozenset[str]:
    """Commits at the edge of a shallow clone."""
    try:
        return frozenset((checkout.common_dir / "shallow").read_text("ascii", "replace").split())
    except OSError:
        return frozenset()


def _without_past(one: RawCommit) -> RawCommit:
    return replace(one, is_cut=True)


def _read_log(answer: bytes) -> Iterator[tuple[RawCommit, tuple[ChangedObject, ...]]]:
    """A commit is five fields, the first begins with `/`; then come its files, the first after a line end. Each field
    ends with a zero byte, which no name or message can hold."""
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    field = next(fields, "")
    while field.startswith("/"):
        head, parents, time, author, message = field[1:], *(next(fields, "") for _ in range(4))
        subject, _, body = _shown(message).strip().partition("\n")
        commit = RawCommit(
            files=(),
            commit=head,
            time=_time(time),
            author=" ".join(_shown(author).split())[:200],
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


def _shown(text: str) -> str:
    """Without what cannot be stored: bytes that were no UTF-8, control characters."""
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\r\n", "\n")
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in text)


def _time(digits: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(digits), UTC)
    except (ValueError, OverflowError, OSError):
        return None  # a commit may claim any time


def _with_contents(
    checkout: GitCheckout, told: Sequence[tuple[RawCommit, tuple[ChangedObject, ...]]]
) -> Iterator[RawCommit]:
    told = [(one, entries[:_MOST_FILES]) for one, entries in told]
    known = sizes(checkout, (one for _, entries in told for entry in entries for one in (entry.before, entry.after)))
    bundle: list[tuple[RawCommit, tuple[ChangedObject, ...]]] = []
    held = 0
    for one, entries in told:
        size = sum(known.get(name, 0) for entry in entries for name in _wanted(entry, known))
        if bundle and held + size > _BUNDLE:
            yield from _bundle(checkout, bundle, known)
            bundle, held = [], 0
        bundle.append((one, entries))
        held += size
    yield from _bundle(checkout, bundle, known)


def _wanted(entry: ChangedObject, known: dict[str, int]) -> list[str]:
    """The objects of an entry that are read."""
    old = entry.path_before or entry.path
    sides = ((entry.before, old), (entry.after, entry.path))
    return [name for name, path in sides if name in known and not reason_against(path, known[name])]


def _bundle(
    checkout: GitCheckout, told: Sequence[tuple[RawCommit, tuple[ChangedObject, ...]]], known: dict[str, int]
) -> Iterator[RawCommit]:
    wanted = sorted({name for _, entries in told for entry in entries for name in _wanted(entry, known)})
    held = dict(zip(wanted, contents(checkout, wanted), strict=True))
    for one, entries in told:
        files = (_file(checkout, entry, held, known) for entry in entries)
        # Line ends that git converts make a file differ from itself.
        kept = (file for file in files if file.change != MODIFIED or file.before is None or file.before != file.after)
        yield replace(one, files=tuple(kept))


def _file(checkout: GitCheckout, entry: ChangedObject, held: dict[str, bytes | None], known: dict[str, int]) -> RawFile:
    skipped = reason_against(entry.path, max(known.get(entry.before, 0), known.get(entry.after, 0)))
    if skipped:
        return RawFile(entry.path, entry.change, entry.path_before, skipped=skipped)
    after = held.get(entry.after)
    if entry.on_disk:
        now = read_bytes(checkout.folder, entry.path, size_limit(entry.path))
        if isinstance(now, Unread):
            return RawFile(entry.path, entry.change, entry.path_before, skipped=now.reason)
        after = now[0]
    elif entry.after and after is None:
        return RawFile(entry.path, entry.change, entry.path_before, skipped="its content is not in this clone")
    before = held.get(entry.before)
    if entry.before and before is None:
        return RawFile(entry.path, entry.change, entry.path_before, skipped="its content is not in this clone")
    return _raw(entry, before, after)


def _raw(entry: ChangedObject, before: bytes | None, after: bytes | None) -> RawFile:
    skipped = reason_inside(before) or reason_inside(after)
    if skipped:
        before = after = None
    return RawFile(entry.path, entry.change, entry.path_before, before, after, skipped)


def _untracked(checkout: GitCheckout, known: set[str]) -> list[ChangedObject]:
    answer = checkout.ask("ls-files", "-z", "--others", "--exclude-standard", seconds=_SECONDS)
    names = (answer or b"").decode("utf-8", "surrogateescape").split("\0")
    safe = (name for name in names if name and not name.endswith("/") and unsafe_name(name) is None)
    return [ChangedObject(name, ADDED, on_disk=True) for name in sorted(safe) if name not in known][:_MOST_FILES]


def _paired(files: tuple[RawFile, ...]) -> tuple[RawFile, ...]:
    """Files that are gone and new ones that say much the same are one file with a new name: git does not see that
    while the new one is not staged."""
    gone = [one for one in files if one.change == REMOVED and one.before][:_MOST_PAIRED]
    new = [one for one in files if one.change == ADDED and one.after][:_MOST_PAIRED]
    if not gone or not new:
        return files
    lines = {id(one): Counter((one.before or one.after or b"").splitlines()) for one in (*gone, *new)}
    scores = sorted(
        ((_alike(lines[id(old)], lines[id(one)]), old, one) for old in gone for one in new),
        key=lambda row: (-row[0], row[1].path, row[2].path),
    )
    taken: set[str] = set()
    renamed: dict[str, RawFile] = {}
    for score, old, one in scores:
        if score >= _ALIKE and old.path not in taken and one.path not in taken:
            taken |= {old.path, one.path}
            renamed[one.path] = RawFile(one.path, RENAMED, old.path, old.before, one.after)
    kept = (one for one in files if one.path not in taken or one.path in renamed)
    return tuple(renamed.get(one.path, one) for one in kept if not (one.change == REMOVED and one.path in taken))


def _alike(old: "Counter[bytes]", new: "Counter[bytes]") -> float:
    most = max(old.total(), new.total())
    return (old & new).total() / most if most else 0.0
