"""Timers of systemd: their files, and what systemd is asked to do with them."""

import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.faces.schedule.conftest import HARD_WORDS, FakeSystem

from waypost.errors import Refused, WaypostError
from waypost.faces.schedule.job import At, ScheduledJob
from waypost.faces.schedule.systemd import Systemd, service, timer

NAME = "waypost-0123456789abcdef"


def units(fake: FakeSystem) -> Path:
    return fake.home / ".config/systemd/user"


def test_the_timer_runs_every_day_and_makes_up_for_missed_runs(job: ScheduledJob) -> None:
    lines = timer(replace(job, at=At(23, 5))).splitlines()
    assert "OnCalendar=*-*-* 23:05:00" in lines
    assert "Persistent=true" in lines
    assert "WantedBy=timers.target" in lines
    assert any(line.startswith("RandomizedDelaySec=") for line in lines)


def test_the_service_runs_the_command_with_what_it_must_be_told(job: ScheduledJob) -> None:
    lines = service(job).splitlines()
    assert "ExecStart=/opt/python -P -m waypost -C /home/me/project maintain" in lines
    assert "Environment=WAYPOST_HOME=/srv/memories" in lines
    assert "Type=oneshot" in lines
    assert "Nice=10" in lines


def test_words_come_back_as_they_were(job: ScheduledJob) -> None:
    hard = replace(job, command=("/opt/py thon", *HARD_WORDS), environment={"WAYPOST_HOME": HARD_WORDS[2]})
    text = service(hard)
    assert words(line_of(text, "ExecStart"), dollars=True) == ["/opt/py thon", *HARD_WORDS]
    assert words(line_of(text, "Environment"), dollars=False) == [f"WAYPOST_HOME={HARD_WORDS[2]}"]


