"""The one worker of a space: a detached process that indexes what was tracked, pays the vectors owed, and ends when
nothing is left."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from waypost.flows.open_space import OpenSpace
from waypost.flows.settle import Progress, settle
from waypost.model.memory import Caller
from waypost.space.platform import try_lock

LOCK_NAME = "worker.lock"
_WORKER = Caller("extractor", "worker")


def start_worker(space: OpenSpace) -> None:
    """Start the worker unless it runs, is not wanted, or could do nothing because its engine is away.

    What called for it is on disk and stays owed: that no worker can be started now is no reason to fail.
    """
    if not space.settings.background or space.engines.away:
        return
    with contextlib.suppress(OSError):
        with _only_one(space) as free:
            if not free:
                return
        _start(space)


def _start(space: OpenSpace) -> None:
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
    subprocess.Popen(
        [sys.executable, "-P", "-m", "waypost", *work],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **settings},
    )


def work(space: OpenSpace, *, progress: Progress = lambda *_: None) -> dict[str, int] | None:
    """Be the worker of this checkout. None: another one is at it already, of this checkout or of another."""
    from waypost.flows.conclude import conclude  # what only some processes do, and none should wait for
    from waypost.flows.expiry import process_expired
    from waypost.flows.learn_unasked import learn_owed, learn_saved
    from waypost.flows.overdue import catch_up_if_due
    from waypost.flows.track import index_tracked

    while True:
        with _only_one(space) as free:
            if not free:
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
        with space.store.read() as reader:
            owed, tracked = reader.owed(), reader.tracked(space.identity.checkout_id)
        tracked = tracked if space.identity.has_tree else []  # else those wait for the machine that has the tree
        if not tracked and not any(owed.get(engine) for engine, count in left.items() if not count):
            return left


def _settle_alone(space: OpenSpace, progress: Progress) -> dict[str, int] | None:
    """Vectors belong to the space: one worker pays for all checkouts."""
    with try_lock(space.folder / LOCK_NAME) as free:
        return settle(space, progress=progress) if free else None


@contextmanager
def _only_one(space: OpenSpace) -> Iterator[bool]:
    with try_lock(space.folder / f"worker-{space.identity.checkout_id or 'person'}.lock") as free:
        yield free
