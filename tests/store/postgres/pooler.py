"""A pooler as PgBouncer is in transaction mode, as small as it can be: whoever is in no transaction has no connection.

It speaks just enough of PostgreSQL's protocol: what a client sends goes to whichever connection is free, in turn, until
the server says that the transaction is over. Nothing is reset in between, and prepared statements are not followed.
"""

import itertools
import selectors
import socket
import struct
import threading
from collections import deque
from contextlib import suppress
from typing import Self

from psycopg.conninfo import conninfo_to_dict

_ASKS_FOR_ENCRYPTION = {80877103, 80877104}
_VERSION = 196608


class Pooler:
    """Lends `size` connections of a server, reached by a socket's folder, to any number of clients on a port."""

    def __init__(self, dsn: str, size: int = 2) -> None:
        parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items()}
        self._target = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"
        self._who = {"user": parts["user"], "database": parts["dbname"]}
        self._given = threading.Condition()
        self._greeting = b""
        self._servers = [self._to_server() for _ in range(size)]
        self._free = deque(self._servers)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._pids = itertools.count(1)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def dsn(self) -> str:
        port = self._listening.getsockname()[1]
        return f"postgresql://{self._who['user']}@127.0.0.1:{port}/{self._who['database']}?sslmode=disable&gssencmode=disable"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        for one in self._servers:
            one.close()

    def _to_server(self) -> socket.socket:
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._target)
        words = b"".join(f"{name}\0{value}\0".encode() for name, value in self._who.items())
        server.sendall(struct.pack(">II", len(words) + 9, _VERSION) + words + b"\0")
        greeting = b""
        while True:
            kind, message = _message(server)
            if kind != b"K":  # the key to cancel with is the server's own
                greeting += message
            if kind == b"Z":
                self._greeting = greeting
                return server

    def _accept(self) -> None:
        while True:
            try:
                client = self._listening.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client, suppress(OSError, EOFError):
            while True:
                (length,) = struct.unpack(">I", _exactly(client, 4))
                (code,) = struct.unpack(">I", _exactly(client, length - 4)[:4])
                if code not in _ASKS_FOR_ENCRYPTION:
                    break
                client.sendall(b"N")
            key = b"K" + struct.pack(">III", 12, 2_000_000_000 + next(self._pids), 1)
            ready = self._greeting.rindex(b"Z\0\0\0\5")
            client.sendall(self._greeting[:ready] + key + self._greeting[ready:])
            while True:
                kind, message = _message(client)
                if kind == b"X":
                    return
                self._transact(client, message)

    def _transact(self, client: socket.socket, message: bytes) -> None:
        """Until the server is in no transaction any more."""
        with self._given:
            self._given.wait_for(lambda: self._free)
            server = self._free.popleft()
        try:
            server.sendall(message)
            while _relay(client, server):
                pass
        finally:
            with self._given:
                self._free.append(server)
                self._given.notify()


def _relay(client: socket.socket, server: socket.socket) -> bool:
    """Pass on one message of whoever speaks. False: the transaction is over."""
    with selectors.DefaultSelector() as selector:
        for one in (client, server):
            selector.register(one, selectors.EVENT_READ)
        speaking = {key.fileobj for key, _ in selector.select()}
    if server in speaking:
        kind, message = _message(server)
        client.sendall(message)
        return not (kind == b"Z" and message.endswith(b"I"))
    server.sendall(_message(client)[1])
    return True


def _message(one: socket.socket) -> tuple[bytes, bytes]:
    kind = _exactly(one, 1)
    length = _exactly(one, 4)
    return kind, kind + length + _exactly(one, struct.unpack(">I", length)[0] - 4)


def _exactly(one: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        some = one.recv(count - len(found))
        if not some:
            raise EOFError
        found += some
    return found
