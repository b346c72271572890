"""The façade: `Memory.open(".")`. The only place that wires parts together."""

import atexit
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost import config, flows
from waypost.config import Settings
from waypost.context.cache import ContextCache
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.errors import InvalidInput
from waypost.flows.engines import Engines
from waypost.flows.open_space import OpenSpace, note_checkout
from waypost.model.draft import MAX_LEVEL, Draft, check_line, check_whole
from waypost.model.ids import IdMaker, check_id
from waypost.model.kinds import KEPT_COLLECTIONS, kind_of, scope_of
from waypost.model.linked import AboutHit, Linked, StaleReport
from waypost.model.memory import Caller
from waypost.model.recall import Answer, View
from waypost.model.receipt import Receipt
from waypost.model.time import Clock, Moment, parse_time, utc_now
from waypost.space.identity import Identity, identify, identify_person
from waypost.space.metadata import keep_metadata
from waypost.space.place import check_claimed_id
from waypost.space.place import open_space as make_space
from waypost.store.protocol import AuditEntry, Filter
from waypost.store.sqlite.store import SqliteStore

MOST_LISTED = 1_000_000
BRIEF_TOKENS = 2000  # what a briefing may cost unless told
SCOPE_TOKENS = 500
PRESETS = ("scope",)
IDLE_SECONDS = 3600  # an open space that nobody used for this long is closed
LIBRARY = Caller("agent", "library")  # code that calls us is an agent, whatever its texts say

When = datetime | str | None


