"""Settings. Only this package reads the environment, the home directory and `config.toml`.

The environment wins over `config.toml` in the data directory, which wins over the default.
"""

from waypost.config.address import checked_store, without_secret
from waypost.config.reading import CONFIG_FILE, KNOWN, check_text, environment, is_everything, load, user_home
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
    "CONFIG_FILE",
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
    "check_text",
    "checked_store",
    "environment",
    "is_everything",
    "load",
    "user_home",
    "without_secret",
]
