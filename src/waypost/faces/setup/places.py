"""Where agents keep their configuration on Linux, macOS and Windows. The one place that knows how they differ."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class SetupSystem:
    """The machine as set-up sees it: given from outside, so that nothing here reaches for the real one."""

    platform: str  # as sys.platform
    home: Path  # of the person
    environment: Mapping[str, str]
    which: Callable[[str], str | None]
    state: Path  # a folder of Waypost's own, for what was done and for backups
    waypost: str  # the program, absolute
    hook: str  # the program of the hooks, absolute
    told_home: str = ""  # WAYPOST_HOME, where it is told: agents must be told too


def folders(system: SetupSystem) -> dict[str, Path]:
    """The folders that paths in `agents.toml` begin with."""
    home, told = system.home, system.environment
    return {
        "home": home,
        "claude": _told(told, "CLAUDE_CONFIG_DIR", home / ".claude"),
        "claude_state": _told(told, "CLAUDE_CONFIG_DIR", home),
        "codex": _told(told, "CODEX_HOME", home / ".codex"),
        "copilot": _told(told, "COPILOT_HOME", home / ".copilot"),
        "code_user": _programs_folder(system) / "Code" / "User",
        "zed": _zed(system),
    }


def _programs_folder(system: SetupSystem) -> Path:
    """Where desktop programs keep what belongs to a person."""
    if system.platform == "darwin":
        return system.home / "Library" / "Application Support"
    if system.platform == "win32":
        return _told(system.environment, "APPDATA", system.home / "AppData" / "Roaming")
    return _told(system.environment, "XDG_CONFIG_HOME", system.home / ".config")


def _zed(system: SetupSystem) -> Path:
    if system.platform == "win32":
        return _programs_folder(system) / "Zed"
    if system.platform == "darwin":  # where it does not follow the system's habit
        return system.home / ".config" / "zed"
    return _programs_folder(system) / "zed"


def _told(environment: Mapping[str, str], name: str, otherwise: Path) -> Path:
    """A relative path is no place to rely on: programs ignore it, or mean their own working directory."""
    given = environment.get(name, "")
    return Path(given) if given and Path(given).is_absolute() else otherwise


def place(system: SetupSystem, project: Path, scope: Scope, template: str) -> Path:
    """The file that a path of `agents.toml` means."""
    if scope == "project":
        return project / template
    return Path(template.format_map({name: str(folder) for name, folder in folders(system).items()}))


def command_line(system: SetupSystem, scope: Scope, *words: str) -> str:
    """A command of the hook program for the shell that agents start it by."""
    program = hook_program(system, scope)
    if system.platform == "win32":
        program = program.replace("\\", "/")  # Git's shell takes a backslash for an escape; all others take both
        spelled = f'"{program}"' if " " in program else program
        return " ".join([spelled, *words])
    import shlex

    home = f"env WAYPOST_HOME={shlex.quote(system.told_home)} " if system.told_home and scope == "user" else ""
    return home + shlex.join([program, *words])


def server_program(system: SetupSystem, scope: Scope) -> str:
    """Absolute for a person; in a project, whose files others share, by its name where the PATH knows it."""
    return "waypost" if scope == "project" and system.which("waypost") else system.waypost


def hook_program(system: SetupSystem, scope: Scope) -> str:
    return "waypost-hook" if scope == "project" and system.which("waypost-hook") else system.hook
