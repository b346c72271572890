"""Which engines answer a question, and what they see in it."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from waypost.config.cores import cores
from waypost.embed.protocol import Engine
from waypost.flows.engines.pending_vectors import LATE, PREVIOUS_SETTING, URGENT, settle
from waypost.flows.open_space import OpenSpace
from waypost.retrieve.calibration import ServingEngines, is_english
from waypost.store.protocol import Reader
from waypost.text.language import is_surely_foreign, language_of
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

ON_THE_SPOT = 256  # pending texts that are embedded before answering, rather than found by keywords only
WHOLE = "whole"  # the form of a question that is its text as it stands


PendingTask = Callable[[], object]  # something to do before a question can be answered
Check = Callable[[Reader], PendingTask | None]


@dataclass(frozen=True, slots=True)
class EngineState:
    """The engines of a space as one read transaction sees them."""

    main: Engine
    multilingual: Engine | None  # once it is active
    pending: Mapping[str, int]  # texts to embed soon, by engine name; also of engines that are no longer active
    previous: str | None  # setting of the engine before the main one, until that has embedded everything
    urgent: Mapping[str, int]  # those of people and agents, where more than a few are pending

    def preferred(self, language: str) -> list[Engine]:
        """The engines to ask when nothing is pending."""
        if self.multilingual is None:
            return [self.main]
        return [self.main, self.multilingual] if is_english(language) else [self.multilingual]

    def least_urgency(self, language: str, most: int) -> float | None:
        """The urgency from which a preferred engine has some texts left to embed, but at most so many; None: of none."""
        for least, pending in ((LATE, self.pending), (URGENT, self.urgent)):
            if any(0 < pending.get(engine.name, 0) <= most for engine in self.preferred(language)):
                return least
        return None

    def is_pending(self, engines: Iterable[Engine]) -> bool:
        return any(self.pending.get(engine.name, 0) for engine in engines)


def read_engines(space: OpenSpace, reader: Reader) -> EngineState:
    main, *others = space.engines.active(reader)
    pending = reader.vectors.pending(LATE)  # a question does not wait for tests
    urgent = reader.vectors.pending(URGENT) if any(count > ON_THE_SPOT for count in pending.values()) else {}
    return EngineState(main, others[0] if others else None, pending, reader.meta.get(PREVIOUS_SETTING), urgent)


def engines_for(space: OpenSpace, state: EngineState, language: str) -> list[Engine]:
    """The engines to ask. Others stand in for one that has texts left to embed."""
    engines = state.preferred(language)
    if state.is_pending(engines) and state.main not in engines:
        engines.append(state.main)
    if state.previous and state.is_pending([state.main]):
        engines.append(space.engines.other(state.previous))
    return engines


class EngineQuestion:
    """A question to the engines of a space. Each engine embeds each text once.

    `forms` returns the texts of a form of the question; their vectors are added up. Engines that were asked in this
    language before are asked ahead, because probably they serve again: in a thread, while keywords are searched.
    """

    def __init__(
        self,
        space: OpenSpace,
        text: str,
        forms: Callable[[str], Sequence[str]] | None = None,
        *,
        most_pending: int | None = None,
        wakes: bool = True,
    ) -> None:
        self.language = language_of(text)
        self._space, self._engines = space, space.engines
        self._forms = forms or (lambda _: (text,))
        self._wakes = wakes and is_surely_foreign(text, self.language)  # the multilingual engine
        self._most_pending = ON_THE_SPOT if most_pending is None else most_pending
        self._embeds_pending = True
        self._embedded: dict[tuple[str, str], Vector | None] = {}
        self._uses: dict[tuple[Engine, str], None] = {}
        self._ahead: _Embedding | None = None

    def pending_task(self, state: EngineState) -> PendingTask | None:
        """What to do before the engines are asked, if anything: each thing is tried once."""
        if self._wakes and state.multilingual is None:
            self._wakes = False
            return partial(self._engines.awaken_multilingual, self._space.store)
        least = state.least_urgency(self.language, self._most_pending) if self._embeds_pending else None
        if least is not None and self._space.store.may_write:
            self._embeds_pending = False
            return partial(settle, self._space, limit=self._most_pending, least=least)
        return None

    def try_again(self) -> None:
        """Files were indexed: new texts may be pending."""
        self._embeds_pending = True

    def embed_ahead(self) -> None:
        if self._ahead is not None:
            return
        uses = self._engines.last_uses.get(self.language, ())
        texts = [(engine, text) for engine, form in uses for text in self._forms(form)]
        if texts:
            self._ahead = _Embedding(partial(self._embed_all, texts))

    def by_engine(self, engines: Sequence[Engine], form: str) -> "QuestionVectors":
        """Vectors by engine name, without engines that are unavailable."""
        self._uses |= dict.fromkeys((engine, form) for engine in engines)
        self._engines.last_uses[self.language] = self._uses
        return QuestionVectors(self.vector, [(engine, form) for engine in engines])

    def vector(self, engine: Engine, form: str) -> "Vector | None":
        if self._ahead is not None:
            self._ahead.wait()
        texts = self._forms(form)
        self._embed_all([(engine, text) for text in texts])
        vectors = [self._embedded[engine.name, text] for text in texts]
        parts = [vector for vector in vectors if vector is not None]
        if len(parts) < 2:
            return parts[0] if parts else None
        total: Vector = sum(parts[1:], parts[0])
        length = float((total * total).sum()) ** 0.5
        return total / length if length else parts[0]

    def _embed_all(self, texts: Iterable[tuple[Engine, str]]) -> None:
        for engine, text in texts:
            if (engine.name, text) not in self._embedded:
                self._embedded[engine.name, text] = self._engines.embed_question(engine, text)


class _Embedding:
    """Embeds in a thread of its own where there is a second core; otherwise at once."""

    def __init__(self, embed: Callable[[], None]) -> None:
        self._embed = embed
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="waypost-question") if cores() > 1 else None
        if self._thread is None:
            embed()
        else:
            self._thread.start()

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            self._embed()
        except BaseException as error:  # noqa: BLE001 - `wait` raises it where the vectors are needed
            self._error = error


class QuestionVectors(Mapping[str, "Vector"]):
    """The vectors of a question by engine name. They are waited for when they are first needed."""

    def __init__(self, vector: "Callable[[Engine, str], Vector | None]", uses: Sequence[tuple[Engine, str]]) -> None:
        self._vector, self._uses = vector, uses
        self._vectors: dict[str, Vector] | None = None

    def __or__(self, other: "QuestionVectors") -> "QuestionVectors":
        return QuestionVectors(self._vector, [*self._uses, *other._uses])

    def __getitem__(self, name: str) -> "Vector":
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> "dict[str, Vector]":
        if self._vectors is None:
            vectors = {engine.name: self._vector(engine, form) for engine, form in self._uses}
            self._vectors = {name: vector for name, vector in vectors.items() if vector is not None}
        return self._vectors


@contextmanager
def reading_for(
    space: OpenSpace, question: EngineQuestion, checks: list[Check] | None = None
) -> Iterator[tuple[Reader, EngineState]]:
    """A read transaction in which a question can be answered.

    What must be done first is done between two transactions. Each check is made once, and then removed from the list.
    """
    checks = [] if checks is None else checks
    while True:
        question.embed_ahead()
        with space.store.read() as reader:
            task = None
            while checks and task is None:
                task = checks.pop(0)(reader)
            if task is None:
                state = read_engines(space, reader)
                task = question.pending_task(state)
            if task is None:
                yield reader, state
                return
        task()


def engine_roles(space: OpenSpace, serving: Sequence[Engine]) -> ServingEngines:
    """The main engine judges English pairs. Another one judges the rest, or what the main one hasn't embedded yet."""
    main = space.engines.main.name
    return ServingEngines(main, next((engine.name for engine in serving if engine.name != main), None))


def engine_notices(space: OpenSpace, state: EngineState, serving: Sequence[Engine]) -> tuple[str, ...]:
    """Which engines could not be asked, and how many texts the first one has not embedded yet."""
    away = space.engines.away
    absent = [engine.name for engine in serving if engine.name in away]
    waiting = state.pending.get(serving[0].name, 0)  # the others stand in, or judge what is in other languages
    return (
        *(f"Answered without {name}: {' '.join(away[name].split())}" for name in absent),
        *(
            (f"{counted(waiting, 'text is', 'texts are')} not embedded yet; keywords find them until then.",)
            if waiting
            else ()
        ),
    )
