"""How much a server answers: `python -m benchmarks.serve_load [--memories 2000] [--seconds 15] [--steady 120]`.

`waypost serve` in a process of its own, with MiniLM, over real texts; 1, 8 and 32 clients that recall, then as many that
write, each over a connection that it keeps, as fast as it gets answers. All the while an agent works over MCP: it recalls,
asks for a briefing, and remembers, by turns. Last, a steady mix in which what is written is forgotten again, to see
whether the memory of the server grows where the store does not.
"""

import argparse
import asyncio
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import urlencode

from benchmarks.corpus import questions, real_texts

CLIENTS = (1, 8, 32)
SPARE = 20_000  # texts for writes
_IDLE_SECONDS = 2.0  # a server closes what nobody uses for a while: as other clients do, we are there before it
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True)
class Figures:
    """Of one stage: how long each answer took, and what was no answer."""

    took: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        return len(self.took) / self.seconds if self.seconds else 0.0

    def percentile(self, wanted: int) -> float:
        return 1000 * quantiles(self.took, n=100)[wanted - 1] if len(self.took) > 1 else float("nan")


@dataclass(frozen=True, slots=True)
class Server:
    process: int
    port: int
    token: str

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        pages = int(Path(f"/proc/{self.process}/statm").read_text().split()[1])
        return pages * _PAGE / 2**20

    def own_memory_mb(self) -> float:
        """Without pages of files, such as models', which are read once and which the system takes back when it needs to."""
        lines = Path(f"/proc/{self.process}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


class Client:
    """One connection that is kept."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        self._headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
        self._used = time.monotonic()

    def ask(
        self, method: str, target: str, body: dict[str, Any] | None = None, *, token: str | None = None
    ) -> tuple[int, Any]:
        """Status and answer. `token`: another than the server's; an empty one is not sent."""
        sent = json.dumps(body) if body is not None else None
        headers = dict(self._headers)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
            if not token:
                del headers["Authorization"]
        if time.monotonic() - self._used > _IDLE_SECONDS:
            self._connection.close()  # it is opened again by the request
        self._connection.request(method, target, sent, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        self._used = time.monotonic()
        return answer.status, json.loads(content) if content else None

    def close(self) -> None:
        self._connection.close()


Act = Callable[[Client, random.Random], None]


def load(server: Server, clients: int, seconds: float, act: Act) -> Figures:
    """So many clients, each in a thread, as fast as they get answers."""
    figures, guard = Figures(), threading.Lock()
    started = threading.Barrier(clients + 1)
    ends: list[float] = []

    def work(number: int) -> None:
        client, chance = Client(server), random.Random(number)
        took, errors = [], []
        started.wait()
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            try:
                act(client, chance)
                took.append(time.perf_counter() - began)
            except (OSError, http.client.HTTPException, AssertionError) as error:
                errors.append(f"{type(error).__name__}: {error}"[:200])
                client.close()
        client.close()
        with guard:
            figures.took += took
            figures.errors += errors
            ends.append(time.perf_counter())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    started.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    figures.seconds = max(ends) - began
    return figures


# -- what clients do ----------------------------------------------------------------------------------------------


def recalling(asked: list[str]) -> Act:
    def act(client: Client, chance: random.Random) -> None:
        status, found = client.ask("GET", f"/api/memories/search?{urlencode({'q': chance.choice(asked)})}")
        assert status == 200, (status, found)

    return act


def writing(texts: Iterator[str]) -> Act:
    guard = threading.Lock()

    def act(client: Client, _: random.Random) -> None:
        with guard:
            text = next(texts)
        status, told = client.ask("POST", "/api/memories", {"text": text})
        assert status in {200, 201}, (status, told)

    return act


def steady(asked: list[str], texts: Iterator[str]) -> Act:
    """Of ten, eight recall, and one writes what the next forgets."""
    recall, guard = recalling(asked), threading.Lock()

    def act(client: Client, chance: random.Random) -> None:
        if chance.random() < 0.9:
            recall(client, chance)
            return
        with guard:
            text = next(texts)
        status, told = client.ask("POST", "/api/memories", {"text": text})
        assert status in {200, 201}, (status, told)
        if status == 201:
            status, told = client.ask("DELETE", f"/api/memories/{told['id']}")
            assert status == 200, (status, told)

    return act


# -- the agent beside ---------------------------------------------------------------------------------------------


@contextmanager
def agent(server: Server, asked: list[str], texts: Iterator[str]) -> Iterator[Figures]:
    """Works until the block ends."""
    figures, ended, ready = Figures(), threading.Event(), threading.Event()

    async def work() -> None:
        import httpx2
        from mcp import Client as McpClient
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": f"Bearer {server.token}"}
        chance = random.Random(0)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=120) as connection,
            McpClient(streamable_http_client(f"http://127.0.0.1:{server.port}/mcp", http_client=connection)) as client,
        ):
            ready.set()
            for number in range(10**9):
                if ended.is_set():
                    return
                began = time.perf_counter()
                if number % 10 == 9:
                    answer = await client.call_tool("remember", {"text": next(texts)})
                elif number % 10 == 5:
                    answer = await client.call_tool("brief", {"task": chance.choice(asked)})
                else:
                    answer = await client.call_tool("recall", {"question": chance.choice(asked)})
                if answer.is_error:
                    figures.errors.append(str(answer.content)[:200])
                figures.took.append(time.perf_counter() - began)

    def run() -> None:
        try:
            asyncio.run(work())
        except Exception as error:  # noqa: BLE001  whatever stops the agent is what we want to know
            figures.errors.append(repr(error)[:500])
            ready.set()

    thread = threading.Thread(target=run)
    began = time.perf_counter()
    thread.start()
    ready.wait(60)
    try:
        yield figures
    finally:
        ended.set()
        thread.join()
        figures.seconds = time.perf_counter() - began


