"""Short ids in what people read. JSON has whole ones."""

from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any

from waypost.model.ids import ids_in, with_short_ids

ShortIds = Callable[[Iterable[str]], Mapping[str, str]]
_of_memory: list[ShortIds] = []  # of the memory that this command opened last


def use_short_ids(short_ids: ShortIds) -> None:
    """From now on shorten ids by this function."""
    _of_memory[:] = [short_ids]


def short_id_output(file: IO[str]) -> IO[str]:
    """The file, with ids shortened that the open memory has."""
    return _ShortIdFile(file) if _of_memory else file  # type: ignore[return-value]  # delegates all but `write`


class _ShortIdFile:
    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        ids = ids_in(text)
        return self._file.write(with_short_ids(text, _of_memory[0](ids)) if ids else text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
