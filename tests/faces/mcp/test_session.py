"""What a call knows of its client, and the threads that it runs in."""

import asyncio
import threading
from pathlib import Path

import pytest

from waypost import config
from waypost.errors import InvalidInput, SecurityError
from waypost.faces.mcp.session import ServedCall, ServedProject, client_name
from waypost.faces.mcp.tool import Cancelled
from waypost.faces.mcp.workers import Workers
from waypost.model.memory import Caller


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("claude-code", "claude-code"),
        (" a\n\x1bb ", "ab"),
        ("", "mcp"),
        (None, "mcp"),
        (7, "mcp"),
        ("x" * 99, "x" * 60),
    ],
)
def test_a_client_is_known_by_a_name_fit_for_a_record(told: object, name: str) -> None:
    assert client_name(told) == name


def test_progress_rises_and_is_not_told_more_often_than_anybody_looks() -> None:
    told: list[float] = []
    now = 0.0
    call = ServedCall(ServedProject(), tell=lambda done, total, message: told.append(done), ticks=lambda: now)
    for done in (0, 1, 2, 1):
        call.report(done, 10)
    now = 1.0
    call.report(0, 10)
    call.report(5, 10)
    call.report(10, 10)
    assert told == [0, 5, 10]


def test_a_stopped_call_ends_at_its_next_report() -> None:
    call = ServedCall(ServedProject())
    call.report(1)
    call.stopped.set()
    with pytest.raises(Cancelled):
        call.report(2)


def test_without_a_way_to_ask_nobody_speaks_for_the_person() -> None:
    with pytest.raises(SecurityError, match="cannot ask"):
        ServedCall(ServedProject()).ask_person("Forget it?")


def test_no_more_threads_run_than_there_may_be_and_all_work_is_done() -> None:
    running, most = 0, 0
    lock, both = threading.Lock(), threading.Barrier(2)

    def work() -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        both.wait(10)
        with lock:
            running -= 1
        return 1

    async def many() -> int:
        workers = Workers(2)
        return sum(await asyncio.gather(*(workers.run(work) for _ in range(20))))

    assert asyncio.run(many()) == 20
    assert most == 2


def test_what_work_raises_reaches_whoever_waits() -> None:
    async def fail() -> None:
        await Workers(1).run(lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(fail())


def test_work_that_nobody_waits_for_any_more_is_not_begun() -> None:
    begun, go, done = threading.Event(), threading.Event(), list[str]()

    def hold() -> None:
        begun.set()
        go.wait(10)

    async def cancel() -> None:
        workers = Workers(1)
        first = asyncio.create_task(workers.run(hold))
        second = asyncio.create_task(workers.run(lambda: done.append("second")))
        await asyncio.to_thread(begun.wait, 10)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        go.set()
        await first
        await workers.run(lambda: done.append("third"))

    asyncio.run(cancel())
    assert done == ["third"]


def test_the_home_directory_is_no_project_unless_somebody_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    home, agent = config.user_home(), Caller("agent", "x")
    monkeypatch.chdir(home)
    for root in (None, home, Path(home.anchor)):
        with pytest.raises(InvalidInput, match="is not a project"):
            ServedProject().memory(agent, root)
    assert ServedProject(home).memory(agent).code.root == home
    assert ServedProject(person="anna").memory(agent).identity.space_id
    (home / "shop").mkdir()
    assert ServedProject().memory(agent, home / "shop").code.root == home / "shop"
    (home / ".git").mkdir()
    assert ServedProject().memory(agent).code.root == home  # somebody keeps it as a repository
