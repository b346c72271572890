"""Listens to the stdio client from the first moment, before the SDK is imported.

Importing the SDK takes most of a second. Meanwhile a thread reads the client's messages and answers the simple ones
(`early_answers`). The rest is queued for the server. The opening is queued too: the server needs it, and its second answer
is dropped.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.early_answers import EarlyAnswers
from waypost.faces.mcp.shutdown import Shutdown
from waypost.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

LINE_LIMIT = 32 * 2**20  # bytes of one message; far more than the largest indexed file
_MOST_QUEUED = 256  # messages; a client that sends more waits for the server
_CHUNK = 2**16
_PATIENCE = 0.05  # seconds to wait for the first message before the import starts, which would slow its answer
_TOO_LONG = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message can have at most %d bytes. Send less at once."}}\n'
    % LINE_LIMIT
)


def serve_stdin(tools: Sequence[Tool], build: "Callable[[], Server[Any]]", shutdown: Shutdown) -> None:
    """Serve the client on standard input and output, then end the process. `build` may be slow: it imports the SDK."""
    source, sink = claim_standard_streams()
    shutdown.watch(source)
    connection = EarlyConnection(EarlyAnswers(tools), shutdown, source, sink)
    try:
        connection.listen(_PATIENCE)
        server = build()
        import anyio

        from waypost.faces.mcp.early_streams import serve

        anyio.run(serve, server, connection)
    finally:
        shutdown.run_exit_actions()
    shutdown.end(0)  # threads may still be working although nobody waits


def claim_standard_streams() -> tuple[int, int]:
    """Reserve the client's pipes for this server. Other output of this process goes to standard error; other reads get
    nothing."""
    try:
        os.fstat(2)
    except OSError:  # closed at start: otherwise a pipe of the client would get its number
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    for handle in (source, sink):
        if sys.platform != "win32":
            os.set_blocking(handle, True)
    return source, sink


class EarlyConnection:
    """Both ends of the pipe to the client."""

    def __init__(self, answers: EarlyAnswers, shutdown: Shutdown, source: int, sink: int) -> None:
        self._answers = answers
        self._shutdown = shutdown
        self._source = source
        self._sink = sink
        self._queue: deque[bytes | None] = deque()
        self._room = threading.Semaphore(_MOST_QUEUED)
        self._wake: Callable[[], None] | None = None
        self._writing = threading.Lock()
        self._greeted = threading.Event()

    @property
    def opening(self) -> str | int | None:
        """The id of the opening request, if it has been answered."""
        return self._answers.opening

    def listen(self, patience: float) -> None:
        """Start listening. Return after the first message was handled, or after `patience` seconds."""
        threading.Thread(target=self._listen, name="early-connection", daemon=True).start()
        self._greeted.wait(patience)

    def hand_over(self, wake: Callable[[], None]) -> None:
        """Queue everything for the server from now on. `wake` is called in another thread when `take` has something."""
        self._wake = wake
        wake()

    def take(self) -> Iterator[bytes | None]:
        """Queued messages in order; None means that the client has closed its end."""
        while self._queue:
            yield self._queue.popleft()
            self._room.release()

    def write(self, line: bytes) -> None:
        """Write a line to the client. If it no longer reads, end the process."""
        rest = memoryview(line)
        with self._writing:
            while rest:
                try:
                    rest = rest[os.write(self._sink, rest) :]
                except OSError:
                    self._shutdown.end(0)
                    return

    def fail(self, text: str) -> None:
        """Print the reason to standard error and end the process."""
        print(text, file=sys.stderr, flush=True)
        self._shutdown.end(1)

    def _listen(self) -> None:
        for line in read_lines(self._source):
            if line is None:
                self.write(_TOO_LONG)
                continue
            greeted = self.opening is not None
            answer = self._answers.answer(line) if self._wake is None else None
            if answer is not None:
                self.write(answer)
            if answer is None or not greeted:
                self._enqueue(line)
            self._greeted.set()
        if self._wake is None and not self._answers.others_wait:
            self._shutdown.end(0)
        self._shutdown.end_within_limit()
        self._enqueue(None)

    def _enqueue(self, line: bytes | None) -> None:
        self._room.acquire()
        self._queue.append(line)
        if self._wake:
            self._wake()


def read_lines(source: int) -> Iterator[bytes | None]:
    """The lines of a pipe until it is closed. None replaces a line that is too long. Blank lines are skipped."""
    parts: list[bytes] = []
    length = 0
    while True:
        try:
            chunk = os.read(source, _CHUNK)
        except OSError:  # the terminal was closed
            return
        if not chunk:
            return
        *ended, rest = chunk.split(b"\n")
        for end in ended:
            line = b"".join(parts) + end if length + len(end) <= LINE_LIMIT else None
            parts, length = [], 0
            if line is None or line.strip():
                yield line
        length += len(rest)
        if length > LINE_LIMIT:
            parts = []
        else:
            parts.append(rest)
