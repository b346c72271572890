"""The `SetupSystem` of this machine."""

import os
import shutil
import sys
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.errors import Refused
from waypost.faces.setup.places import SetupSystem


def this_system(settings: Settings) -> SetupSystem:
    """Describe this machine. Raises Refused if Waypost is not installed as a command: no agent could start it."""
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
    """The command next to our Python interpreter, or else on the PATH."""
    suffixes = (".exe", "") if sys.platform == "win32" else ("",)
    for suffix in suffixes:
        path = Path(os.path.abspath(sys.executable)).with_name(name + suffix)
        if path.is_file():
            return str(path)
    on_path = shutil.which(name)
    if on_path is None:
        raise Refused(
            f"The command `{name}` was not found next to {sys.executable} or on the PATH.",
            "Install Waypost with its commands: `pip install waypost`, or better `uv tool install waypost`.",
        )
    return os.path.abspath(on_path)
