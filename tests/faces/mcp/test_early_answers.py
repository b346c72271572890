"""Early answers are those of the SDK's server, so that clients cannot see the difference."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from waypost.faces.mcp import server_info
from waypost.faces.mcp.compat import PROFILES, tools_of
from waypost.faces.mcp.early_answers import EarlyAnswers
from waypost.faces.mcp.early_handshake import EarlyConnection
from waypost.faces.mcp.early_streams import serve
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.shutdown import Shutdown
from waypost.faces.mcp.tool import Tool

CLIENTS: list[dict[str, Any]] = [  # as known agents introduce themselves
    {"capabilities": {}, "clientInfo": {"name": "client", "version": "0"}},
    {
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}},
        "clientInfo": {"name": "client", "title": "Клиент", "version": "1.0", "websiteUrl": "https://client.example"},
    },
    {"capabilities": {"roots": {}, "elicitation": {}}, "clientInfo": {"name": "", "version": ""}},
]


class Silent(EarlyAnswers):
    """Leaves everything to the SDK."""

    def answer(self, line: bytes) -> bytes | None:
        return None


def conversation(version: str, client: dict[str, Any]) -> list[bytes]:
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": version, **client}},
        {"method": "notifications/initialized"},
        {"id": "two", "method": "ping"},
        {"id": 3, "method": "ping", "params": {}},
        {"id": 4, "method": "tools/list"},
        {"id": 5, "method": "tools/list", "params": {"_meta": {"progressToken": "t"}}},
    ]
    return [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]


def enveloped(version: str, client: dict[str, Any], first: str) -> list[bytes]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": client["clientInfo"],
        "io.modelcontextprotocol/clientCapabilities": client["capabilities"],
    }
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": first, "params": {"_meta": meta}},
        {"id": "two", "method": "tools/list", "params": {"_meta": {**meta, "progressToken": 2}}},
        {"id": 3, "method": "server/discover", "params": {"_meta": meta}},
    ]
    return [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]


def answers_of_server(lines: list[bytes], tools: tuple[Tool, ...], folder: Path) -> list[Any]:
    source, said = os.pipe()
    os.write(said, b"\n".join(lines) + b"\n")
    os.close(said)
    with (folder / "answers").open("wb") as sink:
        early = EarlyConnection(Silent(tools), _Lasting(), source, sink.fileno())
        early.listen(5)
        anyio.run(serve, build_server(tools, ServedProject(folder)), early)
    os.close(source)
    return [json.loads(line) for line in (folder / "answers").read_bytes().splitlines()]


class _Lasting(Shutdown):
    def end(self, code: int) -> None:
        del code

    def end_within_limit(self) -> None:
        pass


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("client", CLIENTS)
def test_early_answers_are_those_of_the_server_in_every_revision_of_the_protocol(
    version: str, client: dict[str, Any], tmp_path: Path
) -> None:
    _compare(conversation(version, client), tools_of("default"), tmp_path, count=5)


@pytest.mark.parametrize("version", MODERN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("first", ["server/discover", "tools/list"])
def test_early_answers_are_those_of_the_server_where_every_request_has_an_envelope(
    version: str, client: dict[str, Any], first: str, tmp_path: Path
) -> None:
    _compare(enveloped(version, client, first), tools_of("default"), tmp_path, count=3)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_early_list_has_the_tools_of_every_profile_as_the_server_does(profile: str, tmp_path: Path) -> None:
    _compare(conversation(HANDSHAKE_PROTOCOL_VERSIONS[-1], CLIENTS[0]), tools_of(profile), tmp_path, count=5)


def _compare(lines: list[bytes], tools: tuple[Tool, ...], folder: Path, *, count: int) -> None:
    early = EarlyAnswers(tools)
    said = [json.loads(answer) for answer in map(early.answer, lines) if answer is not None]
    assert len(said) == count
    assert {str(one["id"]): one for one in said} == {
        str(one["id"]): one for one in answers_of_server(lines, tools, folder)
    }


def test_early_answers_know_the_revisions_that_the_sdk_knows() -> None:
    assert server_info.HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert server_info.ENVELOPE_VERSIONS == MODERN_PROTOCOL_VERSIONS


def test_an_opening_with_a_revision_that_nobody_knows_is_left_to_the_sdk() -> None:
    assert EarlyAnswers(()).answer(conversation("2031-01-01", CLIENTS[0])[0]) is None


def test_nothing_is_answered_before_the_opening_nor_a_second_one() -> None:
    opening, *rest = conversation("2025-11-25", CLIENTS[0])
    assert [EarlyAnswers(()).answer(line) for line in rest] == [None] * len(rest)
    early = EarlyAnswers(())
    assert early.answer(opening)
    assert early.answer(opening) is None


def test_the_two_ways_to_open_do_not_mix() -> None:
    handshake, *_, listing, _ = conversation("2025-11-25", CLIENTS[0])
    discover, enveloped_listing, _ = enveloped("2026-07-28", CLIENTS[0], "server/discover")
    early = EarlyAnswers(())
    assert early.answer(handshake)
    assert [early.answer(line) for line in (discover, enveloped_listing)] == [None, None]
    early = EarlyAnswers(())
    assert early.answer(discover)
    assert [early.answer(line) for line in (handshake, listing)] == [None, None]
