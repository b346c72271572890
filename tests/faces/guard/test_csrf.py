"""What a browser may do with a session's cookie, and for whom."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import pytest

from waypost.faces.guard.asgi import Message, Receive, Scope, Send
from waypost.faces.guard.csrf import SESSION, Visit, csrf_token, visit_of, with_csrf_check
from waypost.faces.guard.sessions import SignedInSession
from waypost.model.time import utc_now

NAME = "a" * 43
VISIT = visit_of(SignedInSession("0" * 64, "1" * 16, utc_now(), utc_now()), NAME)
TOKEN = VISIT.csrf_token
FORM = (b"content-type", b"application/x-www-form-urlencoded")
JSON = (b"content-type", b"application/json")


def ask(
    *headers: tuple[bytes, bytes], method: str = "POST", body: bytes = b"", visit: Visit | None = VISIT
) -> tuple[int, bytes]:
    """The status, and the body that the application behind received."""
    scope: dict[str, Any] = {"type": "http", "method": method, "path": "/", "headers": list(headers)}
    if visit is not None:
        scope[SESSION] = visit
    sent: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    statuses: list[int] = []
    seen: list[bytes] = []

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        seen.append((await receive()).get("body", b""))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive() -> Message:
        return sent.pop(0) if sent else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def run() -> None:
        await with_csrf_check(app)(scope, receive, send)

    asyncio.run(run())
    assert len(statuses) == 1
    return statuses[0], b"".join(seen)


def form(**fields: str) -> bytes:
    return urlencode(fields).encode()


def test_the_token_of_a_page_is_its_sessions_and_does_not_tell_the_id() -> None:
    assert csrf_token({SESSION: VISIT}) == TOKEN
    assert NAME not in TOKEN
    assert visit_of(VISIT.session, "b" * 43).csrf_token != TOKEN
    assert csrf_token({}) == "", "whoever sends a bearer token needs none"


def test_a_form_with_the_token_comes_through_whole() -> None:
    body = form(csrf=TOKEN, text="ä & ö")
    assert ask(FORM, body=body) == (200, body)
    assert ask((FORM[0], b"Application/X-WWW-Form-Urlencoded; charset=UTF-8"), body=body) == (200, body)


def test_a_script_of_the_page_sends_it_as_a_header() -> None:
    assert ask(JSON, (b"x-csrf-token", TOKEN.encode()), body=b"{}") == (200, b"{}")
    assert ask((b"x-csrf-token", TOKEN.encode()), method="DELETE")[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "post", "QUERY"])
def test_without_the_token_nothing_is_changed(method: str) -> None:
    assert ask(method=method) == (403, b"")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((FORM,), form(csrf="")),
        ((FORM,), form(csrf=TOKEN[:-1])),
        ((FORM,), form(csrf=TOKEN.upper())),
        ((FORM,), form(csrf=TOKEN) + b"&" + form(csrf=TOKEN)),  # one says what is meant
        ((FORM,), form(csrf=TOKEN) + b"&csrf="),
        ((FORM,), b"csrf=%ff"),
        ((FORM,), b"csrf=\xff"),
        ((FORM,), b"a=1&" * 2000 + form(csrf=TOKEN)),
        ((FORM, FORM), form(csrf=TOKEN)),
        ((JSON,), form(csrf=TOKEN)),  # a type that a foreign form cannot send is not read as a form
        (((b"content-type", b"text/plain"),), form(csrf=TOKEN)),
        (((b"content-type", b"multipart/form-data; boundary=x"),), b"--x\r\nname=csrf\r\n\r\n" + TOKEN.encode()),
        ((), form(csrf=TOKEN)),
        (((b"x-csrf-token", b""),), b""),
        (((b"x-csrf-token", b"1"), FORM), form(csrf=TOKEN)),  # a wrong header is not made good by a field
        (((b"x-csrf-token", TOKEN.encode()), (b"x-csrf-token", TOKEN.encode())), b""),
        (((b"x-csrf-token", "é".encode()),), b""),
    ],
)
def test_a_token_that_is_wrong_or_not_alone_is_none(headers: tuple[tuple[bytes, bytes], ...], body: bytes) -> None:
    assert ask(*headers, body=body) == (403, b"")


@pytest.mark.parametrize("site", [b"cross-site", b"same-site", b"", b"Same-Origin"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_origins_page_cannot_use_the_session_even_with_the_token(site: bytes, method: str) -> None:
    token = (b"x-csrf-token", TOKEN.encode())
    assert ask(token, (b"sec-fetch-site", site), (b"sec-fetch-mode", b"no-cors"), method=method) == (403, b"")


def test_a_link_from_another_page_may_be_followed_and_no_more() -> None:
    link = ((b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate"))
    assert ask(*link, (b"sec-fetch-dest", b"document"), method="GET")[0] == 200
    assert ask(*link, (b"sec-fetch-dest", b"iframe"), method="GET")[0] == 403
    assert ask(*link, (b"sec-fetch-dest", b"document"), FORM, body=form(csrf=TOKEN))[0] == 403


@pytest.mark.parametrize("site", [b"same-origin", b"none"])
def test_our_own_page_and_the_address_bar_may(site: bytes) -> None:
    assert ask((b"sec-fetch-site", site), method="GET")[0] == 200
    assert ask((b"sec-fetch-site", site), FORM, body=form(csrf=TOKEN))[0] == 200


def test_a_bearer_token_needs_no_other() -> None:
    assert ask(JSON, body=b"{}", visit=None) == (200, b"{}")


def refused(*headers: tuple[bytes, bytes]) -> tuple[list[tuple[bytes, bytes]], str]:
    """What a browser without the page's token is answered: headers and text."""
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/", "headers": list(headers), SESSION: VISIT}
    said: list[Message] = []

    async def app(*_: object) -> None:
        raise AssertionError("it was let through")

    async def receive() -> Message:
        return {"type": "http.request", "body": b"text=x", "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)

    async def run() -> None:
        await with_csrf_check(app)(scope, receive, send)

    asyncio.run(run())
    assert said[0]["status"] == 403
    return said[0]["headers"], b"".join(one.get("body", b"") for one in said[1:]).decode()


def test_a_person_with_an_old_page_is_told_what_to_do_on_a_page() -> None:
    html, back = (b"accept", b"text/html,*/*;q=0.8"), (b"referer", b"http://127.0.0.1:8765/s/0a/stale?file=a%22b")
    headers, text = refused(FORM, html, back)
    assert (b"content-type", b"text/html; charset=utf-8") in headers
    assert "out of date, so nothing was done" in text
    assert 'href="/s/0a/stale?file=a%22b"' in text


@pytest.mark.parametrize(
    "referer", [b"http://evil//evil.example/x", b'"><script>', b"//evil", b"http://[", b"x" * 5000]
)
def test_nobody_is_led_elsewhere_by_the_page_that_they_came_from(referer: bytes) -> None:
    _, text = refused(FORM, (b"accept", b"text/html"), (b"referer", referer))
    assert 'href="/"' in text


def test_a_program_is_told_as_programs_are() -> None:
    headers, text = refused(JSON, (b"accept", b"application/json"))
    assert (b"content-type", b"application/problem+json") in headers
    assert "X-CSRF-Token" in text