class Memory:
    """Long-term memory of one project or person.

    Several `Memory` objects of one space share one open database. One that was closed for idleness opens again
    by itself on the next call.
    """

    def __init__(self, identity: Identity, settings: Settings, caller: Caller, clock: Clock) -> None:
        self._identity = identity
        self._settings = settings
        self._caller = caller
        self._clock = clock

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
    ) -> "Memory":
        """The memory of the project that `path` belongs to, or of a person. The id is always computed; naming another
        one raises SecurityError."""
        return cls.open_as(LIBRARY, path, person=person, space_id=space_id, settings=settings, clock=clock)

    @classmethod
    def open_as(
        cls,
        caller: Caller,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
    ) -> "Memory":
        """For faces, which know who is calling."""
        settings = settings or config.load()
        identity = identify_person(person) if person is not None else identify(Path(path))
        if space_id is not None:
            check_claimed_id(identity, space_id)
        memory = cls(identity, settings, caller, clock)
        memory._space  # noqa: B018  an unusable place is reported now, not with the first write
        return memory

    @property
    def _space(self) -> OpenSpace:
        return _open_spaces.get(self._identity, self._settings, self._clock)

    @property
    def space_id(self) -> str:
        return self._identity.space_id

    @property
    def folder(self) -> Path:
        """Where this memory's files are."""
        return self._space.folder

    @property
    def root(self) -> Path:
        """The root of the tree that this memory was opened in."""
        return self._identity.root

    def close(self) -> None:
        """Close the database now. The object can still be used: it opens again."""
        _open_spaces.drop(self._identity, self._settings)

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- write --------------------------------------------------------------------------------------------

    def remember(self, text: str, **options: Any) -> Receipt:
        """Store one memory. Options are those of the command line: kind, refs, level, domain, session, time, …"""
        draft = Draft.of({**options, "text": text})
        return next(flows.remember.remember(self._space, [draft], self._caller, direct=True))

    def remember_many(self, memories: Iterable[Mapping[str, Any]]) -> Sequence[Receipt]:
        """Store many, in order: all are checked first, so that a bad one leaves nothing half-written."""
        drafts = []
        for place, given in enumerate(memories):
            try:
                drafts.append(Draft.of(given))
            except InvalidInput as error:
                raise type(error)(f"Memory {place}: {error.what}", error.remedy) from error
        return list(self.remember_drafts(drafts))

    def remember_drafts(self, drafts: Sequence[Draft]) -> Iterator[Receipt]:
        """Store checked drafts; receipts come as transactions are committed."""
        return flows.remember.remember(self._space, drafts, self._caller, direct=False)

    def correct(self, memory_id: str, text: str, *, valid_from: When = None, valid_until: When = None) -> Receipt:
        """It was said wrongly: from now on the memory says `text`, for the same time unless told."""
        return flows.lifecycle.correct(
            self._space,
            memory_id,
            text,
            self._caller,
            valid_from=_when(valid_from, "valid_from"),
            valid_until=_when(valid_until, "valid_until"),
        )

    def retract(self, memory_id: str, *, valid_until: When = None) -> None:
        """Take it back without a replacement; with `valid_until`, it was true until then."""
        flows.lifecycle.retract(self._space, memory_id, self._caller, valid_until=_when(valid_until, "valid_until"))

    def reject(self, memory_id: str) -> None:
        """Take it back, and never store this value again."""
        flows.lifecycle.reject(self._space, memory_id, self._caller)

    def lift(self, text: str, **options: Any) -> bool:
        """Allow a rejected or forgotten value again; options are those it was remembered with. Only a person may."""
        return flows.lifecycle.lift(self._space, Draft.of({**options, "text": text}), self._caller)

    def forget(self, memory_id: str) -> "flows.forget.Forgotten":
        """Remove it and every trace of it. There is no way back."""
        return flows.forget.forget(self._space, memory_id, self._caller)

    def protect(self, memory_id: str, *, on: bool = True) -> None:
        flows.lifecycle.protect(self._space, memory_id, self._caller, on=on)

    # -- the tree -----------------------------------------------------------------------------------------

    def index(
        self,
        *,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        force: bool = False,
        database: str | None = None,
        wait: bool = True,
        explain: bool = False,
        report: "flows.index.Report" = lambda *_: None,
    ) -> "flows.init.IndexReport":
        """Read the tree: what is new or changed since the last time, or with `force` all of it.

        Patterns hold until others are given. Without `wait`, vectors follow in the background. `database` is the URL
        of a live database whose schema is read too; `explain` tells of everything that is skipped.
        """
        return flows.init.init(
            self._space,
            self._caller,
            include=include,
            exclude=exclude,
            force=force,
            database=database,
            wait=wait,
            explain=explain,
            report=report,
        )

    def update(self, paths: Iterable[str | Path]) -> "flows.index.Indexed":
        """Bring these files up to date in the index, now, whatever became of them."""
        return flows.track.update(self._space, [str(path) for path in paths])

    def track(self, path: str | Path, action: str = "edit") -> None:
        """A file was changed, made or deleted: it is indexed again in the background. Returns at once."""
        flows.track.track(self._space, [str(path)], action)

    def ignores(self) -> Callable[[str], bool]:
        """Tells of a path (of a folder with `/` at its end) whether an index leaves it out; for whoever watches."""
        return flows.track.ignores(self._space)

    def finish(self, description: str, files: Iterable[str | Path] | None = None) -> Receipt:
        """A task is done: its files (or all that changed) are indexed, and that it was done is remembered."""
        chosen = None if files is None else [str(path) for path in files]
        return flows.track.finish(self._space, description, chosen, self._caller)

    def analyze(self, path: str | Path = ".") -> "flows.analyze.Analysis":
        """What a file, or every file of a folder, holds: symbols, imports, calls. Reads the tree, not the index."""
        return flows.analyze.analyze(self._space, str(path))

    def architecture(self) -> dict[str, Any]:
        """Frameworks, patterns, endpoints, layers and the like, with the places that show them."""
        return flows.analyze.architecture(self._space)

    def summarize(
        self, path: str | Path | None = None, *, force: bool = False, report: "flows.index.Report" = lambda *_: None
    ) -> "flows.summarize.Summarised":
        """Describe in words what a file, or every file, does; those that have a description are left, without `force`."""
        chosen = None if path is None else str(path)
        return flows.summarize.summarize(self._space, chosen, force=force, report=report)

    def summary(self, path: str | Path) -> str:
        """What a file does, in words."""
        return flows.summarize.summary(self._space, str(path))

    # -- code and memory ----------------------------------------------------------------------------------

    def about(self, path: str | Path, line: int | None = None, *, limit: int = 50) -> tuple[AboutHit, ...]:
        """The memories about a file, a line of it, or a folder; those nearest to the line first."""
        return flows.about.about(self._space, str(path), line, limit=limit)

    def stale(self, files: Iterable[str | Path] | None = None, *, check: bool = False) -> StaleReport:
        """Which memories point at code that is not as it was, of all or of those about these files.

        What has not changed since it was looked at is not judged again, unless `check` says so.
        """
        chosen = None if files is None else [str(path) for path in files]
        return flows.about.stale(self._space, files=chosen, again=check)

    def verify(
        self,
        memory_ids: str | Iterable[str] = (),
        *,
        files: Iterable[str | Path] | None = None,
        every: bool = False,
    ) -> "flows.repair.Repaired":
        """What these memories say is true of the code as it is now; or those about these files; or every stale one."""
        chosen = [memory_ids] if isinstance(memory_ids, str) else list(memory_ids)
        where = None if files is None else [str(path) for path in files]
        return flows.repair.verify(self._space, self._caller, chosen, files=where, every=every)

    def relink(
        self,
        memory_id: str | None = None,
        refs: Sequence[str] | None = None,
        *,
        add: bool = False,
        every: bool = False,
        drop: bool = False,
    ) -> "flows.repair.Repaired":
        """Point a memory at `refs` (with `add`, at these too), or at where its code is now; `every` one whose code moved.
        `drop` takes references away whose code is gone."""
        return flows.repair.relink(self._space, self._caller, memory_id, refs, add=add, every=every, drop=drop)

    def git_changed(self) -> None:
        """The tree was committed, merged, rebased or checked out: bring what follows from it up to date."""
        flows.track.git_changed(self._space)

    # -- read ---------------------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        k: int = 5,
        *,
        scope: str = "all",
        as_of: When = None,
        known_at: When = None,
        now: When = None,
        fresh: bool = False,
        min_confidence: float = 0.0,
        exclude_tags: Sequence[str] = (),
    ) -> Answer:
        """The memories that answer best. `now` is the moment of the question, for words like "yesterday".

        `fresh` leaves out what is stale; so do `min_confidence` and `exclude_tags` (names, or name=value) with others.
        """
        view = self._view(scope, as_of, known_at)
        wanted = flows.recall.Wanted(fresh, min_confidence, tuple(exclude_tags))
        return flows.recall.recall(self._space, question, view, k=k, now=_when(now, "now"), wanted=wanted)

    def brief(
        self,
        task: str,
        tokens: int | None = None,
        *,
        preset: str | None = None,
        as_of: When = None,
        known_at: When = None,
    ) -> "flows.brief.Briefing":
        """What an agent should know before it starts on a task, fenced as data, within the budget.

        Preset `scope` tells about the code only, in 500 tokens; without one it is everything, in 2,000.
        """
        view = self._view("all", as_of, known_at)
        if preset == "scope":
            return flows.scope.scope_brief(self._space, task, view, tokens=SCOPE_TOKENS if tokens is None else tokens)
        if preset is not None:
            raise InvalidInput(f"There is no preset {preset[:40]!r}.", f"Presets: {', '.join(PRESETS)}.")
        return flows.brief.brief(self._space, task, view, tokens=BRIEF_TOKENS if tokens is None else tokens)

    def show(self, memory_id: str, *, as_of: When = None, known_at: When = None) -> Linked:
        """One memory, with what became of the code that it points at."""
        return flows.references.find_linked(self._space, memory_id, self._moment(as_of, known_at))

    def list(
        self,
        *,
        kind: str | None = None,
        level: int | None = None,
        domain: str | None = None,
        session: str | None = None,
        tags: Mapping[str, str] | None = None,
        limit: int = 50,
        as_of: When = None,
        known_at: When = None,
    ) -> Sequence[dict[str, Any]]:
        """Memories in the order they were recorded, the newest last. What was read out of the tree is listed only when
        its kind is asked for."""
        chosen = Filter(
            (kind_of(kind).name,) if kind else (),
            None if level is None else check_whole(level, "level", 0, MAX_LEVEL),
            check_line(domain, "domain") if domain else domain,
            check_line(session, "session") if session else session,
            tuple((check_line(name, "tag name"), check_line(value, "tag")) for name, value in (tags or {}).items()),
        )
        most = check_whole(limit, "limit", 1, MOST_LISTED)
        view = self._view("all", as_of, known_at)
        if kind is None:
            view = replace(view, collections=KEPT_COLLECTIONS)
        return flows.transfer.listed(self._space, view, chosen, most)

    def history(self, memory_id: str) -> "flows.lifecycle.History":
        return flows.lifecycle.history(self._space, memory_id)

    def audit(self, memory_id: str | None = None, limit: int = 50) -> Sequence[AuditEntry]:
        with self._space.store.read() as reader:
            return reader.audit_entries(
                None if memory_id is None else check_id(memory_id), check_whole(limit, "limit", 1, MOST_LISTED)
            )

    # -- operate ------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        return flows.status.status(self._space)

    def doctor(self, *, fix: bool = False) -> "Sequence[flows.status.Finding]":
        return flows.status.doctor(self._space, self._caller, fix=fix)

    def maintain(self, *, force: bool = False, dry_run: bool = False) -> "Sequence[flows.maintain.Done]":
        """Upkeep: what is due, or with `force` everything; with `dry_run` only what there is to do."""
        return flows.maintain.maintain(self._space, force=force, dry_run=dry_run)

    def settle(self, *, progress: "flows.settle.Progress" = lambda *_: None) -> dict[str, int]:
        """Embed everything that is owed, now. Returns what is still owed, by engine."""
        return flows.settle.settle(self._space, progress=progress)

    def work(self) -> dict[str, int] | None:
        """Be the space's worker: settle unless somebody else is at it."""
        return flows.worker.work(self._space)

    def rebuild(self, *, progress: "flows.settle.Progress" = lambda *_: None) -> dict[str, int]:
        """Make everything derived again from what is kept."""
        return flows.settle.rebuild(self._space, self._caller, progress=progress)

    def export(
        self,
        path: str | Path | None = None,
        *,
        form: str = "jsonl",
        embeddings: bool = False,
        code: bool = False,
        as_of: When = None,
        known_at: When = None,
    ) -> "flows.transfer.Export":
        """Write all memories to a file; with `code`, what was read out of the tree too."""
        target = None if path is None else Path(path).absolute()
        moment = self._moment(as_of, known_at)
        return flows.transfer.export(self._space, moment, path=target, form=form, embeddings=embeddings, code=code)

    def rows(
        self, as_of: When = None, known_at: When = None, *, embeddings: bool = False, code: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Every memory as an export has it."""
        return flows.transfer.rows(self._space, self._moment(as_of, known_at), embeddings=embeddings, code=code)

    def exports(self) -> "Sequence[flows.transfer.Export]":
        return flows.transfer.exports(self._space)

    def import_file(self, path: str | Path) -> Iterator[Receipt]:
        """Read an export. Nothing that is here is overwritten; each receipt says what became of its line."""
        return flows.transfer.import_file(self._space, Path(path), self._caller)

    def import_tags(self, path: str | Path) -> "flows.tag_import.Imported":
        """Read memories of Coding Brain, whose references to code stand in their tags."""
        return flows.tag_import.import_tags(self._space, Path(path), self._caller)

    def undo_import(self, which: str | Path | None = None) -> "flows.tag_import.Undone":
        """Retract what such an import added: the one with this id, the latest of this file, or the latest."""
        return flows.tag_import.undo_import(self._space, which, self._caller)

    # -- moments ------------------------------------------------------------------------------------------

    def _moment(self, as_of: When, known_at: When) -> Moment:
        at = _when(as_of, "as_of")
        now = self._clock()
        return Moment(at or now, _when(known_at, "known_at"), explicit=at is not None, asked_at=now)

    def _view(self, scope: str, as_of: When, known_at: When) -> View:
        return View(self._moment(as_of, known_at), scope_of(scope), self._identity.checkout_id)


def _when(value: When, field: str) -> datetime | None:
    if value is None:
        return None
    return parse_time(value if isinstance(value, str) else value.isoformat(), field)


class _OpenSpaces:
    """The spaces that this process has open, one instance each, closed after an hour without use."""

    def __init__(self) -> None:
        self._open: dict[_Key, tuple[OpenSpace, datetime]] = {}
        self._lock = threading.RLock()

    def get(self, identity: Identity, settings: Settings, clock: Clock) -> OpenSpace:
        key, now = _key(identity, settings), clock()
        with self._lock:
            for other, (space, used) in list(self._open.items()):
                if (now - used).total_seconds() > IDLE_SECONDS:
                    del self._open[other]
                    space.store.close()
            known = self._open.get(key)
            if known and known[0].settings != settings:  # wired anew: another engine has to be noticed
                known[0].store.close()
                known = None
            space = known[0] if known else _wire(identity, settings, clock)
            self._open[key] = (space, now)
            return space

    def drop(self, identity: Identity, settings: Settings) -> None:
        with self._lock:
            known = self._open.pop(_key(identity, settings), None)
        if known:
            known[0].store.close()

    def start_afresh(self) -> None:
        """In a forked child: every space is opened anew, whatever the parent's threads were doing with theirs."""
        self._open, self._lock = {}, threading.RLock()

    def drop_all(self) -> None:
        with self._lock:
            spaces, self._open = [space for space, _ in self._open.values()], {}
        for space in spaces:
            space.store.close()


_Key = tuple[Path, str, str]


def _key(identity: Identity, settings: Settings) -> _Key:
    return settings.home, identity.space_id, identity.checkout_id


def _wire(identity: Identity, settings: Settings, clock: Clock) -> OpenSpace:
    folder = make_space(settings.memory_root, identity, clock=clock, model=settings.engine)
    store = SqliteStore(folder, clock=clock, busy_seconds=settings.busy_timeout_seconds)
    engines = Engines(lambda name: _shared_engine(name, settings), settings.engine, settings.multilingual)
    contexts = ContextCache[Any](clock)
    starter = flows.worker.start_worker
    space = OpenSpace(identity, folder, settings, store, engines, clock, IdMaker(clock), starter, contexts)
    note_checkout(space)
    keep_metadata(folder, engines.main.name, store.schema_version)
    flows.settle.adopt_engine(space)
    flows.scrub.finish_forgetting(space)
    return space


def _shared_engine(name: str, settings: Settings) -> Engine:
    """Spaces of one process share an engine: its weights are in memory once."""
    key = (open_engine, name, settings.models, settings.ollama, settings.openai)
    with _engines_lock:
        if key not in _engines:
            _engines[key] = open_engine(name, settings)
        return _engines[key]


_engines: dict[object, Engine] = {}
_engines_lock = threading.Lock()
_open_spaces = _OpenSpaces()
atexit.register(_open_spaces.drop_all)


def _start_afresh() -> None:
    global _engines_lock  # noqa: PLW0603  a thread of the parent may hold it for ever
    _engines_lock = threading.Lock()
    _engines.clear()  # their threads did not come along
    _open_spaces.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