@contextmanager
def serving(folder: Path, home: Path, *, of_folder: bool = True, **settings: str) -> Iterator[Server]:
    """`waypost serve` for a folder, or started there without being told of a project. A team's server has no token of its
    own. `settings` are further variables of its environment."""
    environment = {**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", **settings}
    chosen = ["-C", str(folder)] if of_folder else []
    command = [sys.executable, "-m", "waypost", *chosen, "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        try:
            port = int(told["listens"].rpartition(":")[2])
            token = Path(told["token_file"]).read_text().strip() if told.get("token_file") else ""
            yield Server(process.pid, port, token)
        finally:
            if process.poll() is not None:
                print(f"the server ended by itself: {process.returncode}", file=sys.stderr)
            process.terminate()
            process.wait(20)


def prepare(folder: Path, home: Path, texts: list[str]) -> None:
    os.environ |= {"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"}
    from waypost import Memory

    folder.mkdir()
    with Memory.open(folder) as memory:
        for start in range(0, len(texts), 500):
            memory.remember_many({"text": text} for text in texts[start : start + 500])


def main() -> None:
    options = _options()
    every = real_texts(options.memories + SPARE)
    texts, spare = every[: options.memories], iter(every[options.memories :])
    asked = questions(texts, 300)
    with tempfile.TemporaryDirectory(prefix="serve-load-") as work:
        home, folder = Path(work, "home"), Path(work, "project")
        prepare(folder, home, texts)
        with serving(folder, home) as server:
            load(server, 1, 3, recalling(asked))  # the model is loaded, the caches are warm
            print(f"{options.memories:,} memories; load of the machine {os.getloadavg()[0]:.1f}; memory of the server")
            print(f"after a warm-up {server.memory_mb():.0f} MiB\n")
            with agent(server, asked, spare) as beside:
                _stages(server, beside, options.seconds, asked, spare)
                if options.steady:
                    _steady(server, options.steady, asked, spare)
            print(f"\nthe agent beside: {beside.rate:.1f} calls a second, p95 {beside.percentile(95):.0f} ms, ", end="")
            print(f"{len(beside.errors)} errors")
            for error in beside.errors[:5]:
                print(f"  {error}")


def _stages(server: Server, beside: Figures, seconds: float, asked: list[str], spare: Iterator[str]) -> None:
    """CPU is the server's for each answer, those to the agent among them: it depends least on who else computes."""
    print(
        "| clients | recall a second | p50 / p95, ms | CPU | writes a second | p50 / p95, ms | CPU | errors | memory |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for clients in CLIENTS:
        cells: list[str] = []
        errors: list[str] = []
        for act in (recalling(asked), writing(spare)):
            busy, calls = server.cpu_seconds(), len(beside.took)
            figures = load(server, clients, seconds, act)
            answers = len(figures.took) + len(beside.took) - calls
            each = 1000 * (server.cpu_seconds() - busy) / max(1, answers)
            cells += [f"{figures.rate:.0f}", f"{figures.percentile(50):.0f} / {figures.percentile(95):.0f}"]
            cells.append(f"{each:.0f} ms")
            errors += figures.errors
        print(f"| {clients} | {' | '.join(cells)} | {len(errors)} | {server.memory_mb():.0f} MiB |", flush=True)
        for error in errors[:5]:
            print(f"  {error}", file=sys.stderr)


def _steady(server: Server, seconds: float, asked: list[str], spare: Iterator[str]) -> None:
    """A tenth of the time at a time, so that a slope shows."""
    print(f"\nsteady mix of 8 clients for {seconds:.0f} s, memory of the server in MiB:")
    count, errors = 0, []
    for _ in range(10):
        figures = load(server, 8, seconds / 10, steady(asked, spare))
        count += len(figures.took)
        errors += figures.errors
        print(f"{server.memory_mb():.1f}", end=" ", flush=True)
    print(f"\n{count:,} acts, {len(errors)} errors")
    for error in errors[:5]:
        print(f"  {error}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=15.0, help="of each stage")
    parser.add_argument("--steady", type=float, default=120.0, help="seconds of the steady mix; 0 leaves it out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
