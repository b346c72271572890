"""Find what is wrong with a memory: a list of checks, each of which repairs what it can."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from waypost.embed.install import status as model_status
from waypost.errors import StoreCorrupt, StoreFull
from waypost.flows import findings as kinds
from waypost.flows.admin.hook_check import check_hooks
from waypost.flows.admin.journal_check import check_journal
from waypost.flows.admin.maintenance_schedule import overdue_maintenance
from waypost.flows.admin.recovery import (
    check_lost_writes,
    damage_findings,
    index_all,
    repair_lock,
    repaired_findings,
)
from waypost.flows.admin.worker_log import clear_failure, last_failure
from waypost.flows.checkouts.relatives import look_for_relatives
from waypost.flows.checkouts.treeless import notice_elsewhere
from waypost.flows.engines.pending_vectors import rebuild, settle
from waypost.flows.erase.cleanup import clean_up, has_pending_cleanup
from waypost.flows.erase.clock_check import clock_notices
from waypost.flows.erase.damaged_copies import check_leftovers
from waypost.flows.findings import Finding
from waypost.flows.index.freshness import notice_full
from waypost.flows.open_space import OpenSpace, conclusions_key
from waypost.model.memory import Caller
from waypost.text.plural import counted


@dataclass(frozen=True, slots=True)
class Checkup:
    space: OpenSpace
    caller: Caller
    fix: bool = False


def doctor(space: OpenSpace, caller: Caller, *, fix: bool = False) -> list[Finding]:
    """Run every check. `fix` repairs what can be rebuilt and does pending work.

    The database comes first: other checks read it. Nothing is repaired on a full disk.
    """
    checkup = Checkup(space, caller, fix and not notice_full(space))
    findings = list(_check_database(checkup))
    try:
        return findings + [finding for check in CHECKS for finding in check(checkup)]
    except StoreCorrupt as error:  # reported already
        return [*findings, Finding("other checks", True, f"They need a sound database: {error.what}", is_note=True)]


def _check_database(at: Checkup) -> Iterator[Finding]:
    space = at.space
    if notice_full(space):
        yield kinds.DISK.finding(f"There is no room left on the disk of {space.folder}.")
    try:
        findings = _damage(space)
    except StoreFull:  # the keyword index is checked by a statement that writes
        return
    if at.fix and all(finding.ok or finding.check == kinds.KEYWORDS.check for finding in findings):
        if not all(finding.ok for finding in findings):
            rebuild(space, at.caller)
            findings = [Finding(kinds.KEYWORDS.check, True, "It was damaged and has been rebuilt."), *_damage(space)]
    elif at.fix:
        with repair_lock(space.folder):
            done = space.store.repair(index_all)
        findings = findings if done is None else list(repaired_findings(space, done))
    yield from findings
    yield from check_leftovers(space.folder, fix=at.fix)
    yield from check_lost_writes(space.folder, fix=at.fix)


def _damage(space: OpenSpace) -> list[Finding]:
    return damage_findings(space.store.problems(), on_server=bool(space.settings.store))


def _check_models(at: Checkup) -> Iterator[Finding]:
    engines = at.space.engines
    wanted = {engines.main.name, *([engines.multilingual.name] if engines.multilingual is not None else [])}
    for model in model_status(at.space.settings):
        if model.installed and model.intact:
            yield Finding(f"model {model.name}", True, f"installed in {model.path}")
        elif model.name in wanted:
            yield kinds.MODEL.finding(model.reason.partition("\n")[0], check=f"model {model.name}")


def _check_pending(at: Checkup) -> Iterator[Finding]:
    """Pending work is not a problem, unless it cannot be done."""
    space = at.space
    if at.fix:
        _do_pending(space)
        clear_failure(space)
    if (failed := last_failure(space)) is not None:
        yield kinds.WORKER.finding(failed.notice)
    with space.store.read() as reader:
        pending_texts = reader.vectors.pending()
        engines = {engine.name: engine for engine in space.engines.active(reader) if pending_texts.get(engine.name)}
        waiting = len(reader.code.tracked(space.identity.checkout_id)) if space.identity.has_tree else 0
        has_conclusions = space.identity.has_tree and bool(reader.meta.get(conclusions_key(space)))
    models = {model.name: model.installed for model in model_status(space.settings, hashes=False)}
    for name, engine in engines.items():
        texts = counted(pending_texts[name], "text")
        if name not in models:  # on a server or in a folder: only a request shows whether it works
            space.engines.embed(engine, ["."])
        if not models.get(name, True):
            yield Finding("vectors", True, f"{texts} will be embedded when {name} is installed.", is_note=True)
        elif reason := space.engines.away.get(engine.name, ""):
            config = space.settings.home / "config.toml"
            what = f"{texts} cannot be embedded by {engine.name}: {reason.splitlines()[0]}"
            yield kinds.EMBEDDING.finding(what, config=config)
        else:
            yield kinds.PENDING_VECTORS.finding(f"{texts} pending for {name}. {_when_done(space, 'Embedding')}")
    if not engines:
        yield Finding("vectors", True, "None is pending.")
    if waiting or has_conclusions:
        what = (
            f"{counted(waiting, 'changed file')} pending" if waiting else "Conclusions from changed files are pending"
        )
        yield kinds.PENDING_FILES.finding(f"{what}. {_when_done(space, 'Indexing')}")


def _when_done(space: OpenSpace, what: str) -> str:
    return f"{what} continues in the background." if space.settings.background else "Background work is turned off."


def _do_pending(space: OpenSpace) -> None:
    from waypost.flows.index.project_analysis import analyze_project  # imports parsers: only for repairs
    from waypost.flows.index.track import index_tracked

    index_tracked(space)
    analyze_project(space)
    settle(space)


def _check_traces(at: Checkup) -> Iterator[Finding]:
    has_traces = has_pending_cleanup(at.space)
    if has_traces and at.fix:
        has_traces = not clean_up(at.space, None).complete
    if has_traces:
        yield kinds.TRACES.finding("Traces may remain in the log: another process is reading.")


def _check_relatives(at: Checkup) -> list[Finding]:
    notices = (relative.notice for relative in look_for_relatives(at.space))
    return _notes("other memories", (f"{notice} `waypost adopt --dismiss` keeps them apart." for notice in notices))


def _check_upkeep(at: Checkup) -> Iterator[Finding]:
    late = overdue_maintenance(at.space)
    yield Finding("upkeep", True, "It is not overdue.") if late is None else kinds.UPKEEP.finding(late.message)


def _notes(check: str, notices: Iterable[str]) -> list[Finding]:
    return [Finding(check, True, notice, is_note=True) for notice in notices]


def _check_permissions(at: Checkup) -> Iterator[Finding]:
    folder = at.space.folder
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        yield kinds.PERMISSIONS.finding(f"{folder} can be read by others.", folder=shlex.quote(str(folder)))
    else:
        yield Finding("permissions", True, "Only you can read the files.")


CHECKS: tuple[Callable[[Checkup], Iterable[Finding]], ...] = (
    _check_models,
    _check_pending,
    _check_traces,
    lambda at: _notes("tree", notice_elsewhere(at.space)),
    _check_relatives,
    _check_upkeep,
    lambda at: _notes("clock", clock_notices(at.space)),
    lambda at: check_journal(at.space),
    lambda at: check_hooks(at.space, fix=at.fix),
    _check_permissions,
)
