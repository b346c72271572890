"""Agent hooks that did not answer in time, so that the agent continued without memories."""

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
from waypost.model.time import format_minute
from waypost.system.hook_log import ANSWERS_AGAIN, LateHook, late_hooks, note
from waypost.text.plural import counted

RECENT = timedelta(days=7)
_PROGRAM = (sys.executable, "-P", "-m", "waypost.faces.hooks.agent.entry")
_PATIENCE = 30.0  # seconds: a hook ends long before
_PROMPT = "What should I know about this project?"


def check_hooks(space: OpenSpace, *, fix: bool = False) -> Iterator[Finding]:
    """Hooks that were late recently, by agent. `fix` runs each, and clears those that answer."""
    late = _recent(space)
    if fix and late:
        for event, agent in dict.fromkeys((hook.event, hook.agent) for hook in late):
            _try(space, event, agent)
        late = _recent(space)
    for agent in dict.fromkeys(hook.agent for hook in late):
        yield HOOKS.finding(_message(agent, [hook for hook in late if hook.agent == agent]))
    if not late:
        yield Finding("agent hooks", True, f"None was too late in the last {RECENT.days} days.")


def late_hook_counts(space: OpenSpace) -> dict[str, int]:
    """How many hooks of each agent did not answer in time recently."""
    return dict(Counter(hook.agent for hook in _recent(space)))


def _recent(space: OpenSpace) -> list[LateHook]:
    now = space.clock()
    return [hook for hook in late_hooks(space.settings.home) if abs(now - hook.at) <= RECENT]


def _message(agent: str, late: Sequence[LateHook]) -> str:
    events = ", ".join(f"{event} {times}" for event, times in sorted(Counter(hook.event for hook in late).items()))
    last = max(hook.at for hook in late)
    return (
        f"{agent}: {counted(len(late), 'hook')} did not answer in time in the last {RECENT.days} days ({events}), "
        f"the last at {format_minute(last)}. The agent went on without memories."
    )


def _try(space: OpenSpace, event: str, agent: str) -> None:
    """Run the hook as the agent does. If it is late again, it records that itself."""
    root = space.identity.root
    if root is None:
        return
    payload = {"cwd": str(root), "session_id": f"doctor-{secrets.token_hex(4)}", "prompt": _PROMPT}
    before = len(late_hooks(space.settings.home))
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        done = subprocess.run(
            [*_PROGRAM, event, "--agent", agent],
            input=json.dumps(payload).encode(),
            cwd=root,
            env={**config.environment(), "WAYPOST_HOME": str(space.settings.home)},
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
        if done.returncode == 0 and len(late_hooks(space.settings.home)) == before:
            note(space.settings.home, f"{event} of {agent}: {ANSWERS_AGAIN}")
