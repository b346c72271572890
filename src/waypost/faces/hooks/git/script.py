"""The text of Waypost's git hooks: rendered for an event, and recognised later."""

import hashlib
import os
import re
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal

from waypost.errors import InvalidInput
from waypost.system.platform import read_small_file

EVENTS = ("post-commit", "post-merge", "post-rewrite", "post-checkout")
KEPT_SUFFIX = ".waypost-kept"
PENDING_NAME = "waypost-pending"  # written by the hook into the git directory

Author = Literal["waypost", "edited", "somebody"]

_MARK = b"# Waypost git hook, seal "
_PLACE = re.compile(rb"@([A-Z_]+)@")
_SHELL = re.compile(rb"#! ?((?:/usr/bin/env |/(?:usr/(?:local/)?)?bin/)(?:ba|da)?sh)((?: -[eux]+)?)[ \t]*")
_OWN_NAME = re.compile(rb"\$(?:0|\{0\b)")
_LONGEST_KEPT = 1_000_000


@dataclass(frozen=True, slots=True)
class Installer:
    """What a hook must know about its installation."""

    python: str  # absolute path; empty if unknown, then `waypost` is searched on the PATH
    home: str = ""  # WAYPOST_HOME, for commits without it in the environment


def render(event: str, installer: Installer, kept: Path | None = None) -> bytes:
    """The hook of this event. `kept` is the hook to run first."""
    values = {
        b"EVENT": event.encode("ascii"),
        b"PYTHON": _quoted(installer.python),
        b"HOME": _quoted(installer.home),
        b"RUN_KEPT": _run_kept(kept),
    }
    template = files("waypost.faces.hooks.git").joinpath("git_hook.txt").read_bytes().replace(b"\r\n", b"\n")
    first, second, rest = template.split(b"\n", 2)
    # In one pass, because a path may contain something like another placeholder.
    rest = _PLACE.sub(lambda place: values[place[1]], rest)
    return b"\n".join((first, second.replace(b"@SEAL@", _seal(rest)), rest))


def author(content: bytes) -> Author:
    """Who wrote this hook: Waypost, someone who edited Waypost's, or someone else."""
    _, _, body = content.partition(b"\n")
    second, _, rest = body.partition(b"\n")
    if not second.startswith(_MARK):
        return "edited" if _MARK in content else "somebody"
    shebang = content.startswith(b"#!/bin/sh\n")
    return "waypost" if shebang and second == _MARK + _seal(rest) else "edited"


def _seal(rest: bytes) -> bytes:
    return hashlib.sha256(rest).hexdigest()[:32].encode("ascii")


def _quoted(text: str) -> bytes:
    return b"'" + os.fsencode(text).replace(b"'", b"'\\''") + b"'"


def _run_kept(kept: Path | None) -> bytes:
    """The command that runs the earlier hook.

    Shell scripts that read their own name, such as husky's, must see the name that git called. They are sourced. Scripts
    that check whether they are sourced are started normally.
    """
    started = b'"$0.waypost-kept" "$@"'
    if kept is None:
        return started
    try:
        content = read_small_file(kept, _LONGEST_KEPT)
    except (OSError, InvalidInput):  # perhaps a binary: run it as git would
        return started
    shell = _SHELL.fullmatch(content.partition(b"\n")[0])
    if shell is None or not _OWN_NAME.search(content) or b"BASH_SOURCE" in content:
        return started
    return shell[1] + shell[2] + b""" -c '. "$0.waypost-kept"' "$0" "$@\""""
