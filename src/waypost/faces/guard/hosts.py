"""Where a server listens, and which Host and Origin it answers to."""

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
    """`names`: what the Host header may say, port included. `origins`: allowed besides the same origin.
    `own_address`: also the address that the connection came in at; no name server can make a browser say that."""

    names: frozenset[str]
    origins: frozenset[str] = field(default=frozenset())
    own_address: bool = False

    def problem(self, scope: Scope) -> Problem | None:
        """What is wrong with the Host or Origin of this request: another site's page may have sent it."""
        hosts, origins = values(scope, b"host"), values(scope, b"origin")
        if len(hosts) != 1 or len(origins) > 1:
            return Problem(400, "A request needs one Host header, and at most one Origin.", "Send it so.")
        host = hosts[0].decode("latin-1").lower()
        if host not in self.names and not (self.own_address and host in _own(scope)):
            return Problem(
                421, "This server does not answer to that Host.", "Use the address that it printed when it started."
            )
        if not origins:
            return None
        origin = origins[0].decode("latin-1").lower()
        if origin in self.origins or origin == f"{scope.get('scheme', 'http')}://{host}":
            return None
        return Problem(
            403,
            "Pages of another origin may not use this server.",
            "Open the page from this server, or allow its origin.",
        )


def answered_hosts(host: str, port: int, also: Iterable[str] = (), origins: Iterable[str] = ()) -> Hosts:
    """The hosts of a server that listens at this host and port. `also`: names it is reached by besides, as they stand
    in the Host header (`memory.example.org` behind a proxy, `desk.local:8765` in a local network)."""
    names = {spelled for name in (*_LOOPBACK_NAMES, host) for spelled in _spelled(name, port)}
    return Hosts(
        frozenset(names | {name.lower() for name in also}),
        frozenset(origin.lower().rstrip("/") for origin in origins),
        own_address=_is_wildcard(host),
    )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, and nowhere else. Port 0: any that is free."""
    if not host:
        raise InvalidInput("An empty host would mean every network.", "Say --host 0.0.0.0 if that is meant.")
    if not 0 <= port <= 65535:
        raise InvalidInput(f"{port} is no port.", "Choose one from 1 to 65535.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, _, _, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        if is_loopback(host) and not is_loopback(str(address[0])):
            raise InvalidInput(f"{host} is not this machine by its own name table.", "Use --host 127.0.0.1.")
        return _bound(family, (str(address[0]), port))
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            f"Cannot listen on {url(host, port)}: {reason}.",
            "Choose another with --port or --host, or end the program that uses it.",
        ) from error


def _bound(family: int, address: tuple[str, int]) -> socket.socket:
    # Named TCP, asyncio sends small answers at once: without it each waits 40 ms for an acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # a port that just became free; on Windows this would share one that is in use
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
    """What it means to listen there; nothing to say of loopback."""
    if is_loopback(host):
        return ""
    return (
        f"Warning: {host} can be reached from other machines, and there is no TLS: whoever sees the traffic reads the "
        "memories and the token. Use it in a network that you trust, or behind a proxy that speaks TLS."
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
