"""This machine, as set-up sees it."""

import os
import shutil
import sys
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.errors import Refused
from waypost.faces.setup.places import SetupSystem


def this_system(settings: Settings) -> SetupSystem:
    """The person's folders, the programs of this installation, and Waypost's own folder.

    Raises Refused where Waypost is not installed as a command, so that no agent could start it.
    """
    return SetupSystem(
        sys.platform,
        config.user_home().absolute(),
        config.environment(),
        shutil.which,
        settings.home / "setup",
        _program("waypost"),
        _program("waypost-hook"),
        str(settings.home) if settings.home_from_variable else "",
    )


def _program(name: str) -> str:
    """The command beside the interpreter that runs us: it is of this installation, whatever the PATH says."""
    suffixes = (".exe", "") if sys.platform == "win32" else ("",)
    for suffix in suffixes:
        beside = Path(os.path.abspath(sys.executable)).with_name(name + suffix)
        if beside.is_file():
            return str(beside)
    found = shutil.which(name)
    if found is None:
        raise Refused(
            f"The command `{name}` was not found beside {sys.executable} or on the PATH.",
            "Install Waypost with its commands: `pip install waypost`, or better `uv tool install waypost`.",
        )
    return os.path.abspath(found)
