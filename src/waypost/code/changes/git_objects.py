"""Read git objects in batches, and parse git's raw diff lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from waypost.code.files.content import magic_reason
from waypost.code.files.skip import file_skip, unsafe_name
from waypost.code.git.command import GitCheckout
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED

_SECONDS = 60.0
_NONE = frozenset("0")
_REGULAR = "100"  # prefix of file modes; links are 120000, submodules 160000
_CHANGES = {"A": ADDED, "C": ADDED, "D": REMOVED, "M": MODIFIED, "T": MODIFIED, "R": RENAMED}


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """A file that differs. An id is empty if there is no regular file. `on_disk`: its new content has no id yet."""

    path: str
    change: str
    path_before: str = ""
    before: str = ""
    after: str = ""
    on_disk: bool = False


def read_entries(fields: Iterator[str], first: str) -> Iterator[ChangedObject | str]:
    """Parse files of `--raw -z` output, starting with the field `first`.

    The last value is the first field that is not a file.
    """
    field = first
    while field.startswith(":"):
        parts = field[1:].split(" ")
        path = next(fields, "")
        second = next(fields, "") if parts[-1][:1] in ("R", "C") else ""
        if len(parts) == 5:
            entry = _entry(parts, path, second)
            if entry is not None:
                yield entry
        field = next(fields, "")
    yield field


def _entry(parts: list[str], path: str, second: str) -> ChangedObject | None:
    """None for a submodule, a link or a mere mode change."""
    mode_before, mode_after, before, after, status = parts
    change = _CHANGES.get(status[:1])
    if change is None:
        return None  # `U`: in conflict; also listed as modified
    came = mode_after.startswith(_REGULAR)
    was = mode_before.startswith(_REGULAR) and status[:1] != "C"
    old, new = (path, second) if second else (path, path)
    if was and unsafe_name(old) is not None:
        was = False
    if came and unsafe_name(new) is not None:
        came = False
    if not was and not came:
        return None
    after = after if came else ""
    before = before if was else ""
    on_disk = bool(after) and _NONE.issuperset(after) and came
    if change == MODIFIED and before == after:
        return None
    if not was:
        return ChangedObject(new, ADDED, "", "", after, on_disk)
    if not came:
        return ChangedObject(old, REMOVED, "", before)
    is_moved = change == RENAMED and old != new
    return ChangedObject(new, RENAMED if is_moved else MODIFIED, old if is_moved else "", before, after, on_disk)


def sizes(checkout: GitCheckout, ids: Iterable[str]) -> dict[str, int]:
    """The size of each object in bytes. Objects missing in a partial or broken clone are absent."""
    wanted = sorted({object_id for object_id in ids if object_id and not _NONE.issuperset(object_id)})
    if not wanted:
        return {}
    answer = checkout.ask("cat-file", "--batch-check", given="\n".join(wanted).encode() + b"\n", seconds=_SECONDS)
    sizes_by_id: dict[str, int] = {}
    for line in (answer or b"").decode("ascii", "replace").splitlines():
        parts = line.split(" ")
        if len(parts) == 3 and parts[1] == "blob" and parts[2].isdigit():
            sizes_by_id[parts[0]] = int(parts[2])
    return sizes_by_id


def contents(checkout: GitCheckout, names: Iterable[str]) -> list[bytes | None]:
    """The content of each named object, in order; None if missing. Names must not contain line ends."""
    wanted = list(names)
    if not wanted:
        return []
    given = "\n".join(wanted).encode("utf-8", "surrogateescape") + b"\n"
    answer = checkout.ask("cat-file", "--batch", given=given, seconds=_SECONDS) or b""
    loaded: list[bytes | None] = []
    position = 0
    for _ in wanted:
        end = answer.find(b"\n", position)
        if end < 0:
            break
        parts = answer[position:end].rsplit(b" ", 2)
        position = end + 1
        if len(parts) != 3 or not parts[2].isdigit():
            loaded.append(None)
            continue
        size = int(parts[2])
        loaded.append(answer[position : position + size] if parts[1] == b"blob" else None)
        position += size + 1
    return loaded + [None] * (len(wanted) - len(loaded))


def reason_against(path: str, size: int) -> str:
    """Why a file of this name and size is not read, or ""."""
    skip = file_skip(path, size)
    return skip.reason if skip is not None else ""


def reason_inside(content: bytes | None) -> str:
    """Why this content is not read, or ""."""
    if content is None:
        return ""
    return magic_reason(content) or ("binary" if b"\0" in content[:8_000] and content[:2] not in _WIDE else "")


_WIDE = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16 and UTF-32
