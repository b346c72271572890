"""Hooks of agents that did not answer in time: the agent went on without what is remembered."""

import contextlib
import json
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta

from waypost import config
from waypost.flows.findings import HOOKS, Finding
from waypost.flows.open_space import OpenSpace
from waypost.space.hook_log import ANSWERS_AGAIN, LateHook, late_hooks, note
from waypost.text.plural import counted

RECENT = timedelta(days=7)
_PROGRAM = (sys.executable, "-P", "-m", "waypost.faces.hooks.agent.entry")
_PATIENCE = 30.0  # seconds: a hook ends by itself long before
_PROMPT = "What should I know about this project?"


def check_hooks(space: OpenSpace, *, fix: bool = False) -> Iterator[Finding]:
    """The hooks that were too late in the last days, by agent; with `fix` each is tried, and counts no more if it answers."""
    late = _recent(space)
    if fix and late:
        for event, agent in dict.fromkeys((one.event, one.agent) for one in late):
            _try(space, event, agent)
        late = _recent(space)
    for agent in dict.fromkeys(one.agent for one in late):
        yield HOOKS.found(_said(agent, [one for one in late if one.agent == agent]))
    if not late:
        yield Finding("agent hooks", True, f"None was too late in the last {RECENT.days} days.")


def _recent(space: OpenSpace) -> list[LateHook]:
    now = space.clock()
    return [one for one in late_hooks(space.settings.home) if abs(now - one.at) <= RECENT]


def _said(agent: str, late: Sequence[LateHook]) -> str:
    events = ", ".join(f"{event} {times}" for event, times in sorted(Counter(one.event for one in late).items()))
    last = max(one.at for one in late)
    return (
        f"{agent}: {counted(len(late), 'hook')} did not answer in time in the last {RECENT.days} days ({events}), "
        f"the last at {last:%Y-%m-%d %H:%M} UTC. The agent went on without memories."
    )


def _try(space: OpenSpace, event: str, agent: str) -> None:
    """Run the hook as the agent does. If it is too late again, it notes that itself."""
    root = space.identity.root
    if root is None:
        return
    given = {"cwd": str(root), "session_id": f"doctor-{secrets.token_hex(4)}", "prompt": _PROMPT}
    before = len(late_hooks(space.settings.home))
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            [*_PROGRAM, event, "--agent", agent],
            input=json.dumps(given).encode(),
            cwd=root,
            env={**config.environment(), "WAYPOST_HOME": str(space.settings.home)},
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
        if done.returncode == 0 and len(late_hooks(space.settings.home)) == before:
            note(space.settings.home, f"{event} of {agent}: {ANSWERS_AGAIN}")
