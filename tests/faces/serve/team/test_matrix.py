"""Every route, page and tool that there is, against everybody who may not: nothing is served, nothing leaks, nothing is
changed. They are taken from the applications themselves, so what is added to these is covered."""

import asyncio
import json
import re
import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlencode

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from tests.faces.serve.team.conftest import FORM, RED, Answer, Team

from waypost.faces.dashboard.pages import PAGES
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.resources import LISTED, TEMPLATES
from waypost.faces.rest.app import ROUTES
from waypost.model.time import utc_now

NOBODYS = "f" * 16  # no memory has this id
AN_ID = "01kg7v5w2m8x4q9z3b6d1f0hjk"
STREAM = "/events"
ASKED = {"/api/v1/spaces/{space}/code/symbols": {"name": "Storage.save"}}  # one of its parameters, none alone required


@dataclass(frozen=True, slots=True)
class Route:
    method: str
    path: str
    right: str
    query: str = ""
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    def at(self, space: str, an_id: str = AN_ID) -> str:
        """The address, with these in the place of its names."""
        path = self.path.replace("{space}", space)
        path = re.sub(r"\{name\}", "20260130T120000Z.jsonl", path)
        return re.sub(r"\{[a-z:_]+\}", an_id, path) + self.query


@dataclass(frozen=True, slots=True)
class Asking:
    http: httpx2.Client
    headers: Mapping[str, str]

    def ask(self, route: Route, target: str) -> Answer:
        sent = {**self.headers, **route.headers}
        content = None
        if isinstance(route.body, str):
            content = route.body
        elif route.body is not None:
            content, sent["Content-Type"] = json.dumps(route.body), "application/json"
        with self.http.stream(route.method, target, content=content, headers=sent) as told:
            if told.headers.get("content-type", "").startswith("text/event-stream"):
                return Answer(told.status_code, "", dict(told.headers))
            told.read()
        return Answer(told.status_code, told.text, dict(told.headers))


@pytest.fixture(scope="module")
def http(team: Team) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=team.one.origin, timeout=30) as client:
        yield client


def bearer(http: httpx2.Client, token: str) -> Asking:
    return Asking(http, {"Authorization": f"Bearer {token}"})


@pytest.fixture(scope="module")
def api(team: Team) -> tuple[Route, ...]:
    """The whole API, with requests that its own document gives as examples."""
    document = team.one.ask("GET", "/openapi.json", team.token("alice", "m-api")).json
    schemas = document["components"]["schemas"]
    found = tuple(
        _route(method.upper(), path, told, schemas)
        for path, methods in document["paths"].items()
        for method, told in methods.items()
    )
    assert {(one.method, one.path) for one in found} == {(m, one.path) for one in ROUTES for m in one.methods or ()}
    return found


def _route(method: str, path: str, told: Mapping[str, Any], schemas: Mapping[str, Any]) -> Route:
    needed = [one for one in told.get("parameters", ()) if one["in"] == "query" and one.get("required")]
    query = urlencode({one["name"]: _example(one) for one in needed} | ASKED.get(path, {}))
    body = None
    if "requestBody" in told:
        schema = told["requestBody"]["content"]["application/json"]["schema"]
        sorts = [one for one in schema.get("anyOf", [schema]) if "$ref" in one]
        body = schemas[sorts[0]["$ref"].rpartition("/")[2]]["examples"][0]
    return Route(method, path, told["x-waypost-rights"], f"?{query}" if query else "", body)


def _example(parameter: Mapping[str, Any]) -> object:
    examples = [*parameter.get("schema", {}).get("examples", ()), parameter.get("example")]
    return next((one for one in examples if one is not None), "x")


def pages(method: str) -> list[Route]:
    changed = method == "POST"
    headers = {"Accept": "text/html", **({"Content-Type": FORM} if changed else {})}
    found = [f"/s/{{space}}{one.path}" for one in PAGES if method in one.methods]
    return [
        Route(method, path.replace("{path:path}", "{path}"), "", body="sure=1" if changed else None, headers=headers)
        for path in found
    ]


def content(team: Team, space: str) -> dict[str, object]:
    """All rows of all tables of a memory, as a digest of each."""
    schema = f"waypost_{space}"
    tables = team.admin.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = 'r'", (schema,)
    ).fetchall()
    digests = {}
    for (table,) in tables:
        digest = f"SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {schema}.{table} t"
        digests[table] = team.admin.execute(digest.encode()).fetchone()
    return dict(digests)