def test_a_program_that_systemd_cannot_name_is_started_by_a_shell(tmp_path: Path, job: ScheduledJob) -> None:
    program = tmp_path / 'a\'b$HOME \\ "c"' / "python"
    program.parent.mkdir()
    program.symlink_to(sys.executable)
    show = "import sys; print(repr(sys.argv[1:]))"
    text = service(replace(job, command=(str(program), "-c", show, *HARD_WORDS)))
    command = words(line_of(text, "ExecStart"), dollars=True)
    assert command[0] == "/bin/sh"
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.strip() == repr(list(HARD_WORDS))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_itself_understands_the_files(
    tmp_path: Path, job: ScheduledJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its checker finds the program: one path with everything that must be quoted."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "a b 100% größe"
    folder.mkdir()
    program = folder / "python"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    hard = replace(job, command=(str(program), *HARD_WORDS), title="50% of \\")
    for name, text in (("service", service(hard)), ("timer", timer(hard))):
        (tmp_path / f"{NAME}.{name}").write_text(text)
    command = [
        "systemd-analyze",
        "--user",
        "--man=no",
        "verify",
        str(tmp_path / f"{NAME}.timer"),
        str(tmp_path / f"{NAME}.service"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert [line for line in done.stderr.splitlines() if NAME in line] == []
    program.unlink()
    broken = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert "is not executable" in broken.stderr  # the check can fail


def test_installing_writes_the_files_and_starts_the_timer(fake: FakeSystem, job: ScheduledJob) -> None:
    report = Systemd(fake.system).install(job, dry_run=False)
    assert (report.deed, report.active) == ("installed", True)
    assert sorted(path.name for path in units(fake).iterdir()) == [f"{NAME}.service", f"{NAME}.timer"]
    assert fake.running == {f"{NAME}.timer"}
    assert ("systemctl", "--user", "daemon-reload") in fake.calls
    assert Systemd(fake.system).state(NAME).active


def test_installing_again_changes_nothing_and_another_time_is_taken_over(fake: FakeSystem, job: ScheduledJob) -> None:
    systemd = Systemd(fake.system)
    systemd.install(job, dry_run=False)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in units(fake).iterdir()}
    assert systemd.install(job, dry_run=False).deed == "unchanged"
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in units(fake).iterdir()} == before
    assert systemd.install(replace(job, at=At(5, 0)), dry_run=False).deed == "updated"
    assert ("systemctl", "--user", "restart", f"{NAME}.timer") in fake.calls
    assert "05:00:00" in (units(fake) / f"{NAME}.timer").read_text()


def test_uninstalling_leaves_what_was_there(fake: FakeSystem, job: ScheduledJob) -> None:
    units(fake).mkdir(parents=True)
    other = units(fake) / "backup.timer"
    other.write_bytes(b"[Timer]\r\nOnCalendar=daily")
    systemd = Systemd(fake.system)
    systemd.install(job, dry_run=False)
    assert systemd.uninstall(NAME, dry_run=False).deed == "removed"
    assert list(units(fake).iterdir()) == [other]
    assert other.read_bytes() == b"[Timer]\r\nOnCalendar=daily"
    assert fake.running == set()
    assert systemd.uninstall(NAME, dry_run=False).deed == "missing"


def test_a_dry_run_touches_nothing(fake: FakeSystem, job: ScheduledJob) -> None:
    systemd = Systemd(fake.system)
    report = systemd.install(job, dry_run=True)
    assert report.commands == (f"systemctl --user enable --now {NAME}.timer",)
    assert not units(fake).exists()
    systemd.install(job, dry_run=False)
    systemd.uninstall(NAME, dry_run=True)
    assert systemd.state(NAME).installed


def test_without_a_bus_the_files_wait_and_the_command_is_told(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.bus = False
    report = Systemd(fake.system).install(job, dry_run=False)
    assert not report.active
    assert report.commands[-1] == f"systemctl --user enable --now {NAME}.timer"
    assert (units(fake) / f"{NAME}.timer").is_file()
    wants = units(fake) / "timers.target.wants"
    wants.mkdir()
    (wants / f"{NAME}.timer").symlink_to(units(fake) / f"{NAME}.timer")
    assert Systemd(fake.system).uninstall(NAME, dry_run=False).deed == "removed"
    assert not any(path.is_symlink() or path.is_file() for path in units(fake).rglob("*"))


@pytest.mark.parametrize("suffix", ["timer", "service"])
def test_files_of_somebody_else_are_theirs(fake: FakeSystem, job: ScheduledJob, suffix: str) -> None:
    units(fake).mkdir(parents=True)
    theirs = units(fake) / f"{NAME}.{suffix}"
    theirs.write_text("[Unit]\n")
    systemd = Systemd(fake.system)
    with pytest.raises(Refused, match="is not from Waypost"):
        systemd.install(job, dry_run=False)
    assert systemd.uninstall(NAME, dry_run=False).deed == "left"
    assert [path.read_text() for path in units(fake).iterdir()] == ["[Unit]\n"]


def test_a_file_that_was_changed_by_hand_is_left(fake: FakeSystem, job: ScheduledJob) -> None:
    systemd = Systemd(fake.system)
    systemd.install(job, dry_run=False)
    path = units(fake) / f"{NAME}.timer"
    changed = path.read_text().replace("04:00", "06:30")
    path.write_text(changed)
    with pytest.raises(Refused, match="was edited"):
        systemd.install(job, dry_run=False)
    assert systemd.uninstall(NAME, dry_run=False).deed == "left"
    assert path.read_text() == changed


def test_what_systemd_complains_of_is_told(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.broken = {"enable"}
    with pytest.raises(WaypostError, match="It is broken today"):
        Systemd(fake.system).install(job, dry_run=False)


def line_of(text: str, key: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith(f"{key}=")]
    return line.removeprefix(f"{key}=")


def words(line: str, *, dollars: bool) -> list[str]:
    """As systemd.syntax(7) and systemd.service(5) say: quotes, escapes, then specifiers, then variables."""
    found: list[str] = []
    for quoted, bare in re.findall(r'"((?:[^"\\]|\\.)*)"|(\S+)', line):
        plain = bare or re.sub(r"\\(.)", r"\1", quoted)
        assert not re.search(r"(?<!%)(?:%%)*%(?!%)", plain), "a specifier"
        plain = plain.replace("%%", "%")
        if dollars and found:  # the program itself is taken as it is
            assert not re.search(r"(?<!\$)(?:\$\$)*\$(?!\$)", plain), "a variable"
            plain = plain.replace("$$", "$")
        found.append(plain)
    return found
