"""What is wrong with a space: a list of checks, each of which says what it found and repairs what it can."""

import os
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from waypost.embed.install import status as model_status
from waypost.errors import StoreCorrupt, StoreFull
from waypost.flows.admin.clock import clock_notices
from waypost.flows.admin.finding import (
    DISK,
    EMBEDDING,
    KEYWORDS,
    MODEL,
    PENDING_FILES,
    PENDING_VECTORS,
    PERMISSIONS,
    TRACES,
    UPKEEP,
    WORKER,
    Finding,
)
from waypost.flows.admin.hook_check import check_hooks
from waypost.flows.admin.overdue import missed
from waypost.flows.admin.recovery import (
    check_leftovers,
    check_lost_writes,
    damage_findings,
    index_all,
    repair_lock,
    repaired_findings,
)
from waypost.flows.admin.worker_log import clear_failure, last_failure
from waypost.flows.checkouts.relatives import look_for_relatives
from waypost.flows.engines.pending_vectors import rebuild, settle
from waypost.flows.index.treeless import notice_elsewhere
from waypost.flows.journal.files.check import check_journal
from waypost.flows.links.freshness import notice_full
from waypost.flows.open_space import OpenSpace, conclusions_key
from waypost.flows.write.scrub import owes_scrub, scrub
from waypost.model.memory import Caller
from waypost.text.plural import counted


@dataclass(frozen=True, slots=True)
class Checkup:
    """What is looked at, by whom, and whether what can be rebuilt is repaired."""

    space: OpenSpace
    caller: Caller
    fix: bool = False


def doctor(space: OpenSpace, caller: Caller, *, fix: bool = False) -> list[Finding]:
    """Look at everything that can be wrong; with `fix`, repair what can be rebuilt and do what is pending. A damaged
    database comes first: the other checks read it. On a full disk nothing is repaired: that needs room."""
    checkup = Checkup(space, caller, fix and not notice_full(space))
    found = list(_check_database(checkup))
    try:
        return found + [finding for check in CHECKS for finding in check(checkup)]
    except StoreCorrupt as error:  # it is among what was found
        return [*found, Finding("other checks", True, f"They need a sound database: {error.what}", is_note=True)]


def _check_database(at: Checkup) -> Iterator[Finding]:
    space = at.space
    if notice_full(space):
        yield DISK.found(f"There is no room left on the disk of {space.folder}.")
    try:
        found = _damage(space)
    except StoreFull:  # the keyword index is checked by a statement that writes
        return
    if at.fix and all(finding.ok or finding.check == KEYWORDS.check for finding in found):
        if not all(finding.ok for finding in found):
            rebuild(space, at.caller)
            found = [Finding(KEYWORDS.check, True, "It was damaged and has been rebuilt."), *_damage(space)]
    elif at.fix:
        with repair_lock(space.folder):
            done = space.store.repair(index_all)
        found = found if done is None else list(repaired_findings(space, done))
    yield from found
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
            yield MODEL.found(model.reason.partition("\n")[0], check=f"model {model.name}")


def _check_pending(at: Checkup) -> Iterator[Finding]:
    """What the worker does in the background is no problem, unless it cannot be done."""
    space = at.space
    if at.fix:
        _do_pending(space)
        clear_failure(space)
    if (failed := last_failure(space)) is not None:
        yield WORKER.found(failed.notice)
    with space.store.read() as reader:
        owed = reader.vectors.pending()
        engines = {one.name: one for one in space.engines.active(reader) if owed.get(one.name)}
        waiting = len(reader.code.tracked(space.identity.checkout_id)) if space.identity.has_tree else 0
        concluding = space.identity.has_tree and bool(reader.meta.get(conclusions_key(space)))
    models = {model.name: model.installed for model in model_status(space.settings, hashes=False)}
    for name, engine in engines.items():
        texts = counted(owed[name], "text")
        if name not in models:  # on a server, or in a folder: nobody knows without asking
            space.engines.embed(engine, ["."])
        if not models.get(name, True):
            yield Finding("vectors", True, f"{texts} will be embedded when {name} is installed.", is_note=True)
        elif reason := space.engines.away.get(engine.name, ""):
            config = space.settings.home / "config.toml"
            what = f"{texts} cannot be embedded by {engine.name}: {reason.splitlines()[0]}"
            yield EMBEDDING.found(what, config=config)
        else:
            yield PENDING_VECTORS.found(f"{texts} pending for {name}. {_by_whom(space, 'Embedding')}")
    if not engines:
        yield Finding("vectors", True, "None is pending.")
    if waiting or concluding:
        what = (
            f"{counted(waiting, 'changed file')} pending" if waiting else "Conclusions from changed files are pending"
        )
        yield PENDING_FILES.found(f"{what}. {_by_whom(space, 'Indexing')}")


def _by_whom(space: OpenSpace, what: str) -> str:
    return f"{what} continues in the background." if space.settings.background else "Background work is turned off."


def _do_pending(space: OpenSpace) -> None:
    from waypost.flows.index.project_analysis import conclude  # brings all that reads code: only for who repairs
    from waypost.flows.index.track import index_tracked

    index_tracked(space)
    conclude(space)
    settle(space)


def _check_traces(at: Checkup) -> Iterator[Finding]:
    owing = owes_scrub(at.space)
    if owing and at.fix:
        owing = not scrub(at.space, None).complete
    if owing:
        yield TRACES.found("Traces may remain in the log: another process is reading.")


def _check_tree(at: Checkup) -> Iterator[Finding]:
    for notice in notice_elsewhere(at.space):
        yield Finding("tree", True, notice, is_note=True)


def _check_relatives(at: Checkup) -> Iterator[Finding]:
    for one in look_for_relatives(at.space):
        message = f"{one.notice} `waypost adopt --dismiss` keeps them apart."
        yield Finding("other memories", True, message, is_note=True)


def _check_upkeep(at: Checkup) -> Iterator[Finding]:
    late = missed(at.space)
    yield Finding("upkeep", True, "It is not overdue.") if late is None else UPKEEP.found(late.message)


def _check_clock(at: Checkup) -> Iterator[Finding]:
    for notice in clock_notices(at.space):
        yield Finding("clock", True, notice, is_note=True)


def _check_journal(at: Checkup) -> Iterable[Finding]:
    return check_journal(at.space)


def _check_hooks(at: Checkup) -> Iterable[Finding]:
    return check_hooks(at.space, fix=at.fix)


def _check_permissions(at: Checkup) -> Iterator[Finding]:
    folder = at.space.folder
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        yield PERMISSIONS.found(f"{folder} can be read by others.", folder=shlex.quote(str(folder)))
    else:
        yield Finding("permissions", True, "Only you can read the files.")


CHECKS: tuple[Callable[[Checkup], Iterable[Finding]], ...] = (
    _check_models,
    _check_pending,
    _check_traces,
    _check_tree,
    _check_relatives,
    _check_upkeep,
    _check_clock,
    _check_journal,
    _check_hooks,
    _check_permissions,
)