@pytest.fixture(scope="module")
def secrets(team: Team) -> tuple[str, ...]:
    """What nobody but members of the second memory may hear of."""
    dave = team.token("dave", "m-dave")
    memory = team.one.remember(dave, team.vault, "The vault has a second key, in the well.").json["id"]
    return (RED, "in the well", memory, "dave", '"vault"')


@pytest.fixture(scope="module")
def strangers(team: Team, secrets: tuple[str, ...]) -> Mapping[str, str]:
    """Tokens of people and agents that do not open the second memory."""
    team.directory.add_user("grace")
    team.directory.add_member(team.shop, "grace", "owner")
    team.directory.add_member(team.vault, "grace", "owner")
    return {
        "an owner of another": team.token("alice", "m-other"),
        "their agent": team.token("alice", "m-agent", kind="agent"),
        "who is in none": team.token("eve", "m-eve"),
        "an owner of both, with a token for the other": team.token("grace", "m-narrow", space_id=team.shop),
    }


def test_strangers_are_served_nothing_by_any_route_of_the_api(
    team: Team, http: httpx2.Client, api: tuple[Route, ...], strangers: Mapping[str, str], secrets: tuple[str, ...]
) -> None:
    before = content(team, team.vault)
    there = [one for one in api if "{space}" in one.path]
    assert len(there) > 60
    for who, token in strangers.items():
        asking = bearer(http, token)
        for route in there:
            told = asking.ask(route, route.at(team.vault))
            assert told.status == 403, (who, str(route), told.text)
            assert not [one for one in secrets if one in told.text], (who, str(route))
            nothing = asking.ask(route, route.at(NOBODYS))
            assert (nothing.status, nothing.text) == (told.status, told.text), "it tells whether there is such a memory"
    assert content(team, team.vault) == before


def test_routes_without_a_name_of_a_memory_mean_the_callers_own(
    team: Team, http: httpx2.Client, api: tuple[Route, ...], strangers: Mapping[str, str], secrets: tuple[str, ...]
) -> None:
    here = [one for one in api if "{space}" not in one.path]
    assert here
    for who, token in strangers.items():
        for route in [one for one in here if one.right == "read"]:
            told = bearer(http, token).ask(route, route.at(""))
            assert told.status in (200, 404), (who, str(route), told.text)
            assert not [one for one in (*secrets, team.vault) if one in told.text], (who, str(route))
    for route in here:
        told = bearer(http, strangers["who is in none"]).ask(route, route.at(""))
        expected = {"GET": 200, "POST": 403}[route.method] if route.path == "/api/v1/spaces" else 404
        assert told.status == expected, (str(route), told.text)


def test_strangers_are_shown_no_page_and_change_nothing_by_one(
    team: Team, http: httpx2.Client, strangers: Mapping[str, str], secrets: tuple[str, ...]
) -> None:
    before = content(team, team.vault)
    for who, token in strangers.items():
        if who == "their agent":
            continue  # agents do not sign in
        browser = team.one.sign_in(token)
        own = http.get(f"/s/{team.shop}", headers=browser).text
        forgery = re.search(r'name="csrf" value="([^"]+)"', own)
        assert forgery is not None, own
        assert not [one for one in (*secrets, team.vault) if one in own]
        for route in (*pages("GET"), *pages("POST")):
            headers = {**browser, **({"Origin": team.one.origin} if route.method == "POST" else {})}
            sent = Route(
                route.method,
                route.path,
                "",
                body=f"sure=1&csrf={quote(forgery[1])}" if route.method == "POST" else None,
                headers={**route.headers, **headers},
            )
            told = Asking(http, {}).ask(sent, sent.at(team.vault))
            assert told.status == 403, (who, str(route), told.text[:500])
            assert not [one for one in secrets if one in told.text], (who, str(route))
    assert content(team, team.vault) == before


