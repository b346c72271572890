"""A shop with seven months of memories: what browsers are shown in the tests, and what the screenshots show."""

import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.conftest import TestClock

from waypost import Memory
from waypost.config import Settings
from waypost.model.memory import Caller
from waypost.model.session_turn import ASSISTANT, USER, SessionTurn

START = datetime(2025, 7, 1, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
PERSON, AGENT = Caller("person", "ada"), Caller("agent", "claude-code")


@dataclass(slots=True)
class Sample:
    """The shop's tree and the ids of what is remembered of it, by name."""

    root: Path
    settings: Settings
    clock: TestClock
    ids: dict[str, str] = field(default_factory=dict)

    def memory(self, caller: Caller = PERSON) -> Memory:
        return Memory.open(self.root, caller=caller, settings=self.settings, clock=self.clock)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]


def build(root: Path, settings: Settings) -> Sample:
    """Make the shop in `root` and live through its months. The clock stands at their end."""
    told = tomllib.loads(Path(__file__).with_name("shop.toml").read_text("utf-8"))
    sample = Sample(root, settings, TestClock())
    sample.clock.now = START
    _write(root, told["files"])
    _git(root, "init", "-q", "-b", "main")
    commit(root, ".")
    sample.memory(AGENT).index()
    _live(sample, told)
    sample.clock.now = NOW
    for number, text in enumerate(told["candidates"]):
        propose(sample.memory(AGENT), f"review-{number}", text, NOW - (number + 1) * timedelta(hours=2))
    sample.memory().admin.maintain()
    return sample


def propose(memory: Memory, session: str, text: str, at: datetime) -> None:
    """Say it in a session: what sounds like a rule waits for a person's word."""
    memory.journal.add_session(
        session,
        (
            SessionTurn(USER, text, at),
            SessionTurn(ASSISTANT, "Understood, I will do so from now.", at + timedelta(minutes=1)),
        ),
    )


def _live(sample: Sample, told: Mapping[str, Any]) -> None:
    """Day by day, in order: what is kept on it, what is said in its week, how the code changes."""
    kept: dict[int, list[Mapping[str, Any]]] = {}
    for one in (*told["facts"], *told["decisions"]):
        kept.setdefault(one["day"], []).append(one)
    changes = {(NOW - START).days - one["days"]: one["files"] for one in told["changes"]}
    entries: list[dict[str, Any]] = []
    for number in range((NOW - START).days - 4):
        sample.clock.now = START + number * DAY
        for one in kept.get(number, ()):
            sample.ids[one["name"]] = _keep(sample, one)
        entries += _said(told, number, sample.clock.now)
        if number % 7 == 6:
            sample.memory(AGENT).remember_many(entries)
            entries = []
        if number % told["notes"]["every"] == 3:
            note = told["notes"]["texts"][number // told["notes"]["every"] % len(told["notes"]["texts"])]
            sample.ids[f"note-{number}"] = sample.memory().journal.add(note, time=sample.clock.now).id or ""
        if number in changes:
            _write(sample.root, changes[number])
            sample.memory(AGENT).index()
            sample.memory(AGENT).code.stale(check=True)
    sample.memory().correct(sample["search"], "The search over articles ignores case, accents and hyphens.")
    sample.memory().protect(sample["note-3"])


def _keep(sample: Sample, one: Mapping[str, Any]) -> str:
    options = {name: value for name, value in one.items() if name not in ("name", "day", "by", "text")}
    if "because" in options:
        return sample.memory().decide(one["text"], **options).decision.id or ""
    return sample.memory(PERSON if one.get("by") == "person" else AGENT).remember(one["text"], **options).id or ""


def _said(told: Mapping[str, Any], number: int, at: datetime) -> Iterator[dict[str, Any]]:
    for place, talk in enumerate(told["talks"]):
        if number % talk["every"] == place:
            session = {"kind": "conversation", "session": f"talk-{number}-{place}"}
            asked, answered = talk["asked"].format(n=number), talk["answered"].format(n=number)
            yield {**session, "text": asked, "speaker": "user", "time": at + timedelta(minutes=place)}
            yield {
                **session,
                "text": answered,
                "speaker": "assistant",
                "time": at + timedelta(minutes=place, seconds=9),
            }


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"))


def commit(root: Path, *paths: str) -> None:
    _git(root, "add", "--", *paths)
    _git(root, "commit", "-qm", "Change the shop")


def _git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *arguments]
    when = {"GIT_AUTHOR_DATE": START.isoformat(), "GIT_COMMITTER_DATE": START.isoformat()}
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1", **when}
    subprocess.run(command, cwd=root, check=True, capture_output=True, env=environment)
