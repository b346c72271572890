"""Forked children: what they say is heard, and when they have said enough they are killed."""

import json
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.durability.inspection import inspect

from waypost import Memory, config
from waypost.memory.spaces import open_spaces

Log = Callable[[dict[str, Any]], None]
Look = Callable[[Path], dict[str, Any]]


def open_memory(home: Path, project: Path) -> Memory:
    return Memory.open(project, settings=replace(config.load(), home=home, busy_timeout_seconds=30.0))


def run_child(task: Callable[[Log], None], last: int | None = None, delay: float = 0.0) -> tuple[list[Any], int, bool]:
    """Fork, run the task, collect what it logs. When `last` lines were heard, the child is killed after a delay.
    Returns the lines, the signal that ended it, and whether nothing that it started is left."""
    child, reading = start_child(task)
    lines = []
    with os.fdopen(reading, "r", encoding="utf-8") as pipe:
        if last == 0:
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
        for line in pipe:
            lines.append(json.loads(line))
            if len(lines) == last:
                time.sleep(delay)
                os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        raise RuntimeError(f"a child failed after {lines[-3:]}")
    return lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, _group_is_gone(child)


def start_child(task: Callable[[Log], None]) -> tuple[int, int]:
    """Fork and run the task. Returns the child's id and the pipe that its lines come through."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        code = 1
        try:
            task(lambda line: _write_line(writing, line))
            code = 0
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading


def _write_line(pipe: int, line: dict[str, Any]) -> None:
    os.write(pipe, json.dumps(line).encode() + b"\n")


def _group_is_gone(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return True
    return False


@contextmanager
def one_who_looks(project: Path) -> Iterator[Look]:
    """A child that looks at one home after the other. It has never seen the home before, nor written to any that is left
    half: for each it is as good as a new process, and much sooner ready."""
    asking, told = os.pipe()

    def task(log: Log) -> None:
        os.close(told)
        with os.fdopen(asking, "r", encoding="utf-8") as homes:
            for home in homes:
                found = inspect(open_memory(Path(home.rstrip("\n")), project))
                open_spaces.drop_all()  # before it is told: the home may be taken away at once
                log(found)

    child, reading = start_child(task)
    os.close(asking)
    with os.fdopen(reading, "r", encoding="utf-8") as answers:

        def look_at(home: Path) -> dict[str, Any]:
            os.write(told, f"{home}\n".encode())
            found: dict[str, Any] = json.loads(answers.readline())
            return found

        yield look_at
        os.close(told)
    assert os.waitpid(child, 0)[1] == 0


def look(home: Path, project: Path) -> dict[str, Any]:
    """Open the space as a new process would, and describe what is there."""

    def task(log: Log) -> None:
        log(inspect(open_memory(home, project)))

    (found,), *_ = run_child(task)
    assert isinstance(found, dict)
    return found
