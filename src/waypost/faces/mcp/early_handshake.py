"""The door of the stdio server: it hears the client from the first moment on.

Importing the SDK takes most of a second of CPU. Meanwhile a thread reads what the client says, answers from plain data what
can be answered so (`door_answers`) and keeps the rest, in order, for the server. The opening is among the rest: the server
hears it too, and its answer is dropped, because it has been given.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.early_answers import EarlyAnswers
from waypost.faces.mcp.shutdown import Life
from waypost.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

LINE_LIMIT = 32 * 2**20  # bytes of one message; the largest file that is indexed has far less
_KEPT_AT_MOST = 256  # messages; a client that sends more waits until the server has taken some
_CHUNK = 2**16
_PATIENCE = 0.05  # seconds that a client has to speak before the import begins, which would slow the first answer
_TOO_LONG = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A message may have at most %d bytes. Send less at once."}}\n'
    % LINE_LIMIT
)


def serve_at_door(tools: Sequence[Tool], build: "Callable[[], Server[Any]]", life: Life) -> None:
    """Serve the client at our standard input and output until it goes; the process ends then. `build` may take its time:
    it imports the SDK."""
    source, sink = claim_standard_streams()
    life.watch(source)
    door = Door(EarlyAnswers(tools), life, source, sink)
    try:
        door.open(_PATIENCE)
        server = build()
        import anyio

        from waypost.faces.mcp.early_streams import serve

        anyio.run(serve, server, door)
    finally:
        life.last_acts()
    life.end(0)  # threads may still be at work for nobody


def claim_standard_streams() -> tuple[int, int]:
    """The client's pipes, for us alone: what others in this process or its children print goes to standard error, and
    what they read is empty."""
    try:
        os.fstat(2)
    except OSError:  # closed by whoever started us: else a pipe of the client would get its number
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


class Door:
    """The two ends of the pipe to the client, whoever is behind it."""

    def __init__(self, answers: EarlyAnswers, life: Life, source: int, sink: int) -> None:
        self._answers = answers
        self._life = life
        self._source = source
        self._sink = sink
        self._kept: deque[bytes | None] = deque()
        self._room = threading.Semaphore(_KEPT_AT_MOST)
        self._wake: Callable[[], None] | None = None
        self._writing = threading.Lock()
        self._greeted = threading.Event()

    @property
    def opening(self) -> str | int | None:
        """The id of the request whose answer the client has already."""
        return self._answers.opening

    def open(self, patience: float) -> None:
        """Begin to listen; return when the first message has been seen to, or after so many seconds."""
        threading.Thread(target=self._listen, name="door", daemon=True).start()
        self._greeted.wait(patience)

    def hand_over(self, wake: Callable[[], None]) -> None:
        """From now on everything is for the server; `wake` is called, in another thread, when `take` has something."""
        self._wake = wake
        wake()

    def take(self) -> Iterator[bytes | None]:
        """What has come and was not answered here, in order; None: the client has closed its end."""
        while self._kept:
            yield self._kept.popleft()
            self._room.release()

    def write(self, line: bytes) -> None:
        """Say a line to the client; if it does not listen any more, that is the end of us."""
        rest = memoryview(line)
        with self._writing:
            while rest:
                try:
                    rest = rest[os.write(self._sink, rest) :]
                except OSError:
                    self._life.end(0)
                    return

    def complain(self, text: str) -> None:
        """Say why, where people look for it, and end."""
        print(text, file=sys.stderr, flush=True)
        self._life.end(1)

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
                self._keep(line)
            self._greeted.set()
        if self._wake is None and not self._answers.others_wait:
            self._life.end(0)
        self._life.end_within_limit()
        self._keep(None)

    def _keep(self, line: bytes | None) -> None:
        self._room.acquire()
        self._kept.append(line)
        if self._wake:
            self._wake()


def read_lines(source: int) -> Iterator[bytes | None]:
    """The lines of a pipe until it is closed; None in place of one that is too long. Blank lines are skipped."""
    parts: list[bytes] = []
    length = 0
    while True:
        try:
            chunk = os.read(source, _CHUNK)
        except OSError:  # a terminal that was hung up
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
