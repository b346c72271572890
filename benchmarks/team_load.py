"""Several servers behind one PostgreSQL, many clients, a mixed load:

    python -m benchmarks.team_load [--servers 4] [--clients 32] [--seconds 300] [--spaces 3] [--memories 300]

A PostgreSQL that waits for the disk; `waypost serve` in so many processes, none of which has a tree; clients that keep a
connection to every server and take any of them for each request, as fast as they get answers: of a hundred requests seventy
recall, twenty write, five ask for the context of a task, five list or show. Each client has a token for one memory; a quarter of
them may only read. All the while it is checked that
- what was written through one server is shown and found through another at once,
- no answer holds words of another memory, and nobody gets past the borders between memories and between roles,
and at the end that every acknowledged write is there exactly once. Whatever goes wrong is listed, and the run ends with an error.

`--tokens home` has the servers share a home and its tokens instead of the users and roles of a team.
"""

import argparse
import itertools
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.corpus import questions, real_texts
from benchmarks.serve_load import Client, Figures, Server, serving
from benchmarks.team_probes import FORBIDDEN, probe
from tests.postgres_server import Postgres

from waypost import Memory, config
from waypost.model.time import utc_now

RESULTS = Path(__file__).parent / "results" / "team_load.jsonl"
COLOURS = ("Amber", "Birch", "Cobalt", "Damson", "Ember", "Fennel", "Garnet", "Hazel")  # the projects' names
MIX = {"recall": 70, "write": 20, "context": 5, "list": 5}
READERS = 4  # every so many clients a reader
CROSSED = 0.2  # of the writes are looked for through another server
PROBED = 0.05  # of the requests are followed by one that has to be refused
SAMPLES = 10  # of the memory of the servers
SPARE = 15_000  # texts for writes


@dataclass(frozen=True, slots=True)
class Project:
    """A memory of the team, and the tokens that open it."""

    name: str
    space_id: str
    folder: Path
    first_id: str  # of a memory that is in it
    writer: str
    reader: str


@dataclass(slots=True)
class Seen:
    """What all clients saw together."""

    took: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    statuses: Counter[int] = field(default_factory=Counter)
    written: dict[str, str] = field(default_factory=dict)  # id of what was acknowledged → its text
    maybe: list[str] = field(default_factory=list)  # texts whose answer never came
    crossed: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def note(self, wrong: str) -> None:
        with self.guard:
            self.wrong.append(wrong[:300])


