"""`waypost tour` shows the whole idea with real commands, and leaves nothing behind."""

import tempfile
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost


@pytest.mark.slow  # seven commands, each a process
def test_the_tour_goes_from_remember_to_why(waypost: Waypost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "none"))  # keywords are enough
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = waypost("list", "--json").out
    done = waypost("tour")
    assert done.code == 0, done.err
    steps = [
        "Remembered 01",
        "STALE since",
        "Corrected 01",
        "$ waypost why",
        "because: mobile networks drop connections",
    ]
    places = [done.out.index(step) for step in steps]
    assert places == sorted(places)
    assert "STALE" not in done.out[: places[1]].replace("see STALE", "")
    assert "waypost setup" in done.out[places[-1] :]
    assert "note:" not in done.out and done.out.count("waypost model install") == 1
    assert waypost("list", "--json").out == before
    assert list(tmp_path.glob("waypost-tour-*")) == []


@pytest.mark.slow
def test_a_step_that_fails_ends_the_tour_with_an_error(waypost: Waypost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_ENGINE", "nonsense")
    assert waypost("tour").code != 0
