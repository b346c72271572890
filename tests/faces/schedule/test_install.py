"""Which scheduler is taken, and that a job is on one of them only. launchd and Windows by systems made up for it."""

import plistlib
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from tests.faces.schedule.conftest import HARD_WORDS, FakeSystem

from waypost.errors import InvalidInput, Refused
from waypost.faces.schedule.install import install, status, uninstall
from waypost.faces.schedule.job import At, ScheduledJob
from waypost.faces.schedule.launchd import agent
from waypost.faces.schedule.task import task

NAME = "waypost-0123456789abcdef"


@pytest.mark.parametrize(
    ("platform", "programs", "bus", "taken"),
    [
        ("linux", {"systemctl", "crontab"}, True, "systemd"),
        ("linux", {"systemctl", "crontab"}, False, "cron"),
        ("linux", {"crontab"}, False, "cron"),
        ("linux", {"systemctl"}, False, "systemd"),
        ("darwin", {"launchctl", "crontab"}, False, "launchd"),
        ("win32", {"schtasks"}, False, "task"),
        ("freebsd14", {"crontab"}, False, "cron"),
    ],
)
def test_what_the_system_has_is_taken(
    fake: FakeSystem, job: ScheduledJob, platform: str, programs: set[str], bus: bool, taken: str
) -> None:
    fake.platform, fake.programs, fake.bus = platform, programs, bus
    assert install(job, fake.system).using == taken
    assert [one.using for one in status(NAME, fake.system) if one.installed] == [taken]


def test_a_system_without_any_is_told_so(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.programs = set()
    with pytest.raises(Refused, match="No scheduler was found"):
        install(job, fake.system)
    with pytest.raises(Refused, match="cron cannot be used here: there is no crontab"):
        install(job, fake.system, using="cron")
    with pytest.raises(InvalidInput, match="There is no scheduler 'at'"):
        install(job, fake.system, using="at")


def test_changing_the_scheduler_leaves_no_second_run(fake: FakeSystem, job: ScheduledJob) -> None:
    install(job, fake.system)
    install(job, fake.system, using="cron")
    assert [one.using for one in status(NAME, fake.system) if one.installed] == ["cron"]
    assert fake.running == set()
    install(job, fake.system)
    assert [one.using for one in status(NAME, fake.system) if one.installed] == ["systemd"]
    assert fake.table is None
    assert [report.using for report in uninstall(NAME, fake.system)] == ["systemd"]
    assert uninstall(NAME, fake.system) == ()


def test_an_agent_of_launchd_is_written_loaded_and_taken_away(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.platform, fake.programs = "darwin", {"launchctl"}
    path = fake.home / "Library/LaunchAgents" / f"local.{NAME}.plist"
    assert install(job, fake.system).deed == "installed"
    assert plistlib.loads(path.read_bytes())["StartCalendarInterval"] == {"Hour": 4, "Minute": 0}
    assert fake.running == {f"local.{NAME}"}
    assert ("launchctl", "bootstrap", "gui/501", str(path)) in fake.calls
    assert install(job, fake.system).deed == "unchanged"
    assert install(replace(job, at=At(5, 0)), fake.system).deed == "updated"
    assert ("launchctl", "bootout", f"gui/501/local.{NAME}") in fake.calls
    path.write_text(path.read_text().replace("<integer>5<", "<integer>6<"))
    with pytest.raises(Refused, match="was edited"):
        install(job, fake.system)
    assert uninstall(NAME, fake.system)[0].deed == "left"
    path.unlink()
    install(job, fake.system)
    assert uninstall(NAME, fake.system)[0].deed == "removed"
    assert not path.exists()
    assert fake.running == set()


def test_a_property_list_says_the_words_as_they_are(job: ScheduledJob) -> None:
    hard = replace(job, command=("/opt/<py>&/python", *HARD_WORDS), environment={"WAYPOST_HOME": "/a & b"})
    read = plistlib.loads(agent(hard).encode())
    assert read["ProgramArguments"] == ["/opt/<py>&/python", *HARD_WORDS]
    assert read["EnvironmentVariables"] == {"WAYPOST_HOME": "/a & b"}


def test_a_task_of_windows_is_created_by_a_file_and_taken_away(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.platform, fake.programs = "win32", {"schtasks"}
    assert install(job, fake.system).deed == "installed"
    path = fake.home / ".waypost/schedule" / f"{NAME}.xml"
    assert path.is_file()
    assert ("schtasks", "/Create", "/TN", rf"Waypost\{NAME}", "/XML", str(path), "/F") in fake.calls
    assert uninstall(NAME, fake.system)[0].deed == "removed"
    assert not path.exists()
    assert fake.running == set()


def test_a_task_says_its_command_and_sets_its_environment(job: ScheduledJob) -> None:
    root = ElementTree.fromstring(task(replace(job, title="R&D <x>")))
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert root.findtext(".//t:Command", namespaces=space) == "/opt/python"
    words = root.findtext(".//t:Arguments", "", namespaces=space)
    assert "os.environ.update({'WAYPOST_HOME': '/srv/memories'})" in words
    assert words.endswith("-C /home/me/project maintain")
    assert root.findtext(".//t:StartWhenAvailable", namespaces=space) == "true"
    assert root.findtext(".//t:StartBoundary", "", namespaces=space).endswith("T04:00:00")
    assert root.findtext(".//t:Description", "", namespaces=space).endswith("R&D <x>")


def test_nothing_of_a_system_is_touched_that_is_not_there(fake: FakeSystem) -> None:
    fake.programs = set()
    assert not any(one.installed or one.usable for one in status(NAME, fake.system))
    assert {call[0] for call in fake.calls} <= {"systemctl"}
    assert list(fake.home.iterdir()) == []
