"""`waypost-hook EVENT --agent NAME`: where an agent's hook begins, and where it ends in time, whatever happens.

The work is done by a thread. The main thread waits for it until the deadline, writes the output, and exits at once.
Start-up must be fast: the imports at the top are loaded in every Python process anyway.
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Sequence

TYPE_CHECKING = False  # importing `typing` takes longer than this module
if TYPE_CHECKING:
    from waypost.faces.hooks.agent.event import Outcome
    from waypost.faces.hooks.agent.fast import FastAnswer

    Work = Callable[[str, str, bytes, float], FastAnswer | Outcome]

# Less than `setup` asks agents to grant. They exit soon after the end of a session, and report a hook that still runs.
SECONDS = {
    "session-start": 12.0,
    "subagent-start": 8.0,
    "prompt": 8.0,
    "pre-tool": 4.5,
    "post-tool": 4.5,
    "turn-end": 8.0,
    "session-end": 1.2,
    "pre-compact": 8.0,
}
_AFTER = 0.5  # seconds that the watchdog waits longer than we do: it acts when C code lets nobody else run
_PIECE = 1 << 20
LARGEST_INPUT = 32 << 20  # bytes; a prompt with pasted files is far below
_PAUSE = 0.05  # seconds without another byte
_USAGE = f"usage: waypost-hook {'|'.join(SECONDS)} --agent NAME  (JSON of the agent on stdin)"


def main(work: "Work | None" = None) -> None:
    """Answer one event of an agent. Leaves with 0: no failure of ours may stop an agent."""
    started = time.monotonic()
    gc.disable()  # for the fraction of a second that we live, looking for garbage costs more than the garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads contend on the small products we make
    try:
        event, agent = _arguments(sys.argv[1:])
        if event in SECONDS and agent and sys.stdin is not None and not sys.stdin.isatty():
            _answer(event, agent, work or _work, started + SECONDS[event])
        elif sys.stderr is not None:
            sys.stderr.write(_USAGE + "\n")
            sys.stderr.flush()
    finally:
        os._exit(0)


def _answer(event: str, agent: str, work: "Work", deadline: float) -> None:
    _watch(deadline - time.monotonic() + _AFTER)
    outcome = _in_time(lambda: work(event, agent, _read_input(), deadline), deadline)
    if outcome is None:
        # Not to be imported now: what takes so long may be an import.
        gave_up = getattr(sys.modules.get("waypost.faces.hooks.agent.event"), "gave_up", None)
        if gave_up is None or not gave_up(event, agent):
            _gave_up(event, agent)
    elif outcome.output and _write(outcome.output.encode("utf-8", "replace") + b"\n"):
        outcome.written()


def _gave_up(event: str, agent: str) -> None:
    """Note it as `waypost.system.hook_log` does, without importing anything."""
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {event} of {agent[:40]}: no answer in time.\n"
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        log = os.open(os.path.join(_home(), "hook.log"), flags, 0o600)  # makes no home
        os.write(log, line.encode("utf-8", "replace"))
    except OSError:
        return


def _home() -> str:
    """As `config.load` finds it."""
    return os.path.expanduser(os.environ.get("WAYPOST_HOME") or os.path.join("~", ".waypost"))


def _arguments(given: Sequence[str]) -> tuple[str, str]:
    event, agent = "", ""
    rest = list(given)
    while rest:
        argument = rest.pop(0)
        if argument == "--agent" and rest:
            agent = rest.pop(0)
        elif argument.startswith("--agent="):
            agent = argument.partition("=")[2]
        elif not argument.startswith("-") and not event:
            event = argument
    return event, agent


def _work(event: str, agent: str, raw: bytes, deadline: float) -> "FastAnswer | Outcome":
    from waypost.faces.hooks.agent.fast import ask, leave

    answer = leave(event, agent, raw, _home()) or ask(event, agent, raw, deadline, _home())
    if answer is not None:
        return answer
    from waypost.faces.hooks.agent.event import handle

    return handle(event, agent, raw, deadline)


def _read_input() -> bytes:
    """What the agent writes; nothing where it is more than any agent writes. One that is about to leave may forget to
    close its end: then what is whole is enough."""
    pieces = bytearray()
    while not _is_all(pieces) and (piece := os.read(0, _PIECE)):
        pieces += piece
        if len(pieces) > LARGEST_INPUT:
            return b""
    return bytes(pieces)


def _is_all(pieces: bytearray) -> bool:
    """Whether nothing more comes, and nothing is missing."""
    if not pieces[-64:].rstrip().endswith(b"}"):
        return False
    import select

    try:
        more, _, _ = select.select([0], [], [], _PAUSE)
    except OSError:  # a system that can only wait for sockets
        return False
    if more:
        return False
    import json

    try:
        json.loads(pieces)
    except (ValueError, RecursionError):
        return False
    return True


def _in_time(work: "Callable[[], FastAnswer | Outcome]", deadline: float) -> "FastAnswer | Outcome | None":
    """What the work brings before the deadline."""
    import threading

    brought: list[FastAnswer | Outcome] = []

    def run() -> None:
        brought.append(work())

    threading.excepthook = lambda _: None  # nobody reads it, and some agents take it for an answer
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    return brought[0] if brought else None


def _watch(seconds: float) -> None:
    import faulthandler

    nowhere = os.open(os.devnull, os.O_WRONLY)
    faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)


def _write(output: bytes) -> bool:
    """Whether the agent has got it. It may have gone."""
    try:
        while output:
            output = output[os.write(1, output) :]
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main()
