"""Signing in and out through the gate, asked through ASGI: the way of a person's browser, and of those who are none."""

import asyncio
import html
import re
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.conftest import TestClock

from waypost.faces.guard.asgi import CALLER, Message, Receive, Scope, Send
from waypost.faces.guard.csrf import SESSION, csrf_token, with_csrf_check
from waypost.faces.guard.gate import RequestGate
from waypost.faces.guard.hosts import answered_hosts
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.sessions import SignedInSessions
from waypost.faces.guard.sign_in import SignIn, SignInCode
from waypost.faces.guard.sign_in_page import local_path
from waypost.faces.guard.tokens import TokenFile

HOST = "127.0.0.1:8765"


@dataclass
class Answer:
    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key == name), "")


@dataclass
class Server:
    """A gate before the sign-in pages and an application that says who it saw."""

    tokens: TokenFile
    sessions: SignedInSessions
    code: str
    gate: RequestGate
    seen: list[Scope]

    def ask(
        self,
        method: str,
        path: str,
        *,
        cookie: str = "",
        form: dict[str, str] | None = None,
        query: str = "",
        client: str = "127.0.0.1",
        host: str = HOST,
        headers: tuple[tuple[str, str], ...] = (("accept", "text/html"),),
        kind: str = "application/x-www-form-urlencoded",
        more: str = "",
    ) -> Answer:
        sent = [("host", host), *headers]
        sent += [("cookie", cookie)] if cookie else []
        sent += [("content-type", kind)] if form is not None and kind else []
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "scheme": "http",
            "headers": [(name.encode(), value.encode()) for name, value in sent],
            "client": (client, 50000),
            "server": ("127.0.0.1", 8765),
        }
        body = (urlencode(form or {}) + more).encode()
        pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        answer = Answer()

        async def receive() -> Message:
            return pending.pop(0) if pending else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                assert answer.status == 0
                answer.status = message["status"]
                answer.headers = [(name.decode(), value.decode()) for name, value in message["headers"]]
            else:
                answer.body += message["body"]

        asyncio.run(self.gate(scope, receive, send))
        return answer

    def sign_in(self, secret: str, **options: Any) -> Answer:
        return self.ask("POST", "/login", form={"secret": secret, **options.pop("fields", {})}, **options)

    def cookie(self, answer: Answer) -> str:
        return answer.header("set-cookie").partition(";")[0]

    def signed_in(self, secret: str | None = None) -> str:
        """The cookie of somebody who has signed in."""
        answer = self.sign_in(secret or self.tokens.owner_token())
        assert answer.status == 303
        return self.cookie(answer)


def server_of(home: Path, clock: TestClock, limits: ServerLimits | None = None, **options: Any) -> Server:
    tokens = TokenFile(home)
    tokens.ensure_owner()
    code = SignInCode(clock)
    sessions = SignedInSessions(home, clock)
    sign_in = SignIn(tokens, sessions, code, limits, monotonic=lambda: clock().timestamp(), **options)
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in SignIn.paths:
            await sign_in(scope, receive, send)
            return
        seen.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
        await send({"type": "http.response.body", "body": scope[CALLER].name.encode()})

    hosts = answered_hosts("127.0.0.1", 8765, ["memory.example.org"], ["https://memory.example.org"])
    gate = RequestGate(
        with_csrf_check(app),
        tokens,
        hosts,
        limits,
        open_paths=SignIn.open_paths,
        signed_in=sign_in.who,
        way_in=sign_in.way_in,
    )
    return Server(tokens, sessions, code.reveal(), gate, seen)


@pytest.fixture
def server(tmp_path: Path, clock: TestClock) -> Server:
    return server_of(tmp_path / "home", clock)


# -- coming in ----------------------------------------------------------------------------------------------------


def test_a_browser_is_led_to_the_page_and_back_to_where_it_wanted(server: Server) -> None:
    away = server.ask("GET", "/s/1/search", query="q=door&n=2")
    assert (away.status, away.header("location")) == (303, "/login?next=/s/1/search%3Fq%3Ddoor%26n%3D2")
    shown = server.ask("GET", "/login", query="next=/s/1/search%3Fq%3Ddoor%26n%3D2")
    assert shown.status == 200
    wanted = re.search(rb'name="next" value="([^"]*)"', shown.body)
    assert wanted is not None
    answer = server.sign_in(server.tokens.owner_token(), fields={"next": html.unescape(wanted[1].decode())})
    assert (answer.status, answer.header("location")) == (303, "/s/1/search?q=door&n=2")
    back = server.ask("GET", "/s/1/search", cookie=server.cookie(answer))
    assert (back.status, back.body) == (200, b"owner")


