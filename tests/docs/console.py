"""Runs the examples of a page: `python -m tests.docs.console PAGE …` writes what their commands print today into it.

A page is one session in a new repository. A code block with `title="FILE"` writes that file. A block `console` runs its
lines that begin with `$ `; the lines below are what they print. A line `# 2026-03-01` sets the day for the lines after it.
Ids, dates, times and scores differ between runs and are compared by their place only.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"(?ms)^```(\w+)([^\n]*)\n(.*?)^```$")
_TITLE = re.compile(r'title="([^"]+)"')
_ID = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{8,24}\b")
_WHO = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-03-01T12:00:00Z"}
_GIT = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}
_GIT["GIT_CONFIG_GLOBAL"] = os.devnull
_VARYING = (
    (_ID, "ID"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z"), "TIME"),
    (re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d UTC"), "TIME"),
    (re.compile(r"\b20\d\d-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b[01]\.\d\d\b"), "SCORE"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|MB|KB)\b"), "AMOUNT"),
    (re.compile(r"\b[0-9a-f]{7,12}\b"), "HASH"),
)
Run = Callable[[list[str]], str]


@dataclass(frozen=True)
class Step:
    """A file to write, or a command with what it prints. `start` and `end` enclose what the page says it prints."""

    file: str = ""
    day: str = ""
    command: str = ""
    text: str = ""
    start: int = 0
    end: int = 0


def steps(page: str) -> Iterator[Step]:
    for fence in _FENCE.finditer(page):
        if title := _TITLE.search(fence[2]):
            yield Step(file=title[1], text=fence[3])
        elif fence[1] == "console":
            yield from _commands(fence[3], fence.start(3))


def _commands(block: str, offset: int) -> Iterator[Step]:
    day = ""
    for part in re.finditer(r"(?ms)^(?:\$ |# )(?:.*?)(?=^\$ |^# |\Z)", block):
        first, _, printed = part[0].partition("\n")
        if first.startswith("# "):
            day = first.removeprefix("# ")
            continue
        while first.endswith("\\"):  # a command on several lines
            more, _, printed = printed.partition("\n")
            first = f"{first.removesuffix(chr(92)).rstrip()} {more.strip()}"
        start = offset + part.end() - len(printed)
        yield Step(day=day, command=first.removeprefix("$ "), text=printed, start=start, end=offset + part.end())


class Session:
    """One page's repository. Ids of the page stand for those that its commands printed in the same places."""

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder, self._run = folder, run
        self._real: dict[str, str] = {}  # by the page's ids

    def play(self, step: Step) -> str:
        """Write the file, or run the command. Return what it printed."""
        if step.file:
            path = self._folder / step.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
            return ""
        command = self.real(step.command)
        words = shlex.split(command)
        printed = self._run(words[1:]) if words[0] == "waypost" else self._shell(command)
        self._real |= zip(_ID.findall(step.text), _ID.findall(printed), strict=False)
        return "".join(f"{line.rstrip()}\n" for line in printed.strip("\n").splitlines())

    def real(self, command: str) -> str:
        """A command of the page with the ids that were made."""
        return _ID.sub(lambda match: self._real.get(match[0], match[0]), command)

    def _shell(self, command: str) -> str:
        done = subprocess.run(
            ["sh", "-c", command], cwd=self._folder, env=os.environ | _GIT, capture_output=True, text=True, check=True
        )
        return done.stdout + done.stderr


def comparable(printed: str) -> str:
    """Without what differs from run to run. A line `…` in a page stands for any lines and is left to `matches`."""
    for pattern, name in _VARYING:
        printed = pattern.sub(name, printed)
    return printed.strip()


def matches(printed: str, expected: str) -> bool:
    parts = [re.escape(part.strip()) for part in re.split(r"(?m)^\s*…$", comparable(expected))]
    return re.fullmatch(r"\s*(?:.|\n)*?\s*".join(parts), comparable(printed)) is not None


def new_repository(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True, env=os.environ | _GIT)


def _rewrite(page: Path, folder: Path) -> None:
    """Put what the commands print into the page. Needs no test: run it after a change of output."""
    new_repository(folder)

    def run(words: list[str]) -> str:
        quoted = shlex.join([str(Path(sys.executable).parent / "waypost"), *words])
        done = subprocess.run(
            ["script", "-qec", f"stty cols 110; {quoted}", "/dev/null"],
            cwd=folder,
            env=os.environ
            | {
                "WAYPOST_HOME": str(folder.parent / "data"),
                "WAYPOST_BACKGROUND": "0",
                "WAYPOST_PERSON": "ada",
                "TERM": "dumb",
                "NO_COLOR": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return re.sub(r"\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)|\x1b\[[0-9;?]*[A-Za-z]", "", done.stdout.replace("\r", ""))

    session, text, shift = Session(folder, run), page.read_text(encoding="utf-8"), 0
    for step in list(steps(text)):
        command = session.real(step.command)
        printed = session.play(step)
        if step.command in text and command != step.command:
            shift += len(command) - len(step.command)
            text = text.replace(step.command, command, 1)
        if step.command and not step.file and "…" not in step.text:
            blank = "\n" if step.text.endswith("\n\n") else ""
            text = text[: step.start + shift] + printed + blank + text[step.end + shift :]
            shift += len(printed + blank) - (step.end - step.start)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    import tempfile

    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            _rewrite(Path(name), Path(temporary) / "shop")
