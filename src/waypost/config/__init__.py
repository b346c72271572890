"""Settings: the only reader of the environment, the home directory and TOML files.

Order of precedence: environment, `<home>/config.toml`, default. Everything else takes a `Settings` value.
"""

from waypost.config.address import checked_store
from waypost.config.reading import KNOWN, environment, load, user_home
from waypost.config.values import (
    LEARN_ON,
    LINKS,
    LOG_FORMATS,
    BackupSettings,
    JournalSettings,
    LlmServer,
    RemoteEngine,
    ServeSettings,
    Settings,
)

__all__ = [
    "KNOWN",
    "LEARN_ON",
    "LINKS",
    "LOG_FORMATS",
    "BackupSettings",
    "JournalSettings",
    "LlmServer",
    "RemoteEngine",
    "ServeSettings",
    "Settings",
    "checked_store",
    "environment",
    "load",
    "user_home",
]
