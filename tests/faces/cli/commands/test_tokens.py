"""Agents get tokens of their own."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.faces.guard.tokens import TokenFile


@pytest.fixture
def tokens() -> TokenFile:
    return TokenFile(config.load().home)


def test_a_token_is_shown_once_and_known_by_its_holder(waypost: Waypost, tokens: TokenFile) -> None:
    made = waypost("token", "make", "cursor").out.strip()
    asks = waypost("token", "make", "board", "--person", "--yes", "--read-only", "--json").json
    cursor, board = tokens.verify(made), tokens.verify(asks["token"])
    assert cursor is not None
    assert board is not None
    assert (cursor.name, cursor.kind, cursor.writes) == ("cursor", "agent", True)
    assert (board.name, board.kind, board.writes) == ("board", "person", False)
    listed = waypost("token", "list")
    assert "cursor  agent, read and write" in listed.out
    assert "board  person, read only" in listed.out
    assert cursor.space == board.space == waypost("status", "--json").json["space"]
    assert made not in listed.out + Path(tokens.named_path).read_text()


def test_a_revoked_token_opens_nothing(waypost: Waypost, tokens: TokenFile) -> None:
    made = waypost("token", "make", "cursor").out.strip()
    assert waypost("token", "revoke", "cursor", "--json").json == {"name": "cursor", "status": "revoked"}
    assert tokens.verify(made) is None
    assert waypost("token", "list", "--json").json == {"tokens": []}
    assert "waypost token make" in waypost("token", "list").out


def test_a_wrong_name_is_refused(waypost: Waypost) -> None:
    waypost("token", "make", "cursor")
    assert "A token named 'cursor'" in waypost("token", "make", "cursor").err
    assert waypost("token", "make", "../x").code == 2
    assert waypost("token", "revoke", "nobody").code == 3


def test_an_agent_makes_no_token_that_speaks_for_a_person(waypost: Waypost, tokens: TokenFile) -> None:
    refused = waypost("token", "make", "board", "--person")
    assert refused.code == 2
    assert "Only a person at a terminal" in refused.err
    assert tokens.named() == ()


def test_a_token_for_every_memory_has_to_be_asked_for(waypost: Waypost, tokens: TokenFile) -> None:
    made = tokens.verify(waypost("token", "make", "cursor", "--everywhere").out.strip())
    assert made is not None
    assert made.opens("0" * 16)
    assert "everywhere" in waypost("token", "list").out
