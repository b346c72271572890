"""Windows named pipes with the interface of a socket."""

from multiprocessing.connection import Client, Listener
from typing import Any

from waypost.faces.hooks.socket.place import Address

_PIPE = "AF_PIPE"
_LARGEST = 1 << 21  # bytes per write; frames are smaller


class PipeConnection:
    """One end of a pipe. Messages are read byte by byte."""

    def __init__(self, pipe: Any) -> None:
        self._pipe = pipe
        self._timeout: float | None = None
        self._unread = b""

    def settimeout(self, value: float | None, /) -> None:
        self._timeout = value

    def sendall(self, data: bytes, /) -> None:
        self._pipe.send_bytes(data)

    def recv(self, size: int, /) -> bytes:
        if not self._unread:
            if not self._pipe.poll(self._timeout):
                raise TimeoutError
            try:
                self._unread = self._pipe.recv_bytes(_LARGEST)
            except EOFError:
                return b""
        piece, self._unread = self._unread[:size], self._unread[size:]
        return piece

    def close(self) -> None:
        self._pipe.close()


class PipeListener:
    """Accepts connections from clients that know the key."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._listener = Listener(address.place, family=_PIPE, authkey=address.key)

    def accept(self) -> PipeConnection:
        return PipeConnection(self._listener.accept())

    def wake(self) -> None:
        """Make `accept` return."""
        connect(self._address).close()

    def close(self) -> None:
        self._listener.close()


def connect(address: Address) -> PipeConnection:
    return PipeConnection(Client(address.place, family=_PIPE, authkey=address.key))
