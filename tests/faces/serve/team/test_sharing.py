"""Sharing over a server, between memories whose members are not the same people."""

from collections.abc import Iterator

import pytest
from tests.faces.serve.team.conftest import BLUE, RED, Answer, Team

OPENS = "what opens with a key?"


@pytest.fixture
def shared(team: Team) -> Iterator[Team]:
    """Vault, which is dave's, lets shop read."""
    assert _do(team, "dave", team.vault, "offer", team.shop).status == 200
    assert _do(team, "alice", team.shop, "accept", team.vault).status == 200
    yield team
    for user, space, other in (("dave", team.vault, team.shop), ("alice", team.shop, team.vault)):
        _do(team, user, space, "revoke", other)


def _do(team: Team, user: str, space: str, what: str, other: str, kind: str = "person") -> Answer:
    name = f"{what}-{user}-{kind}"
    token = team.token(user, name, kind=kind)
    try:
        return team.one.ask("POST", f"/api/v1/spaces/{space}/shares/{what}", token, {"project": other})
    finally:
        team.directory.revoke_token(user, name)


@pytest.fixture
def carols(team: Team) -> Iterator[str]:
    yield team.token("carol", "asks", kind="agent", rights="read")
    team.directory.revoke_token("carol", "asks")


def test_every_server_tells_members_of_the_reader_what_is_shared_and_whose_it_is(shared: Team, carols: str) -> None:
    for server in shared.servers:
        answer = server.ask("GET", f"/api/v1/spaces/{shared.shop}/recall?q={OPENS.replace(' ', '+')}", carols)
        told = {hit["text"]: (hit.get("project") or {}).get("name") for hit in answer.json["hits"]}
        assert told == {BLUE: None, RED: "vault"}


def test_it_is_no_membership(shared: Team, carols: str) -> None:
    for target in ("recall?q=key", "memories", "audit", "shares", "status"):
        assert shared.one.ask("GET", f"/api/v1/spaces/{shared.vault}/{target}", carols).status in (403, 404)
    listed = shared.one.ask("GET", "/api/v1/spaces", carols)
    assert shared.vault not in listed.text


def test_what_is_revoked_is_gone_on_every_server_at_once(shared: Team, carols: str) -> None:
    assert _do(shared, "dave", shared.vault, "revoke", shared.shop).status == 200
    for server in shared.servers:
        assert server.recalled(carols, shared.shop, OPENS) == [BLUE]


def test_who_does_not_own_a_memory_cannot_open_it_to_others(team: Team) -> None:
    for user, space, what, other in (
        ("bob", team.shop, "offer", team.vault),
        ("carol", team.shop, "offer", team.vault),
        ("dave", team.shop, "offer", team.vault),
        ("eve", team.shop, "offer", team.vault),
    ):
        assert _do(team, user, space, what, other).status in (403, 404), (user, what)
    assert _do(team, "alice", team.shop, "offer", team.vault, kind="agent").status == 403


def test_an_offer_is_shown_to_those_whom_it_is_made_to_and_nobody_else(team: Team, carols: str) -> None:
    assert _do(team, "dave", team.vault, "offer", team.shop).status == 200
    try:
        (offer,) = team.one.ask("GET", f"/api/v1/spaces/{team.shop}/shares", carols).json["shares"]
        assert (offer["role"], offer["state"], offer["project"]["name"]) == ("takes", "offered", "vault")
        assert team.one.recalled(carols, team.shop, OPENS) == [BLUE]  # not accepted
    finally:
        _do(team, "dave", team.vault, "revoke", team.shop)