def test_with_another_memorys_ids_there_is_nothing_in_ones_own(
    team: Team, http: httpx2.Client, api: tuple[Route, ...], secrets: tuple[str, ...]
) -> None:
    """And what is said of them is what is said of ids that nobody has."""
    before, foreign = content(team, team.vault), secrets[2]
    asking = bearer(http, team.token("alice", "m-ids"))
    for route in [one for one in api if re.search(r"\{(memory|candidate|job)_id\}", one.path)]:
        told = asking.ask(route, route.at(team.shop, foreign))
        unknown = asking.ask(route, route.at(team.shop, AN_ID))
        assert told.status == unknown.status == 404, (str(route), told.text)
        assert told.text.replace(foreign, "ID") == unknown.text.replace(AN_ID, "ID"), str(route)
    listed = f"/api/v1/spaces/{team.shop}/audit?memory_id={foreign}"
    assert asking.ask(Route("GET", "", ""), listed).json["entries"] == []
    assert content(team, team.vault) == before


def test_a_cursor_of_another_memory_shows_nothing_of_it(
    team: Team, http: httpx2.Client, secrets: tuple[str, ...]
) -> None:
    dave, alice = bearer(http, team.token("dave", "m-cursor")), bearer(http, team.token("alice", "m-cursor"))
    for place in ("memories", "audit"):
        first = dave.ask(Route("GET", "", ""), f"/api/v1/spaces/{team.vault}/{place}?limit=1").json
        assert first["next"]
        told = alice.ask(Route("GET", "", ""), f"/api/v1/spaces/{team.shop}/{place}?limit=1&cursor={first['next']}")
        assert told.status in (200, 422), told.text
        assert not [one for one in secrets if one in told.text]


@pytest.mark.parametrize("who", ["reader", "token that only reads"])
def test_who_only_reads_changes_nothing_by_any_route(
    team: Team, http: httpx2.Client, api: tuple[Route, ...], who: str
) -> None:
    token = team.token("carol", "m-reads") if who == "reader" else team.token("alice", "m-reads", rights="read")
    before, asking = content(team, team.shop), bearer(http, token)
    for route in api:
        told = asking.ask(route, route.at(team.shop))
        if route.right == "read":
            assert told.status in (200, 404), (str(route), told.text)
        else:
            assert told.status == 403, (str(route), told.text)
    browser = team.one.sign_in(token)
    shown = http.get(f"/s/{team.shop}", headers=browser).text
    forgery = re.search(r'name="csrf" value="([^"]+)"', shown)
    assert forgery is not None
    for route in pages("POST"):
        headers = {**route.headers, **browser, "Origin": team.one.origin}
        sent = Route("POST", route.path, "", body=f"sure=1&csrf={quote(forgery[1])}", headers=headers)
        told = Asking(http, {}).ask(sent, sent.at(team.shop))
        assert told.status == 403, (str(route), told.text[:500])
    for route in pages("GET"):
        assert Asking(http, browser).ask(route, route.at(team.shop)).status in (200, 303, 400, 403, 404), str(route)
    assert content(team, team.shop) == before


def test_an_owners_agent_decides_nothing_by_any_route(team: Team, http: httpx2.Client, api: tuple[Route, ...]) -> None:
    asking, before = bearer(http, team.token("alice", "m-robot", kind="agent")), content(team, team.shop)
    deciding = [one for one in api if one.right == "person"]
    assert len(deciding) > 10
    for route in deciding:
        told = asking.ask(route, route.at(team.shop))
        assert told.status == 403 and "person" in told.text, (str(route), told.text)
    assert content(team, team.shop) == before


def test_what_is_revoked_run_out_or_disabled_opens_nothing_at_all(
    team: Team, http: httpx2.Client, api: tuple[Route, ...], secrets: tuple[str, ...]
) -> None:
    team.directory.add_user("henry")
    team.directory.add_member(team.shop, "henry", "owner")
    revoked, disabled = team.token("grace", "m-revoked"), team.token("henry", "m-disabled")
    ended = team.token("grace", "m-ended", expires=utc_now() - timedelta(seconds=1))
    browsers = [team.one.sign_in(revoked), team.one.sign_in(disabled)]
    team.directory.revoke_token("grace", "m-revoked")
    team.directory.disable_user("henry")
    around = [Route("GET", path, "") for path in ("/openapi.json", "/metrics", "/mcp", "/", "/static/style.css")]
    for token in (revoked, ended, disabled, "waypost_forged", "x" * 300):
        asking = bearer(http, token)
        for route in (*api, *around, *pages("GET"), *pages("POST")):
            told = asking.ask(route, route.at(team.shop))
            assert told.status == 401, (str(route), told.text)
    for browser in browsers:
        for route in (*pages("GET"), *pages("POST")):
            told = Asking(http, browser).ask(route, route.at(team.shop))
            assert told.status in (303, 401) and "location" in told.headers, str(route)
            assert told.headers["location"].startswith("/login"), str(route)


