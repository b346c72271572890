"""Jobs: started, looked after, cancelled, one of a sort at a time."""

import threading
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import NotFound, StoreFull
from waypost.faces.rest import jobs as jobs_module
from waypost.faces.rest.jobs import Jobs, Report
from waypost.faces.rest.problems import ProblemError

HERE = "/api/v1/spaces/here"


@pytest.mark.slow
def test_a_job_reads_the_tree_and_says_what_it_read(served: Any) -> None:
    (Path(served.memory.code.root) / "storage.py").write_text("def upload():\n    return 1\n")
    started = served.agent.post(f"{HERE}/jobs", json={"sort": "index"})
    assert started.status_code == 202
    served.app.state.services.jobs.wait(started.json()["id"], 30)
    done = served.reader.get(started.headers["location"]).json()
    assert (done["status"], done["result"]["files"], done["problem"]) == ("done", 1, None)
    assert [job["id"] for job in served.reader.get(f"{HERE}/jobs").json()["jobs"]] == [done["id"]]
    files = served.reader.get(f"{HERE}/code/files").json()["files"]
    assert [(one["path"], one["language"], one["lines"]) for one in files] == [("storage.py", "python", 2)]


@pytest.mark.slow
def test_every_sort_ends(served: Any) -> None:
    served.remember("Uploads go to S3")
    ends = {}
    for sort in ("maintain", "condense", "rebuild", "reindex", "summarize"):
        started = served.agent.post(f"{HERE}/jobs", json={"sort": sort, "force": True}).json()
        served.app.state.services.jobs.wait(started["id"], 30)
        done = served.reader.get(f"{HERE}/jobs/{started['id']}").json()
        ends[sort] = done["problem"]["status"] if done["problem"] else done["status"]
    assert ends.pop("summarize") == 404  # nothing is indexed here
    assert set(ends.values()) == {"done"}


@pytest.mark.slow
def test_upkeep_tells_its_steps_and_stops_between_them(served: Any) -> None:
    told: list[tuple[Any, ...]] = []
    done = served.memory.admin.maintain(force=True, report=lambda *step: told.append(step))
    assert [name for name, *_ in told] == [one.step for one in done]
    assert [(at, of) for _, at, of in told] == [(number, len(done)) for number in range(len(done))]

    def stop(_: str, at: int, of: int) -> None:
        if at == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        served.memory.admin.maintain(force=True, report=stop)
    started = served.agent.post(f"{HERE}/jobs", json={"sort": "maintain", "force": True}).json()
    served.app.state.services.jobs.wait(started["id"], 30)
    progress = served.reader.get(f"{HERE}/jobs/{started['id']}").json()["progress"]
    assert (progress["phase"], progress["done"], progress["total"]) == (told[-1][0], len(done) - 1, len(done))


def test_one_of_a_sort_runs_in_a_memory_and_can_be_cancelled(clock: Any, tmp_path: Path) -> None:
    jobs, go_on, told = Jobs(clock, tmp_path), threading.Event(), threading.Event()

    def work(report: Report) -> dict[str, Any]:
        report("reading", 1, 3)
        told.set()
        go_on.wait(10)
        report("reading", 2, 3)
        return {}

    first = jobs.start("a", "index", "ada", work)
    told.wait(10)
    with pytest.raises(ProblemError) as error:
        jobs.start("a", "index", "bob", work)
    assert (error.value.problem.status, error.value.more) == (409, {"job": first.id})
    other = jobs.start("b", "index", "bob", lambda _: {"x": 1})
    jobs.wait(other.id, 10)
    assert jobs.get("b", other.id).result == {"x": 1}
    assert jobs.get("a", first.id).to_json()["progress"] == {"phase": "reading", "done": 1, "total": 3}
    assert jobs.cancel("a", first.id).cancelling
    go_on.set()
    jobs.wait(first.id, 10)
    assert (jobs.get("a", first.id).status, jobs.get("a", first.id).cancelling) == ("cancelled", False)
    with pytest.raises(NotFound):
        jobs.get("b", first.id)


def test_what_fails_is_told_and_what_is_our_fault_is_not(
    clock: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = Jobs(clock, tmp_path)

    def full(_: Report) -> dict[str, Any]:
        raise StoreFull("No room.", "Make some.")

    def broken(_: Report) -> dict[str, Any]:
        raise ZeroDivisionError("a secret detail")

    ended = []
    for sort, work in (("index", full), ("rebuild", broken)):
        job = jobs.start("a", sort, "ada", work)
        jobs.wait(job.id, 10)
        ended.append(jobs.get("a", job.id).to_json())
    assert [(job["status"], job["problem"]["status"]) for job in ended] == [("failed", 507), ("failed", 500)]
    assert "secret" not in str(ended) + caplog.text
    assert "in broken" in (tmp_path / "crash.log").read_text()


def test_so_many_run_and_so_many_are_remembered(clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs_module, "MOST_KEPT", 5)
    jobs, go_on = Jobs(clock, tmp_path), threading.Event()
    for number in range(8):
        jobs.wait(jobs.start("a", f"quick {number}", "ada", lambda _: {}).id, 10)
    assert [job.sort for job in jobs.listed("a")] == [f"quick {number}" for number in (7, 6, 5, 4, 3)]

    def work(report: Report) -> dict[str, Any]:
        go_on.wait(10)
        report("ending")
        return {}

    running = [jobs.start("a", f"slow {number}", "ada", work) for number in range(jobs_module.MOST_RUNNING)]
    with pytest.raises(ProblemError, match="jobs are running"):
        jobs.start("a", "one more", "ada", work)
    go_on.set()
    jobs.stop()
    assert {jobs.get("a", job.id).status for job in running} <= {"cancelled", "done"}


def test_the_end_of_the_server_ends_its_jobs(served: Any) -> None:
    from starlette.testclient import TestClient

    began, done = threading.Event(), threading.Event()

    def work(report: Report) -> dict[str, Any]:
        began.set()
        while True:
            report("going on")
            done.wait(0.01)

    with TestClient(served.app):
        jobs = served.app.state.services.jobs
        job = jobs.start("a", "index", "ada", work)
        began.wait(10)
    assert jobs.get("a", job.id).status == "cancelled"
