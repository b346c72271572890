"""Contents of git objects, many with one question, and the lines in which git tells what differs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from waypost.code.files.content import magic_reason
from waypost.code.files.skip import file_skip, unsafe_name
from waypost.code.git.command import GitCheckout
from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED

_SECONDS = 60.0
_NONE = frozenset("0")
_REGULAR = "100"  # how the modes of files begin; links are 120000, submodules 160000
_CHANGES = {"A": ADDED, "C": ADDED, "D": REMOVED, "M": MODIFIED, "T": MODIFIED, "R": RENAMED}


@dataclass(frozen=True, slots=True)
class ChangedObject:
    """A file that differs. An id is empty where there is no regular file; `on_disk`: its new content has no id yet."""

    path: str
    change: str
    path_before: str = ""
    before: str = ""
    after: str = ""
    on_disk: bool = False


def read_entries(fields: Iterator[str], first: str) -> Iterator[ChangedObject | str]:
    """Files of one answer to `--raw -z`, beginning with the field `first`. Ends with the first field that is none, which
    is the last thing given."""
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
    """None for what is no file, or differs in nothing that can be read: a submodule, a link, a mode."""
    mode_before, mode_after, before, after, status = parts
    change = _CHANGES.get(status[:1])
    if change is None:
        return None  # `U`: in conflict; told once more as modified
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
    """How many bytes each has. What is not here (a partial or broken clone) is absent."""
    wanted = sorted({one for one in ids if one and not _NONE.issuperset(one)})
    if not wanted:
        return {}
    answer = checkout.ask("cat-file", "--batch-check", given="\n".join(wanted).encode() + b"\n", seconds=_SECONDS)
    found: dict[str, int] = {}
    for line in (answer or b"").decode("ascii", "replace").splitlines():
        parts = line.split(" ")
        if len(parts) == 3 and parts[1] == "blob" and parts[2].isdigit():
            found[parts[0]] = int(parts[2])
    return found


def contents(checkout: GitCheckout, names: Iterable[str]) -> list[bytes | None]:
    """The content of each named object, in order; None for one that is not here. A name holds no line end."""
    wanted = list(names)
    if not wanted:
        return []
    given = "\n".join(wanted).encode("utf-8", "surrogateescape") + b"\n"
    answer = checkout.ask("cat-file", "--batch", given=given, seconds=_SECONDS) or b""
    found: list[bytes | None] = []
    position = 0
    for _ in wanted:
        end = answer.find(b"\n", position)
        if end < 0:
            break
        parts = answer[position:end].rsplit(b" ", 2)
        position = end + 1
        if len(parts) != 3 or not parts[2].isdigit():
            found.append(None)
            continue
        size = int(parts[2])
        found.append(answer[position : position + size] if parts[1] == b"blob" else None)
        position += size + 1
    return found + [None] * (len(wanted) - len(found))


def reason_against(path: str, size: int) -> str:
    """Why a file of this name and size is not read; "" when it is. Generated files are, by name, told as changed only."""
    skip = file_skip(path, size)
    return skip.reason if skip is not None else ""


def reason_inside(content: bytes | None) -> str:
    """What the content says against reading it."""
    if content is None:
        return ""
    return magic_reason(content) or ("binary" if b"\0" in content[:8_000] and content[:2] not in _WIDE else "")


_WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 and UTF-32 with their mark
