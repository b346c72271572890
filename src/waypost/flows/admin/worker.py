"""The background worker: a detached process that indexes, learns and embeds what is pending, and then ends."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

from waypost.flows.admin.worker_log import error_stream
from waypost.flows.engines.pending_vectors import Progress, settle
from waypost.flows.open_space import OpenSpace, causes_key, conclusions_key, learn_since_key
from waypost.model.memory import Caller
from waypost.system.platform import detached_process_options, try_lock
from waypost.system.process_lock import HeldLock, try_claim

LOCK_NAME = "worker.lock"
_WORKER = Caller("extractor", "worker")


def start_worker(space: OpenSpace) -> None:
    """Start the worker if it has work, is allowed and does not run yet.

    However many processes call this at once, one worker starts: it inherits the lock. Pending work is on disk, so
    failing to start a worker is not an error.
    """
    if not space.settings.background or not space.store.may_write:
        return
    with contextlib.suppress(OSError):
        # Check again after each try: another process may have left work to us while we held the lock.
        while has_work(space):
            with try_claim(_lock_of(space)) as claim:
                if claim is None:
                    return  # a worker runs or is starting; it checks again before it ends
                if has_work(space):  # else a worker has just done it
                    _start(space, claim)
                    return


def has_work(space: OpenSpace) -> bool:
    """Whether a worker of this checkout would have something to do. Takes a few small reads."""
    if _is_pending(space, without=space.engines.away):
        return True
    from waypost.flows.admin.maintenance_schedule import is_due
    from waypost.flows.erase.expiry import is_any_due  # only if nothing else is pending

    return is_any_due(space) or is_due(space)


def _is_pending(space: OpenSpace, *, without: Container[str] = ()) -> bool:
    """Whether work is left to the worker. `without` names engines that cannot embed now."""
    checkout = space.identity.checkout_id
    with space.store.read() as reader:
        if space.identity.has_tree:  # else this is left to the machine with the repository
            noted = any(reader.meta.get(key(space)) for key in (conclusions_key, learn_since_key, causes_key))
            if noted or reader.code.tracked(checkout):
                return True
        pending = reader.vectors.pending()
        return any(pending.get(engine.name) for engine in space.engines.active(reader) if engine.name not in without)


def _start(space: OpenSpace, claim: HeldLock) -> None:
    identity, work = space.identity, ["work"]
    if identity.root is not None:
        work = ["-C", str(identity.root), *work]
    elif identity.is_away:
        work = [*work, f"--space={identity.space_id}"]
    else:
        work = [f"--person={identity.name}", *work]
    settings = {"WAYPOST_HOME": str(space.settings.home), "WAYPOST_ENGINE": space.settings.engine}
    if os.environ.get("WAYPOST_MODELS"):  # may be relative to the current folder
        settings["WAYPOST_MODELS"] = str(space.settings.models[0])
    with error_stream(space) as errors:
        subprocess.Popen(
            [sys.executable, "-P", "-m", "waypost", *work],
            stdin=claim.handle,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **settings},
            **detached_process_options(),
        )
    claim.hand_over()


def work(
    space: OpenSpace, *, inherited: int | None = None, least: float = 0.0, progress: Progress = lambda *_: None
) -> dict[str, int] | None:
    """Be the worker of this checkout. Returns None if another worker runs.

    `inherited` is the lock handed over by the starting process (`space.claim.inherited_handle`). Texts below the
    urgency `least` are left.
    """
    from waypost.flows.admin.maintenance_schedule import catch_up_if_due
    from waypost.flows.erase.expiry import process_expired
    from waypost.flows.index.project_analysis import (
        analyze_project,  # imports parsers, which most processes do not need
    )
    from waypost.flows.index.track import index_tracked
    from waypost.flows.learn.automatic import learn_pending, learn_saved
    from waypost.flows.links.staleness import explain_pending

    while True:
        with try_claim(_lock_of(space), inherited) as claim:
            inherited = None
            if claim is None:
                return None
            while True:  # files tracked meanwhile, and what follows from them
                with space.store.read() as reader:
                    saved = reader.code.tracked(space.identity.checkout_id)
                if not index_tracked(space) and not analyze_project(space) and not learn_pending(space):
                    break
                learn_saved(space, saved)
            explain_pending(space)
            process_expired(space, _WORKER, wait=False)  # after changed files have renewed lifetimes
            catch_up_if_due(space)
            left = _embed_alone(space, least, progress)
        if left is None:
            return None
        # A process that wrote just before the lock was released saw a worker and started none.
        if not _is_pending(space, without=[engine for engine, count in left.items() if count]):
            return left


def _embed_alone(space: OpenSpace, least: float, progress: Progress) -> dict[str, int] | None:
    """Embed for all checkouts: vectors belong to the space. Returns None if another worker does."""
    with try_lock(space.folder / LOCK_NAME) as free:
        return settle(space, least=least, progress=progress) if free else None


def _lock_of(space: OpenSpace) -> Path:
    return space.folder / f"worker-{space.identity.checkout_id or 'person'}.lock"
