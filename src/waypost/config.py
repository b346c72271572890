"""Settings: the only reader of the environment, the home directory and TOML files.

Order of precedence: environment, `<home>/config.toml`, default. Everything else takes a `Settings` value.
"""

import getpass
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from waypost.errors import ConfigError


@dataclass(frozen=True, slots=True)
class RemoteEngine:
    """An embedding server: Ollama or anything that speaks OpenAI's `/v1/embeddings`."""

    url: str
    model: str
    dimensions: int | None = None
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class LlmServer:
    """A language model behind OpenAI's `/v1/chat/completions`: Ollama, vLLM, llama.cpp, hosted ones.

    A run spends at most `max_tokens_per_run`, question and answer together, and at most `max_cost_per_run` in the
    currency of the prices, which are for a million tokens.
    """

    url: str
    model: str
    api_key_variable: str = ""  # the name of the environment variable, never the key itself
    timeout_seconds: float = 120.0  # for a whole answer
    retries: int = 2
    context_window: int = 8192  # tokens, question and answer together
    temperature: float = 0.0
    max_tokens_per_run: int = 200_000
    input_price: float = 0.0
    output_price: float = 0.0
    max_cost_per_run: float | None = None


@dataclass(frozen=True, slots=True)
class JournalSettings:
    """How the journal ages. Sizes are in megabytes (1024 × 1024 bytes); passing one condenses early."""

    timezone: str = ""  # by which days begin, such as Europe/Berlin; empty: that of this machine
    context_window: int = 128_000  # tokens of the model that reads; half of it may be memory
    file_limit: float = 5.0
    daily_limit: float = 20.0
    total_limit: float = 100.0
    prune_after_days: int = 90  # conversations older than that, and not read for the next, are put away
    prune_unused_days: int = 30
    sessions: bool = True  # what was said in an agent's session is kept at its end


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """How `waypost serve` runs. Rates are those of one token in one process."""

    log_format: str = "text"  # one of LOG_FORMATS; text: only what went wrong, json: a line for each request and event
    open_metrics: bool = False  # programs of this machine read `/metrics` without a token
    requests_per_minute: int = 30_000
    writes_per_minute: int = 12_000  # besides: these count as requests too
    allowed_hosts: tuple[str, ...] = ()  # names that the Host header may say, with the port unless it is the usual one
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For and -Proto are believed
    shutdown_seconds: float = 10.0  # for requests in flight when it is told to stop


@dataclass(frozen=True, slots=True)
class Settings:
    home: Path
    models: tuple[Path, ...]  # searched in order; the first is where `model install` writes
    person: str
    engine: str = "minilm"  # minilm | onnx:DIR | ollama | openai
    multilingual: bool = True  # embed what is not English beside the main engine
    ollama: RemoteEngine = field(
        default_factory=lambda: RemoteEngine("http://127.0.0.1:11434", "nomic-embed-text", 768)
    )
    openai: RemoteEngine | None = None
    llm: LlmServer | None = None  # off unless configured
    busy_timeout_seconds: float = 60.0
    background: bool = True  # start a worker for vectors owed
    stale_threshold: float = 0.0  # how large a part of the code must change before a memory about it is stale
    stale_threshold_whole: float = (
        0.3  # the same for memories about a whole file or class, of which some part always changes
    )
    links: str = "file"  # what a place in code opens in when a terminal shows it: one of LINKS, never "auto"
    learn_hold: str = "doubtful"  # which learned facts wait for approval: the doubtful ones, or "all"
    learn_on: tuple[str, ...] = ("commit", "readme", "new_file", "session")  # what is learned from without being asked
    journal: JournalSettings = field(default_factory=JournalSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)
    store: str = field(default="", repr=False)  # postgresql://…, maybe with a password; empty: a file for each memory
    statement_timeout_seconds: float = 120.0  # how long PostgreSQL may take for one statement
    machine: str = ""  # what this machine is called where a database is shared
    home_is_told: bool = False  # by WAYPOST_HOME: who runs later must be told too
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # API keys read from named variables

    @property
    def memory_root(self) -> Path:
        return self.home / "memory"

    @property
    def shared_machine(self) -> str:
        """The name of this machine where other machines use the same store; empty where they cannot."""
        return self.machine if self.store else ""