def test_neither_a_page_of_another_origin_nor_anothers_token_of_a_page_changes_anything(
    team: Team, http: httpx2.Client
) -> None:
    alice, bob = team.one.sign_in(team.token("alice", "m-csrf")), team.one.sign_in(team.token("bob", "m-csrf"))
    theirs = re.search(r'name="csrf" value="([^"]+)"', http.get(f"/s/{team.shop}", headers=bob).text)
    assert theirs is not None
    before = content(team, team.shop)
    for route in pages("POST"):
        for body in ("sure=1", "sure=1&csrf=", f"sure=1&csrf={quote(theirs[1])}"):
            headers = {**route.headers, **alice, "Origin": team.one.origin}
            told = Asking(http, {}).ask(Route("POST", route.path, "", body=body, headers=headers), route.at(team.shop))
            assert told.status == 403, (str(route), body)
        headers = {**route.headers, **alice, "Origin": "https://elsewhere.example"}
        assert (
            Asking(http, {}).ask(Route("POST", "", "", body="sure=1", headers=headers), route.at(team.shop)).status
            == 403
        )
    assert content(team, team.shop) == before


def test_no_tool_resource_or_prompt_opens_a_memory_to_strangers(
    team: Team, strangers: Mapping[str, str], secrets: tuple[str, ...]
) -> None:
    before = content(team, team.vault)
    for who, token in strangers.items():
        for said in asyncio.run(_everything(team, token)):
            assert re.search("another memory|may only read|is not a day|is not the id", said), (who, said)
            assert not [one for one in secrets if one in said], (who, said)
    assert content(team, team.vault) == before


async def _everything(team: Team, token: str) -> list[str]:
    """What each tool, resource and prompt says to who names the second memory. None of them may be done."""
    told = []
    headers = {"Authorization": f"Bearer {token}", "Waypost-Space": team.vault}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{team.one.origin}/mcp", http_client=http)) as client,
    ):
        tools = tools_of("default")
        assert {one.name for one in (await client.list_tools()).tools} == {tool.name for tool in tools}
        for tool in tools:
            done = await client.call_tool(tool.name, {name: _value(tool.parameters[name]) for name in tool.required})
            assert done.is_error, (tool.name, done.content)
            told.append(str(done.content))
        uris = [str(one["uri"]) for one in LISTED]
        uris += [
            re.sub(r"\{[^}]+\}", some, str(one["uriTemplate"])) for one in TEMPLATES for some in (AN_ID, "2026-01-30")
        ]
        told += [await _refusal(client.read_resource(uri), uri) for uri in uris]
        for prompt in (await client.list_prompts()).prompts:
            given = {one.name: "x" for one in prompt.arguments or ()}
            told.append(await _refusal(client.get_prompt(prompt.name, given), prompt.name))
    return told


async def _refusal(asked: Any, what: str) -> str:
    try:
        done = await asked
    except MCPError as error:
        return str(error)
    raise AssertionError(f"{what} was served: {done}")


def _value(schema: Mapping[str, Any]) -> object:
    return schema.get("enum", [{"array": [], "integer": 1, "boolean": True}.get(str(schema.get("type")), "x")])[0]


def test_how_long_a_refusal_takes_tells_not_whether_there_is_such_a_memory(team: Team, http: httpx2.Client) -> None:
    asking = bearer(http, team.token("alice", "m-time"))

    def median(target: str) -> float:
        times = []
        for _ in range(15):
            began = time.perf_counter()
            asking.ask(Route("GET", "", ""), target)
            times.append(time.perf_counter() - began)
        return statistics.median(times)

    theirs, nobodys = (median(f"/api/v1/spaces/{space}/memories") for space in (team.vault, NOBODYS))
    assert max(theirs, nobodys) < 10 * min(theirs, nobodys)
