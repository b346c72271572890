"""Many files at once, in children that may die."""

import os
import signal
from pathlib import Path

import pytest

from waypost.code.files.reading import Unread
from waypost.flows.index import digest_pool
from waypost.flows.index.file_digest import Digest, DigestJob, digest_file

pytestmark = pytest.mark.slow  # not for the inner loop


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[DigestJob]]:
    """Enough files for two children, which takes fewer than it does for users: one that dies is followed by as many as
    there are files in a batch."""
    monkeypatch.setattr(digest_pool, "_BATCH", 3)
    monkeypatch.setattr(digest_pool, "_ALONE_BELOW", 6)
    for place in range(24):
        (tmp_path / f"m{place:03}.py").write_text(f"def function_{place}():\n    return {place}\n")
    return tmp_path, [DigestJob(f"m{place:03}.py") for place in range(24)]


def test_children_give_the_same_digests_as_we_do(
    many: tuple[Path, list[DigestJob]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, jobs = many
    monkeypatch.setattr(digest_pool, "cores", lambda: 2)
    together = dict(digest_pool.digest_files(root, jobs))
    alone = {job.path: digest_file(root, job) for job in jobs}
    assert together == alone
    assert all(isinstance(digest, Digest) for digest in together.values())


def test_a_caller_that_stops_leaves_no_child_behind(
    many: tuple[Path, list[DigestJob]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, jobs = many
    started: list[int] = []
    begin = digest_pool._Child.__init__

    def noted(self: digest_pool._Child, root: Path) -> None:
        begin(self, root)
        started.append(self._process.pid)

    monkeypatch.setattr(digest_pool._Child, "__init__", noted)
    monkeypatch.setattr(digest_pool, "cores", lambda: 2)
    outcomes = digest_pool.digest_files(root, jobs)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    assert started
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.slow
def test_a_file_that_kills_its_parser_costs_only_itself(
    many: tuple[Path, list[DigestJob]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, jobs = many
    digest = digest_pool._Child.digest

    def dies(self: digest_pool._Child, asked: list[DigestJob]) -> list[digest_pool.Outcome] | None:
        if any(job.path == "m010.py" for job in asked):
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        return digest(self, asked)

    monkeypatch.setattr(digest_pool._Child, "digest", dies)
    monkeypatch.setattr(digest_pool, "cores", lambda: 1)
    outcomes = dict(digest_pool.digest_files(root, jobs))
    assert len(outcomes) == 24
    assert outcomes["m010.py"] == Unread("the parser crashed on it, or did not come to an end")
    assert sum(isinstance(one, Digest) for one in outcomes.values()) == 23


@pytest.mark.slow
def test_a_file_that_the_parser_cannot_finish_costs_only_itself(
    many: tuple[Path, list[DigestJob]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, jobs = many
    begin = digest_pool._Child.digest

    def hangs(self: digest_pool._Child, asked: list[DigestJob]) -> list[digest_pool.Outcome] | None:
        if any(job.path == "m010.py" for job in asked):
            self._process.send_signal(signal.SIGSTOP)
            self.patience = 0.01
        return begin(self, asked)

    monkeypatch.setattr(digest_pool._Child, "digest", hangs)
    monkeypatch.setattr(digest_pool, "cores", lambda: 1)
    outcomes = dict(digest_pool.digest_files(root, jobs[6:18]))
    assert isinstance(outcomes["m010.py"], Unread)
    assert sum(isinstance(one, Digest) for one in outcomes.values()) == 11


def test_a_large_file_alone_is_read_in_a_child_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "large.py").write_text("def f(): ...\n" * 9000)
    size = (tmp_path / "large.py").stat().st_size
    monkeypatch.setattr(digest_pool, "digest_file", None)  # not here
    outcomes = dict(digest_pool.digest_files(tmp_path, [DigestJob("large.py", size)]))
    assert isinstance(outcomes["large.py"], Digest)
