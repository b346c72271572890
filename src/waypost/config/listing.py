"""Every setting by its dotted name: its value, and whether it comes from the environment, `config.toml` or the default."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from waypost.config.reading import CONFIG_FILE, read_toml
from waypost.config.values import BackupSettings, JournalSettings, LlmServer, RemoteEngine, ServeSettings, Settings
from waypost.errors import ConfigError

_VARIABLES = {
    "engine": "WAYPOST_ENGINE", "person": "WAYPOST_PERSON", "links": "WAYPOST_LINKS", "store": "WAYPOST_STORE",
    "machine": "WAYPOST_MACHINE", "background": "WAYPOST_BACKGROUND",
}  # fmt: skip
_TABLES: dict[str, type] = {
    "journal": JournalSettings, "serve": ServeSettings, "backup": BackupSettings, "ollama": RemoteEngine,
    "openai": RemoteEngine, "llm": LlmServer,
}  # fmt: skip
_LEARN = {"learn.hold": "learn_hold", "learn.on": "learn_on"}
_NO_SETTING = {"home", "models", "home_from_variable", "secrets", *_TABLES, *_LEARN.values()}


@dataclass(frozen=True, slots=True)
class SettingRow:
    key: str
    value: Any  # None: not set
    origin: str  # a variable, config.toml or default

    def to_json(self) -> dict[str, Any]:
        return {"key": self.key, "value": self.value, "origin": self.origin}


def _types() -> dict[str, Any]:
    """The type of each setting, in the order of the documentation."""
    plain = {name: kind for name, kind in get_type_hints(Settings).items() if name not in _NO_SETTING}
    learn = {key: get_type_hints(Settings)[name] for key, name in _LEARN.items()}
    tables = {
        f"{table}.{field.name}": get_type_hints(of)[field.name] for table, of in _TABLES.items() for field in fields(of)
    }
    return {**plain, **learn, **tables}


def rows(settings: Settings, environment: Mapping[str, str]) -> list[SettingRow]:
    """All settings, as this process uses them."""
    table = read_toml(settings.home / CONFIG_FILE)
    return [SettingRow(key, _value(settings, key), _origin(key, table, environment)) for key in _types()]


def file_value(key: str, text: str) -> Any:
    """A value from the command line as `config.toml` should have it. Raises ConfigError for an unknown setting."""
    kinds = _types()
    if key not in kinds:
        raise ConfigError(f"Unknown setting {key[:60]!r}.", "`waypost config` lists all settings.")
    kind = str(kinds[key])
    if kinds[key] is str:
        return text
    if "tuple" in kind and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text  # of the wrong type: the check of the whole file says which one is right


def _value(settings: Settings, key: str) -> Any:
    table, _, name = key.partition(".")
    holder = settings if not name or key in _LEARN else getattr(settings, table)
    value = None if holder is None else getattr(holder, _LEARN.get(key, name or table))
    return list(value) if isinstance(value, tuple) else value


def _origin(key: str, table: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    variable = _VARIABLES.get(key, "")
    if variable and environment.get(variable):
        return variable
    name, _, inner = key.partition(".")
    given = table.get(name)
    is_given = inner in given if inner and isinstance(given, dict) else given is not None and not inner
    return CONFIG_FILE if is_given else "default"


def written(value: Any) -> str:
    """A value as people write it."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
