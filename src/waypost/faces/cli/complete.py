"""What a shell can complete: ids or symbols, one per line, with a description behind a tab.

Completion scripts call it while somebody types. So it avoids the command framework and prints no errors.
"""

from collections.abc import Mapping
from pathlib import Path

from waypost.errors import WaypostError
from waypost.memory import Memory
from waypost.model.characters import visible_text

_MOST = 50
_SEARCHED = 1000  # newest memories whose ids are compared
_LONGEST = 60  # characters of a description


def complete(arguments: list[str]) -> None:
    """Print the ids or symbols that begin with a prefix."""
    directory = Path(arguments[1]) if arguments[:1] == ["-C"] and len(arguments) > 1 else Path()
    kind, prefix = [*(arguments[2:] if arguments[:1] == ["-C"] else arguments), "", ""][1:3]
    try:
        with Memory.open(directory) as memory:
            lines = _ids(memory, prefix) if kind == "ids" else _symbols(memory, prefix) if kind == "symbols" else []
    except WaypostError:  # a shell shows no errors while somebody types
        return
    print("\n".join(lines))


def _ids(memory: Memory, prefix: str) -> list[str]:
    rows = [row for row in reversed(memory.list(limit=_SEARCHED)) if row["id"].startswith(prefix)][:_MOST]
    short = memory.admin.short_ids([row["id"] for row in rows])
    return [f"{_short(row['id'], short, prefix)}\t{_one_line(row['text'])}" for row in rows]


def _short(memory_id: str, short: Mapping[str, str], prefix: str) -> str:
    """The short id, or the whole one if somebody has typed more than the short one."""
    beginning = short.get(memory_id, memory_id)
    return beginning if beginning.startswith(prefix) else memory_id


def _symbols(memory: Memory, prefix: str) -> list[str]:
    return [visible_text(name) for name in memory.code.symbol_names(prefix, _MOST)] if prefix else []


def _one_line(text: str) -> str:
    line = " ".join(visible_text(text[: 4 * _LONGEST]).replace(":", " ").split())  # zsh ends names at a colon
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
