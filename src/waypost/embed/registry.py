"""Opens an engine by its name in the settings."""

from pathlib import Path

from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.protocol import Engine
from waypost.errors import ConfigError


def open_engine(name: str, settings: Settings) -> Engine:
    """The engine `minilm`, `multilingual`, `onnx:DIR`, `ollama` or `openai`. It loads weights when first used.

    Raises `EngineUnavailable` if weights are not installed, and `ConfigError` for a wrong name or wrong settings.
    Never downloads anything.
    """
    if name == "minilm":
        from waypost.embed.minilm import Minilm

        return Minilm(weights.find(weights.MINILM, settings.models))
    if name == "multilingual":
        from waypost.embed.multilingual import Multilingual

        return Multilingual(weights.find(weights.MULTILINGUAL, settings.models))
    if name.startswith("onnx:"):
        from waypost.embed.onnx_dir import OnnxDirectory

        return OnnxDirectory(Path(name.removeprefix("onnx:")).expanduser())
    if name in {"ollama", "openai"}:
        return _open_remote(name, settings)
    raise ConfigError(f"Unknown embedding engine {name!r}.", "Use minilm, multilingual, onnx:DIR, ollama or openai.")


def _open_remote(name: str, settings: Settings) -> Engine:
    from waypost.embed import remote

    if name == "ollama":
        return remote.ollama(settings.ollama, settings.secrets)
    if settings.openai is None:
        raise ConfigError("The engine openai has no settings.", "Give [openai] url and model in config.toml.")
    return remote.openai(settings.openai, settings.secrets)