class Worker:
    """One client: a token for one memory, and a connection to each server."""

    def __init__(
        self, number: int, servers: Sequence[Server], projects: Sequence[Project], asked: Sequence[str],
        texts: Iterator[str], seen: Seen,
    ) -> None:  # fmt: skip
        self.own = projects[number % len(projects)]
        self.others = [one for one in projects if one is not self.own]
        self.is_reader = number % READERS == READERS - 1
        token = self.own.reader if self.is_reader else self.own.writer
        self.clients = [Client(replace(server, token=token)) for server in servers]
        self._chance, self._asked, self._texts, self.seen = random.Random(number), asked, texts, seen
        # Readers write nothing: the others write more, so that all together keep to the mix.
        share = {**MIX, "write": 0} if self.is_reader else {**MIX, "write": MIX["write"] * READERS / (READERS - 1)}
        self._sorts, self._weights = list(share), list(share.values())
        self.base = f"/api/v1/spaces/{self.own.space_id}"

    def work(self, until: float) -> None:
        while time.perf_counter() < until:
            sort = self._chance.choices(self._sorts, self._weights)[0]
            client = self._chance.choice(self.clients)
            try:
                {"recall": self._recall, "write": self._write, "context": self._context, "list": self._list}[sort](
                    client
                )
                if self._chance.random() < PROBED:
                    probe(self, self._chance.choice(self.clients), self._chance)
            except Exception as error:  # noqa: BLE001  a client that falls silent would look like one without errors
                self.seen.note(f"{sort}: {type(error).__name__}: {error}")
                client.close()
        for client in self.clients:
            client.close()

    def ask(self, sort: str, client: Client, method: str, target: str, body: dict[str, Any] | None = None) -> Any:
        """One request of the load. Its answer, or None where it is an error."""
        began = time.perf_counter()
        status, answer = client.ask(method, target, body)
        took = time.perf_counter() - began
        with self.seen.guard:
            self.seen.statuses[status] += 1
            self.seen.took[sort].took.append(took)
            if status not in {200, 201}:
                self.seen.took[sort].errors.append(str(status))
                self.seen.wrong.append(f"{sort}: {status} {answer}"[:300])
                return None
        return answer

    def _recall(self, client: Client) -> None:
        question = urlencode({"q": self._chance.choice(self._asked), "k": 10})
        self._only_own(self.ask("recall", client, "GET", f"{self.base}/recall?{question}"))

    def _context(self, client: Client) -> None:
        task = urlencode({"task": self._chance.choice(self._asked), "tokens": 1000})
        answer = self.ask("context", client, "GET", f"{self.base}/context?{task}")
        self._no_others(json.dumps(answer))

    def _list(self, client: Client) -> None:
        page = self.ask("list", client, "GET", f"{self.base}/memories?limit=20")
        if page and page["memories"]:
            one = self._chance.choice(page["memories"])
            self._no_others(json.dumps(page))
            self.ask("show", client, "GET", f"{self.base}/memories/{one['id']}")

    def _write(self, client: Client) -> None:
        with self.seen.guard:
            text = f"Project {self.own.name}, {next(self._texts)}"
        try:
            told = self.ask("write", client, "POST", f"{self.base}/memories", {"text": text})
        except (OSError, HTTPException):
            with self.seen.guard:
                self.seen.maybe.append(text)
            raise
        if told is None:
            return
        with self.seen.guard:
            self.seen.written[told["id"]] = text
        if told["status"] != "added":
            self.seen.note(f"write: {told['status']} instead of added: {text}")
        if self._chance.random() < CROSSED:
            self._look_elsewhere(client, told["id"], text)

    def _look_elsewhere(self, client: Client, memory_id: str, text: str) -> None:
        """What was just acknowledged, through another server, where there is one."""
        other = self._chance.choice([one for one in self.clients if one is not client] or self.clients)
        shown = self.ask("show", other, "GET", f"{self.base}/memories/{memory_id}")
        if shown is None or shown["text"] != text:
            self.seen.note(f"not shown elsewhere: {memory_id}")
        found = self.ask("recall", other, "GET", f"{self.base}/recall?{urlencode({'q': text, 'k': 10})}")
        if found is None or memory_id not in {hit["id"] for hit in found["hits"]}:
            self.seen.note(f"not found elsewhere: {text}")
        with self.seen.guard:
            self.seen.crossed += 1

    def _only_own(self, answer: Any) -> None:
        for hit in answer["hits"] if answer else ():
            if not hit["text"].startswith(f"Project {self.own.name}"):
                self.seen.note(f"a hit of another memory for {self.own.name}: {hit['text']}")

    def _no_others(self, answer: str) -> None:
        for other in self.others:
            if f"Project {other.name}" in answer:
                self.seen.note(f"words of {other.name} for {self.own.name}")


# -- the team -----------------------------------------------------------------------------------------------------


def made_projects(
    work: Path, dsn: str, texts: Sequence[str], count: int, each: int
) -> list[tuple[str, str, Path, str]]:
    """Projects with memories in PostgreSQL: name, id, folder, and the id of one memory."""
    settings = config.load({"WAYPOST_HOME": str(work / "admin"), "WAYPOST_BACKGROUND": "0", "WAYPOST_STORE": dsn})
    made = []
    for place, name in enumerate(COLOURS[:count]):
        folder = work / name.lower()
        folder.mkdir()
        own = texts[place * each : (place + 1) * each]
        with Memory.open(folder, settings=settings) as memory:
            receipts = memory.remember_many({"text": f"Project {name}, {text}"} for text in own)
            memory.admin.embed_pending()
            first = receipts[0].id
            assert first is not None
            made.append((name, memory.identity.space_id, folder, first))
    return made


