"""Ten servers on one project, for ten minutes, some of them and their clients killed at random.

SOAK_SECONDS=60 makes a short trial of it.
"""

import os
import statistics
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.durability.mcp_servers import Server, has_gone, processes_of, resident
from tests.durability.soak.mcp_load import Agent, Log

from waypost import Memory

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc to see who is left"),
]
SECONDS = float(os.environ.get("SOAK_SECONDS", "600"))
SERVERS = 10
STEADY = 2  # are never killed: their memory is watched
CALLS = 2000
MAY_GROW = 1.1  # memory at the end of a run, by that in its middle
WORKER_MAY_TAKE = 300.0  # seconds to embed what ten servers have written


def test_ten_servers_work_on_one_project_while_some_of_them_are_killed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    for number in range(20):
        body = "\n\n".join(f"def work_{n}():\n    return {n}" for n in range(10))
        (project / f"part_{number}.py").write_text(f'"""Part {number}."""\n\n{body}\n', encoding="utf-8")
    first = Server(project).open()
    first.call("status", index=True)
    first.end()
    log = Log()
    until = time.monotonic() + SECONDS
    agents = [Agent(n, project, log, until=until, steady=n < STEADY) for n in range(SERVERS)]
    threads = [threading.Thread(target=agent.work) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    _tell(log)

    assert log.failures == []
    left = processes_of(Path(os.environ["WAYPOST_HOME"]))
    assert [command for command in left.values() if " mcp" in command] == []
    assert [command for pid, command in left.items() if not has_gone(pid, WORKER_MAY_TAKE)] == []
    monkeypatch.setenv("WAYPOST_BACKGROUND", "0")
    memory = Memory.open(project)
    kept = {row["id"] for row in memory.list(limit=1_000_000)}
    assert [text for one, text in log.acknowledged.items() if one not in kept] == []
    assert not list(memory.space.store.problems())
    assert memory.remember("Written when all of them had gone.").status == "added"
    for seen in log.memory.values():
        middle = len(seen) // 2
        assert statistics.median(seen[-3:]) <= MAY_GROW * statistics.median(seen[middle : middle + 3])


def test_a_server_does_not_grow_with_the_number_of_calls(project: Path) -> None:
    server = Server(project).open()
    calls: tuple[tuple[str, dict[str, str]], ...] = (
        ("recall", {"question": "How is the harbor bridge lit?"}),
        ("brief", {"task": "Light the harbor bridge"}),
        ("remember", {"text": "The harbor bridge is lit by amber lamps."}),
        ("status", {}),
        ("why", {"question": "Why amber lamps?"}),
    )
    sizes = []
    for number in range(2 * CALLS):
        tool, arguments = calls[number % len(calls)]
        assert not server.call(tool, **arguments).get("isError")
        if number in (CALLS // 2, CALLS, 2 * CALLS - 1):
            sizes.append(resident(server.pid))
    server.end()
    print(
        f"\nmemory after {CALLS // 2}, {CALLS} and {2 * CALLS} calls: {', '.join(f'{s / 2**20:.1f} MiB' for s in sizes)}"
    )
    assert sizes[2] <= MAY_GROW * sizes[1]


def _tell(log: Log) -> None:
    calls = sum(map(len, log.seconds.values()))
    print(f"\n{SERVERS} servers, {SECONDS:g} s: {calls} calls, {len(log.acknowledged)} writes acknowledged")
    for tool, seconds in sorted(log.seconds.items()):
        ordered = sorted(seconds)
        middle, late = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]
        print(f"  {tool:10} {len(seconds):6} calls, median {middle * 1000:.0f} ms, 95 % {late * 1000:.0f} ms")
    print(f"  ends: {dict(log.ends)}; slowest to go {max(log.seconds_to_end, default=0):.2f} s")
    for number, seen in log.memory.items():
        sizes = [f"{seen[at] / 2**20:.0f}" for at in (0, len(seen) // 2, -1)] if seen else []
        print(f"  memory of steady server {number}, MiB: {' → '.join(sizes)}")
    print(f"  failures: {len(log.failures)}")
    crash = Path(os.environ["WAYPOST_HOME"], "crash.log")
    if crash.exists():
        print(crash.read_text("utf-8"))
