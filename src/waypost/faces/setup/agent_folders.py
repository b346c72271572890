"""Where agents keep their configuration on Linux, macOS and Windows."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.errors import Refused
from waypost.system.config_file import SETUP, Scope


@dataclass(frozen=True, slots=True)
class SetupSystem:
    """What set-up needs to know about the machine. Tests pass their own."""

    platform: str  # as sys.platform
    home: Path  # home directory of the person
    environment: Mapping[str, str]
    which: Callable[[str], str | None]
    state: Path  # a folder in Waypost's data directory, for records and backups
    waypost: str  # the program, absolute
    hook: str  # the program of the hooks, absolute
    home_variable: str = ""  # WAYPOST_HOME if it is set: agents need it too
    read_tools: tuple[str, ...] = ()  # names of our tools that only read
    memories: str = ""  # of the project, for the block in AGENTS.md


def folders(system: SetupSystem) -> dict[str, Path]:
    """The folders that paths in `agents.toml` begin with."""
    home, environment = system.home, system.environment
    return {
        "home": home,
        "claude": _folder(environment, "CLAUDE_CONFIG_DIR", home / ".claude"),
        "claude_state": _folder(environment, "CLAUDE_CONFIG_DIR", home),
        "codex": _folder(environment, "CODEX_HOME", home / ".codex"),
        "copilot": _folder(environment, "COPILOT_HOME", home / ".copilot"),
        "code_user": _programs_folder(system) / "Code" / "User",
        "desktop": _programs_folder(system),
        "xdg": _folder(environment, "XDG_CONFIG_HOME", home / ".config"),  # on every system
        "kimi": _folder(environment, "KIMI_CODE_HOME", home / ".kimi-code"),
        "zed": _zed(system),
    }


def _programs_folder(system: SetupSystem) -> Path:
    """Where desktop programs keep settings of a person."""
    if system.platform == "darwin":
        return system.home / "Library" / "Application Support"
    if system.platform == "win32":
        return _folder(system.environment, "APPDATA", system.home / "AppData" / "Roaming")
    return _folder(system.environment, "XDG_CONFIG_HOME", system.home / ".config")


def _zed(system: SetupSystem) -> Path:
    if system.platform == "win32":
        return _programs_folder(system) / "Zed"
    if system.platform == "darwin":  # unlike other programs on macOS
        return system.home / ".config" / "zed"
    return _programs_folder(system) / "zed"


def _folder(environment: Mapping[str, str], name: str, default: Path) -> Path:
    """The folder in a variable. Relative paths do not count: each program reads them differently."""
    given = environment.get(name, "")
    return Path(given) if given and Path(given).is_absolute() else default


def config_path(system: SetupSystem, project: Path, scope: Scope, template: str) -> Path:
    """The path that a template in `agents.toml` stands for."""
    if scope == "project":
        return project / template
    return Path(template.format_map({name: str(folder) for name, folder in folders(system).items()}))


def command_line(system: SetupSystem, scope: Scope, *words: str) -> str:
    """A hook command for the shell of an agent."""
    program = hook_program(system, scope)
    if system.platform == "win32":
        program = program.replace("\\", "/")  # Git's shell reads a backslash as an escape
        quoted = f'"{program}"' if " " in program else program
        return " ".join([quoted, *words])
    import shlex

    home = f"env WAYPOST_HOME={shlex.quote(system.home_variable)} " if system.home_variable and scope == "user" else ""
    return home + shlex.join([program, *words])


def server_program(system: SetupSystem, scope: Scope) -> str:
    """An absolute path; in a project, whose files others share, the bare name if it is on the PATH."""
    return "waypost" if scope == "project" and system.which("waypost") else system.waypost


def hook_program(system: SetupSystem, scope: Scope) -> str:
    return "waypost-hook" if scope == "project" and system.which("waypost-hook") else system.hook


def this_system(settings: Settings, read_tools: tuple[str, ...] = (), memories: str = "") -> SetupSystem:
    """Describe this machine. Raises Refused if Waypost is not installed as a command: no agent could start it."""
    return SetupSystem(
        sys.platform,
        config.user_home().absolute(),
        config.environment(),
        shutil.which,
        settings.home / SETUP,
        _program("waypost"),
        _program("waypost-hook"),
        str(settings.home) if settings.home_from_variable else "",
        read_tools,
        memories,
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
