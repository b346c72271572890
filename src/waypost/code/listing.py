"""The files of a checkout, as git lists them."""

from dataclasses import dataclass, field

from waypost.code.git import Checkout


@dataclass(frozen=True, slots=True)
class Listing:
    """Paths are relative to the folder that was asked about. It answers questions about folders, as `skip.Look` asks."""

    files: list[str]  # sorted
    submodules: list[str]
    repositories: list[str]  # other checkouts that lie in the tree without belonging to it
    ignored: list[tuple[str, str]]  # path (folders with `/`) and why; only when asked for
    children: dict[str, set[str]] = field(repr=False)
    tracked_folders: set[str] = field(repr=False)

    def names(self, folder: str) -> set[str]:
        return self.children.get(folder, set())

    def tracked(self, folder: str) -> bool:
        return folder in self.tracked_folders


def list_files(checkout: Checkout, *, explain: bool = False) -> Listing | None:
    """What git tracks, and what is new and not ignored. None when git cannot say."""
    answer = checkout.ask("ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard")
    if answer is None:
        return None
    tracked: set[str] = set()
    others: set[str] = set()
    submodules: list[str] = []
    repositories: list[str] = []
    for record in answer.decode("utf-8", "surrogateescape").split("\0"):
        if record.startswith("? "):
            path = record[2:]
            if path.endswith("/"):
                repositories.append(path[:-1])
            else:
                others.add(path)
        elif record:
            entry, _, path = record.partition("\t")
            if entry.startswith("160000", 2):
                submodules.append(path)
            else:
                tracked.add(path)  # once, also when a merge left three versions
    children: dict[str, set[str]] = {"": set()}
    tracked_folders: set[str] = set()
    for path in tracked:
        _note(path, children, tracked_folders)
    for path in (*others, *submodules):
        _note(path, children, None)
    return Listing(
        files=sorted(tracked | others),
        submodules=sorted(set(submodules)),
        repositories=sorted(repositories),
        ignored=_ignored(checkout) if explain else [],
        children=children,
        tracked_folders=tracked_folders,
    )


def _note(path: str, children: dict[str, set[str]], tracked: set[str] | None) -> None:
    """Write down every folder of the path, upwards until one that is known."""
    while True:
        folder, _, name = path.rpartition("/")
        known = children.get(folder)
        if known is None:
            children[folder] = {name.lower()}
        else:
            known.add(name.lower())
        seen = known is not None and (tracked is None or folder in tracked)
        if tracked is not None:
            tracked.add(folder)
        if seen or not folder:
            return
        path = folder


def _ignored(checkout: Checkout) -> list[tuple[str, str]]:
    listed = checkout.ask("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    if not listed:
        return []
    reasons: dict[str, str] = {}
    asked = b"".join(b"./" + path + b"\0" for path in listed.split(b"\0")[:-1])  # no name looks like an option or magic
    told = checkout.ask("check-ignore", "-z", "--verbose", "--stdin", given=asked) or b""
    fields = told.decode("utf-8", "surrogateescape").split("\0")
    for source, line, pattern, path in zip(fields[::4], fields[1::4], fields[2::4], fields[3::4], strict=False):
        reasons[path.removeprefix("./")] = f"ignored by {source}:{line} ({pattern})"
    paths = listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return [(path, reasons.get(path, "ignored by git")) for path in paths]
