"""Read the settings of this process."""

import getpass
import os
import stat
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost.config import tables
from waypost.config.address import address_error, checked_store
from waypost.config.values import LINKS, Settings
from waypost.errors import ConfigError

KNOWN = {"engine", "multilingual", "person", "busy_timeout_seconds", "background", "links", "ollama", "openai", "llm"}
KNOWN |= {"count_annotations", "stale_threshold", "stale_threshold_whole", "learn", "journal", "serve", "backup"}
KNOWN |= {"store", "statement_timeout_seconds", "machine", "worker_cores"}
CONFIG_FILE = "config.toml"
_LONGEST_MACHINE = 64
_TOOL_FOLDERS = {"uv", "pipx"}  # an upgrade makes a new environment there, so models belong elsewhere


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of this process. Raises ConfigError for a wrong one."""
    env = os.environ if environment is None else environment
    home = Path(env["WAYPOST_HOME"]) if env.get("WAYPOST_HOME") else _user_home(env) / ".waypost"
    home = home.expanduser().absolute()
    if os.path.exists(home) and not os.path.isdir(home):  # False without the right to look
        raise ConfigError(f"The data directory {home} is not a directory.", "Set WAYPOST_HOME to a directory.")
    return _settings(env, home, read_toml(home / CONFIG_FILE))


def check_text(text: str, home: Path) -> None:
    """Check what `config.toml` would say. Raises ConfigError; the environment does not count."""
    _settings({}, home, _parsed(text, home / CONFIG_FILE))


def _settings(env: Mapping[str, str], home: Path, table: Mapping[str, Any]) -> Settings:
    unknown = sorted(set(table) - KNOWN)
    if unknown:
        raise ConfigError(
            f"Unknown setting {unknown[0]!r} in {home / CONFIG_FILE}.",
            f"Known settings: {', '.join(sorted(KNOWN))}.",
        )
    from_variable = bool(env.get("WAYPOST_HOME"))
    settings = Settings(home, _model_folders(env, home), _person(env, table), home_from_variable=from_variable)
    engine = env.get("WAYPOST_ENGINE") or table.get("engine") or settings.engine
    ollama = tables.remote(table.get("ollama"), "ollama", settings.ollama)
    openai = tables.remote(table.get("openai"), "openai", settings.openai)
    llm = tables.llm(table.get("llm"))
    key_variables = [r.api_key_variable for r in (ollama, openai, llm) if r and r.api_key_variable]
    return replace(
        settings,
        engine=_engine_name(engine),
        multilingual=tables.typed(table, "multilingual", bool, settings.multilingual),
        ollama=ollama or settings.ollama,
        openai=openai,
        llm=llm,
        busy_timeout_seconds=tables.seconds(table, "busy_timeout_seconds", settings.busy_timeout_seconds),
        background=tables.typed(table, "background", bool, settings.background)
        and env.get("WAYPOST_BACKGROUND") != "0",
        worker_cores=tables.cores(table, settings.worker_cores),
        links=_links(env, table),
        stale_threshold=tables.part(table, "stale_threshold", settings.stale_threshold),
        stale_threshold_whole=tables.part(table, "stale_threshold_whole", settings.stale_threshold_whole),
        count_annotations=tables.typed(table, "count_annotations", bool, settings.count_annotations),
        learn_hold=tables.learn_hold(table),
        learn_on=tables.learn_on(table, settings.learn_on),
        journal=tables.journal(table),
        serve=tables.serve(table),
        backup=tables.backup(table),
        store=_store(env, table),
        statement_timeout_seconds=tables.seconds(
            table, "statement_timeout_seconds", settings.statement_timeout_seconds
        ),
        machine=_machine(env, table),
        secrets={name: env[name] for name in key_variables if env.get(name)},
    )


def environment() -> dict[str, str]:
    """The environment variables of this process."""
    return dict(os.environ)


def user_home(environment: Mapping[str, str] | None = None) -> Path:
    """The home directory of the person."""
    return _user_home(os.environ if environment is None else environment)


def is_everything(directory: Path) -> bool:
    """Whether a folder is the root of a disk or the person's home, and no repository: all projects are below it."""
    here = directory.absolute()
    return here in (Path(here.anchor), user_home().absolute(), user_home().resolve()) and not (here / ".git").exists()


