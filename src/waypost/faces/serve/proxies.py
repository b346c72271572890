"""The real client and scheme behind a proxy. Only configured proxies are trusted."""

import ipaddress
from collections.abc import Iterable

from waypost.faces.guard.asgi import App, Receive, Scope, Send, values

_FOR, _PROTO = b"x-forwarded-for", b"x-forwarded-proto"
_FORWARDED = frozenset({_FOR, _PROTO, b"x-forwarded-host", b"x-forwarded-port", b"x-real-ip", b"forwarded"})
_SCHEMES = frozenset({"http", "https"})
_MOST_HOPS = 20
FORWARDED = "waypost.forwarded"  # the scope key of requests that came through a proxy, trusted or not

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def behind_proxies(app: App, trusted: Iterable[str]) -> App:
    """`app` with the client and scheme that a trusted proxy reports. The headers themselves are removed.

    The client is the last address that is not a trusted proxy: anyone could have written those before it.
    """
    networks = [ipaddress.ip_network(network_text) for network_text in trusted]

    def is_trusted(address: Address | None) -> bool:
        return address is not None and any(address in network for network in networks)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name in _FORWARDED for name, _ in scope["headers"]):
            scope = _resolved(scope, trusts_sender=is_trusted(_address(str((scope.get("client") or ("",))[0]))))
        await app(scope, receive, send)

    def _resolved(scope: Scope, *, trusts_sender: bool) -> Scope:
        changes: dict[str, object] = {FORWARDED: True}
        if trusts_sender:
            scheme = _entries(scope, _PROTO)[-1:]
            if scheme and scheme[0].lower() in _SCHEMES:
                changes["scheme"] = scheme[0].lower()
            if client := _client(_entries(scope, _FOR)):
                changes["client"] = (client, 0)
        headers = [(name, value) for name, value in scope["headers"] if name not in _FORWARDED]
        return {**scope, **changes, "headers": headers}

    def _client(hops: list[str]) -> str:
        client_address = ""
        for hop in reversed(hops[-_MOST_HOPS:]):
            address = _address(hop)
            if address is None:
                break
            client_address = str(address)
            if not is_trusted(address):
                break
        return client_address

    return application


def _entries(scope: Scope, name: bytes) -> list[str]:
    text = b",".join(values(scope, name)).decode("latin-1")
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