LINKS = ("file", "vscode", "vscode-insiders", "cursor", "windsurf", "zed", "idea", "none")
LEARN_ON = ("commit", "readme", "new_file", "save", "session")
LOG_FORMATS = ("text", "json")
_LONGEST_WAIT = 86_400
_KNOWN = {"engine", "multilingual", "person", "busy_timeout_seconds", "background", "links", "ollama", "openai", "llm"}
_KNOWN |= {"stale_threshold", "stale_threshold_whole", "learn", "journal", "serve"}
_KNOWN |= {"store", "statement_timeout_seconds", "machine"}
# USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?OPTIONS. Whatever ends a part has to be written as % and two digits inside of one:
# else a piece of the password is taken for a host, a port or a name, and told in messages.
_STORE_ADDRESS = re.compile(
    r"postgres(?:ql)?://"
    r"(?:(?:[^@:/?#%\s]|%[0-9A-Fa-f]{2})*(?::(?:[^@/%\s]|%[0-9A-Fa-f]{2})*)?@)?"
    r"[^@/?#\s]*"
    r"(?:/[^@?#\s]*)?"
    r"(?:\?\S*)?"
)
_LONGEST_MACHINE = 64


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings that hold for this process."""
    env = os.environ if environment is None else environment
    home = Path(env["WAYPOST_HOME"]) if env.get("WAYPOST_HOME") else _user_home(env) / ".waypost"
    home = home.expanduser().absolute()
    table = _read_toml(home / "config.toml")
    unknown = sorted(set(table) - _KNOWN)
    if unknown:
        raise ConfigError(
            f"Unknown setting {unknown[0]!r} in {home / 'config.toml'}.",
            f"Known settings: {', '.join(sorted(_KNOWN))}.",
        )
    told = bool(env.get("WAYPOST_HOME"))
    settings = Settings(home, _model_folders(env, home), _person(env, table), home_is_told=told)
    engine = env.get("WAYPOST_ENGINE") or table.get("engine") or settings.engine
    ollama = _remote(table.get("ollama"), "ollama", settings.ollama)
    openai = _remote(table.get("openai"), "openai", settings.openai)
    llm = _llm(table.get("llm"))
    named = [r.api_key_variable for r in (ollama, openai, llm) if r and r.api_key_variable]
    return replace(
        settings,
        engine=_engine_name(engine),
        multilingual=_typed(table, "multilingual", bool, settings.multilingual),
        ollama=ollama or settings.ollama,
        openai=openai,
        llm=llm,
        busy_timeout_seconds=_seconds(table, "busy_timeout_seconds", settings.busy_timeout_seconds),
        background=_typed(table, "background", bool, settings.background) and env.get("WAYPOST_BACKGROUND") != "0",
        links=_links(env, table),
        stale_threshold=_part(table, "stale_threshold", settings.stale_threshold),
        stale_threshold_whole=_part(table, "stale_threshold_whole", settings.stale_threshold_whole),
        learn_hold=_learn_hold(table),
        learn_on=_learn_on(table, settings.learn_on),
        journal=_journal(table),
        serve=_serve(table),
        store=_store(env, table),
        statement_timeout_seconds=_seconds(table, "statement_timeout_seconds", settings.statement_timeout_seconds),
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
        raise _no_address("Setting 'store'")
    return checked_store(store, "Setting 'store'") if store else ""


def checked_store(address: str, what: str) -> str:
    """The address of a PostgreSQL database. Raises ConfigError, which names it by `what` and repeats nothing of it: a
    misspelt one may hold a password all the same."""
    if not _STORE_ADDRESS.fullmatch(address):
        raise _no_address(what)
    return address


def _no_address(what: str) -> ConfigError:
    return ConfigError(
        f"{what} is no address of a PostgreSQL database.",
        "Write postgresql://USER@HOST/NAME, with the password in ~/.pgpass; inside of an address @ is written as %40, / as"
        " %2F, % as %25.",
    )


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


def _links(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    chosen = env.get("WAYPOST_LINKS") or table.get("links", "auto")
    if chosen == "auto":
        return _editor_around(env)
    if chosen not in LINKS:
        raise ConfigError(f"Setting 'links' is {chosen!r}.", f"Use auto, {', '.join(LINKS)}.")
    return str(chosen)


def _editor_around(env: Mapping[str, str]) -> str:
    """What a link should open in, told by the terminal we run in.

    "none" where the terminal makes its own, better links of `path:line`: in an editor that is attached to another
    machine, which an editor's URL cannot name; on WSL, whose paths Windows does not know; in JetBrains' terminal,
    which does not say which of the products it is.
    """
    distant = any(env.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "REMOTE_CONTAINERS", "CODESPACES"))
    program = env.get("TERM_PROGRAM", "")
    if env.get("WSL_DISTRO_NAME") or env.get("TERMINAL_EMULATOR") == "JetBrains-JediTerm":
        return "none"
    if program == "zed" or env.get("ZED_TERM"):
        return "none" if distant else "zed"
    if program == "vscode":
        return "none" if distant else _vscode_kind(env)
    return "file"


def _vscode_kind(env: Mapping[str, str]) -> str:
    """VS Code and its descendants all call themselves vscode; where they were installed tells them apart."""
    told = f"{env.get('VSCODE_GIT_ASKPASS_NODE', '')} {env.get('__CFBundleIdentifier', '')}".casefold()
    if env.get("CURSOR_TRACE_ID") or "cursor" in told:
        return "cursor"
    if "windsurf" in told:
        return "windsurf"
    return "vscode-insiders" if "insider" in env.get("TERM_PROGRAM_VERSION", "") else "vscode"


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Correct that line or remove the file.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Make it a file that you can read.") from error


def _typed(table: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = table.get(key, default)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise ConfigError(f"Setting {key!r} has the wrong type: {value!r}.", "See docs/operations.md.")
    return value


def _seconds(table: Mapping[str, Any], key: str, default: float) -> float:
    value = float(_typed(table, key, (int, float), default))
    if not 0 <= value <= _LONGEST_WAIT:  # written so that NaN is refused
        raise ConfigError(f"Setting {key!r} is {value}.", f"Give a number of seconds from 0 to {_LONGEST_WAIT}.")
    return value


def _part(table: Mapping[str, Any], key: str, default: float) -> float:
    value = float(_typed(table, key, (int, float), default))
    if not 0 <= value <= 1:  # written so that NaN is refused
        raise ConfigError(f"Setting {key!r} is {value}.", "Give a part of the whole, from 0 to 1.")
    return value


def _learn(table: Mapping[str, Any]) -> Mapping[str, Any]:
    learn = _typed(table, "learn", dict, {})
    unknown = sorted(set(learn) - {"hold", "on"})
    if unknown:
        raise ConfigError(f"Unknown setting {unknown[0]!r} in [learn].", "It takes hold and on.")
    return dict(learn)


def _learn_hold(table: Mapping[str, Any]) -> str:
    hold = _learn(table).get("hold", "doubtful")
    if hold not in ("doubtful", "all"):
        raise ConfigError(f"[learn] hold is {hold!r}.", 'Use "doubtful" or "all".')
    return str(hold)


def _learn_on(table: Mapping[str, Any], default: tuple[str, ...]) -> tuple[str, ...]:
    on = _learn(table).get("on", list(default))
    if not isinstance(on, list) or not all(one in LEARN_ON for one in on):
        raise ConfigError(f"[learn] on is {on!r}.", f"Give a list of some of these: {', '.join(LEARN_ON)}.")
    return tuple(on)


_JOURNAL_NUMBERS: dict[str, tuple[Any, float, float]] = {  # type, least and most
    "context_window": (int, 1024, 100_000_000),
    "file_limit": ((int, float), 0.01, 10_000),
    "daily_limit": ((int, float), 0.01, 100_000),
    "total_limit": ((int, float), 0.01, 1_000_000),
    "prune_after_days": (int, 0, 100_000),
    "prune_unused_days": (int, 0, 100_000),
}


def _journal(table: Mapping[str, Any]) -> JournalSettings:
    given = _typed(table, "journal", dict, {})
    known = [field.name for field in fields(JournalSettings)]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ConfigError(f"Unknown setting {unknown[0]!r} in [journal].", f"It takes {', '.join(known)}.")
    _check_numbers(given, "journal", _JOURNAL_NUMBERS)
    _typed(given, "sessions", bool, True)
    zone = _typed(given, "timezone", str, "")
    if zone:
        _check_zone(zone)
    return JournalSettings(**given)


_SERVE_NUMBERS: dict[str, tuple[Any, float, float]] = {  # type, least and most
    "requests_per_minute": (int, 1, 10_000_000),
    "writes_per_minute": (int, 1, 10_000_000),
    "shutdown_seconds": ((int, float), 0, 3600),
}


def _serve(table: Mapping[str, Any]) -> ServeSettings:
    given = _typed(table, "serve", dict, {})
    known = [field.name for field in fields(ServeSettings)]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ConfigError(f"Unknown setting {unknown[0]!r} in [serve].", f"It takes {', '.join(known)}.")
    _check_numbers(given, "serve", _SERVE_NUMBERS)
    _typed(given, "open_metrics", bool, False)
    if given.get("log_format", "text") not in LOG_FORMATS:
        raise ConfigError(f"[serve] log_format is {given['log_format']!r}.", f"Use {' or '.join(LOG_FORMATS)}.")
    lists = {key: _names(given, key) for key in ("allowed_hosts", "trusted_proxies") if key in given}
    for proxy in lists.get("trusted_proxies", ()):
        _check_network(proxy)
    return ServeSettings(**{**given, **lists})


def _names(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = table[key]
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise ConfigError(f"[serve] {key} is {found!r}.", "Give a list of names.")
    return tuple(one.strip() for one in found)


def _check_network(text: str) -> None:
    from ipaddress import ip_network  # only where one is named

    try:
        ip_network(text)
    except ValueError as error:
        raise ConfigError(
            f"[serve] trusted_proxies has {text!r}.", "Give addresses or networks, such as 10.0.0.0/8."
        ) from error


def _check_zone(name: str) -> None:
    from zoneinfo import ZoneInfo  # only where one is named

    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ConfigError(
            f"[journal] timezone is {name!r}, which is not known here.", "Use a name such as Europe/Berlin."
        ) from error


def _check_numbers(table: Mapping[str, Any], name: str, known: Mapping[str, tuple[Any, float, float]]) -> None:
    for key in known.keys() & table.keys():
        kind, least, most = known[key]
        if not least <= _typed(table, key, kind, 0) <= most:  # written so that NaN is refused
            raise ConfigError(f"[{name}] {key} is {table[key]}.", f"Give a number from {least} to {most}.")


def _remote(table: Any, name: str, default: RemoteEngine | None) -> RemoteEngine | None:
    if table is None:
        return default
    if not isinstance(table, dict):
        raise ConfigError(f"[{name}] must be a table.", "See docs/operations.md.")
    try:
        given = RemoteEngine(**{"url": default.url, "model": default.model, **table} if default else table)
    except TypeError as error:
        raise ConfigError(f"[{name}]: {error}", "It takes url, model, dimensions, api_key_variable.") from error
    for key, kind in (("url", str), ("model", str), ("api_key_variable", str), ("timeout_seconds", (int, float))):
        _typed(table, key, kind, getattr(given, key))
    if given.dimensions is not None and _typed(table, "dimensions", int, 1) < 1:
        raise ConfigError(f"[{name}] dimensions must be at least 1, not {given.dimensions}.", "Leave it out.")
    if not given.url.startswith(("http://", "https://")):
        raise ConfigError(f"[{name}] url must begin with http:// or https://, not {given.url!r}.", "")
    return given


_LLM_NUMBERS: dict[str, tuple[Any, float, float]] = {  # type, least and most
    "timeout_seconds": ((int, float), 0.001, _LONGEST_WAIT),
    "retries": (int, 0, 10),
    "context_window": (int, 1024, 100_000_000),
    "temperature": ((int, float), 0, 2),
    "max_tokens_per_run": (int, 0, 10**12),
    "input_price": ((int, float), 0, 10**9),
    "output_price": ((int, float), 0, 10**9),
    "max_cost_per_run": ((int, float), 0, 10**9),
}


def _llm(table: Any) -> LlmServer | None:
    if table is None:
        return None
    known = [field.name for field in fields(LlmServer)]
    if not isinstance(table, dict) or not {"url", "model"} <= table.keys() <= set(known):
        raise ConfigError("[llm] must be a table with url and model.", f"It takes {', '.join(known)}.")
    for key in ("url", "model", "api_key_variable"):
        _typed(table, key, str, "")
    _check_numbers(table, "llm", _LLM_NUMBERS)
    given = LlmServer(**table)
    if not given.url.startswith(("http://", "https://")):
        raise ConfigError("[llm] url must begin with http:// or https://.", "It looks like http://127.0.0.1:11434.")
    if given.max_cost_per_run is not None and not given.input_price + given.output_price:
        raise ConfigError(
            "[llm] max_cost_per_run needs prices.", "Give input_price and output_price per million tokens."
        )
    return given
