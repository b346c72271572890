"""Check the tables of `config.toml`: unknown keys, wrong types and values out of bounds raise ConfigError."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from waypost.config.values import (
    LEARN_ON,
    LOG_FORMATS,
    BackupSettings,
    JournalSettings,
    LlmServer,
    RemoteEngine,
    ServeSettings,
)
from waypost.errors import ConfigError

_LONGEST_WAIT = 86_400
_MOST_CORES = 1024
_LEARN = ("hold", "on")


def typed(table: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = table.get(key, default)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise ConfigError(f"Setting {key!r} has the wrong type: {value!r}.", "See docs/reference/settings.md.")
    return value


def seconds(table: Mapping[str, Any], key: str, default: float) -> float:
    value = float(typed(table, key, (int, float), default))
    if not 0 <= value <= _LONGEST_WAIT:  # refuses NaN too
        raise ConfigError(f"Setting {key!r} is {value}.", f"Give a number of seconds from 0 to {_LONGEST_WAIT}.")
    return value


def part(table: Mapping[str, Any], key: str, default: float) -> float:
    value = float(typed(table, key, (int, float), default))
    if not 0 <= value <= 1:  # refuses NaN too
        raise ConfigError(f"Setting {key!r} is {value}.", "Give a part of the whole, from 0 to 1.")
    return value


def cores(table: Mapping[str, Any], default: int) -> int:
    value = int(typed(table, "worker_cores", int, default))
    if not 1 <= value <= _MOST_CORES:
        raise ConfigError(f"Setting 'worker_cores' is {value}.", f"Give a whole number from 1 to {_MOST_CORES}.")
    return value


def _subtable(table: Mapping[str, Any], name: str, keys: Sequence[str]) -> Any:
    """The table of this name. Raises ConfigError for other keys."""
    given = typed(table, name, dict, {})
    unknown = sorted(set(given) - set(keys))
    if unknown:
        raise ConfigError(f"Unknown setting {unknown[0]!r} in [{name}].", f"It takes {', '.join(keys)}.")
    return given


def learn_hold(table: Mapping[str, Any]) -> str:
    hold = _subtable(table, "learn", _LEARN).get("hold", "doubtful")
    if hold not in ("doubtful", "all"):
        raise ConfigError(f"[learn] hold is {hold!r}.", 'Use "doubtful" or "all".')
    return str(hold)


def learn_on(table: Mapping[str, Any], default: tuple[str, ...]) -> tuple[str, ...]:
    on = _subtable(table, "learn", _LEARN).get("on", list(default))
    if not isinstance(on, list) or not all(event in LEARN_ON for event in on):
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


def journal(table: Mapping[str, Any]) -> JournalSettings:
    given = _subtable(table, "journal", [field.name for field in fields(JournalSettings)])
    _check_numbers(given, "journal", _JOURNAL_NUMBERS)
    typed(given, "sessions", bool, True)
    zone = typed(given, "timezone", str, "")
    if zone:
        _check_zone(zone)
    return JournalSettings(**given)


_BACKUP_NUMBERS: dict[str, tuple[Any, float, float]] = {"keep": (int, 1, 1000)}  # type, least and most


def backup(table: Mapping[str, Any]) -> BackupSettings:
    given = _subtable(table, "backup", [field.name for field in fields(BackupSettings)])
    _check_numbers(given, "backup", _BACKUP_NUMBERS)
    typed(given, "daily", bool, True)
    return BackupSettings(**given)


_SERVE_NUMBERS: dict[str, tuple[Any, float, float]] = {  # type, least and most
    "requests_per_minute": (int, 1, 10_000_000),
    "writes_per_minute": (int, 1, 10_000_000),
    "shutdown_seconds": ((int, float), 0, 3600),
}


def serve(table: Mapping[str, Any]) -> ServeSettings:
    given = _subtable(table, "serve", [field.name for field in fields(ServeSettings)])
    _check_numbers(given, "serve", _SERVE_NUMBERS)
    typed(given, "open_metrics", bool, False)
    if given.get("log_format", "text") not in LOG_FORMATS:
        raise ConfigError(f"[serve] log_format is {given['log_format']!r}.", f"Use {' or '.join(LOG_FORMATS)}.")
    lists = {key: _names(given, key) for key in ("allowed_hosts", "trusted_proxies") if key in given}
    for proxy in lists.get("trusted_proxies", ()):
        _check_network(proxy)
    return ServeSettings(**{**given, **lists})


def _names(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = table[key]
    if not isinstance(names, list) or not all(isinstance(name, str) and name.strip() for name in names):
        raise ConfigError(f"[serve] {key} is {names!r}.", "Give a list of names.")
    return tuple(name.strip() for name in names)


def _check_network(text: str) -> None:
    from ipaddress import ip_network  # only for this setting

    try:
        ip_network(text)
    except ValueError as error:
        raise ConfigError(
            f"[serve] trusted_proxies has {text!r}.", "Give addresses or networks, such as 10.0.0.0/8."
        ) from error


def _check_zone(name: str) -> None:
    from zoneinfo import ZoneInfo  # only for this setting

    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ConfigError(
            f"[journal] timezone is {name!r}, which this machine does not know.", "Use a name such as Europe/Berlin."
        ) from error


def _check_numbers(table: Mapping[str, Any], name: str, bounds: Mapping[str, tuple[Any, float, float]]) -> None:
    for key in bounds.keys() & table.keys():
        kind, least, most = bounds[key]
        if not least <= typed(table, key, kind, 0) <= most:  # refuses NaN too
            raise ConfigError(f"[{name}] {key} is {table[key]}.", f"Give a number from {least} to {most}.")


def remote(table: Any, name: str, default: RemoteEngine | None) -> RemoteEngine | None:
    if table is None:
        return default
    if not isinstance(table, dict):
        raise ConfigError(f"[{name}] must be a table.", "See docs/reference/settings.md.")
    try:
        given = RemoteEngine(**{"url": default.url, "model": default.model, **table} if default else table)
    except TypeError as error:
        raise ConfigError(f"[{name}]: {error}", "It takes url, model, dimensions, api_key_variable.") from error
    for key, kind in (("url", str), ("model", str), ("api_key_variable", str), ("timeout_seconds", (int, float))):
        typed(table, key, kind, getattr(given, key))
    if given.dimensions is not None and typed(table, "dimensions", int, 1) < 1:
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


def llm(table: Any) -> LlmServer | None:
    if table is None:
        return None
    keys = [field.name for field in fields(LlmServer)]
    if not isinstance(table, dict) or not {"url", "model"} <= table.keys() <= set(keys):
        raise ConfigError("[llm] must be a table with url and model.", f"It takes {', '.join(keys)}.")
    for key in ("url", "model", "api_key_variable"):
        typed(table, key, str, "")
    _check_numbers(table, "llm", _LLM_NUMBERS)
    given = LlmServer(**table)
    if not given.url.startswith(("http://", "https://")):
        raise ConfigError("[llm] url must begin with http:// or https://.", "It looks like http://127.0.0.1:11434.")
    if given.max_cost_per_run is not None and not given.input_price + given.output_price:
        raise ConfigError(
            "[llm] max_cost_per_run needs prices.", "Give input_price and output_price per million tokens."
        )
    return given