def team_tokens(dsn: str, space_id: str, name: str) -> tuple[str, str]:
    """Of a writer and of a reader of this memory: users of the team, each with an agent."""
    from waypost.faces.guard.team_tokens import make_token
    from waypost.store.postgres.connection import connections
    from waypost.store.postgres.directory.directory import Directory

    made = []
    with connections(dsn).alone() as connection:
        directory = Directory(connection.raw)
        for role in ("writer", "reader"):
            user = f"{name.lower()}_{role}"
            directory.add_user(user)
            directory.add_member(space_id, user, "writer" if role == "writer" else "reader")
            made.append(make_token(directory, user, "agent", kind="agent", rights="write"))
    return made[0], made[1]


def home_tokens(home: Path, space_id: str, name: str) -> tuple[str, str]:
    from waypost.faces.guard.tokens import TokenFile

    tokens = TokenFile(home)
    writer = tokens.make(f"{name}-writer", kind="agent", rights="write", space=space_id, clock=utc_now)
    reader = tokens.make(f"{name}-reader", kind="agent", rights="read", space=space_id, clock=utc_now)
    return writer, reader


def server_login(dsn: str) -> str:
    """Set up the team; the address by which its servers log in."""
    from waypost.store.postgres.connection import connections
    from waypost.store.postgres.directory.installation import set_up

    with connections(dsn).alone() as connection:
        names = set_up(connection, "the benchmark", utc_now()).names
    assert names is not None
    return dsn.replace("postgres@", f"{names.server}@", 1)


# -- the run ------------------------------------------------------------------------------------------------------


def run(workers: Sequence[Worker], servers: Sequence[Server], seconds: float) -> list[list[float]]:
    """All clients at once for so long. Returns the servers' own memory in MiB, sampled on the way."""
    until = time.perf_counter() + seconds
    threads = [threading.Thread(target=worker.work, args=(until,)) for worker in workers]
    for thread in threads:
        thread.start()
    held = []
    for _ in range(SAMPLES):
        time.sleep(max(0.0, seconds / SAMPLES))
        held.append([round(server.own_memory_mb(), 1) for server in servers])
        told = (f"{server.memory_mb():.0f} ({own:.0f})" for server, own in zip(servers, held[-1], strict=True))
        print("memory of the servers, MiB (without pages of files):", *told, flush=True)
    for thread in threads:
        thread.join()
    return held


def lost_and_doubled(work: Path, dsn: str, projects: Sequence[Project], seen: Seen) -> tuple[list[str], list[str]]:
    """Acknowledged writes that are not there, and texts that are there twice."""
    settings = config.load({"WAYPOST_HOME": str(work / "admin"), "WAYPOST_BACKGROUND": "0", "WAYPOST_STORE": dsn})
    there: dict[str, str] = {}
    texts: Counter[str] = Counter()
    for project in projects:
        with Memory.open(project.folder, settings=settings) as memory:
            for row in memory.list(limit=1_000_000):
                there[row["id"]] = row["text"]
                texts[row["text"]] += 1
    if texts[FORBIDDEN]:
        seen.note(f"{texts[FORBIDDEN]} writes got past a border")
    lost = [text for memory_id, text in seen.written.items() if there.get(memory_id) != text]
    return lost, [text for text, count in texts.items() if count > 1]


