"""Where a server listens, and which Host and Origin headers it accepts."""

import ipaddress
import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field

from waypost.errors import InvalidInput
from waypost.faces.guard.asgi import Scope, values
from waypost.faces.guard.problem import Problem

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_PLAIN_HTTP = 80


@dataclass(frozen=True, slots=True)
class Hosts:
    """`names`: accepted Host headers, with port. `origins`: accepted besides the same origin.
    `own_address`: also accept the address of the connection, which no name server can fake."""

    names: frozenset[str]
    origins: frozenset[str] = field(default=frozenset())
    own_address: bool = False

    def problem(self, scope: Scope) -> Problem | None:
        """What is wrong with the Host or Origin: a page of another site may have sent the request."""
        hosts, origins = values(scope, b"host"), values(scope, b"origin")
        if len(hosts) != 1 or len(origins) > 1:
            return Problem(400, "A request needs one Host and at most one Origin header.", "Send it that way.")
        host = hosts[0].decode("latin-1").lower()
        if host not in self.names and not (self.own_address and host in _own(scope)):
            return Problem(
                421, "This server does not accept that Host.", "Use the address that it printed at the start."
            )
        if not origins:
            return None
        origin = origins[0].decode("latin-1").lower()
        if origin in self.origins or origin == f"{scope.get('scheme', 'http')}://{host}":
            return None
        return Problem(
            403,
            "Pages of another origin cannot use this server.",
            "Open the page from this server, or allow its origin.",
        )


def answered_hosts(host: str, port: int, also: Iterable[str] = (), origins: Iterable[str] = ()) -> Hosts:
    """The hosts of a server that listens at this host and port. `also`: further Host headers, such as
    `memory.example.org` behind a proxy or `desk.local:8765` in a local network."""
    names = {header for name in (*_LOOPBACK_NAMES, host) for header in _spelled(name, port)}
    return Hosts(
        frozenset(names | {name.lower() for name in also}),
        frozenset(origin.lower().rstrip("/") for origin in origins),
        own_address=_is_wildcard(host),
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens only there. Port 0 picks a free port."""
    if not host:
        raise InvalidInput("An empty host means all networks.", "Use --host 0.0.0.0 if you want that.")
    if not 0 <= port <= 65535:
        raise InvalidInput(f"{port} is not a port.", "Choose one from 1 to 65535.")
    try:
        resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, _, _, _, address = min(resolved, key=lambda entry: entry[0] != socket.AF_INET)
        if is_loopback(host) and not is_loopback(str(address[0])):
            raise InvalidInput(f"{host} does not resolve to this machine.", "Use --host 127.0.0.1.")
        return _bound(family, (str(address[0]), port))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            f"Cannot listen on {url(host, port)}: {reason}.",
            "Choose another --port or --host, or stop the program that uses it.",
        ) from error


def _bound(family: int, address: tuple[str, int]) -> socket.socket:
    # With IPPROTO_TCP, asyncio sends small answers at once. Otherwise each waits 40 ms for an acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # reuse a recently closed port; on Windows this would share a used one
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def url(host: str, port: int) -> str:
    return f"http://{_bracketed(host)}:{port}"


def exposure(host: str) -> str:
    """A warning if other machines can reach this host, else an empty string."""
    if is_loopback(host):
        return ""
    return (
        f"Warning: other machines can reach {host}, and there is no TLS: anyone who sees the traffic can read the "
        "memories and the token. Use a trusted network, or a proxy with TLS."
    )


def _spelled(name: str, port: int) -> tuple[str, ...]:
    plain = _bracketed(name).lower()
    return (f"{plain}:{port}", plain) if port == _PLAIN_HTTP else (f"{plain}:{port}",)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _own(scope: Scope) -> tuple[str, ...]:
    address, port = scope.get("server") or ("", None)
    return _spelled(str(address).removeprefix("::ffff:"), port) if port else ()
