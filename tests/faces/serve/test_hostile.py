"""The whole server on a real port, and what no honest client sends: everything is refused cleanly, and it still answers."""

import json
import logging
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from tests.faces.serve.conftest import FORM, LIMITS, Reply, Serve, Served
from tests.home_files import files_with

from waypost.faces.dashboard.pages import PAGES
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.serving import LimitedConnection

MARKUP = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</textarea></title></style><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{ 7*7 }}{% raw %}${7*7}",
    "\u202e<b>txt.exe\u2066",
    "\x1b[31mred\x1b]8;;http://evil.example\x07",
)
QUERIES = (
    "q", "question", "query", "text", "task", "told", "kind", "domain", "source", "file", "path", "place", "symbol",
    "sort", "order", "by", "age", "as_of", "at", "day", "month", "year", "from", "to", "page", "cursor", "after",
    "limit", "n", "level", "status", "state", "id", "ids", "next", "back", "stage", "tokens", "scope", "version", "why",
)  # fmt: skip
FILES = frozenset({"file", "path", "file_path", "place", "ref", "module", "name", "symbol"})  # what may name a file
SECRET = "outside-the-tree-7d1f"
OUTSIDE = (
    "../secret.txt",
    "../../../../../../../../etc/passwd",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt",
    "%252e%252e%252fsecret.txt",
    "%252e%252e/secret.txt",
    "..\\secret.txt",
    "..%5csecret.txt",
    "..%255csecret.txt",
    "....//secret.txt",
    "..;/secret.txt",
    "%c0%ae%c0%ae/secret.txt",
    "src/../../secret.txt",
    "src/%2e%2e/%2e%2e/secret.txt",
    "link.txt",
    "folder/secret.txt",
    "/etc/passwd",
    "//etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "C:%5cWindows%5cwin.ini",
    "~/.ssh/id_rsa",
    "../home/token",
    "%00",
    "src/door.py%00.txt",
    ".git/config",
    "secret.txt::$DATA",
    "NUL",
)


# Most addresses are answered by the same code: every so manieth is tried, from another one on for each value.
SHARES = pytest.mark.parametrize(
    "every", [pytest.param(3, id="some"), pytest.param(1, id="all", marks=pytest.mark.soak)]
)


