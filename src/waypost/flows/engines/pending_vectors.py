"""Paying the vectors owed: for texts written while an engine was away, for a second engine, after a change of engine."""

from collections.abc import Callable

from waypost.embed.protocol import Engine
from waypost.flows.open_space import OpenSpace
from waypost.model.audit import AuditEntry
from waypost.model.memory import Caller
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import PassageRow

_BATCH = 256  # versions embedded between two transactions
_MAIN, _MAIN_SETTING = "main_engine", "main_setting"
_PREVIOUS, PREVIOUS_SETTING = "previous_engine", "previous_setting"

Progress = Callable[[str, int], None]  # engine name, texts still owed


def adopt_engine(space: OpenSpace) -> None:
    """Notice that the configured engine has changed: everything is owed to the new one, the old one serves meanwhile.

    One that is away and cannot be asked for its name is taken for the one that the same setting meant before.
    """
    main, setting = space.engines.main, space.settings.engine
    name = main.name
    with space.store.read() as reader:
        known = reader.meta(_MAIN)
        if known is not None and name == setting == reader.meta(_MAIN_SETTING):
            main.known_as = name = known
        if known == name:
            return
    with space.store.write() as writer:
        known = writer.meta(_MAIN)
        if known is not None and known != name:
            writer.set_meta(_PREVIOUS, known)
            writer.set_meta(PREVIOUS_SETTING, writer.meta(_MAIN_SETTING) or "")
        writer.set_meta(_MAIN, name)
        writer.set_meta(_MAIN_SETTING, setting)
        writer.owe(name)


def settle(space: OpenSpace, *, limit: int | None = None, progress: Progress = lambda *_: None) -> dict[str, int]:
    """Embed what is owed, at most `limit` texts for each engine. Returns what is still owed."""
    with space.store.read() as reader:
        nameless = reader.meta(_MAIN) == space.settings.engine
    if nameless:  # it was away when the space was opened; perhaps it is here now, under its true name
        adopt_engine(space)
    with space.store.read() as reader:
        engines = space.engines.active(reader)
    for engine in engines:
        _settle_engine(space, engine, limit, progress)
    _retire_previous(space)
    with space.store.read() as reader:
        owed = reader.owed()
    return {engine.name: owed.get(engine.name, 0) for engine in engines}


def _settle_engine(space: OpenSpace, engine: Engine, limit: int | None, progress: Progress) -> None:
    paid = 0
    while limit is None or paid < limit:
        with space.store.read() as reader:
            owed = reader.owed().get(engine.name, 0)
            versions = reader.owed_versions(engine.name, min(_BATCH, limit or _BATCH)) if owed else []
            passages = {p.content_hash: p for version in versions for p in passages_of(version)}
            missing = reader.missing_vectors(engine.name, list(passages))
        if not owed or not versions:
            return
        progress(engine.name, owed)
        if not missing:  # indexed under other rules than today's: index these versions anew
            _index_again(space, [version.number for version in versions])
            continue
        vectors = space.engines.embed(engine, [passages[digest].text for digest in missing])
        if vectors is None:
            return
        rows = [(digest, passages[digest].language, vector) for digest, vector in zip(missing, vectors, strict=True)]
        with space.store.write() as writer:
            writer.put_vectors(engine.name, rows)
        paid += len(rows)


def _index_again(space: OpenSpace, numbers: list[int]) -> None:
    with space.store.write() as writer:
        engines = [engine.name for engine in space.engines.active(writer)]
        for number, version in writer.versions_by_number(numbers).items():
            rows = [PassageRow(p.content_hash, p.language, p.terms, p.code_terms) for p in passages_of(version)]
            writer.replace_passages(number, rows, engines)


def _retire_previous(space: OpenSpace) -> None:
    """When the new engine has everything, the vectors of the ones before it are only a burden."""
    with space.store.read() as reader:
        previous = reader.meta(_PREVIOUS)
        main = space.engines.main.name
        finished = previous != main and not reader.owed().get(main)
    if previous and finished:
        with space.store.write() as writer:
            serving = {engine.name for engine in space.engines.active(writer)}
            for engine in writer.owed():  # also one that was changed again before it had everything
                if engine not in serving:
                    writer.drop_engine(engine)
            writer.set_meta(_PREVIOUS, "")
            writer.set_meta(PREVIOUS_SETTING, "")
        space.store.compact()


def rebuild(space: OpenSpace, caller: Caller, *, progress: Progress = lambda *_: None) -> dict[str, int]:
    """Make everything derived again from what is kept: passages, keywords, vectors. Readers are served meanwhile."""
    with space.store.write() as writer:
        details = {"owners_word": caller.owners_word}
        writer.add_audit(AuditEntry(space.clock(), "rebuild", None, caller.source, caller.actor, details))
        writer.drop_damaged_keywords()
    after = 0
    while True:
        with space.store.read() as reader:
            last = reader.last_number()
            numbers = list(range(after + 1, min(after + _BATCH, last) + 1))
            versions = list(reader.versions_by_number(numbers).values())
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
                    writer.put_vectors(engine.name, rows, again=True)
        after = numbers[-1]
    with space.store.write() as writer:
        for engine in space.engines.active(writer):
            writer.recount_domains(engine.name)
    space.store.compact()
    return settle(space, progress=progress)
