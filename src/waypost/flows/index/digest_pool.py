"""Digest many files in child processes, so that a file that crashes its parser harms nothing else.

A child reads batches of paths from its standard input and writes pickled digests to its standard output. It does not
use `multiprocessing`, which runs the caller's main script again: a library must not do that.
"""

import contextlib
import gc
import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from waypost.code.files.reading import Unread
from waypost.config.cores import cores
from waypost.errors import WaypostError
from waypost.flows.checkouts.parsed_file import KILLED, PATIENCE
from waypost.flows.index.file_digest import Digest, DigestJob, digest_file
from waypost.system.time_limit import can_limit

Outcome = tuple[str, Digest | Unread]

_ALONE_BELOW = 48  # files: starting child processes takes as long as reading these
_BATCH = 12
_MOST_CHILDREN = 8
_AHEAD = 8  # finished batches that wait for the writer: bounds the memory used
_READY = "ready"
_LENGTH = struct.Struct("<Q")
_LARGE = 100_000  # bytes; a larger file is parsed in a child process, where a parser in C can be killed
_LARGE_IN_A_THREAD = 20_000  # in a thread, where nothing can be stopped


def digest_files(root: Path, jobs: Sequence[DigestJob]) -> Iterator[Outcome]:
    """Each path with its digest, as soon as it is finished."""
    children = min(_MOST_CHILDREN, cores(), len(jobs) // _ALONE_BELOW)
    if children:
        yield from _DigestPool(root, jobs, children).run()
        return
    most = _LARGE if can_limit() else _LARGE_IN_A_THREAD
    large = [job for job in jobs if job.size > most]
    for job in jobs:
        if job.size <= most:
            yield job.path, digest_file(root, job)
    if large:
        yield from _DigestPool(root, large, 1).run()


class _DigestPool:
    """One thread per child process feeds it batches until none is left."""

    def __init__(self, root: Path, jobs: Sequence[DigestJob], children: int) -> None:
        self._root = root
        self._batches = iter([jobs[start : start + _BATCH] for start in range(0, len(jobs), _BATCH)])
        self._results: queue.Queue[list[Outcome] | BaseException | None] = queue.Queue(_AHEAD)
        self._children = children
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def run(self) -> Iterator[Outcome]:
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(self._children)]
        for thread in threads:
            thread.start()
        working = len(threads)
        try:
            while working:
                result = self._results.get()
                if result is None:
                    working -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield from result
        finally:  # the caller may stop in the middle
            self._stopped.set()
            while any(thread.is_alive() for thread in threads):
                with contextlib.suppress(queue.Empty):
                    self._results.get(timeout=0.05)

    def _next(self) -> Sequence[DigestJob] | None:
        with self._lock:
            return None if self._stopped.is_set() else next(self._batches, None)

    def _serve(self) -> None:
        child: _Child | None = None
        try:
            while (batch := self._next()) is not None:
                child = child or _Child(self._root).await_ready()
                outcomes = child.digest(batch)
                if outcomes is None:  # one of these files killed it: find out which
                    child.close()
                    outcomes, child = self._one_by_one(batch), None
                self._results.put(outcomes)
        except BaseException as error:  # noqa: BLE001  raised again where the caller waits
            self._results.put(error)
        finally:
            if child is not None:
                child.close()
            self._results.put(None)

    def _one_by_one(self, batch: Sequence[DigestJob]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for job in batch:
            child = _Child(self._root).await_ready()
            outcomes += child.digest([job]) or [(job.path, Unread(KILLED))]
            child.close()
        return outcomes


class _Child:
    def __init__(self, root: Path) -> None:
        self.patience = PATIENCE
        self._process = subprocess.Popen(
            # -P: else a module of the current folder could be run instead of one of ours.
            [sys.executable, "-P", "-m", "waypost.flows.index.digest_pool", os.fspath(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def await_ready(self) -> "_Child":
        """Wait until the child has started: later failures are the file's fault."""
        assert self._process.stdout is not None
        try:
            _receive(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            raise WaypostError(
                "The process that reads files cannot be started.", "Run `waypost doctor`; reinstall Waypost."
            ) from error
        return self

    def digest(self, jobs: Sequence[DigestJob]) -> list[Outcome] | None:
        """The digests, or None if the child crashed or was killed after the time limit."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        guard = threading.Timer(self.patience * (1 + len(jobs) / 4), self._process.kill)
        guard.start()
        try:
            _send(self._process.stdin, list(jobs))
            outcomes: list[Outcome] | None = _receive(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            return None
        finally:
            guard.cancel()
        return outcomes

    def close(self) -> None:
        with contextlib.suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _send(stream: IO[bytes], value: object) -> None:
    packed = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(packed)) + packed)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    packed = stream.read(length)
    if len(packed) < length:
        raise EOFError
    # Nothing of it is garbage yet: collecting while unpickling takes twice the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        return pickle.loads(packed)  # noqa: S301  from our own child or parent
    finally:
        if was_on:
            gc.enable()


def _child() -> None:
    """Run as a child process: end when the parent closes our input."""
    root, answers = Path(sys.argv[1]), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with the answers
    _send(answers, _READY)
    while True:
        try:
            jobs: list[DigestJob] = _receive(sys.stdin.buffer)
        except EOFError:
            return
        _send(answers, [(job.path, digest_file(root, job)) for job in jobs])


if __name__ == "__main__":
    _child()