class Page(HTMLParser):
    """What a page makes a browser do."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.acts: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag in {"iframe", "object", "embed", "base", "style", "b", "applet"}:
            self.acts.append(tag)
        if tag == "script" and not str(told.get("src", "")).startswith(("/static/", "/login/")):
            self.acts.append("script of its own")
        if tag == "img" and not str(told.get("src", "")).startswith("/static/"):
            self.acts.append("img from elsewhere")
        for name, value in attrs:
            if name.startswith("on") or name == "style":
                self.acts.append(name)
            if name in {"href", "src", "action", "formaction", "xlink:href"} and not re.match(
                r"[/#?]|data:,$", value or "/"
            ):
                self.acts.append(f"{name} to {value}")


def check_page(answer: Reply, what: str) -> None:
    """Nothing that was sent acts, and the policy would not let it."""
    assert answer.status < 500 and answer.count == 1, (what, answer.raw[:300])
    assert b"Traceback" not in answer.body, what
    kind = answer.header("content-type")
    assert answer.header("x-content-type-options") == "nosniff", what
    policy = answer.header("content-security-policy")
    assert "default-src 'none'" in policy and "unsafe" not in policy, what
    if kind.startswith("text/html"):
        assert Page(answer.body).acts == [], what
        assert not re.search(rb"[\x00-\x08\x0b\x0e-\x1f]", answer.body), what
    else:
        assert kind.startswith(("application/json", "application/problem+json", "text/css", "text/javascript", "")), (
            what
        )
        assert "html" not in kind, what


def places(served: Served, value: str) -> Iterator[str]:
    """Every page of the dashboard, with this value wherever its address has one."""
    for place in PAGES:
        filled = re.sub(r"\{[^}]*\}", lambda _: value, place.path)
        yield f"/s/{served.spaces.here}{filled}"
    yield f"/s/{value}"
    yield f"/{value}"


def routes(served: Served, value: str, only: frozenset[str] | None = None) -> Iterator[str]:
    """Everything that the API lets be read, with this value wherever an address has one (`only`: of parameters of these
    names). Streams do not end: not these."""
    for path, methods in json.loads(served.get("/openapi.json").body)["paths"].items():
        if "get" not in methods or path.endswith("/events"):
            continue
        here = path.replace("{space}", served.spaces.here)
        names = [one["name"] for one in methods["get"].get("parameters", ()) if one["in"] == "query"]
        yield re.sub(r"\{[^}]*\}", lambda _: value, here)
        yield re.sub(r"\{[^}]*\}", lambda _: value, path)
        for name in names if only is None else only.intersection(names):
            yield f"{re.sub(r'[{][^}]*[}]', '1', here)}?{name}={value}"


@pytest.fixture(scope="module")
def written(served: Served) -> Served:
    """The server, with hostile texts remembered."""
    for number, text in enumerate(MARKUP[:-1]):  # control characters are refused by the memory
        served.memory.remember(f"Note {number}: {text} is in a memory", domain="notes")
    return served


@pytest.fixture(scope="module")
def browser(served: Served) -> dict[str, str]:
    return served.sign_in(served.tokens.owner_token())


# -- cross-site scripting -----------------------------------------------------------------------------------------


@pytest.mark.slow
@SHARES
@pytest.mark.parametrize("text", MARKUP)
def test_nothing_that_stands_in_an_address_acts_in_a_page(
    written: Served, browser: dict[str, str], text: str, every: int
) -> None:
    query = urlencode(dict.fromkeys(QUERIES, text))
    targets = [*places(written, quote(text, safe="")), *(f"{target}?{query}" for target in places(written, "1"))]
    for target in targets[MARKUP.index(text) % every :: every]:
        check_page(written.ask("GET", target, browser), target)
    assert written.answers()


@pytest.mark.slow
@SHARES
def test_a_single_hostile_value_among_good_ones_does_not_act_either(
    written: Served, browser: dict[str, str], every: int
) -> None:
    pages = [place.path for place in PAGES if "{" not in place.path and "GET" in place.methods]
    for number, name in enumerate(QUERIES):
        for page in pages[number % every :: every]:
            target = f"/s/{written.spaces.here}{page}?{urlencode({name: MARKUP[1]})}"
            check_page(written.ask("GET", target, browser), target)


def test_what_is_remembered_does_not_act_in_any_page(written: Served, browser: dict[str, str]) -> None:
    seen: set[str] = set()
    waiting = [f"/s/{written.spaces.here}", f"/s/{written.spaces.here}/search?q=note+memory"]
    while waiting and len(seen) < 60:
        target = waiting.pop()
        if target in seen:
            continue
        seen.add(target)
        answer = written.ask("GET", target, browser)
        check_page(answer, target)
        waiting += re.findall(r'href="(/s/[^"#]*)"', answer.body.decode())
    assert len(seen) > 3


@pytest.mark.slow
@pytest.mark.parametrize("text", MARKUP)
def test_the_api_answers_no_markup(written: Served, text: str) -> None:
    for target in (f"/api/{quote(text, safe='')}", *routes(written, quote(text, safe=""))):
        check_page(written.get(target, {"Accept": "text/html"}), target)
    for body in (text.encode(), json.dumps({"text": text, text: text}).encode(), json.dumps([text]).encode()):
        sent = {**written.bearer, "Content-Type": "application/json", "Accept": "text/html"}
        check_page(written.ask("POST", "/api/memories", sent, body), text)


@pytest.mark.parametrize("text", MARKUP)
def test_the_page_to_sign_in_shows_nothing_that_was_sent(served: Served, text: str) -> None:
    for answer in (
        served.ask("GET", f"/login?{urlencode({'next': text, 'error': text, 'secret': text})}"),
        served.form("/login", {"secret": text, "next": text}),
    ):
        check_page(answer, text)
        assert "alert(1)" not in answer.body.decode()


# -- ways out of the tree -----------------------------------------------------------------------------------------


@pytest.fixture
def secret(served: Served) -> Iterator[str]:
    """A file beside the project, and links to it from inside."""
    outside, link, folder = served.project.parent / "secret.txt", served.project / "link.txt", served.project / "folder"
    outside.write_text(SECRET)
    link.symlink_to(outside)
    folder.symlink_to(served.project.parent)
    yield SECRET
    for one in (outside, link, folder):
        one.unlink()


@pytest.mark.slow
@SHARES
@pytest.mark.parametrize("path", OUTSIDE)
def test_no_address_leads_out_of_the_tree(
    served: Served, browser: dict[str, str], secret: str, path: str, every: int
) -> None:
    targets = [f"/static/{path}", f"/login/{path}", f"/{path}", f"/api/{path}", f"/api/v1/{path}", f"/mcp/{path}"]
    targets += list(places(served, path)) + list(places(served, quote(path, safe="%")))
    pages = [place.path for place in PAGES if "GET" in place.methods and "{" not in place.path]
    targets += [f"/s/{served.spaces.here}{page}?{'&'.join(f'{name}={path}' for name in FILES)}" for page in pages]
    targets += list(routes(served, path, FILES))
    token = served.tokens.owner_token()
    for target in list(dict.fromkeys(targets))[OUTSIDE.index(path) % every :: every]:
        answer = served.ask("GET", target, browser)
        assert answer.status < 500, (target, answer.raw[:300])
        assert secret.encode() not in answer.raw and token.encode() not in answer.raw, target
        assert b"root:x:0" not in answer.raw and b"def dashboard_app" not in answer.raw, target
    assert served.answers()


# -- who gets in --------------------------------------------------------------------------------------------------

GUARDED = ("/", "/api/memories", "/openapi.json", "/mcp", "/static/style.css", "/logout", "/s/0123456789abcdef")


@pytest.mark.parametrize("target", GUARDED)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_nobody_comes_in_without_a_token(served: Served, target: str, method: str) -> None:
    for headers in (
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer x"},
        {"Authorization": f"Basic {served.tokens.owner_token()}"},
        {"Authorization": f"Bearer {served.tokens.owner_token()[:-1]}"},
        {"Authorization": f"Bearer {served.tokens.owner_token()} x"},
        {"X-Api-Key": served.tokens.owner_token()},
        {"X-Forwarded-User": "owner", "X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1", "Forwarded": "for=_x"},
        {"Cookie": f"token={served.tokens.owner_token()}; waypost={served.tokens.owner_token()}"},
        {"Waypost.Caller": "owner"},
    ):
        assert served.ask(method, target, headers).status == 401, headers


@pytest.mark.parametrize("name", ["token", "access_token", "TOKEN", "api_key", "auth", "%74oken"])
def test_a_token_in_an_address_is_refused_and_not_repeated(served: Served, name: str) -> None:
    token = served.tokens.owner_token()
    for target in ("/", "/login", "/api/memories", "/mcp", "/healthz"):
        answer = served.get(f"{target}?{name}={token}")
        assert answer.status == 400 and token.encode() not in answer.raw


def test_a_code_in_an_address_opens_nothing(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        code = served.started.code
        for target in (f"/login?code={code}", f"/login?secret={code}", f"/?code={code}"):
            answer = served.ask("GET", target, {"Accept": "text/html"})
            assert not answer.header("set-cookie") and code not in answer.body.decode()
        assert served.form("/login", {"secret": code}).status == 303, "it was not used up"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}@evil", "", "[::1"]
)
def test_another_host_is_not_answered_to(served: Served, host: str) -> None:
    for target in ("/", "/login", "/api/memories", "/mcp", "/healthz"):
        answer = served.get(target, {"Host": host.format(port=served.port)})
        assert answer.status in {400, 421}


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", "file://"]
)
def test_pages_of_other_origins_get_nothing(served: Served, browser: dict[str, str], origin: str) -> None:
    sent = {"Origin": origin.format(port=served.port)}
    for method, target in (
        ("GET", "/api/memories"),
        ("POST", "/api/memories"),
        ("POST", "/login"),
        ("OPTIONS", "/mcp"),
    ):
        for who in (browser, served.bearer):
            answer = served.ask(method, target, {**who, **sent})
            assert answer.status == 403 and not answer.header("access-control-allow-origin")


# -- forged requests ----------------------------------------------------------------------------------------------


def everything(served: Served) -> dict[str, int]:
    return {entry["id"]: entry.get("version", 0) for entry in rows(served)}


def rows(served: Served) -> list[Any]:
    found = json.loads(served.get("/api/memories?limit=100").body)
    return list(found["memories"] if "memories" in found else found["items"])


def unsafe(served: Served, memory: str) -> Iterator[tuple[str, str, str, bytes]]:
    """What changes something: the method, the address, the content's type, the content."""
    text = json.dumps({"text": "forged", "content": "forged"}).encode()
    yield "POST", "/api/memories", "application/json", text
    yield "POST", "/api/memories", "text/plain", text
    yield "POST", "/api/memories", FORM, b"text=forged"
    yield "DELETE", f"/api/memories/{memory}", "application/json", b"{}"
    yield "PUT", f"/api/memories/{memory}", "application/json", text
    yield "PATCH", f"/api/memories/{memory}", "application/json", text
    yield "POST", "/logout", FORM, b""
    yield "POST", "/mcp", "application/json", b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for place in PAGES:
        if "POST" in place.methods:
            filled = re.sub(r"\{[^}]*\}", lambda _: memory, place.path)
            yield "POST", f"/s/{served.spaces.here}{filled}", FORM, urlencode({"text": "forged", "id": memory}).encode()


