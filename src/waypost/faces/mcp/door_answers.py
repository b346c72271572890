"""What can be answered before the SDK is there: the opening of a connection, `ping` and `tools/list`.

The rule is to be sure: whatever is not exactly as expected waits for the SDK, which knows the protocol better.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from waypost.faces.mcp import hello
from waypost.faces.mcp.tool import Tool

_OPENING = "initialize"
_ENVELOPE = {"jsonrpc", "id", "method", "params"}


class Answers:
    """One connection as far as plain data answers it. A connection that does not begin with `initialize` is not ours."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = tools
        self._begun = False
        self.opening: str | int | None = None  # the id of the opening that was answered
        self.others_wait = False  # something that needs an answer was left to the SDK

    def answer(self, line: bytes) -> bytes | None:
        """The line that answers this one; None: it is for the SDK to answer or to note."""
        request = _request(line)
        first, self._begun = not self._begun, True
        result = self._result(request, first=first) if request else None
        if request is None or result is None:
            self.others_wait |= b'"id"' in line
            return None
        if first:
            self.opening = request["id"]
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def _result(self, request: Mapping[str, Any], *, first: bool) -> dict[str, Any] | None:
        params = request.get("params", {})
        if not isinstance(params, dict):
            return None
        if first:
            return hello.initialize_result(params) if request["method"] == _OPENING and _well_formed(params) else None
        if self.opening is None or not _asks_for_nothing_more(params):
            return None
        match request["method"]:
            case "ping":
                return {}
            case "tools/list":
                return {"tools": hello.listing(self._tools)}
        return None


def is_opening(line: bytes) -> bool:
    """Whether an answered line is the one that the SDK must hear too."""
    request = _request(line)
    return request is not None and request["method"] == _OPENING


def _request(line: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not message.keys() <= _ENVELOPE:
        return None
    named = type(message.get("id")) in {str, int} and isinstance(message.get("method"), str)
    return message if named else None


def _well_formed(params: Mapping[str, Any]) -> bool:
    """Whether the SDK would accept this opening without a word; it has the last one on everything unusual."""
    client, abilities = params.get("clientInfo"), params.get("capabilities")
    if not isinstance(client, dict) or not isinstance(abilities, dict):
        return False
    return (
        params.keys() == {"protocolVersion", "clientInfo", "capabilities"}
        and params["protocolVersion"] in hello.HANDSHAKE_VERSIONS
        and {"name", "version"} <= client.keys()
        and all(isinstance(value, str) for value in client.values())
        and all(isinstance(one, dict) and _flags(one) for one in abilities.values())
    )


def _flags(ability: Mapping[str, Any]) -> bool:
    """The shapes that are in use: `{}`, `{"listChanged": true}`, `{"form": {}, "url": {}}`."""
    return all(
        value is True or value is False if name == "listChanged" else value == {} for name, value in ability.items()
    )


def _asks_for_nothing_more(params: Mapping[str, Any]) -> bool:
    meta = params.get("_meta", {})
    return (
        params.keys() <= {"_meta"}
        and isinstance(meta, dict)
        and meta.keys() <= {"progressToken"}
        and all(type(token) in {str, int} for token in meta.values())
    )
