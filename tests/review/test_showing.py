"""What commands show: only what held at the moment asked for, and only what concerns this space."""

import json
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.faces.cli.conftest import Waypost, project, waypost

from waypost.errors import NotFound
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

__all__ = ["project", "waypost"]


def test_a_memory_is_not_shown_for_a_moment_at_which_it_did_not_hold(memory: Memory, clock: TestClock) -> None:
    kept = memory.remember("Deploys happen on Mondays", valid_until="2026-02-01").id or ""
    clock.advance(seconds=1)
    for moment in ({"as_of": "1990-01-01"}, {"known_at": "1990-01-01"}, {"as_of": "2026-03-01"}):
        with pytest.raises(NotFound, match="did not hold then"):
            memory.show(kept, **moment)
    assert memory.show(kept, as_of="2026-01-31").version.text == "Deploys happen on Mondays"
    clock.advance(days=90)
    assert memory.show(kept).version.valid_until is not None, "without a moment, the latest that is held"


def test_json_holds_no_raw_character_that_acts_on_a_terminal(waypost: Waypost) -> None:
    text = "turned \u202e and \x9b31m red, but Größe дела ☃ stays"
    waypost("remember", text)
    done = waypost("list", "--json")
    assert not set("\u202e\x9b") & set(done.out)
    assert done.json["memories"][0]["text"] == text.replace("\x9b31m", "")
    assert "Größe дела ☃" in done.out


def test_doctor_wants_only_the_models_that_are_used(
    waypost: Waypost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "none"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('engine = "ollama"\nmultilingual = false\n')
    done = waypost("doctor", "--json")
    assert done.code == 0, done.out
    (tmp_path / "home" / "config.toml").write_text("multilingual = false\n")
    wrong = [finding for finding in json.loads(waypost("doctor", "--json").out)["findings"] if not finding["ok"]]
    assert [finding["check"] for finding in wrong] == ["model minilm-l6-v2"]
    assert "\n" not in wrong[0]["message"] and "waypost model install" in wrong[0]["remedy"]