def _user_home(env: Mapping[str, str]) -> Path:
    return Path(env["HOME"]) if env.get("HOME") else Path.home()


def _person(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    name = env.get("WAYPOST_PERSON") or table.get("person")
    if name:
        return str(name)
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "owner"


def _model_folders(env: Mapping[str, str], home: Path) -> tuple[Path, ...]:
    if env.get("WAYPOST_MODELS"):
        return (Path(env["WAYPOST_MODELS"]).expanduser().absolute(),)
    environment = Path(sys.prefix) / "share" / "waypost" / "models"
    folders = [environment, home / "models"]
    if not os.access(sys.prefix, os.W_OK) or _TOOL_FOLDERS & set(Path(sys.prefix).parts):
        folders.reverse()
    return tuple(folders)


def _engine_name(name: Any) -> str:
    if isinstance(name, str) and (name in {"minilm", "ollama", "openai"} or name.startswith("onnx:")):
        return name
    raise ConfigError(
        f"Unknown embedding engine {name!r}.", "Use minilm, onnx:DIR, ollama or openai (docs/reference/settings.md)."
    )


def _links(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    links = env.get("WAYPOST_LINKS") or table.get("links", "auto")
    if links == "auto":
        return _editor_of_terminal(env)
    if links not in LINKS:
        raise ConfigError(f"Setting 'links' is {links!r}.", f"Use auto, {', '.join(LINKS)}.")
    return str(links)


def _editor_of_terminal(env: Mapping[str, str]) -> str:
    """The editor that links should open in, guessed from the terminal.

    "none" leaves it to the terminal, which turns `path:line` into better links. It applies to editors attached to
    another machine, to WSL and to JetBrains terminals.
    """
    remote = any(env.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "REMOTE_CONTAINERS", "CODESPACES"))
    program = env.get("TERM_PROGRAM", "")
    if env.get("WSL_DISTRO_NAME") or env.get("TERMINAL_EMULATOR") == "JetBrains-JediTerm":
        return "none"
    if program == "zed" or env.get("ZED_TERM"):
        return "none" if remote else "zed"
    if program == "vscode":
        return "none" if remote else _vscode_kind(env)
    return "file"


def _vscode_kind(env: Mapping[str, str]) -> str:
    """VS Code and its forks all set TERM_PROGRAM to vscode. The install path differs."""
    install_path = f"{env.get('VSCODE_GIT_ASKPASS_NODE', '')} {env.get('__CFBundleIdentifier', '')}".casefold()
    if env.get("CURSOR_TRACE_ID") or "cursor" in install_path:
        return "cursor"
    if "windsurf" in install_path:
        return "windsurf"
    return "vscode-insiders" if "insider" in env.get("TERM_PROGRAM_VERSION", "") else "vscode"


def _store(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    store = env.get("WAYPOST_STORE") or table.get("store", "")
    if not isinstance(store, str):
        raise address_error("Setting 'store'")
    return checked_store(store, "Setting 'store'") if store else ""


def _machine(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    name = env.get("WAYPOST_MACHINE") or table.get("machine")
    if not name:
        node = os.uname().nodename if hasattr(os, "uname") else env.get("COMPUTERNAME", "")
        return node.replace(":", "-")[:_LONGEST_MACHINE] or "machine"
    if not isinstance(name, str) or len(name) > _LONGEST_MACHINE or not name.isprintable() or ":" in name:
        raise ConfigError(
            f"Setting 'machine' is {name!r}.", f"Use up to {_LONGEST_MACHINE} printable characters without a colon."
        )
    return name


def read_toml(path: Path) -> dict[str, Any]:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):  # reading from a pipe would block
                raise ConfigError(f"{path} is not a plain file.", "Replace it by a plain file, or remove it.")
            return _parsed(file.read().decode("utf-8"), path)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Correct that line or remove the file.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Make it a readable file.") from error


def _parsed(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Correct that line or remove the file.") from error