def test_programs_are_told_no_instead(server: Server) -> None:
    for accept in ("application/json", "*/*", "text/event-stream"):
        assert server.ask("GET", "/api/memories", headers=(("accept", accept),)).status == 401
    wrong = server.ask("GET", "/", headers=(("accept", "text/html"), ("authorization", "Bearer wrong")))
    assert wrong.status == 401, "a wrong token is a wrong token"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(server: Server) -> None:
    cookie = server.sign_in(server.tokens.owner_token()).header("set-cookie")
    parts = {part.strip() for part in cookie.split(";")[1:]}
    assert parts == {"Path=/", "HttpOnly", "SameSite=Strict", f"Max-Age={30 * 86400}"}


def test_where_a_proxy_speaks_tls_the_cookie_never_travels_without(tmp_path: Path, clock: TestClock) -> None:
    server = server_of(tmp_path / "home", clock, secure_hosts=["memory.example.org"])
    origin = (("accept", "text/html"), ("origin", "https://memory.example.org"))
    answer = server.sign_in(server.tokens.owner_token(), host="memory.example.org", headers=origin)
    assert answer.header("set-cookie").startswith("__Host-") and "; Secure" in answer.header("set-cookie")
    assert server.ask("GET", "/", cookie=server.cookie(answer), host="memory.example.org").status == 200
    assert server.ask("GET", "/", cookie=server.cookie(answer)).status == 303


def test_the_page_behind_knows_the_person_and_sees_no_cookie(server: Server) -> None:
    cookie = server.signed_in()
    server.ask("GET", "/", cookie=f"theme=dark; {cookie}; other=1")
    scope = server.seen[-1]
    assert scope[CALLER].kind == "person" and scope[SESSION].session.holder == scope[CALLER].key
    assert cookie.partition("=")[2] not in str(scope)
    assert (b"cookie", b"theme=dark; other=1") in scope["headers"]


def test_whoever_is_signed_in_does_not_see_the_page_again(server: Server) -> None:
    answer = server.ask("GET", "/login", cookie=server.signed_in(), query="next=/s/1")
    assert (answer.status, answer.header("location")) == (303, "/s/1")


def test_an_agents_token_opens_no_page_for_people(server: Server, clock: TestClock) -> None:
    answer = server.sign_in(server.tokens.make("robot", clock=clock))
    assert answer.status == 403 and not answer.header("set-cookie")
    assert b"person" in answer.body


def test_a_second_persons_token_brings_their_name_and_rights(server: Server, clock: TestClock) -> None:
    token = server.tokens.make("anna", kind="person", rights="read", clock=clock)
    assert server.ask("GET", "/", cookie=server.signed_in(token)).body == b"anna"
    assert not server.seen[-1][CALLER].writes


# -- the code -----------------------------------------------------------------------------------------------------


def test_the_code_opens_once(server: Server) -> None:
    assert server.ask("GET", "/", cookie=server.signed_in(server.code)).body == b"owner"
    again = server.sign_in(server.code)
    assert again.status == 401 and not again.header("set-cookie")


def test_the_code_may_be_typed_carelessly(server: Server) -> None:
    assert server.sign_in(f" {server.code.lower().replace('-', ' ')} ").status == 303


def test_the_code_is_good_for_minutes(server: Server, clock: TestClock) -> None:
    clock.advance(minutes=10)
    assert server.sign_in(server.code).status == 401


def test_nobody_guesses_the_code(tmp_path: Path, clock: TestClock) -> None:
    server = server_of(tmp_path / "home", clock, ServerLimits(failure_burst=1000))
    wrong = ["".join("2" if letter != "2" else "3" for letter in server.code.replace("-", "")) for _ in range(10)]
    assert [server.sign_in(one).status for one in wrong] == [401] * 10
    assert server.sign_in(server.code).status == 401, "after so many tries it is void"
    assert server.sign_in(server.tokens.owner_token()).status == 303


def test_what_has_not_the_form_of_a_code_is_no_try(tmp_path: Path, clock: TestClock) -> None:
    server = server_of(tmp_path / "home", clock, ServerLimits(failure_burst=1000))
    for text in ("", "x", "0" * 10, "waypost_wrong", "2" * 11, "2" * 200, "é" * 10) * 3:
        assert server.sign_in(text).status == 401
    assert server.sign_in(server.code).status == 303


def test_a_code_is_long_readable_told_once_and_another_each_time(clock: TestClock) -> None:
    codes = set()
    for _ in range(50):
        code = SignInCode(clock, life=timedelta(minutes=1))
        codes.add(code.reveal())
        with pytest.raises(ValueError, match="once"):
            code.reveal()
    assert len(codes) == 50
    assert all(re.fullmatch(r"[2-9A-HJKMNP-TV-Z]{5}-[2-9A-HJKMNP-TV-Z]{5}", code) for code in codes)


# -- wrong tries --------------------------------------------------------------------------------------------------


