"""Reads the settings that hold for this process."""

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
from waypost.config.address import checked_store, no_address
from waypost.config.editors import chosen_links
from waypost.config.values import Settings
from waypost.errors import ConfigError

KNOWN = {"engine", "multilingual", "person", "busy_timeout_seconds", "background", "links", "ollama", "openai", "llm"}
KNOWN |= {"stale_threshold", "stale_threshold_whole", "learn", "journal", "serve", "backup"}
KNOWN |= {"store", "statement_timeout_seconds", "machine", "worker_cores"}
_LONGEST_MACHINE = 64


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings that hold for this process."""
    env = os.environ if environment is None else environment
    home = Path(env["WAYPOST_HOME"]) if env.get("WAYPOST_HOME") else _user_home(env) / ".waypost"
    home = home.expanduser().absolute()
    if os.path.exists(home) and not os.path.isdir(home):  # False where nobody may look
        raise ConfigError(f"The data directory {home} is not a directory.", "Set WAYPOST_HOME to a directory.")
    table = _read_toml(home / "config.toml")
    unknown = sorted(set(table) - KNOWN)
    if unknown:
        raise ConfigError(
            f"Unknown setting {unknown[0]!r} in {home / 'config.toml'}.",
            f"Known settings: {', '.join(sorted(KNOWN))}.",
        )
    told = bool(env.get("WAYPOST_HOME"))
    settings = Settings(home, _model_folders(env, home), _person(env, table), home_is_told=told)
    engine = env.get("WAYPOST_ENGINE") or table.get("engine") or settings.engine
    ollama = tables.remote(table.get("ollama"), "ollama", settings.ollama)
    openai = tables.remote(table.get("openai"), "openai", settings.openai)
    llm = tables.llm(table.get("llm"))
    named = [r.api_key_variable for r in (ollama, openai, llm) if r and r.api_key_variable]
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
        links=chosen_links(env, table),
        stale_threshold=tables.part(table, "stale_threshold", settings.stale_threshold),
        stale_threshold_whole=tables.part(table, "stale_threshold_whole", settings.stale_threshold_whole),
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
        secrets={name: env[name] for name in named if env.get(name)},
    )


def environment() -> dict[str, str]:
    """The variables of this process, by which other programs say where their settings are."""
    return dict(os.environ)


def user_home(environment: Mapping[str, str] | None = None) -> Path:
    """The person's own folder, where other programs look for what is installed for them."""
    return _user_home(os.environ if environment is None else environment)


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
    if not os.access(sys.prefix, os.W_OK):
        folders.reverse()
    return tuple(folders)


def _engine_name(name: Any) -> str:
    if isinstance(name, str) and (name in {"minilm", "ollama", "openai"} or name.startswith("onnx:")):
        return name
    raise ConfigError(
        f"Unknown embedding engine {name!r}.", "Use minilm, onnx:DIR, ollama or openai (docs/operations.md)."
    )


def _store(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    store = env.get("WAYPOST_STORE") or table.get("store", "")
    if not isinstance(store, str):
        raise no_address("Setting 'store'")
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


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):  # whoever reads from a pipe waits for ever
                raise ConfigError(f"{path} is not a plain file.", "Put a file in its place, or remove it.")
            return tomllib.loads(file.read().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Correct that line or remove the file.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Make it a file that you can read.") from error
