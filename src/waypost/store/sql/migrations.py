"""Migrations: a name and its statements, which are in a file of this name. A released migration is never edited."""

from collections.abc import Iterator, Mapping
from pathlib import Path


class Migrations(Mapping[str, str]):
    """Statements by name, in the order in which they run. A file is read when its migration is needed."""

    def __init__(self, folder: Path, *names: str) -> None:
        self._folder, self._names = folder, names

    def __getitem__(self, name: str) -> str:
        if name not in self._names:
            raise KeyError(name)
        return (self._folder / f"{name}.sql").read_text("utf-8")

    def __contains__(self, name: object) -> bool:
        """Without reading the file, as each opening of a database asks for every name."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
