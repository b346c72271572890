"""Clickable code locations for terminals.

A terminal gets `path:line` with an invisible link target (OSC 8: `ESC ] 8 ; id ; URL ST`, written by Rich).
A pipe gets only `path:line`, which terminals and editors make clickable themselves.
Targets are percent-encoded, so a path cannot end the escape sequence.
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
# VS Code, its forks and Zed read the last two numbers as line and column. Always pass both:
# then a path that ends in `:3` stays whole.
_TARGETS = {
    "file": "file://{host}{path}#{line}",
    "vscode": "vscode://file{path}:{line}:1",
    "vscode-insiders": "vscode-insiders://file{path}:{line}:1",
    "cursor": "cursor://file{path}:{line}:1",
    "windsurf": "windsurf://file{path}:{line}:1",
    "zed": "zed://file{path}:{line}:1",
    "idea": "idea://open?file={path}&line={line}",
}
_LONGEST_TARGET = 2083  # the limit of VTE, the lowest of common terminals
_DRIVE = re.compile(r"/?[A-Za-z]:[/\\]")
_BREAKS = re.compile(r"[\t\n\u061c\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class EditorLinks:
    """The root folder of a memory's paths, and the editor that opens them."""

    root: Path | None  # None: no repository, so nothing to open
    editor: str = "none"  # one of config.LINKS

    def target(self, path: str, line: int | None = None) -> str | None:
        """The URL that opens the place, or None if links are off or the path is outside the root."""
        if self.root is None or self.editor not in _TARGETS:
            return None
        absolute = _inside(str(self.root), path)
        return None if absolute is None else target(self.editor, absolute, line)

    def text(self, path: str, line: int | None = None, *, style: str = "green") -> "Text":
        """`path:line`, with its target where the output is a terminal."""
        from rich.style import Style
        from rich.text import Text

        url = self.target(path, line) if _clickable() else None
        return Text(place_text(path, line), Style.parse(style) + Style(link=url))


def editor_links_of(memory: "Memory") -> EditorLinks:
    """Links into the repository of a project. A personal memory has no links."""
    from waypost import config

    root = memory.code.root
    return EditorLinks(root if root.is_absolute() else None, config.load().links)


def place_text(path: str, line: int | None = None) -> str:
    """`path:line` on one line without control characters. Most terminals would not link `path:4-9`."""
    text = _BREAKS.sub("\ufffd", safe(path))
    return text if line is None else f"{text}:{line}"


def target(editor: str, absolute: str, line: int | None = None) -> str | None:
    """The editor's URL for a line of a file, or None if it is too long or not encodable."""
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
    """The absolute path, computed without disk access, or None if it is not below the root."""
    flavour = ntpath if _DRIVE.match(root) else posixpath
    absolute = flavour.normpath(flavour.join(root, path))
    top, there = flavour.normcase(flavour.normpath(root)).rstrip(flavour.sep), flavour.normcase(absolute)
    return absolute if "\0" not in path and there.startswith(top + flavour.sep) else None


@cache
def _host() -> str:
    """Terminals open `file:` URLs only for their own host, so links over SSH are refused."""
    return quote(socket.gethostname(), safe="")


def _clickable() -> bool:
    """Whether to write link targets. Rich would also write them into a pipe when colour is forced."""
    return sys.stdout.isatty()
