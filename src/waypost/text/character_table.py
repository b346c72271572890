"""A `str.translate` table that is filled while it is used."""

from collections.abc import Callable

_MOST_ENTRIES = 20_000  # more than real texts need; a hostile text must not fill the memory


class CharacterTable(dict[int, str]):
    """Maps each character to its replacement, computed when first needed."""

    def __init__(self, replacement: Callable[[str], str]) -> None:
        super().__init__()
        self._replacement = replacement

    def __missing__(self, code: int) -> str:
        answer = self._replacement(chr(code))
        if len(self) < _MOST_ENTRIES:
            self[code] = answer
        return answer