def test_what_was_typed_is_not_shown_again(server: Server) -> None:
    for typed in ("<script>alert(1)</script>", '"><img src=x onerror=1>', server.tokens.owner_token()[:-1]):
        answer = server.sign_in(typed, fields={"next": typed})
        assert answer.status == 401
        assert typed.encode() not in answer.body and b"alert(1)" not in answer.body


def test_from_elsewhere_too_many_tries_have_to_wait_even_with_the_right_one(server: Server, clock: TestClock) -> None:
    far = "192.0.2.7"
    tries = [server.sign_in(f"wrong {n}", client=far) for n in range(30)]
    assert [one.status for one in tries] == [401] * 20 + [429] * 10
    assert int(tries[-1].header("retry-after")) >= 1
    assert server.sign_in(server.tokens.owner_token(), client=far).status == 429
    assert server.sign_in(server.tokens.owner_token(), client="192.0.2.8").status == 303
    clock.advance(seconds=2)
    assert server.sign_in(server.tokens.owner_token(), client=far).status == 303


def test_from_this_machine_the_right_one_is_never_held_up_by_the_wrong_ones_of_others(server: Server) -> None:
    assert [server.sign_in(f"wrong {n}").status for n in range(30)] == [401] * 20 + [429] * 10
    assert server.sign_in(server.tokens.owner_token()).status == 303


@pytest.mark.parametrize(
    "kind", ["", "application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form"]
)
def test_only_the_form_is_taken(server: Server, kind: str) -> None:
    answer = server.sign_in(server.tokens.owner_token(), kind=kind)
    assert answer.status == 415 and not answer.header("set-cookie")


def test_a_form_without_a_secret_or_with_two_opens_nothing(server: Server) -> None:
    assert server.ask("POST", "/login", form={}).status == 401
    twice = {"secret": server.tokens.owner_token(), "next": "/"}
    assert server.ask("POST", "/login", form=twice, more=f"&secret={server.code}").status == 401


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999", "http://localhost:8765"])
def test_a_foreign_page_signs_nobody_in(server: Server, origin: str) -> None:
    answer = server.sign_in(server.tokens.owner_token(), headers=(("origin", origin),))
    assert answer.status == 403 and not answer.header("set-cookie")


def test_the_page_lets_its_own_form_say_where_it_comes_from(server: Server) -> None:
    """With `no-referrer` a browser sends `Origin: null` with the form, which is refused."""
    shown = server.ask("GET", "/login")
    assert shown.header("referrer-policy") == "same-origin"
    assert server.sign_in(server.tokens.owner_token(), headers=(("origin", f"http://{HOST}"),)).status == 303


