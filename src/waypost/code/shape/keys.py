"""Landmarks of configuration: its keys, each with all that is in it, whatever stands next to it."""

from collections.abc import Iterator, Sequence

from waypost.code.documents.keys import ConfigKey, ini_keys, toml_keys, yaml_keys
from waypost.code.documents.parse import lines_of
from waypost.model.shape import SECTION, Landmark

_KEYS = {"yaml": yaml_keys, "toml": toml_keys, "ini": ini_keys}
_COMMENTS: dict[str, tuple[str, ...]] = {"yaml": ("#",), "toml": ("#",), "ini": ("#", ";")}
_DEEPEST = 1  # keys in keys; what is deeper is a part of them
_MOST = 5_000  # keys; of a file with more only the top level counts


def has_keys(language: str) -> bool:
    return language in _KEYS


def key_landmarks(language: str, text: str) -> Iterator[Landmark]:
    """The keys of a file in their order, with the comment right above and without what follows their last line."""
    lines = lines_of(text)
    keys = [key for key in _KEYS[language](lines) if key.depth <= _DEEPEST]
    if len(keys) > _MOST:
        keys = [key for key in keys if key.depth == 0]
    above: list[str] = []
    for place, (key, end) in enumerate(zip(keys, _ends(keys, len(lines)), strict=True)):
        del above[key.depth :]
        above.append(key.name)
        if not key.name:
            continue
        qualified = ".".join(name for name in above if name)
        before = keys[place - 1].line if place else -1
        start, last = key.line + 1, _last(lines, key.line, end, _COMMENTS[language])
        first = _first(lines, key.line, before, _COMMENTS[language]) + 1
        yield Landmark(qualified.rpartition(".")[2], qualified, SECTION, "", first, start, start, last)


def _ends(keys: Sequence[ConfigKey], count: int) -> list[int]:
    """Where each key ends: before the next one that is not in it."""
    ends = [count] * len(keys)
    open_: list[int] = []
    for place, key in enumerate(keys):
        while open_ and keys[open_[-1]].depth >= key.depth:
            ends[open_.pop()] = key.line
        open_.append(place)
    return ends


def _last(lines: Sequence[str], line: int, end: int, comments: tuple[str, ...]) -> int:
    """Without blank lines and comments at the end; those belong to what follows."""
    while end > line + 1 and (not (text := lines[end - 1].strip()) or text.startswith(comments)):
        end -= 1
    return end


def _first(lines: Sequence[str], line: int, before: int, comments: tuple[str, ...]) -> int:
    while line - 1 > before and lines[line - 1].strip().startswith(comments):
        line -= 1
    return line
