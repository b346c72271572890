"""The engines of a space: the main one, and a multilingual one once a text or question is not English."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from waypost.embed.protocol import Engine
from waypost.embed.weights import MINILM
from waypost.embed.weights import MULTILINGUAL as MULTILINGUAL_MODEL
from waypost.errors import EngineError, EngineUnavailable
from waypost.store.protocol import Reader, Store

if TYPE_CHECKING:
    from waypost.embed.renewal_model import RenewalModel
    from waypost.store.protocol import Vector

MULTILINGUAL = "multilingual"
_ACTIVE = "multilingual_active"
_STAYS_AFTER = 3  # questions: a process that asks so many goes on, and loading for speed will pay


_BUILT_IN = {"minilm": MINILM.name, MULTILINGUAL: MULTILINGUAL_MODEL.name}


class LazyEngine:
    """An engine by its name in the settings, opened on first use.

    Its name is known even if its weights or server are unavailable, so its pending texts can be counted. Opening is
    tried again each time. `known_as` is the stored name of an engine that can't be opened now.
    """

    def __init__(self, setting: str, open_engine: Callable[[str], Engine]) -> None:
        self._setting = setting
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self.known_as = _BUILT_IN.get(setting, setting)

    @property
    def name(self) -> str:
        if self._setting not in _BUILT_IN:
            with suppress(EngineError):
                self.known_as = self._opened().name
        return self.known_as

    @property
    def dimensions(self) -> int:
        return self._opened().dimensions

    def warm(self) -> None:
        self._opened().warm()

    def embed(self, texts: Sequence[str]) -> "Vector":
        return self._opened().embed(texts)

    def embed_question(self, text: str) -> "Vector":
        return self._opened().embed_question(text)

    def renewal_model(self) -> "RenewalModel | None":
        """The model on top of this engine that compares two facts. Only the built-in multilingual engine has one."""
        from waypost.embed.multilingual import Multilingual  # needs numpy: too slow for a hook that answers by keywords
        from waypost.embed.renewal_model import RenewalModel

        engine = self._opened()
        return RenewalModel(engine) if isinstance(engine, Multilingual) else None

    def _opened(self) -> Engine:
        if self._engine is None:
            self._engine = self._open_engine(self._setting)
        return self._engine


class EngineChoice:
    """Opens engines on first use, and records which are unavailable and why."""

    def __init__(self, open_engine: Callable[[str], Engine], main: str, multilingual: bool) -> None:
        self._open_engine = open_engine
        self._main = main
        self._multilingual = multilingual
        self._opened: dict[str, LazyEngine] = {}
        self._worked: set[str] = set()
        self._questions: dict[str, int] = {}
        self.away: dict[str, str] = {}  # engine name → why it cannot embed
        self._renewal_model: RenewalModel | None = None
        self.last_uses: dict[str, dict[tuple[Engine, str], None]] = {}  # language → engines, and forms of a question

    def without_engines(self, why: str) -> "EngineChoice":
        """A choice in which every engine is unavailable, so that keywords answer."""

        def refuse(_: str) -> Engine:
            raise EngineUnavailable(why, "")

        return EngineChoice(refuse, self._main, self._multilingual)

    @property
    def main(self) -> LazyEngine:
        return self._open(self._main)

    @property
    def multilingual(self) -> Engine | None:
        return self._open(MULTILINGUAL) if self._multilingual else None

    def other(self, setting: str) -> Engine:
        """Another engine by its name in the settings."""
        return self._open(setting)

    def active(self, reader: Reader) -> list[Engine]:
        """The engines that embed every text of this space."""
        beside = self.multilingual if reader.meta.get(_ACTIVE) else None
        return [self.main] if beside is None else [self.main, beside]

    def awaken_multilingual(self, store: Store) -> None:
        """Embed everything with the multilingual engine too, from now on."""
        beside = self.multilingual
        if beside is None or not store.may_write:
            return
        with store.read() as reader:
            if reader.meta.get(_ACTIVE):
                return
        with store.write() as writer:
            writer.meta.set(_ACTIVE, "1")
            writer.vectors.queue_missing(beside.name)

    def is_warm(self, engine: Engine) -> bool:
        """Whether the engine has already been loaded in this process."""
        return engine.name in self._worked

    def embed(self, engine: Engine, texts: Sequence[str]) -> "Vector | None":
        """Vectors, or None if the engine is unavailable; `away` then has the reason."""
        try:
            vectors = engine.embed(texts)
        except EngineError as error:
            self.away[engine.name] = str(error)
            return None
        self._came_back(engine)
        return vectors

    def embed_question(self, engine: Engine, text: str) -> "Vector | None":
        try:
            vector = engine.embed_question(text)
            self._questions[engine.name] = self._questions.get(engine.name, 0) + 1
            if self._questions[engine.name] == _STAYS_AFTER:
                engine.warm()
        except EngineError as error:
            self.away[engine.name] = str(error)
            return None
        self._came_back(engine)
        return vector

    def renewal_score(self, older: str, newer: str, wording: Mapping[str, float]) -> float | None:
        """The logit that the newer fact renews the older one. None without the built-in multilingual engine."""
        if not self._multilingual:
            return None
        try:
            if self._renewal_model is None:
                self._renewal_model = self._open(MULTILINGUAL).renewal_model()
            return None if self._renewal_model is None else self._renewal_model.score(older, newer, wording)
        except EngineError:
            return None

    def _came_back(self, engine: Engine) -> None:
        self.away.pop(engine.name, None)
        self._worked.add(engine.name)

    def _open(self, name: str) -> LazyEngine:
        if name not in self._opened:
            self._opened[name] = LazyEngine(name, self._open_engine)
        return self._opened[name]
