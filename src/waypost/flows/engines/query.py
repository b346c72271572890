"""Which engines answer a question, and what they see in it."""

from typing import TYPE_CHECKING

from waypost.embed.protocol import Engine
from waypost.flows.engines.pending_vectors import PREVIOUS_SETTING, settle
from waypost.flows.open_space import OpenSpace
from waypost.retrieve.calibration import ServingEngines
from waypost.store.protocol import Reader
from waypost.text.language import language_of
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

ON_THE_SPOT = 256  # texts owed that are embedded before answering, rather than found by keywords only


def question_vectors(space: OpenSpace, text: str) -> "dict[str, Vector]":
    """The text as each engine that serves its language sees it."""
    return vectors_by(space, serving_engines(space, language_of(text)), text)


def vectors_by(space: OpenSpace, serving: list[Engine], text: str) -> "dict[str, Vector]":
    made = {engine.name: space.engines.embed_question(engine, text) for engine in serving}
    return {name: vector for name, vector in made.items() if vector is not None}


def serving_engines(space: OpenSpace, language: str, *, pays: int | None = None) -> list[Engine]:
    """The engines to ask, with small debts paid first, of up to `pays` texts. A debt that stays is told, and another engine
    stands in."""
    pays = ON_THE_SPOT if pays is None else pays
    with space.store.read() as reader:
        active, owed, previous = (
            space.engines.active(reader),
            reader.vectors.pending(),
            reader.meta.get(PREVIOUS_SETTING),
        )
    beside = active[1] if len(active) > 1 else None
    wanted = [active[0]] if language in ("en", "") or beside is None else [beside]
    if beside is not None and beside not in wanted:
        wanted.append(beside)
    if any(0 < owed.get(engine.name, 0) <= pays for engine in wanted) and space.store.may_write:
        owed = settle(space, limit=pays)
    if any(owed.get(engine.name, 0) for engine in wanted) and active[0] not in wanted:
        wanted.append(active[0])
    if previous and owed.get(active[0].name, 0):
        wanted.append(space.engines.other(previous))
    return wanted


def engine_roles(space: OpenSpace, serving: list[Engine]) -> ServingEngines:
    """The main engine judges English pairs, the other one the rest, or what the main one has not read yet."""
    main = space.engines.main.name
    return ServingEngines(main, next((engine.name for engine in serving if engine.name != main), None))


def engine_notices(space: OpenSpace, reader: Reader, serving: list[Engine]) -> tuple[str, ...]:
    away = space.engines.away
    absent = [engine.name for engine in serving if engine.name in away]
    owed = {engine.name: reader.vectors.pending().get(engine.name, 0) for engine in space.engines.active(reader)}
    return (
        *(f"Answered without {name}: {' '.join(away[name].split())}" for name in absent),
        *(
            f"{counted(count, 'text waits', 'texts wait')} to be embedded by {name}; found by keywords until then."
            for name, count in owed.items()
            if count
        ),
    )