def test_without_a_pages_token_a_cookie_changes_nothing(served: Served) -> None:
    browser = served.sign_in(served.tokens.owner_token())
    other = served.sign_in(served.tokens.owner_token())
    before = everything(served)
    page = served.ask("GET", f"/s/{served.spaces.here}", other)
    foreign = re.search(r'name="csrf" value="([0-9a-f]{64})"', page.body.decode())
    assert foreign is not None
    memory = next(iter(before))
    for method, target, kind, body in unsafe(served, memory):
        sent = {**browser, "Content-Type": kind}
        forged = body + b"&csrf=" + foreign[1].encode() if kind == FORM else body
        for extra in ({}, {"Origin": served.origin}, {"X-CSRF-Token": foreign[1]}, {"X-CSRF-Token": "0" * 64}):
            answer = served.ask(method, target, {**sent, **extra}, forged)
            assert answer.status == 403, (method, target, answer.raw[:300])
        for site in ("cross-site", "same-site"):
            answer = served.ask(method, target, {**sent, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}, body)
            assert answer.status == 403, (method, target)
    assert everything(served) == before


def test_no_header_or_field_makes_one_method_another(served: Served, browser: dict[str, str]) -> None:
    before = everything(served)
    memory = next(iter(before))
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"):
        for who in (browser, served.bearer):
            served.ask("GET", f"/api/memories/{memory}?_method=DELETE", {**who, name: "DELETE"})
            sent = {**who, name: "DELETE", "Content-Type": FORM}
            served.ask("POST", f"/api/memories/{memory}?_method=DELETE", sent, b"_method=DELETE")
    assert everything(served) == before


