"""What is tried with each agent, and what must be seen: in requests to the model, in the journal, and in files."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.packages import RealAgent
from tests.agents.sandbox import AgentRun, Sandbox
from tests.agents.scripted_model import ModelRequest, ScriptedModel

_FENCED = re.compile(
    r"(?:<|&lt;)waypost-memory ([0-9a-f]{12})(?:>|&gt;).*?(?:<|&lt;)/waypost-memory \1(?:>|&gt;)", re.DOTALL
)
_TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # looks like a secret, and opens nothing
_PATIENCE = 60.0
_CALLS = (
    ("recall", '{"question": "How are cookies signed?", "k": 2}'),
    ("remember", '{"text": "The shop closes at noon."}'),
)
_PERSONAL_CALLS = (_CALLS[1], ("recall", '{"question": "When does the shop close?"}'))
_COMMANDS = ("waypost ask 'How are cookies signed?' -k 2", "waypost remember 'The shop closes at noon.'")
COOKIES = "Session cookies stay signed with itsdangerous"
PRICES = "Prices are integers in cents"
ALWAYS = "Never edit CHANGES.rst by hand"
TOX = "Without -p auto, tox takes nine minutes"


@dataclass(frozen=True)
class Check:
    """`passed` is None if the agent has no such thing. `seen` is what the model saw, or what was found."""

    name: str
    passed: bool | None
    seen: str = ""


@dataclass
class Report:
    agent: str
    lacks: Mapping[str, str] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    milliseconds: dict[str, list[int]] = field(default_factory=dict)

    def add(self, name: str, passed: bool | None, seen: str = "") -> None:
        if passed is None:
            seen = self.lacks.get(name, seen)
        self.checks.append(Check(name, passed, seen))

    def count(self, run: AgentRun) -> None:
        for hook in run.hooks:
            self.milliseconds.setdefault(hook.event, []).append(hook.milliseconds)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def said_to_model(request: ModelRequest) -> list[str]:
    """Every text of a request, without the descriptions of tools."""
    return [text for name, part in request.body.items() if name != "tools" for text in strings(part)]


def fenced_texts(request: ModelRequest) -> list[str]:
    """Every text of Waypost in a request, once."""
    texts = (match[0] for text in said_to_model(request) for match in _FENCED.finditer(text))
    return list(dict.fromkeys(texts))


def tools_of_waypost(request: ModelRequest) -> list[str]:
    listed = str(request.body.get("tools"))
    names = ("recall", "remember", "brief", "about_code", "decide", "why", "review", "status")
    return [name for name in names if re.search(rf"(?:waypost[_-]{{1,2}}|'){name}'", listed) and "waypost" in listed]


def first_with(texts: list[str], part: str) -> str:
    return next((text for text in texts if part in text), "")


def conversation(run: AgentRun) -> list[ModelRequest]:
    """The requests of the conversation itself: those with tools."""
    return [request for request in run.requests if request.body.get("tools")]


class Trial:
    """Runs one agent through everything, in one home directory."""

    def __init__(self, folder: Path, agent: RealAgent, model: ScriptedModel) -> None:
        self.agent, self.model, self.folder = agent, model, folder
        self.report = Report(agent.name, agent.lacks)
        shutil.rmtree(folder, ignore_errors=True)
        self.box = Sandbox(folder, agent, model)
        self.box.seed()
        self.box.set_up()

    def everything(self) -> Report:
        steps: tuple[Callable[[], None], ...] = (
            self.first_session,
            self.resumed_session,
            self.compacted,
            self.next_session,
            self.edit,
            self.command,
            self.sub_agent,
            self.two_at_once,
            self.killed,
            self.uninstalled,
        )
        for step in steps:
            step()
        return self.report

    def run(self, prompt: str, *, resumed: bool = False) -> AgentRun:
        run = self.box.run(prompt, resumed=resumed)
        self.report.count(run)
        return run

    def first_session(self) -> None:
        """A question, a call that reads and one that writes."""
        calls = [self.agent.tool.format(tool=tool, args=args) for tool, args in _CALLS]
        if self.agent.personal:  # a memory of its own, empty so far
            calls = [self.agent.tool.format(tool=tool, args=args) for tool, args in _PERSONAL_CALLS]
        if self.agent.by_command:
            calls = [self.agent.shell.format(command=command) for command in _COMMANDS]
        first, second = (f"[[call {call}]]" for call in calls)
        said = f"How are session cookies signed? The office is in Lisbon, the token is {_TOKEN}."
        prompts = [f"{said} {first} {second} [[say By itsdangerous.]]"]
        if self.agent.by_command:  # first: what is said would be lost among long commands, and be found by them
            prompts = [f"Run what follows. {first} {second} [[say Done.]]", f"{said} [[say By itsdangerous.]]"]
        runs = [self.run(prompt) for prompt in prompts]
        requests = [conversation(run) for run in runs]
        if not all(requests):
            self.report.add("connected", False, runs[-1].output[-500:])
            return
        opening, last = requests[-1][0], requests[0][-1]
        tools = tools_of_waypost(opening)
        if self.agent.by_command:
            rules = next((text for text in said_to_model(opening) if "waypost ask" in text), "")
            self.report.add("connected", bool(rules), "by its rules, which name the command `waypost`" if rules else "")
        else:
            through = self.agent.tool.partition(" ")[0] if self.agent.tool.startswith("tool_") else ""
            seen = f"by its tool `{through}`" if through else ", ".join(tools)
            self.report.add("connected", "recall" in tools or bool(through and "Remembered" in str(last.body)), seen)
        briefings = fenced_texts(opening)
        hooked = self.box.hooked
        at_start, at_prompt = first_with(briefings, ALWAYS), first_with(briefings, COOKIES)
        self.report.add(
            "briefing at the start", bool(at_start) if self.agent.setup and not self.agent.personal else None, at_start
        )
        self.report.add("briefing at a prompt", bool(at_prompt) if hooked else None, at_prompt)
        wanted = "noon" if self.agent.personal else COOKIES
        answers = fenced_texts(last)
        if self.agent.by_command:
            answers = [text for text in said_to_model(last) if "fact · " in text]  # what the command prints
        recalled = first_with([text for text in answers if text not in briefings and "[[call" not in text], wanted)
        self.report.add("recall, as text in its fence", bool(recalled), recalled)
        remembered = first_with(said_to_model(last), "Remembered")
        may_write = (
            "remember" in tools or self.agent.by_command or self.agent.personal
        )  # Gemini CLI lists no tool that it would have to ask for
        self.report.add("remember", bool(remembered) if may_write else None, remembered)
        kept = [entry["text"] for entry in self.box.journal() if "Lisbon" in entry["text"]]
        self.report.add("transcript kept once", len(kept) == 1 if self.box.keeps else None, f"{len(kept)} times")
        self.report.add("secrets masked", _TOKEN not in str(kept) if kept else None, str(kept)[:300])

    def resumed_session(self) -> None:
        before = len(self.box.journal())
        run = self.run("And what do prices look like? [[say In cents.]]", resumed=True)
        requests = conversation(run)
        texts = [text for request in requests[-1:] for text in fenced_texts(request)]
        if not self.box.keeps:
            self.report.add("resume: kept once, briefed once", None)
            return
        repeated = sum(text.count(ALWAYS) for text in texts)
        kept = [entry["text"] for entry in self.box.journal()]
        added = len(kept) - before
        seen = f"{added} new entries; {ALWAYS!r} {repeated} times in the request"
        self.report.add("resume: kept once, briefed once", added == 2 and repeated <= 1, seen)

    def compacted(self) -> None:
        """What was shown before may be shown again, and nothing is kept twice."""
        if not self.agent.compact:
            self.report.add("compaction", None)
            return
        run = self.run(self.agent.compact, resumed=True)
        after = self.run("Once more, how are session cookies signed? [[say As before.]]", resumed=True)
        events = [hook.event for hook in (*run.hooks, *after.hooks)]  # Codex compacts before the next prompt
        texts = [text for request in conversation(after)[-1:] for text in fenced_texts(request)]
        kept = [entry["text"] for entry in self.box.journal() if "Lisbon" in entry["text"]]
        seen = f"hooks: {', '.join(events)}\n{first_with(texts, COOKIES)}"
        passed = "pre-compact" in events and bool(first_with(texts, COOKIES)) and len(kept) == 1
        self.report.add("compaction", passed, seen)

    def next_session(self) -> None:
        """What was said is found in the next session."""
        run = self.run("In which city is the office, Lisbon? [[say Yes.]]")
        texts = [text for request in conversation(run)[:1] for text in fenced_texts(request)]
        seen = first_with(texts, "Lisbon")
        self.report.add("found in the next session", bool(seen) if self.box.keeps else None, seen)

    def edit(self) -> None:
        """A file is read and changed: its memories come unasked, then that the change made one stale."""
        path = str(self.box.project / "prices.py")
        read = self.agent.read.format(file=path)
        change = self.agent.edit.format(file=path, old="return sum(prices)", new="return round(sum(prices) * 1.19)")
        run = self.run(f"Do what follows. [[call {read}]] [[call {change}]] [[say Added.]]")
        requests = conversation(run)
        before = fenced_texts(requests[0]) if requests else []
        later = [text for request in requests[1:] for text in fenced_texts(request) if text not in before]
        has_hook = any(hook.event in ("pre-tool", "post-tool") for hook in run.hooks)
        fresh = [text for text in later if "[stale:" not in text]  # a stale one comes after the edit
        seen = first_with(fresh, PRICES) or first_with(before, PRICES)  # each memory comes once in a session
        self.report.add("memories of a file before it is edited", bool(seen) if has_hook else None, seen)
        stale = next((text for text in later if PRICES in text and "[stale:" in text), "")
        self.report.add("stale memories after an edit", bool(stale) if has_hook else None, stale)

    def command(self) -> None:
        """A command is run: what was stated about it comes unasked."""
        run = self.run(
            f"Do what follows. [[call {self.agent.shell.format(command='tox --version || true')}]] [[say Ran.]]"
        )
        requests = conversation(run)
        has_hook = any(hook.event in ("pre-tool", "post-tool") for hook in run.hooks)
        seen = first_with([text for request in requests for text in fenced_texts(request)], TOX)
        self.report.add("what was stated about a command", bool(seen) if has_hook else None, seen)

    def sub_agent(self) -> None:
        if not self.agent.agent:
            self.report.add("briefing of a sub-agent", None)
            return
        read = self.agent.read.format(file=str(self.box.project / "README.md"))
        task = f"SUBTASK: look at how prices are added up. ((call {read})) [[say Looked.]]"
        call = self.agent.agent.format(prompt=json.dumps(task)[1:-1])
        pause = f"[[call {self.agent.shell.format(command='sleep 8')}]]" if self.agent.goes_on else ""
        run = self.run(f"Ask another agent. [[call {call}]] {pause} [[say Done.]]")
        own = [request for request in conversation(run) if "Ask another agent" not in str(request.body)]
        seen = first_with([text for request in own for text in fenced_texts(request)], ALWAYS)
        self.report.add("briefing of a sub-agent", bool(seen), seen or run.output[-500:])
        kept = [
            entry["text"] for entry in self.box.journal() if "SUBTASK" in entry["text"] and "Ask" not in entry["text"]
        ]
        self.report.add(
            "a sub-agent's task is not stored as the user's text",
            not kept if self.box.keeps else None,
            str(kept)[:200],
        )

    def two_at_once(self) -> None:
        prompts = [f"Session number {number} of two at once. [[say Number {number}.]]" for number in (1, 2)]
        processes = [self.box.start(prompt) for prompt in prompts]
        for process in processes:
            process.communicate(timeout=180)
        self.box.wait_until_quiet()
        kept = sorted(entry["text"] for entry in self.box.journal() if "of two at once" in entry["text"])
        self.report.add("two sessions at once", len(kept) == 2 if self.box.keeps else None, "; ".join(kept))

    def killed(self) -> None:
        """An agent that is killed while the model thinks: the next session saves what its transcript has."""
        before = len(self.model.requests)
        process = self.box.start("Remember the blue door. [[sleep 100]] [[say Never.]]", resumed=True)
        until = time.monotonic() + _PATIENCE
        while not any(request.body.get("tools") for request in self.model.requests[before:]):
            if time.monotonic() > until:
                break
            time.sleep(0.1)
        time.sleep(1)  # the transcript is written beside the request
        self.box.kill(process)
        process.communicate()
        self.box.wait_until_quiet()
        self.run("Go on. [[say Yes.]]")
        kept = [entry["text"] for entry in self.box.journal() if "blue door" in entry["text"]]
        self.report.add("kill -9: kept at the next start", len(kept) == 1 if self.box.keeps else None, "; ".join(kept))

    def uninstalled(self) -> None:
        """A new home directory with the agent's own files: set up, remove, compare every byte."""
        if not self.agent.setup:
            self.report.add("uninstall restores every byte", None)
            return
        box = Sandbox(self.folder / "uninstall", self.agent, self.model)
        box.write_files()
        subprocess.run(["git", "init", "-q"], cwd=box.project, env=box.environment(), check=True)
        before = _content(box.home)
        box.connect()
        during = _content(box.home)
        box.connect("--uninstall")
        after = _content(box.home)
        seen = f"{len(during.keys() - before.keys())} files created and removed, {len(before)} as before"
        self.report.add("uninstall restores every byte", before == after != during, seen)


def _content(home: Path) -> dict[str, bytes]:
    paths = (
        path for path in home.rglob("*") if path.is_file() and ".waypost" not in path.parts and ".git" not in path.parts
    )
    return {str(path.relative_to(home)): path.read_bytes() for path in paths}
