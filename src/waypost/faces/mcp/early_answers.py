"""Answers the first requests from plain data, before the SDK is imported: the opening, `ping` and `tools/list`.

A client opens in one of two ways. Older revisions send `initialize` once. Newer ones send an envelope with each request
that names the client, and may ask `server/discover` first. Any unexpected message waits for the SDK.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from waypost.faces.mcp import server_info as hello
from waypost.faces.mcp.tool import Tool

_PARTS = {"jsonrpc", "id", "method", "params"}
_OF_ENVELOPE = "io.modelcontextprotocol/"
_VERSION, _CLIENT, _ABILITIES, _SERVER = (
    _OF_ENVELOPE + name for name in ("protocolVersion", "clientInfo", "clientCapabilities", "serverInfo")
)


class EarlyAnswers:
    """Answers on one connection. Its first message decides which protocol it uses."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tools
        self._opens: Literal["", "handshake", "envelope", "unknown"] = ""
        self.opening: str | int | None = None  # the id of the first message, if it was answered
        self.others_wait = False  # whether a request is left for the SDK

    def answer(self, line: bytes) -> bytes | None:
        """The line that answers this one, or None if the SDK must handle it."""
        request = _request(line)
        first = not self._opens
        if first:
            self._opens = _way_of_opening(request)
        result = None if request is None else self._result(request, first=first)
        if request is None or result is None:
            self.others_wait |= b'"id"' in line
            return None
        if first:
            self.opening = request["id"]
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _result(self, request: Mapping[str, Any], *, first: bool) -> dict[str, Any] | None:
        params = request.get("params", {})
        match self._opens, request["method"]:
            case "handshake", "initialize" if first:
                return hello.initialize_result(params)
            case "handshake", "ping" if not first and _says_nothing(params):
                return {}
            case "handshake", "tools/list" if not first and _says_nothing(params):
                return {"tools": hello.listing(self._tools)}
            case "envelope", "server/discover" if _is_envelope(params):
                result = hello.initialize_result({})
                del result["protocolVersion"], result["serverInfo"]
                return _enveloped({**result, "supportedVersions": list(hello.ENVELOPE_VERSIONS)})
            case "envelope", "tools/list" if _is_envelope(params):
                return _enveloped({"tools": hello.listing(self._tools)})
        return None


def _request(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not message.keys() <= _PARTS:
        return None
    named = type(message.get("id")) in {str, int} and isinstance(message.get("method"), str)
    return message if named and isinstance(message.get("params", {}), dict) else None


def _way_of_opening(request: Mapping[str, Any] | None) -> Literal["handshake", "envelope", "unknown"]:
    if request is None:
        return "unknown"
    params = request.get("params", {})
    if request["method"] == "initialize":
        return "handshake" if _is_handshake(params) else "unknown"
    return "envelope" if _is_envelope(params) else "unknown"


def _is_handshake(params: Mapping[str, Any]) -> bool:
    return (
        params.keys() == {"protocolVersion", "clientInfo", "capabilities"}
        and params["protocolVersion"] in hello.HANDSHAKE_VERSIONS
        and _is_client(params["clientInfo"])
        and _are_abilities(params["capabilities"])
    )


def _is_envelope(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta")
    return (
        params.keys() == {"_meta"}
        and isinstance(meta, dict)
        and meta.keys() - {"progressToken"} == {_VERSION, _CLIENT, _ABILITIES}
        and type(meta.get("progressToken", 0)) in {str, int}
        and meta[_VERSION] in hello.ENVELOPE_VERSIONS
        and _is_client(meta[_CLIENT])
        and _are_abilities(meta[_ABILITIES])
    )


def _is_client(client: Any) -> bool:
    return (
        isinstance(client, dict)
        and {"name", "version"} <= client.keys()
        and all(isinstance(value, str) for value in client.values())
    )


def _are_abilities(abilities: Any) -> bool:
    """Whether these are shapes in use: `{}`, `{"listChanged": true}`, `{"form": {}, "url": {}}`."""
    return isinstance(abilities, dict) and all(
        isinstance(ability, dict)
        and all(isinstance(value, bool) if name == "listChanged" else value == {} for name, value in ability.items())
        for ability in abilities.values()
    )


def _says_nothing(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta", {})
    return (
        params.keys() <= {"_meta"}
        and isinstance(meta, dict)
        and meta.keys() <= {"progressToken"}
        and all(type(token) in {str, int} for token in meta.values())
    )


def _enveloped(result: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "resultType": "complete",
        "cacheScope": "private",
        "ttlMs": 0,
        **result,
        "_meta": {_SERVER: hello.server_info()},
    }
