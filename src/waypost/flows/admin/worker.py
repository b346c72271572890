"""The one worker of a space: a detached process that indexes what was tracked, pays the vectors owed, and ends when
nothing is left."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

from waypost.flows.admin.worker_log import error_stream
from waypost.flows.engines.pending_vectors import Progress, settle
from waypost.flows.open_space import OpenSpace, conclusions_key, learn_since_key
from waypost.model.memory import Caller
from waypost.space.claim import HeldLock, try_claim
from waypost.space.platform import detached_process_options, try_lock

LOCK_NAME = "worker.lock"
_WORKER = Caller("extractor", "worker")


def start_worker(space: OpenSpace) -> None:
    """Start the worker if there is something to do that it can do, unless it runs or is not wanted.

    However many call this at once, one worker starts: it gets the lock from whoever starts it. What called for it is on
    disk and stays owed: that no worker can be started now is no reason to fail.
    """
    if not space.settings.background or not space.store.may_write:
        return
    with contextlib.suppress(OSError):
        # Looked at again after each try: whoever wrote something while we held the lock has left it to us.
        while has_work(space):
            with try_claim(_lock_of(space)) as held:
                if held is None:
                    return  # a worker runs, or is just being started; it looks again before it ends
                if has_work(space):  # else a worker has just done it
                    _start(space, held)
                    return


def has_work(space: OpenSpace) -> bool:
    """Whether a worker of this checkout would find something to do now. Takes a few small reads."""
    if _is_pending(space, without=space.engines.away):
        return True
    from waypost.flows.admin.overdue import is_due
    from waypost.flows.write.expiry import is_any_due  # only where nothing else is to be done

    return is_any_due(space) or is_due(space)


def _is_pending(space: OpenSpace, *, without: Container[str] = ()) -> bool:
    """Whether somebody has left something to the worker; `without` names engines that cannot embed now."""
    checkout = space.identity.checkout_id
    with space.store.read() as reader:
        if space.identity.has_tree:  # else that waits for the machine that has the tree
            noted = reader.meta(conclusions_key(space)) or reader.meta(learn_since_key(space))
            if noted or reader.tracked(checkout):
                return True
        owed = reader.owed()
        return any(owed.get(one.name) for one in space.engines.active(reader) if one.name not in without)


def _start(space: OpenSpace, held: HeldLock) -> None:
    identity, work = space.identity, ["work"]
    if identity.root is not None:
        work = ["-C", str(identity.root), *work]
    elif identity.is_away:
        work = [*work, f"--space={identity.space_id}"]
    else:
        work = [f"--person={identity.name}", *work]
    settings = {"WAYPOST_HOME": str(space.settings.home), "WAYPOST_ENGINE": space.settings.engine}
    if os.environ.get("WAYPOST_MODELS"):  # perhaps relative to where we are
        settings["WAYPOST_MODELS"] = str(space.settings.models[0])
    with error_stream(space) as errors:
        subprocess.Popen(
            [sys.executable, "-P", "-m", "waypost", *work],
            stdin=held.handle,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={**os.environ, **settings},
            **detached_process_options(),
        )
    held.hand_over()


def work(
    space: OpenSpace, *, inherited: int | None = None, progress: Progress = lambda *_: None
) -> dict[str, int] | None:
    """Be the worker of this checkout. None: another one is at it already, of this checkout or of another.

    `inherited` is the lock that whoever started this process has handed over (`space.claim.inherited_handle`).
    """
    from waypost.flows.admin.overdue import catch_up_if_due
    from waypost.flows.index.project_analysis import conclude  # what only some processes do, and none should wait for
    from waypost.flows.index.track import index_tracked
    from waypost.flows.learn.automatic import learn_owed, learn_saved
    from waypost.flows.write.expiry import process_expired

    while True:
        with try_claim(_lock_of(space), inherited) as held:
            inherited = None
            if held is None:
                return None
            while True:  # what was tracked meanwhile, and what follows from it
                with space.store.read() as reader:
                    saved = reader.tracked(space.identity.checkout_id)
                if not index_tracked(space) and not conclude(space) and not learn_owed(space):
                    break
                learn_saved(space, saved)
            process_expired(space, _WORKER, wait=False)  # after what may have given some their time again
            catch_up_if_due(space)
            left = _settle_alone(space, progress)
        if left is None:
            return None
        # Whoever wrote something just before the lock was given back saw a worker at it and started none.
        if not _is_pending(space, without=[engine for engine, count in left.items() if count]):
            return left


def _settle_alone(space: OpenSpace, progress: Progress) -> dict[str, int] | None:
    """Vectors belong to the space: one worker pays for all checkouts."""
    with try_lock(space.folder / LOCK_NAME) as free:
        return settle(space, progress=progress) if free else None


def _lock_of(space: OpenSpace) -> Path:
    return space.folder / f"worker-{space.identity.checkout_id or 'person'}.lock"
