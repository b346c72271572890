"""From an engine's name in the settings to the engine."""

from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.protocol import Engine
from waypost.errors import ConfigError


def open_engine(name: str, settings: Settings) -> Engine:
    """The engine `minilm`; its parts are loaded when first used.

    Raises `EngineUnavailable` at once if its weights are not installed.
    """
    if name == "minilm":
        from waypost.embed.minilm import Minilm

        return Minilm(weights.find(weights.MINILM, settings.models))
    raise ConfigError(f"Unknown embedding engine {name!r}.", "Use minilm.")
