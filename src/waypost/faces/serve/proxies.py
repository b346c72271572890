"""Behind a proxy: who really asks, and whether the outside speaks TLS. Only a proxy that was named is believed."""

import ipaddress
from collections.abc import Iterable

from waypost.faces.guard.asgi import App, Receive, Scope, Send, values

_FOR, _PROTO = b"x-forwarded-for", b"x-forwarded-proto"
_FORWARDED = frozenset({_FOR, _PROTO, b"x-forwarded-host", b"x-forwarded-port", b"x-real-ip", b"forwarded"})
_SCHEMES = frozenset({"http", "https"})
_MOST_HOPS = 20
FORWARDED = "waypost.forwarded"  # in the scope of a request that came through a proxy, believed or not

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def behind(app: App, trusted: Iterable[str]) -> App:
    """`app`, told the client and the scheme that a trusted proxy says. These headers never come to it.

    Of several addresses the last that is not a trusted proxy's is the client: what stands before it, anybody may have
    written.
    """
    networks = [ipaddress.ip_network(one) for one in trusted]

    def is_trusted(address: Address | None) -> bool:
        return address is not None and any(address in network for network in networks)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and any(name in _FORWARDED for name, _ in scope["headers"]):
            scope = _settled(scope, believed=is_trusted(_address(str((scope.get("client") or ("",))[0]))))
        await app(scope, receive, send)

    def _settled(scope: Scope, *, believed: bool) -> Scope:
        told: dict[str, object] = {FORWARDED: True}
        if believed:
            scheme = _listed(scope, _PROTO)[-1:]
            if scheme and scheme[0].lower() in _SCHEMES:
                told["scheme"] = scheme[0].lower()
            if client := _client(_listed(scope, _FOR)):
                told["client"] = (client, 0)
        headers = [(name, value) for name, value in scope["headers"] if name not in _FORWARDED]
        return {**scope, **told, "headers": headers}

    def _client(hops: list[str]) -> str:
        seen = ""
        for hop in reversed(hops[-_MOST_HOPS:]):
            address = _address(hop)
            if address is None:
                break
            seen = str(address)
            if not is_trusted(address):
                break
        return seen

    return application


def _listed(scope: Scope, name: bytes) -> list[str]:
    text = b",".join(values(scope, name)).decode("latin-1")
    return [one.strip() for one in text.split(",") if one.strip()]


def _address(text: str) -> Address | None:
    try:
        found = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
