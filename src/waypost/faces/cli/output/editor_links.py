"""Places in code that a terminal opens (CB-14).

A terminal gets `path:line` with an invisible target around it (OSC 8: `ESC ] 8 ; id ; URL ST`, written by Rich). A
pipe gets `path:line` alone, which terminals and editors make clickable by themselves. Of a target only the letters,
digits and marks below ever reach the output, whatever a path holds: it cannot end the sequence that it stands in.
"""

import ntpath
import os
import posixpath
import re
import socket
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from waypost.faces.cli.output.memories import safe

if TYPE_CHECKING:
    from rich.text import Text

    from waypost.memory import Memory

# `{path}` is absolute and encoded, with its slash. VS Code and kitty read `#42`; kitty does not read `#L42`.
# VS Code, its descendants and Zed decode the path first and take the last two numbers for line and column: given
# both, a path that ends in `:3` stays whole.
_TARGETS = {
    "file": "file://{host}{path}#{line}",
    "vscode": "vscode://file{path}:{line}:1",
    "vscode-insiders": "vscode-insiders://file{path}:{line}:1",
    "cursor": "cursor://file{path}:{line}:1",
    "windsurf": "windsurf://file{path}:{line}:1",
    "zed": "zed://file{path}:{line}:1",
    "idea": "idea://open?file={path}&line={line}",
}
_LONGEST_TARGET = 2083  # what VTE takes; others take as much or more
_DRIVE = re.compile(r"/?[A-Za-z]:[/\\]")
_BREAKS = re.compile(r"[\t\n\u061c\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class EditorLinks:
    """Where paths of a memory are found, and what they open in."""

    root: Path | None  # None: there is no tree, and nothing to open
    editor: str = "none"  # one of config.LINKS

    def target(self, path: str, line: int | None = None) -> str | None:
        """The URL that opens the place, or None where there is none: links are off, or it is outside the tree."""
        if self.root is None or self.editor not in _TARGETS:
            return None
        absolute = _inside(str(self.root), path)
        return None if absolute is None else target(self.editor, absolute, line)

    def text(self, path: str, line: int | None = None, *, style: str = "green") -> "Text":
        """`path:line`, with its target where the output is a terminal."""
        from rich.style import Style
        from rich.text import Text

        url = self.target(path, line) if _clickable() else None
        return Text(spelled(path, line), Style.parse(style) + Style(link=url))


def places_of(memory: "Memory") -> EditorLinks:
    """Of a project its tree; of a person nothing, who has none."""
    from waypost import config

    root = memory.code.root
    return EditorLinks(root if root.is_absolute() else None, config.load().links)


def spelled(path: str, line: int | None = None) -> str:
    """A place in words: on one line, without anything that acts on a terminal. `path:4-9` would be no link to most."""
    shown = _BREAKS.sub("\ufffd", safe(path))
    return shown if line is None else f"{shown}:{line}"


def target(editor: str, absolute: str, line: int | None = None) -> str | None:
    """The URL of a line of a file for one of the editors; None where no terminal would take it: too long, no file name."""
    on_drive = _DRIVE.match(absolute)
    try:
        encoded = quote(os.fsencode(absolute.replace("\\", "/") if on_drive else absolute), safe="/")
    except UnicodeEncodeError:
        return None
    if on_drive:
        encoded = "/" + encoded.lstrip("/").replace("%3A", ":", 1)
    url = _TARGETS[editor].format(host="" if os.name == "nt" else _host(), path=encoded, line=line or 1)
    if line is None and editor == "file":
        url = url.partition("#")[0]
    return url if len(url) <= _LONGEST_TARGET else None


def _inside(root: str, path: str) -> str | None:
    """The absolute path, without a look at the disk; None for what is not below the root."""
    flavour = ntpath if _DRIVE.match(root) else posixpath
    absolute = flavour.normpath(flavour.join(root, path))
    top, there = flavour.normcase(flavour.normpath(root)).rstrip(flavour.sep), flavour.normcase(absolute)
    return absolute if "\0" not in path and there.startswith(top + flavour.sep) else None


@cache
def _host() -> str:
    """A terminal opens a `file:` URL only when the host is its own: over SSH that of the other machine is refused."""
    return quote(socket.gethostname(), safe="")


def _clickable() -> bool:
    """Rich leaves targets out for dumb terminals; it would write them into a pipe where colour is forced."""
    return sys.stdout.isatty()