def test_reading_changes_nothing(served: Served, browser: dict[str, str]) -> None:
    """Links are followed without a page's token, so nothing behind one may act."""
    before = everything(served)
    memory = next(iter(before))
    for target in places(served, memory):
        assert served.ask("GET", target, browser).status < 500
        assert served.ask("HEAD", target, browser).status < 500
    assert everything(served) == before


# -- broken HTTP --------------------------------------------------------------------------------------------------


def broken(served: Served) -> dict[str, bytes]:
    """Requests that two readers could understand differently, or nobody at all."""
    token = f"Authorization: Bearer {served.tokens.owner_token()}\r\n"
    host = f"Host: 127.0.0.1:{served.port}\r\n"
    post = f"POST /api/memories HTTP/1.1\r\n{host}{token}Content-Type: application/json\r\n"
    inner = f"DELETE /api/memories/x HTTP/1.1\r\n{host}{token}\r\n"
    return {
        name: text.encode("latin-1")
        for name, text in {
            "a length and chunks": f"{post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
            "chunks and a length": f"{post}Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nG",
            "two lengths": f"{post}Content-Length: 0\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
            "a list of lengths": f"{post}Content-Length: 0, {len(inner)}\r\n\r\n{inner}",
            "a signed length": f"{post}Content-Length: +2\r\n\r\n{{}}",
            "a length in hex": f"{post}Content-Length: 0x2\r\n\r\n{{}}",
            "two codings": f"{post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "a hidden coding": f"{post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "a coding after a tab": f"{post}Transfer-Encoding:\tchunked, gzip\r\n\r\n0\r\n\r\n",
            "a blank before the colon": f"{post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{inner}",
            "a folded header": f"{post}X: a\r\n Transfer-Encoding: chunked\r\nContent-Length: -1\r\n\r\n",
            "a chunk that is no number": f"{post}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
            "a chunk too long for its number": f"{post}Transfer-Encoding: chunked\r\n\r\n{'f' * 40}\r\n",
            "a chunk that ends elsewhere": f"{post}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}XX0\r\n\r\n",
            "a carriage return in a header": f"{post}X: a\rContent-Length: 2\r\n\r\n{{}}",
            "a NUL in a header": f"{post}X: a\0b\r\nContent-Length: 2\r\n\r\n{{}}",
            "a header without a name": f"{post}: x\r\nContent-Length: 2\r\n\r\n{{}}",
            "a line that is no header": f"{post}nothing\r\nContent-Length: 2\r\n\r\n{{}}",
            "no version": "GET /\r\n\r\n",
            "an old version": f"GET / HTTP/0.9\r\n{host}{token}\r\n",
            "a later one": f"GET / HTTP/2.0\r\n{host}{token}\r\n",
            "a blank in the address": f"GET /a b HTTP/1.1\r\n{host}{token}\r\n",
            "a line break in the address": f"GET /a\rb HTTP/1.1\r\n{host}{token}\r\n",
            "no address": f"GET  HTTP/1.1\r\n{host}{token}\r\n",
            "another server's address": f"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n{token}\r\n",
            "a tunnel": f"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n{token}\r\n",
            "two hosts": f"GET / HTTP/1.1\r\n{host}Host: evil.example\r\n{token}\r\n",
            "no host": f"GET / HTTP/1.1\r\n{token}\r\n",
            "two tokens": f"GET /api/memories HTTP/1.1\r\n{host}{token}Authorization: Bearer x\r\nConnection: close\r\n\r\n",
            "TLS": "\x16\x03\x01\x00\xc6\x01\x00\x00\xc2\x03\x03" + "\0" * 200,
            "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "garbage": "\xff\xfe\x00\x01" * 50 + "\r\n\r\n",
        }.items()
    }


def test_broken_requests_are_refused_and_nothing_hides_in_them(served: Served) -> None:
    before = everything(served)
    for name, request in broken(served).items():
        answer = served.raw(request)
        assert answer.status in {0, 400, 401, 404, 405, 421, 501, 505}, (name, answer.raw[:300])
        assert answer.count <= 1, (name, "one answer, then it is closed")
    assert everything(served) == before and served.answers()


def test_no_header_of_an_answer_is_made_by_a_client(served: Served, browser: dict[str, str]) -> None:
    evil = "x%0d%0aSet-Cookie:%20evil=1%0d%0a%0d%0a<script>"
    targets = [
        f"/{evil}",
        f"/login?next=/{evil}",
        f"/api/{evil}",
        f"/api/memories?cursor={evil}&q={evil}",
        f"/static/{evil}",
    ]
    targets += list(places(served, evil))
    for target in targets:
        for who in (browser, served.bearer, {"Accept": "text/html"}):
            answer = served.ask("GET", target, who)
            assert "evil" not in answer.header("set-cookie") and answer.count == 1 and answer.status < 500, target
    for name in ("Idempotency-Key", "If-None-Match", "If-Match", "Last-Event-ID", "Accept-Language"):
        for value in ("evil", 'W/"evil"', "e" * 3000, "\x80\xff", "*, *"):
            answer = served.get("/api/memories", {name: value})
            assert "evil" not in answer.head.lower() and answer.status < 500, (name, value)


@pytest.mark.parametrize(
    ("target", "size", "status"),
    [("/api/memories", 300_000, 413), ("/mcp", 300_000, 413), ("/login", 17 << 10, 413), ("/logout", 300_000, 413)],
)
def test_what_is_too_large_is_not_taken(
    served: Served, monkeypatch: pytest.MonkeyPatch, target: str, size: int, status: int
) -> None:
    sent = {**({} if target == "/login" else served.bearer), "Content-Type": FORM}
    assert served.ask("POST", target, sent, b"x" * size).status == status
    announced = {**sent, "Content-Length": "99999999999"}
    with monkeypatch.context() as patch:
        patch.setattr("waypost.faces.guard.problem._DRAIN_SECONDS", 0.05)  # nothing comes: it would be waited for
        assert served.raw(served.head("POST", target, announced)).status == status
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    chunks = served.head("POST", target, {**sent, "Transfer-Encoding": "chunked"}) + chunk * (size // 0x10000 + 1)
    assert served.raw(chunks + b"0\r\n\r\n").status == status


def test_long_heads_and_addresses_are_refused(served: Served) -> None:
    assert served.get("/api/memories", {"X": "y" * 40_000}).status == 431
    assert served.get("/api/memories", {f"X-{n}": "y" for n in range(200)}).status == 431
    assert served.get("/" + "x" * 9_000).status == 414
    assert served.get("/api/memories?" + "q=x&" * 2_040).status in {400, 414}
    assert served.get("/s/" + "/".join(["x"] * 3_000)).status < 500
    deep = b"[" * 100_000
    assert served.ask("POST", "/api/memories", {**served.bearer, "Content-Type": "application/json"}, deep).status < 500
    assert served.answers()


def test_slow_ones_are_not_waited_for(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedConnection, "head_seconds", 0.2)
    with serve(tmp_path, ServerLimits(body_seconds=0.2)) as served:
        for start in (b"", b"GET / HT", served.head("GET", "/")[:-2]):
            assert served.raw(start).raw == b"", "closed without a word"
        for target in ("/login", "/api/memories"):
            request = served.head("POST", target, {**served.bearer, "Content-Type": FORM, "Content-Length": "50"})
            assert served.raw(request + b"s").status == 408
        assert served.answers()


def test_many_who_hold_their_connection_do_not_keep_others_out(serve: Serve, tmp_path: Path) -> None:
    import socket

    with serve(tmp_path) as served:
        held = [socket.create_connection(("127.0.0.1", served.port), timeout=5) for _ in range(100)]
        try:
            for one in held:
                one.sendall(served.head("POST", "/login", {"Content-Length": "10"}))
            assert served.answers()
        finally:
            for one in held:
                one.close()


# -- what is written down -----------------------------------------------------------------------------------------


def test_nothing_that_is_sent_is_logged_or_printed(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with serve(tmp_path, LIMITS) as served, caplog.at_level(logging.DEBUG, "uvicorn"):
        capfd.readouterr()
        token, code = served.tokens.owner_token(), served.started.code
        browser = served.sign_in(code)
        for target in ("/", f"/s/{served.spaces.here}", "/api/memories", f"/api/memories?token={token}", "/nothing"):
            served.ask("GET", target, browser)
            served.get(target)
        served.form("/login", {"secret": code})
        for request in broken(served).values():
            served.raw(request)
        printed = "".join(capfd.readouterr()) + caplog.text
        for secret in (token, code, browser["Cookie"].partition("=")[2]):
            assert secret not in printed
        for secret in (code, browser["Cookie"].partition("=")[2]):
            assert files_with(tmp_path / "home", secret) == []
        assert [path.name for path in files_with(tmp_path / "home", token)] == ["token"]