def report(seen: Seen, seconds: float, held: list[list[float]], busy: float) -> dict[str, Any]:
    """`busy`: processor time of the servers, without that of PostgreSQL."""
    rows: dict[str, Any] = {}
    print("\n| | requests a second | p50 / p95 / p99, ms | errors |\n|---|---|---|---|")
    every = Figures([one for figures in seen.took.values() for one in figures.took])
    every.errors = [one for figures in seen.took.values() for one in figures.errors]
    for sort, figures in [*sorted(seen.took.items()), ("all", every)]:
        figures.seconds = seconds
        times = [round(figures.percentile(wanted), 1) for wanted in (50, 95, 99)]
        rows[sort] = {"per_second": round(figures.rate, 1), "p50_p95_p99_ms": times, "errors": len(figures.errors)}
        print(f"| {sort} | {figures.rate:.1f} | {' / '.join(f'{t:.0f}' for t in times)} | {len(figures.errors)} |")
    each = 1000 * busy / max(1, len(every.took))
    print(f"\nprocessor time of the servers for each request, without PostgreSQL: {each:.1f} ms")
    middle, end = (sum(held[place]) / len(held[place]) for place in (SAMPLES // 2 - 1, -1))
    print(
        f"statuses {dict(seen.statuses)}; {len(seen.written)} writes acknowledged, {seen.crossed} looked for elsewhere"
    )
    print(
        f"refused probes {dict(seen.refused)}; a server's own memory in the middle {middle:.0f} MiB, at the end {end:.0f}"
    )
    return {
        "sorts": rows, "statuses": {str(status): count for status, count in seen.statuses.items()},
        "written": len(seen.written),
        "cpu_ms_each": round(each, 1), "crossed": seen.crossed, "refused": dict(seen.refused),
        "own_memory_mb": held, "wrong": seen.wrong[:50],
    }  # fmt: skip


def main() -> None:
    options = _options()
    every = real_texts(options.spaces * options.memories + SPARE)
    own, spare = every[: options.spaces * options.memories], every[options.spaces * options.memories :]
    # Each is different from the others by its number, also where the texts begin anew.
    texts = (f"ticket {number}: {text}" for number, text in enumerate(itertools.cycle(spare)))
    asked, seen = questions(own, 300), Seen()
    with (
        tempfile.TemporaryDirectory(prefix="team-load-") as folder,
        Postgres(durable=True) as postgres,
        ExitStack() as up,
    ):
        work, dsn = Path(folder), postgres.new_database()
        login = server_login(dsn) if options.tokens == "team" else dsn
        made = made_projects(work, dsn, own, options.spaces, options.memories)
        (work / "outside").mkdir()
        home = work / "served"
        projects = [
            Project(
                *one,
                *(team_tokens(dsn, one[1], one[0]) if options.tokens == "team" else home_tokens(home, one[1], one[0])),
            )
            for one in made
        ]
        servers = [
            up.enter_context(serving(work / "outside", _home(options, home, n), of_folder=False, WAYPOST_STORE=login))
            for n in range(options.servers)
        ]
        workers = [Worker(number, servers, projects, asked, texts, seen) for number in range(options.clients)]
        _warm(workers, seen)
        print(
            f"load of the machine {os.getloadavg()[0]:.1f}; {options.servers} servers, {options.clients} clients",
            flush=True,
        )
        began, busy = time.perf_counter(), sum(server.cpu_seconds() for server in servers)
        held = run(workers, servers, options.seconds)
        busy = sum(server.cpu_seconds() for server in servers) - busy
        told = report(seen, time.perf_counter() - began, held, busy)
        lost, doubled = lost_and_doubled(work, dsn, projects, seen)
        print(f"{len(lost)} acknowledged writes lost, {len(doubled)} there twice; {len(seen.wrong)} things wrong")
        _keep(options, told | {"lost": lost[:20], "doubled": doubled[:20]})
    if lost or doubled or seen.wrong:
        sys.exit(
            "\n".join(
                [*seen.wrong[:20], *(f"lost: {one}" for one in lost[:5]), *(f"twice: {one}" for one in doubled[:5])]
            )
        )


def _home(options: argparse.Namespace, shared: Path, number: int) -> Path:
    """Servers of a team have nothing in common but the database."""
    return shared if options.tokens == "home" else shared.with_name(f"served-{number}")


def _warm(workers: Sequence[Worker], seen: Seen) -> None:
    """Each server has loaded its model and opened every memory before the clock starts."""
    for worker in workers[: 2 * len(COLOURS)]:
        for client in worker.clients:
            status, answer = client.ask("GET", f"{worker.base}/recall?q=anything")
            if status != 200:
                raise SystemExit(f"A server refuses {worker.own.name}'s token: {status} {answer}")
    assert not seen.wrong


def _keep(options: argparse.Namespace, told: dict[str, Any]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    row = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "load": round(os.getloadavg()[0], 1)}
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row | vars(options) | told) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--spaces", type=int, default=3, choices=range(2, len(COLOURS) + 1))
    parser.add_argument("--memories", type=int, default=300, help="in each memory at the start")
    parser.add_argument("--tokens", choices=("team", "home"), default="team")
    return parser.parse_args()


if __name__ == "__main__":
    main()
