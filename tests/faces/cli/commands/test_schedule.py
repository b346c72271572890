"""The commands on the schedule, on a system made up for it; and upkeep of all memories, for real."""

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory
from tests.faces.cli.conftest import Waypost
from tests.faces.schedule.conftest import FakeSystem

from waypost import config
from waypost.config import Settings
from waypost.errors import NotFound
from waypost.faces.schedule.system import ScheduleSystem
from waypost.flows.admin import maintenance
from waypost.flows.open_space import OpenSpace
from waypost.memory.catalog import open_by_id
from waypost.model.memory import Caller


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSystem:
    home = tmp_path / "person"
    home.mkdir()
    fake = FakeSystem(home)

    def system(_: Settings) -> ScheduleSystem:
        return fake.system

    monkeypatch.setattr("waypost.faces.schedule.system.this_system", system)
    return fake


def test_install_status_and_uninstall_answer_in_json(waypost: Waypost, fake: FakeSystem, project: Path) -> None:
    before = waypost("schedule", "status", "--json")
    assert (before.code, before.json["installed"]) == (3, False)
    done = waypost("schedule", "install", "--at", "3:30", "--json")
    assert done.code == 0
    (schedule,) = done.json["schedules"]
    assert (done.json["at"], schedule["using"], schedule["action"], schedule["active"]) == (
        "03:30",
        "systemd",
        "installed",
        True,
    )
    (service,) = [text for path, text in schedule["written"].items() if path.endswith(".service")]
    assert f"-C {project} maintain" in service
    after = waypost("schedule", "status", "--json")
    assert (after.code, after.json["installed"]) == (0, True)
    gone = waypost("schedule", "uninstall", "--json")
    assert (gone.code, gone.json["schedules"][0]["action"]) == (0, "removed")
    assert waypost("schedule", "uninstall", "--json").code == 3


def test_people_are_told_in_words(waypost: Waypost, fake: FakeSystem) -> None:
    shown = waypost("schedule", "install", "--using", "cron", "--dry-run")
    assert "cron: waypost-" in shown.out
    assert "would be installed, every day at 04:00" in shown.out
    assert "    0 4 * * * " in shown.out
    assert fake.table is None
    done = waypost("schedule", "install", "--using", "cron")
    assert "installed, every day at 04:00" in done.out
    assert "catches up" in done.err
    assert "cron: installed\n" in waypost("schedule", "status").out
    assert "already installed" in waypost("schedule", "install", "--using", "cron").out
    assert "removed" in waypost("schedule", "uninstall").out
    assert "Maintenance was not scheduled." in waypost("schedule", "uninstall").out


def test_each_memory_has_a_schedule_of_its_own(waypost: Waypost, fake: FakeSystem) -> None:
    names = [
        waypost(*words, "--json").json["schedules"][0]["name"]
        for words in (
            ("schedule", "install"),
            ("--person", "schedule", "install"),
            ("--person", "Zoë", "schedule", "install"),
            ("schedule", "install", "--all"),
        )
    ]
    assert len(set(names)) == 4
    assert names[-1] == "waypost-all"
    assert waypost("schedule", "uninstall").code == 0
    assert waypost("--person", "Zoë", "schedule", "status").code == 0
    assert waypost("schedule", "status", "--all").code == 0


def test_wrong_words_are_refused_in_two_lines(waypost: Waypost, fake: FakeSystem) -> None:
    assert waypost("schedule", "install", "--at", "25:00").code == 2
    assert "systemd, cron, launchd, task" in waypost("schedule", "install", "--using", "at").err
    fake.programs = set()
    assert waypost("schedule", "install", "--json").json["remedy"].startswith("Run `waypost maintain` once a day")
    assert waypost("schedule", "install").code == 1


def test_a_file_that_was_changed_is_left_and_told(waypost: Waypost, fake: FakeSystem) -> None:
    waypost("schedule", "install")
    (timer,) = (fake.home / ".config/systemd/user").glob("*.timer")
    timer.write_text(timer.read_text() + "# mine\n")
    gone = waypost("schedule", "uninstall")
    assert gone.code == 1
    assert "not changed" in gone.out
    assert timer.exists()


@pytest.mark.slow
def test_upkeep_of_all_memories_goes_on_without_a_tree_and_after_a_failure(
    waypost: Waypost, open_memory: OpenMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "gone", "broken"):
        open_memory(name).remember("The port is 8080.")
    waypost("--person", "Zoë", "remember", "Tea without sugar.")
    (tmp_path / "work/gone").rename(tmp_path / "elsewhere")
    maintained: list[str] = []
    maintain = maintenance.maintain

    def watched(space: OpenSpace, **options: Any) -> object:
        maintained.append(space.identity.name)
        if space.identity.name == "broken":
            raise NotFound("A step has failed.", "")
        return maintain(space, **options)

    monkeypatch.setattr(maintenance, "maintain", watched)
    done = waypost("schedule", "run", "--json")
    assert done.code == 1
    looked = {one["name"]: one for one in done.json["memories"]}
    assert sorted(maintained) == ["Zoë", "broken", "gone", "here"]
    assert not looked["gone"]["error"]
    assert looked["broken"]["error"]
    assert not looked["here"]["error"]
    assert not looked["Zoë"]["error"]


def test_a_folder_that_has_become_another_project_is_not_taken_for_the_old_one(
    waypost: Waypost, open_memory: OpenMemory, tmp_path: Path
) -> None:
    memory = open_memory("moved")
    memory.remember("The port is 8080.")
    folder = tmp_path / "work/moved"
    (folder / ".git").mkdir()
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git/objects").mkdir()
    (folder / ".git/refs").mkdir()
    (folder / ".git/config").write_text('[remote "origin"]\n\turl = https://example.org/other.git\n')
    looked = waypost("schedule", "run", "--json").json["memories"]
    assert [one["error"] for one in looked if one["space"] == memory.identity.space_id] == [""]
    assert not open_by_id(config.load(), Caller("person", "ada"), memory.identity.space_id).identity.has_tree


def test_maintain_all_is_one_command_for_every_memory(waypost: Waypost, open_memory: OpenMemory) -> None:
    open_memory("here").remember("The port is 8080.")
    for person in ("Zoë", "42"):
        waypost("--person", person, "remember", "Tea without sugar.")
    done = waypost("maintain", "--all", "--json")
    assert done.code == 0
    assert {row["name"]: row["error"] for row in done.json["memories"]} == {"here": "", "Zoë": "", "42": ""}
    assert "Zoë (" in waypost("maintain", "--all").out
