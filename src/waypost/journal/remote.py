"""A journal whose files are on another machine. Only the index knows them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from waypost.config import JournalSettings
from waypost.errors import NotFound
from waypost.journal.files import JournalFolder
from waypost.journal.layout import ARCHIVE
from waypost.store.journal import FileStamp


class RemoteJournal(JournalFolder):
    """Lists the files of a remote journal and reads what the index has of them. Writing raises NotFound."""

    def __init__(
        self,
        root: Path,
        settings: JournalSettings,
        name: str,
        stamps: Mapping[str, FileStamp],
        page: Callable[[str], str | None],
    ) -> None:
        super().__init__(root, root / "journal.lock", settings)
        self._name, self._stamps, self._page = name, stamps, page

    def need_files(self) -> None:
        raise self._not_here("its files are not on this machine")

    def scan(self, *, archive: bool = True) -> dict[str, FileStamp]:
        return {path: stamp for path, stamp in self._stamps.items() if archive or not path.startswith(ARCHIVE)}

    def disk_sizes(self) -> dict[str, int]:
        return {path: stamp.size for path, stamp in self._stamps.items()}

    def stamp(self, path: str) -> FileStamp | None:
        return self._stamps.get(path)

    def read(self, path: str) -> str:
        page = self._page(path) if path in self._stamps else None
        if page is not None:
            return page
        raise self._not_here(f"{path[:100]} is not on this machine")

    @contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:  # noqa: ARG002  as a folder has it
        raise self._not_here("its files are not on this machine")
        yield

    def append(self, path: str, text: str) -> int:  # noqa: ARG002  as a folder has it
        raise self._not_here(f"{path[:100]} is not on this machine")

    def replace(self, path: str, text: str, *, expected: str | None) -> bool:  # noqa: ARG002
        raise self._not_here(f"{path[:100]} is not on this machine")

    def remove(self, path: str) -> None:
        raise self._not_here(f"{path[:100]} is not on this machine")

    def compress(self, paths: Iterable[str]) -> None:  # noqa: ARG002
        raise self._not_here("its files are not on this machine")

    def _not_here(self, why: str) -> NotFound:
        message = f"The journal of {self._name!r} is kept in its repository: {why}."
        return NotFound(message, "Run this where the project is checked out.")
