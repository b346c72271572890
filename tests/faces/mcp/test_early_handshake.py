"""The early connection with real pipes and the SDK's server behind it."""

import json
import os
import threading
from collections.abc import Iterator
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.server.lowlevel import Server

from waypost.faces.mcp import early_handshake
from waypost.faces.mcp.early_answers import EarlyAnswers
from waypost.faces.mcp.early_handshake import EarlyConnection, read_lines
from waypost.faces.mcp.early_streams import serve
from waypost.faces.mcp.shutdown import Shutdown
from waypost.faces.mcp.tool import Tool, ToolReply

TOOLS = (Tool("echo", "Say it again.", lambda call, arguments: ToolReply(str(arguments))),)
OPENING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "client", "version": "1"},
}


class ObservedShutdown(Shutdown):
    """Notes the end instead of ending the tests."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[int] = []

    def end(self, code: int) -> None:
        self.ended.append(code)

    def end_within_limit(self) -> None:
        pass


class Client:
    def __init__(self) -> None:
        self.shutdown = ObservedShutdown()
        source, self._said = os.pipe()
        heard, sink = os.pipe()
        self._heard = os.fdopen(heard, "rb")
        self._ends = [source, sink]
        self.connection = EarlyConnection(EarlyAnswers(TOOLS), self.shutdown, source, sink)

    def say(self, message: dict[str, Any] | bytes) -> None:
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        os.write(self._said, line + b"\n")

    def hear(self) -> Any:
        return json.loads(self._heard.readline())

    def goes(self) -> None:
        os.close(self._said)

    def hear_rest(self) -> list[Any]:
        os.close(self._ends.pop())
        return [json.loads(line) for line in self._heard]

    def wait_for_reader(self) -> None:
        for thread in threading.enumerate():
            if thread.name == "early-connection":
                thread.join(5)
                assert not thread.is_alive()

    def close(self) -> None:
        self.wait_for_reader()  # else it would read from whatever has its number next
        self._heard.close()
        for end in self._ends:
            os.close(end)


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    client.close()


def sdk_server(heard: list[str]) -> Server[Any]:
    async def list_tools(ctx: object, params: object) -> types.ListToolsResult:
        heard.append("list")
        return types.ListToolsResult(tools=[])

    async def call_tool(ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        heard.append(params.name)
        return types.CallToolResult(content=[types.TextContent(type="text", text=params.name)])

    return Server("behind", on_list_tools=list_tools, on_call_tool=call_tool)


def opening(number: int | str = 1, **changes: Any) -> dict[str, Any]:
    return {"id": number, "method": "initialize", "params": {**OPENING, **changes}}


def call(number: int, name: str) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": {}}}


def test_the_opening_is_answered_before_there_is_a_server(client: Client) -> None:
    client.say(opening("a"))
    client.connection.listen(5)
    answer = client.hear()
    assert (answer["id"], answer["result"]["protocolVersion"]) == ("a", "2025-11-25")
    client.say({"method": "notifications/initialized"})
    client.say({"id": 2, "method": "ping"})
    client.say({"id": 3, "method": "tools/list", "params": {"_meta": {"progressToken": 1}}})
    assert client.hear() == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert [tool["name"] for tool in client.hear()["result"]["tools"]] == ["echo"]
    client.goes()


@pytest.mark.slow
def test_the_server_hears_the_opening_and_all_that_waited_in_order_and_the_client_one_answer_to_each(
    client: Client,
) -> None:
    client.say(opening())
    client.connection.listen(5)
    client.say({"method": "notifications/initialized"})
    for number in range(2, 60):
        client.say(call(number, f"tool {number}"))
    client.say({"id": 60, "method": "ping"})
    client.goes()
    heard: list[str] = []
    anyio.run(serve, sdk_server(heard), client.connection)
    assert heard == [f"tool {number}" for number in range(2, 60)]
    answers = client.hear_rest()
    assert sorted(answer["id"] for answer in answers) == list(range(1, 61))
    assert all("result" in answer for answer in answers)
    assert answers[0]["result"]["serverInfo"]["name"] == "waypost"  # the early answer, not that of the SDK's server


@pytest.mark.parametrize(
    "first",
    [
        {"id": 1, "method": "ping"},
        {"id": 1, "method": "initialize"},
        {"id": 1.5, "method": "initialize", "params": OPENING},
        {"id": None, "method": "initialize", "params": OPENING},
        {"id": 1, "method": "initialize", "params": OPENING, "extra": 1},
        opening(protocolVersion="2026-07-28"),
        opening(protocolVersion=["2025-11-25"]),
        opening(capabilities={"roots": {"listChanged": 1}}),
        opening(capabilities={"sampling": True}),
        opening(clientInfo={"name": "client"}),
        opening(clientInfo={"name": "client", "version": "1", "icons": []}),
        opening(_meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
        {"id": 1, "method": "server/discover"},
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_an_opening_that_is_not_quite_as_expected_and_all_after_it_waits_for_the_sdk(
    client: Client, first: dict[str, Any] | bytes
) -> None:
    client.connection.listen(0)
    client.say(first)
    client.say({"id": 2, "method": "ping"})
    client.say({"id": 3, "method": "tools/list"})
    client.goes()
    heard: list[str] = []
    anyio.run(serve, sdk_server(heard), client.connection)
    answers = {answer["id"]: answer for answer in client.hear_rest()}
    assert answers[2]["result"] == {}
    assert client.connection.opening is None
    assert ("result" in answers[3]) == bool(heard)


@pytest.mark.parametrize("params", [{"cursor": "2"}, {"_meta": {"x": 1}}, {"_meta": 1}, [], None])
def test_a_list_that_is_asked_for_in_another_way_waits_for_the_sdk(client: Client, params: object) -> None:
    client.say(opening())
    client.connection.listen(5)
    client.say({"id": 2, "method": "tools/list", "params": params})
    client.goes()
    anyio.run(serve, sdk_server([]), client.connection)
    answers = client.hear_rest()
    assert not any("echo" in json.dumps(answer) for answer in answers if answer["id"] == 2)


def test_after_the_hand_over_the_server_answers_everything(client: Client) -> None:
    client.say(opening())
    client.connection.listen(5)
    heard: list[str] = []

    def converse() -> None:
        client.hear()
        client.say(call(2, "first"))
        client.hear()
        client.say({"id": 3, "method": "tools/list"})
        assert client.hear()["result"] == {"tools": []}
        client.goes()

    speaking = threading.Thread(target=converse)
    speaking.start()
    anyio.run(serve, sdk_server(heard), client.connection)
    speaking.join()
    assert heard == ["first", "list"]


@pytest.mark.parametrize(
    ("line", "number", "code"),
    [
        (b"hello", None, types.PARSE_ERROR),
        (b"[" * 100_000, None, types.PARSE_ERROR),
        (b'[{"jsonrpc":"2.0","id":5,"method":"ping"}]', None, types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, types.INVALID_REQUEST),
        (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', 5, types.INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', "a", types.INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_refused_so_that_nobody_waits(
    client: Client, line: bytes, number: object, code: int
) -> None:
    client.say(opening())
    client.connection.listen(5)
    client.say(line)
    client.say(call(2, "next"))
    client.goes()
    heard: list[str] = []
    anyio.run(serve, sdk_server(heard), client.connection)
    refused = [answer for answer in client.hear_rest() if "error" in answer]
    assert [(answer["id"], answer["error"]["code"]) for answer in refused] == [(number, code)]
    assert heard == ["next"]


def test_half_a_character_is_replaced_and_what_is_no_answer_to_anything_is_passed_over(client: Client) -> None:
    client.say(opening())
    client.connection.listen(5)
    client.say(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cut \\ud83d"}}')
    client.say(b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"cut \xf0\x9f"}}')
    client.say(b'{"jsonrpc":"2.0","id":4,"answer":{}}')
    client.say(b'{"jsonrpc":"2.0","method":"notifications/x","params":{"id":"\xff"}}')
    client.goes()
    heard: list[str] = []
    anyio.run(serve, sdk_server(heard), client.connection)
    assert heard == ["cut ?", "cut \ufffd"]
    assert [answer["id"] for answer in client.hear_rest()] == [1, 2, 3]


def test_a_request_in_progress_is_finished_when_the_client_closes_its_end(client: Client) -> None:
    async def call_tool(ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        await anyio.lowlevel.checkpoint()
        client.goes()
        for _ in range(20):
            await anyio.lowlevel.checkpoint()
        return types.CallToolResult(content=[])

    client.say(opening())
    client.connection.listen(5)
    client.say(call(2, "slow"))
    anyio.run(serve, Server("slow", on_call_tool=call_tool), client.connection)
    assert [answer["id"] for answer in client.hear_rest()] == [1, 2]


def test_a_request_that_the_client_took_back_is_not_waited_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    async def call_tool(ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        await anyio.sleep_forever()
        raise AssertionError

    client.say(opening())
    client.connection.listen(5)
    client.say(call(2, "slow"))
    client.say({"method": "notifications/cancelled", "params": {"requestId": 2}})
    client.goes()
    with anyio.from_thread.start_blocking_portal() as portal:
        portal.start_task_soon(serve, Server("slow", on_call_tool=call_tool), client.connection).result(timeout=1)


def test_a_client_that_goes_before_it_asks_for_anything_is_not_waited_for(client: Client) -> None:
    client.say(opening())
    client.goes()
    client.connection.listen(5)
    client.wait_for_reader()
    assert client.shutdown.ended == [0]


def test_a_client_that_does_not_listen_any_more_ends_the_server(client: Client) -> None:
    heard, sink = os.pipe()
    os.close(heard)
    EarlyConnection(EarlyAnswers(TOOLS), client.shutdown, -1, sink).write(b"x\n")
    os.close(sink)
    assert client.shutdown.ended == [0]


def test_a_message_without_end_is_refused_and_the_next_one_heard(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_handshake, "LINE_LIMIT", 1000)
    client.connection.listen(0)
    client.say(b"x" * 5000)
    assert client.hear()["error"]["code"] == -32600
    client.say(opening(7))
    assert client.hear()["id"] == 7
    client.goes()


def test_lines_come_whole_however_the_pipe_cuts_them() -> None:
    source, sink = os.pipe()
    text = b"".join(b"%d %s\n" % (n, b"y" * (n * 97 % 2000)) for n in range(200))

    def pour() -> None:
        for start in range(0, len(text), 61):
            os.write(sink, text[start : start + 61])
        os.write(sink, b"\n \r\nunfinished")
        os.close(sink)

    threading.Thread(target=pour).start()
    assert list(read_lines(source)) == text.splitlines()
    os.close(source)