def test_the_page_has_a_strict_policy_and_nothing_inline(server: Server) -> None:
    shown = server.ask("GET", "/login")
    policy = dict(part.strip().partition(" ")[::2] for part in shown.header("content-security-policy").split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'" and policy["form-action"] == "'self'"
    page = shown.body.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style| style=| on[a-z]+=|javascript:", page)
    for address in re.findall(r'(?:src|href)="(/[^"]*)"', page):
        assert server.ask("GET", address).status == 200, "its files need no token"
    assert server.ask("GET", "/login/../login/style.css").status == 303


# -- going --------------------------------------------------------------------------------------------------------


def test_signing_out_ends_the_session_and_takes_the_cookie(server: Server) -> None:
    cookie = server.signed_in()
    server.ask("GET", "/", cookie=cookie)
    token = csrf_token(server.seen[-1])
    answer = server.ask("POST", "/logout", cookie=cookie, form={"csrf": token})
    assert (answer.status, answer.header("location")) == (303, "/login")
    assert "Max-Age=0" in answer.header("set-cookie") and server.cookie(answer).endswith("=")
    assert server.ask("GET", "/", cookie=cookie).status == 303, "a copy of the cookie opens nothing"


def test_nobody_else_signs_a_person_out(server: Server) -> None:
    cookie = server.signed_in()
    assert server.ask("POST", "/logout", cookie=cookie, form={}).status == 403
    assert server.ask("GET", "/logout", cookie=cookie).status == 405
    assert server.ask("GET", "/", cookie=cookie).status == 200


def test_signing_in_again_ends_the_session_before(server: Server) -> None:
    before = server.signed_in()
    after = server.cookie(server.sign_in(server.tokens.owner_token(), cookie=before))
    assert server.ask("GET", "/", cookie=before).status == 303
    assert server.ask("GET", "/", cookie=after).status == 200


def test_a_session_ends_with_the_token_it_came_from(server: Server, clock: TestClock) -> None:
    anna = server.signed_in(server.tokens.make("anna", kind="person", clock=clock))
    owner = server.signed_in()
    server.tokens.revoke("anna")
    assert server.ask("GET", "/", cookie=anna).status == 303
    assert server.ask("GET", "/", cookie=owner).status == 200
    server.tokens.make("anna", kind="person", clock=clock)
    assert server.ask("GET", "/", cookie=anna).status == 303, "the same name is not the same token"
    server.tokens.path.unlink()
    server.tokens.ensure_owner()
    assert server.ask("GET", "/", cookie=owner).status == 303


def test_forged_doubled_and_expired_cookies_open_nothing(server: Server, clock: TestClock) -> None:
    cookie = server.signed_in()
    name, _, value = cookie.partition("=")
    digest = server.sessions.path.read_text().split('"sha256": "')[1][:64]
    forged = [f"{name}={digest}", f"{name}={digest[:43]}", f"{name}={value[:-1]}", f"{name}=", name, "=", ";;;"]
    forged += [f"{cookie}; {cookie}", f"{name}=x; {cookie}", f"__Host-{cookie}", cookie.upper(), f"{name}={'A' * 43}"]
    forged += [f"{name}={server.tokens.owner_token()}", f'{name}="{value}"', f"{name}=%61{value[1:]}"]
    for one in forged:
        assert server.ask("GET", "/", cookie=one).status == 303, one
    assert server.ask("GET", "/", cookie=cookie).status == 200
    clock.advance(days=8)
    assert server.ask("GET", "/", cookie=cookie).status == 303


def test_a_bearer_token_counts_before_a_cookie(server: Server, clock: TestClock) -> None:
    cookie = server.signed_in()
    robot = ("authorization", f"Bearer {server.tokens.make('robot', clock=clock)}")
    assert server.ask("POST", "/", cookie=cookie, headers=(robot,)).body == b"robot"
    wrong = server.ask("GET", "/", cookie=cookie, headers=(("authorization", "Bearer wrong"),))
    assert wrong.status == 401, "who sends a wrong token is not somebody else instead"


def test_nobody_is_let_in_while_the_sessions_are_open_to_others(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    cookie = server.signed_in()
    server.sessions.path.chmod(0o666)
    assert server.ask("GET", "/", cookie=cookie).status == 503
    refused = server.sign_in(server.tokens.owner_token())
    assert refused.status == 503 and b"Try again later" in refused.body
    assert server.ask("GET", "/login", cookie=cookie).status == 200
    assert "sessions.json" in caplog.text
    assert cookie.partition("=")[2] not in caplog.text and server.tokens.owner_token() not in caplog.text


def test_a_large_body_is_not_taken_from_strangers(server: Server) -> None:
    assert server.sign_in("x" * 20_000).status == 413


# -- where it leads -----------------------------------------------------------------------------------------------

AWAY = [
    "/.//evil.example",
    "/s/..//evil.example",
    "/s/%2e%2e/%2e%2e//evil.example",
    "/%2e/%2fevil.example",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/%09/evil.example",
    "/%2f/evil.example",
    "/%2fevil.example",
    "/%5cevil.example",
    "/%252fevil.example",
    "/%25252fevil.example",
    "https://evil.example",
    "https:evil.example",
    "http:/evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.example",
    "@evil.example",
    ".evil.example",
    "?next=//evil.example",
    "",
    " /x",
    "/x\r\nSet-Cookie: a=b",
    "/x%0d%0aSet-Cookie: a=b",
    "/x%0d%0aSet-Cookie:%20a=b",
    "/x%250d%250aSet-Cookie:a=b",
    "/é",
    "/\u2028x",
    "/x y",
    '/"><script>',
    "/" + "x" * 3000,
    "/login",
    "/logout",
    "/login?next=/login",
    "/\x00",
    "／／evil.example",
]


@pytest.mark.parametrize("text", AWAY)
def test_signing_in_leads_nowhere_else(server: Server, text: str) -> None:
    assert local_path(text) == "/"
    answer = server.sign_in(server.tokens.owner_token(), fields={"next": text})
    assert (answer.status, answer.header("location")) == (303, "/")
    known = server.ask("GET", "/login", cookie=server.cookie(answer), query=urlencode({"next": text}))
    assert (known.status, known.header("location")) == (303, "/")


@pytest.mark.parametrize(
    "text",
    ["/", "/s/1", "/s/1/search?q=a%20b&to=https://x.example/", "/s/1/code/a%2Fb.py", "/s/1/code/100%25.md", "/s//x"],
)
def test_but_to_any_page_of_this_server(text: str) -> None:
    assert local_path(text) == text


def test_the_way_to_the_page_cannot_be_bent_by_an_address(server: Server) -> None:
    for path in ("//evil.example", "/\\evil.example", "/x\r\nset-cookie: a=b"):
        answer = server.ask("GET", path)
        assert (answer.status, answer.header("location")) == (303, "/login")
        assert not answer.header("set-cookie")
