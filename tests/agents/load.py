"""Hooks beside busy processes: how long each takes, whether one is late, and whether a session is lost.

    python -m tests.agents.load [--busy 8] [--runs 10]

Every run is a session of its own, with a transcript. Times are of the whole hook process, as its agent waits for it.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from tests.agents.packages import real_agents
from tests.agents.sandbox import Sandbox
from tests.agents.scripted_model import ScriptedModel

from waypost.faces.hooks.agent.entry import SECONDS
from waypost.faces.setup.check import payload_of
from waypost.faces.setup.server_session import try_server
from waypost.system.hook_log import late_hooks

_HOOK = Path(sys.executable).with_name("waypost-hook")
_AGENT = "claude-code"
_EVENTS = (
    "session-start",
    "subagent-start",
    "prompt",
    "pre-tool",
    "post-tool",
    "pre-compact",
    "turn-end",
    "session-end",
)
_ANSWERED = ("session-start", "subagent-start", "prompt", "pre-tool")
_PATIENCE = 300.0


@dataclass
class Times:
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    answers: int = 0

    def __str__(self) -> str:
        wall, cpu = sorted(self.wall), sorted(self.cpu)
        return f"{wall[len(wall) // 2]:.0f} (≤ {wall[-1]:.0f}), CPU {cpu[len(cpu) // 2]:.0f}"


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def run_hooks(box: Sandbox, runs: int, name: str) -> dict[str, Times]:
    times = {event: Times() for event in _EVENTS}
    for number in range(runs):
        session = f"{name}-{number}"
        transcript = box.home / f"{session}.jsonl"
        row = {"type": "user", "sessionId": session, "uuid": session, "timestamp": "2026-11-18T09:00:00.000Z"}
        said = {"role": "user", "content": f"The door of {session} is blue."}
        transcript.write_text(json.dumps({**row, "message": said}) + "\n", "utf-8")
        values = {
            "session": session,
            "transcript": str(transcript),
            "cwd": str(box.project),
            "prompt": "How are session cookies signed?",
            "file": str(box.project / "prices.py"),
        }
        for event in _EVENTS:
            payload = json.dumps(payload_of(_AGENT, event, {**values, "event_name": event})).encode()
            _run_hook(box, event, payload, times[event])
    return times


def _run_hook(box: Sandbox, event: str, payload: bytes, times: Times) -> None:
    started = time.monotonic()
    hook = subprocess.Popen(
        [str(_HOOK), event, "--agent", _AGENT],
        cwd=box.project,
        env=box.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert hook.stdin is not None and hook.stdout is not None
    hook.stdin.write(payload)
    hook.stdin.close()
    output = hook.stdout.read()
    _, _, used = os.wait4(hook.pid, 0)
    hook.returncode = 0
    times.wall.append((time.monotonic() - started) * 1000)
    times.cpu.append((used.ru_utime + used.ru_stime) * 1000)
    times.answers += bool(output.strip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--busy", type=int, default=8)
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    with ScriptedModel() as model:
        box = Sandbox(Path(mkdtemp(prefix="waypost-load-")), real_agents()[_AGENT], model)
        box.seed()
        columns: dict[str, dict[str, Times]] = {}
        server = [str(_HOOK.with_name("waypost")), "mcp"]
        with try_server(server, box.project, box.environment(), 30.0):
            columns["idle, server"] = run_hooks(box, given.runs, "idle")
            with busy(given.busy):
                columns["busy, server"] = run_hooks(box, given.runs, "server")
        with busy(given.busy):
            columns["busy, no server"] = run_hooks(box, given.runs, "alone")
        sessions = given.runs * len(columns)
        kept = _kept(box, sessions)
    print(f"| hook | {' | '.join(columns)} | limit |\n|{'---|' * (len(columns) + 2)}")
    for event in _EVENTS:
        cells = " | ".join(str(times[event]) for times in columns.values())
        print(f"| {event} | {cells} | {SECONDS[event] * 1000:.0f} |")
    late = late_hooks(box.home / ".waypost")
    unanswered = {
        f"{name}, {event}": given.runs - times[event].answers
        for name, times in columns.items()
        for event in _ANSWERED
        if times[event].answers < given.runs
    }
    print(f"late: {len(late)} {[f'{hook.event}' for hook in late]}; without an answer: {unanswered or 'none'}")
    print(f"sessions kept: {kept} of {sessions}")
    return int(bool(late) or bool(unanswered) or kept < sessions)


def _kept(box: Sandbox, expected: int) -> int:
    """How many sessions are in the journal, once nothing waits to be kept."""
    until = time.monotonic() + _PATIENCE
    while True:
        kept = sum("The door of" in entry["text"] for entry in box.journal())
        if kept >= expected or time.monotonic() > until:
            return kept
        time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
