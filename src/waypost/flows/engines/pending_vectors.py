"""Embed pending texts: written while an engine was unavailable, or from before an engine was added or changed."""

from collections.abc import Callable

from waypost.embed.protocol import Engine
from waypost.flows.open_space import OpenSpace
from waypost.model.memory import AuditEntry, Caller
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import PassageRow

URGENT = 1.0  # urgency of what people and agents wrote; code has less
LATE = 0.1  # urgency below which nobody waits for a text: those of tests
_BATCH = 256  # versions embedded between two transactions
_MAIN, _MAIN_SETTING = "main_engine", "main_setting"
_PREVIOUS, PREVIOUS_SETTING = "previous_engine", "previous_setting"

Progress = Callable[[str, int], None]  # engine name, texts still pending


def adopt_engine(space: OpenSpace) -> None:
    """Detect that the configured engine has changed: queue all texts for it. Until they are embedded, the old one serves.

    An unavailable engine keeps the name that the same setting meant before.
    """
    main, setting = space.engines.main, space.settings.engine
    name = main.name
    with space.store.read() as reader:
        adopted = reader.meta.get(_MAIN)
        if adopted is not None and name == setting == reader.meta.get(_MAIN_SETTING):
            main.known_as = name = adopted
        if adopted == name:
            return
    with space.store.write() as writer:
        adopted = writer.meta.get(_MAIN)
        if adopted is not None and adopted != name:
            writer.meta.set(_PREVIOUS, adopted)
            writer.meta.set(PREVIOUS_SETTING, writer.meta.get(_MAIN_SETTING) or "")
        writer.meta.set(_MAIN, name)
        writer.meta.set(_MAIN_SETTING, setting)
        writer.vectors.queue_missing(name)


def settle(
    space: OpenSpace, *, limit: int | None = None, least: float = 0.0, progress: Progress = lambda *_: None
) -> dict[str, int]:
    """Embed pending texts of at least this urgency, at most `limit` for each engine.

    Returns how many are left, by engine.
    """
    with space.store.read() as reader:
        nameless = reader.meta.get(_MAIN) == space.settings.engine
    if nameless:  # it was unavailable when the space was opened; perhaps it now has a name
        adopt_engine(space)
    with space.store.read() as reader:
        engines = space.engines.active(reader)
    for engine in engines:
        _settle_engine(space, engine, limit, least, progress)
    _retire_previous(space)
    with space.store.read() as reader:
        owed = reader.vectors.pending()
    return {engine.name: owed.get(engine.name, 0) for engine in engines}


def _settle_engine(space: OpenSpace, engine: Engine, limit: int | None, least: float, progress: Progress) -> None:
    paid = 0
    while limit is None or paid < limit:
        with space.store.read() as reader:
            owed = reader.vectors.pending(least).get(engine.name, 0)
            versions = reader.vectors.pending_versions(engine.name, min(_BATCH, limit or _BATCH), least) if owed else []
            passages = {p.content_hash: p for version in versions for p in passages_of(version)}
            missing = reader.vectors.missing(engine.name, list(passages))
        if not owed or not versions:
            return
        progress(engine.name, owed)
        if not missing:  # indexed by older rules: index these versions again
            _index_again(space, [version.number for version in versions])
            continue
        vectors = space.engines.embed(engine, [passages[digest].text for digest in missing])
        if vectors is None:
            return
        rows = [(digest, passages[digest].language, vector) for digest, vector in zip(missing, vectors, strict=True)]
        with space.store.write() as writer:
            writer.vectors.put(engine.name, rows)
        paid += len(rows)


def _index_again(space: OpenSpace, numbers: list[int]) -> None:
    with space.store.write() as writer:
        engines = [engine.name for engine in space.engines.active(writer)]
        for number, version in writer.memories.by_number(numbers).items():
            rows = [PassageRow(p.content_hash, p.language, p.terms, p.code_terms) for p in passages_of(version)]
            writer.memories.replace_passages(number, rows, engines)


def _retire_previous(space: OpenSpace) -> None:
    """Drop the vectors of former engines once the new one has embedded everything."""
    with space.store.read() as reader:
        previous = reader.meta.get(_PREVIOUS)
        main = space.engines.main.name
        finished = previous != main and not reader.vectors.pending().get(main)
    if previous and finished:
        with space.store.write() as writer:
            serving = {engine.name for engine in space.engines.active(writer)}
            for engine in writer.vectors.pending():  # also one that was changed again before it had everything
                if engine not in serving:
                    writer.vectors.drop_engine(engine)
            writer.meta.set(_PREVIOUS, "")
            writer.meta.set(PREVIOUS_SETTING, "")
        space.store.compact()


def rebuild(space: OpenSpace, caller: Caller, *, progress: Progress = lambda *_: None) -> dict[str, int]:
    """Rebuild passages, keywords and vectors from the stored texts. Readers are served meanwhile."""
    with space.store.write() as writer:
        details = {"owners_word": caller.owners_word}
        writer.audit.add(AuditEntry(space.clock(), "rebuild", None, caller.source, caller.actor, details))
        writer.search.drop_damaged_keywords()
    after = 0
    while True:
        with space.store.read() as reader:
            last = reader.memories.last_number()
            numbers = list(range(after + 1, min(after + _BATCH, last) + 1))
            versions = list(reader.memories.by_number(numbers).values())
            engines = space.engines.active(reader)
        if not numbers:
            break
        _index_again(space, [version.number for version in versions])
        passages = {p.content_hash: p for version in versions for p in passages_of(version) if p.content_hash}
        for engine in engines:
            progress(engine.name, last - after)
            vectors = space.engines.embed(engine, [p.text for p in passages.values()]) if passages else None
            if vectors is not None:
                rows = [(p.content_hash, p.language, v) for p, v in zip(passages.values(), vectors, strict=True)]
                with space.store.write() as writer:
                    writer.vectors.put(engine.name, rows, again=True)
        after = numbers[-1]
    with space.store.write() as writer:
        for engine in space.engines.active(writer):
            writer.facts.recount_domains(engine.name)
    space.store.compact()
    return settle(space, progress=progress)
