"""What an agent does with its server all day, and the accidents that happen to both."""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from tests.durability.mcp_servers import RelayedServer, Server, has_gone, resident

WORDS = ("amber", "bridge", "cedar", "delta", "ember", "falcon", "garnet", "harbor", "indigo", "juniper", "kestrel")
SOON = 10.0  # seconds for a server to go whose client has gone: two are promised, on a machine with nothing else to do
_CALLS_OF_A_LIFE = (10, 120)
_WARM = 60  # calls after which a server has loaded what it needs


@dataclass
class Log:
    """What all clients together saw. Shared by their threads."""

    acknowledged: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    ends: Counter[str] = field(default_factory=Counter)
    seconds_to_end: list[float] = field(default_factory=list)
    memory: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    lock: Lock = field(default_factory=Lock)


class Agent:
    """One client: it works until the time is over, with one server after the other if they are killed."""

    def __init__(self, number: int, project: Path, log: Log, *, until: float, steady: bool) -> None:
        self._number = number
        self._project = project
        self._log = log
        self._until = until
        self._steady = steady
        self._chance = random.Random(number)
        self._count = 0

    def work(self) -> None:
        try:
            while time.monotonic() < self._until:
                self._live()
        except Exception as error:  # noqa: BLE001  a thread has nobody else to tell it to
            self._log.failures.append(f"agent {self._number}: {type(error).__name__}: {error}")

    def _live(self) -> None:
        relayed = not self._steady and self._number % 2 == 0
        server = (RelayedServer if relayed else Server)(self._project)
        calls = 10**9 if self._steady else self._chance.randint(*_CALLS_OF_A_LIFE)
        try:
            server.open()
            for number in range(calls):
                self._act(server)
                if self._steady and number % 20 == 0 and number >= _WARM:
                    self._log.memory[self._number].append(resident(server.pid))
                if time.monotonic() > self._until:
                    break
            self._end(server, relayed=relayed)
        finally:
            complaint = server.end()
            if complaint:
                self._log.failures.append(f"agent {self._number}: the server complained: {complaint}")

    # -- accidents ------------------------------------------------------------------------------------------

    def _end(self, server: Server, *, relayed: bool) -> None:
        ways: list[Callable[[Server], None]] = [Server.close_input, _stop_reading, _kill_in_a_call, _terminate]
        way = _kill_client if relayed else Server.close_input if self._steady else self._chance.choice(ways)
        began = time.monotonic()
        way(server)
        gone = has_gone(server.pid, SOON) if relayed else server.process.wait(SOON) is not None
        with self._log.lock:
            self._log.ends[way.__name__.strip("_")] += 1
            self._log.seconds_to_end.append(time.monotonic() - began)
            if not gone:
                self._log.failures.append(f"agent {self._number}: {server.pid} outlived its client")

    # -- work -----------------------------------------------------------------------------------------------

    def _act(self, server: Server) -> None:
        tool = self._chance.choice(
            ["recall"] * 5 + ["remember"] * 4 + ["brief", "about_code", "decide", "why", "status"]
        )
        arguments = self._arguments(tool)
        began = time.monotonic()
        result = server.call(tool, **arguments)
        with self._log.lock:
            self._log.seconds[tool].append(time.monotonic() - began)
            if result.get("isError"):
                self._log.failures.append(f"agent {self._number}: {tool} {arguments}: {result['content'][0]['text']}")
            elif tool in {"remember", "decide"}:
                self._log.acknowledged[result["structuredContent"]["id"]] = arguments["text"]

    def _arguments(self, tool: str) -> dict[str, Any]:
        self._count += 1
        words = " ".join(self._chance.choices(WORDS, k=6))
        match tool:
            case "remember":
                return {"text": f"Agent {self._number} noted as number {self._count} that {words} go together."}
            case "decide":
                text = f"Use {words} for the task {self._number}-{self._count}."
                return {"text": text, "because": [f"{words} is what {self._number} measured."]}
            case "about_code":
                return {"path": f"part_{self._chance.randrange(20)}.py"}
            case "brief":
                return {"task": f"Change how {words} are read"}
            case "status":
                return {}
        return {"question": f"What is known of {words}?"}


def _stop_reading(server: Server) -> None:
    server.close_output()
    server.start("ping")


def _kill_in_a_call(server: Server) -> None:
    server.start("tools/call", {"name": "remember", "arguments": {"text": "Perhaps this is kept, perhaps it is not."}})
    server.process.kill()


def _terminate(server: Server) -> None:
    server.start("tools/call", {"name": "recall", "arguments": {"question": "Who is there?"}})
    server.process.terminate()


def _kill_client(server: Server) -> None:
    server.process.kill()  # the process that relays; the server is behind it
