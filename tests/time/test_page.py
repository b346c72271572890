"""The example of docs/explanation/time.md is what the commands print."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.embed.fake import FakeEngine
from waypost.faces.cli.entry import run
from waypost.memory import Memory
from waypost.model.time import parse_time

pytestmark = pytest.mark.slow  # not for the inner loop

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "time.md"
ID = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b")
SCORE = re.compile(r"(?m)^(\d+\.) 0\.\d\d")


class Console:
    """Runs lines of an example, on its days, with its ids in place of those that are made."""

    def __init__(self, clock: TestClock, capfd: pytest.CaptureFixture[str]) -> None:
        self._clock, self._capfd = clock, capfd
        self._made: dict[str, str] = {}  # the page's ids by those that were made

    def run(self, command: str, expected: str) -> str:
        real = {shown: made for made, shown in self._made.items()}
        words = [ID.sub(lambda found: real[found[0]], word) for word in shlex.split(command)]
        self._capfd.readouterr()
        run(words)
        out, err = self._capfd.readouterr()
        printed = "".join(f"{line.rstrip()}\n" for line in (out + err).splitlines() if not line.startswith("note:"))
        new = [found for found in dict.fromkeys(ID.findall(printed)) if found not in self._made]
        known = set(self._made.values())
        self._made |= zip(new, [one for one in dict.fromkeys(ID.findall(expected)) if one not in known], strict=False)
        return ID.sub(lambda found: self._made.get(found[0], found[0]), printed)


def examples() -> Iterator[tuple[str, str, str]]:
    """The day, the command, and what it prints."""
    for block in re.findall(r"(?s)```console\n(.*?)```", PAGE.read_text(encoding="utf-8")):
        day = ""
        for part in re.split(r"(?m)^(?=\$ |# )", block):
            first, _, rest = part.partition("\n")
            if first.startswith("# "):
                day = first.removeprefix("# ")
            elif first:
                yield day, first.removeprefix("$ waypost "), rest.rstrip("\n") + "\n" if rest.strip() else ""


def test_the_example_is_what_the_commands_print(
    memory: Memory,
    clock: TestClock,
    fake_engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    memory.close()  # it is opened again with the fake engine
    monkeypatch.chdir(memory.code.root)
    opening = Memory.open.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(opening, "__kwdefaults__", {**opening.__kwdefaults__, "clock": clock})
    console = Console(clock, capfd)
    told = list(examples())
    assert len(told) >= 8
    for day, command, expected in told:
        clock.now = parse_time(day)
        printed = console.run(command, expected)
        assert SCORE.sub(r"\1 score", printed) == SCORE.sub(r"\1 score", expected), command
