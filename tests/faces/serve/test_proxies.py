"""Behind a proxy: only one that was named is believed, and of what it says only the part that it wrote itself."""

import asyncio
from collections.abc import Sequence

import pytest

from waypost.faces.guard.asgi import Message, Receive, Scope, Send
from waypost.faces.serve.proxies import FORWARDED, behind_proxies


def told(
    headers: Sequence[tuple[str, str]], *, client: str = "127.0.0.1", trusted: Sequence[str] = ("127.0.0.1",)
) -> Scope:
    found: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(scope)

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        raise AssertionError

    sent = [(name.encode(), value.encode()) for name, value in [("host", "memory.example.org"), *headers]]
    scope: Scope = {"type": "http", "scheme": "http", "client": (client, 5), "headers": sent}

    async def ask() -> None:
        await behind_proxies(app, trusted)(scope, receive, send)

    asyncio.run(ask())
    return found[0]


def test_a_trusted_proxy_tells_the_client_and_the_scheme() -> None:
    scope = told([("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https")])
    assert scope["client"][0] == "203.0.113.7" and scope["scheme"] == "https"
    assert scope["headers"] == [(b"host", b"memory.example.org")], "no application sees these"


def test_nobody_else_is_believed() -> None:
    for trusted in ((), ("10.0.0.0/8",)):
        scope = told([("x-forwarded-for", "203.0.113.7"), ("x-forwarded-proto", "https")], trusted=trusted)
        assert scope["client"][0] == "127.0.0.1" and scope["scheme"] == "http"
        assert scope[FORWARDED] is True and len(scope["headers"]) == 1


def test_what_a_client_wrote_itself_is_not_believed() -> None:
    scope = told([("x-forwarded-for", "127.0.0.1, 198.51.100.1"), ("x-forwarded-for", "203.0.113.7, 10.1.2.3")],
                 client="10.9.9.9", trusted=["10.0.0.0/8"])  # fmt: skip
    assert scope["client"][0] == "203.0.113.7"
    assert told([("x-forwarded-proto", "https, http")])["scheme"] == "http", "the last was written by our proxy"


@pytest.mark.parametrize("text", ["", "nonsense", "unknown", "203.0.113.7:99", "1" * 5000, ",,,", "nonsense, x"])
def test_what_is_no_address_leaves_the_proxy_as_the_client(text: str) -> None:
    assert told([("x-forwarded-for", text)])["client"][0] == "127.0.0.1"


def test_the_forms_of_version_6_are_understood() -> None:
    assert told([("x-forwarded-for", "2001:db8::7")], client="::1", trusted=["::1"])["client"][0] == "2001:db8::7"
    assert told([("x-forwarded-for", "[2001:db8::7]")], client="::ffff:127.0.0.1")["client"][0] == "2001:db8::7"


@pytest.mark.parametrize("text", ["ws", "HTTPS ", "javascript", ""])
def test_only_schemes_of_the_web_are_taken(text: str) -> None:
    assert told([("x-forwarded-proto", text)])["scheme"] == ("https" if text.strip() == "HTTPS" else "http")


def test_a_request_without_such_headers_is_left_alone() -> None:
    assert FORWARDED not in told([])
