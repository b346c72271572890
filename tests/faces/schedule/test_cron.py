"""A block in the crontab, and everything else in it as it was."""

import subprocess
import sys
from dataclasses import replace

import pytest
from tests.faces.schedule.conftest import HARD_WORDS, FakeSystem

from waypost.errors import InvalidInput, Refused, WaypostError
from waypost.faces.schedule.cron import Cron, block
from waypost.faces.schedule.job import At, ScheduledJob

NAME = "waypost-0123456789abcdef"
TABLE = b"# mine\nMAILTO=me\nSHELL=/usr/bin/fish\n*/5 * * * * \xff\xfe date +\\%H\n\n@reboot x"


def test_the_block_has_one_line_between_two_marks(job: ScheduledJob) -> None:
    first, line, last = block(job).splitlines()
    assert (first[:5], last[:5]) == ("# >>>", "# <<<")
    assert line == (
        "0 4 * * * WAYPOST_HOME=/srv/memories /opt/python -P -m waypost -C /home/me/project maintain >/dev/null"
    )
    assert block(replace(job, at=At(23, 5))).splitlines()[1].startswith("5 23 * * * ")


@pytest.mark.parametrize("halves", [True, False], ids=["two backslashes are one", "two backslashes are two"])
def test_words_come_through_cron_and_a_real_shell_as_they_were(job: ScheduledJob, halves: bool) -> None:
    show = "import os, sys; print(repr((os.environ['WAYPOST_HOME'], sys.argv[1:])))"
    hard = replace(job, command=(sys.executable, "-c", show, *HARD_WORDS), environment={"WAYPOST_HOME": HARD_WORDS[2]})
    command = through_cron(block(hard).splitlines()[1].split(" ", 5)[5], halves=halves)
    done = subprocess.run(
        ["/bin/sh", "-c", command.removesuffix(">/dev/null")], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == repr((HARD_WORDS[2], list(HARD_WORDS)))


def test_other_lines_stay_to_the_byte(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.table = TABLE
    cron = Cron(fake.system)
    assert cron.install(job, dry_run=False).deed == "installed"
    assert fake.table == block(job).encode() + TABLE
    assert cron.state(NAME).installed
    assert cron.uninstall(NAME, dry_run=False).deed == "removed"
    assert fake.table == TABLE
    assert cron.uninstall(NAME, dry_run=False).deed == "missing"


def test_where_there_was_no_table_there_is_none_afterwards(fake: FakeSystem, job: ScheduledJob) -> None:
    cron = Cron(fake.system)
    cron.install(job, dry_run=False)
    assert fake.table == block(job).encode()
    cron.uninstall(NAME, dry_run=False)
    assert fake.table is None


def test_installing_again_writes_nothing_and_another_time_replaces_the_block(
    fake: FakeSystem, job: ScheduledJob
) -> None:
    fake.table = TABLE
    cron = Cron(fake.system)
    cron.install(job, dry_run=False)
    fake.table = b"# above\n" + fake.table
    before = list(fake.calls)
    assert cron.install(job, dry_run=False).deed == "unchanged"
    assert ("crontab", "-") not in fake.calls[len(before) :]
    assert cron.install(replace(job, at=At(5, 30)), dry_run=False).deed == "updated"
    assert fake.table is not None
    assert fake.table.count(b"# >>> ") == 1
    assert b"30 5 * * * " in fake.table
    cron.uninstall(NAME, dry_run=False)
    assert fake.table == b"# above\n" + TABLE


def test_two_memories_do_not_meet(fake: FakeSystem, job: ScheduledJob) -> None:
    cron, other = Cron(fake.system), replace(job, space="f" * 16)
    cron.install(job, dry_run=False)
    cron.install(other, dry_run=False)
    cron.uninstall(NAME, dry_run=False)
    assert fake.table == block(other).encode()


def test_a_dry_run_writes_nothing(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.table = TABLE
    assert Cron(fake.system).install(job, dry_run=True).written == {"your crontab": block(job)}
    assert fake.table == TABLE


def test_a_block_without_its_end_is_not_touched(fake: FakeSystem, job: ScheduledJob) -> None:
    fake.table = broken = block(job).encode().partition(b"# <<<")[0] + TABLE
    with pytest.raises(Refused, match="without its end"):
        Cron(fake.system).install(job, dry_run=False)
    with pytest.raises(Refused, match="without its end"):
        Cron(fake.system).uninstall(NAME, dry_run=False)
    assert fake.table == broken


@pytest.mark.parametrize("word", ["-l", "-"])
def test_a_crontab_that_fails_is_not_taken_for_an_empty_one(fake: FakeSystem, job: ScheduledJob, word: str) -> None:
    fake.table, fake.broken = TABLE, {word}
    with pytest.raises(WaypostError, match="It is broken today"):
        Cron(fake.system).install(job, dry_run=False)
    assert fake.table == TABLE


def test_a_command_that_cron_would_cut_is_refused(job: ScheduledJob) -> None:
    with pytest.raises(InvalidInput, match="too long for cron"):
        block(replace(job, command=(*job.command, "x" * 1000)))


def through_cron(command: str, *, halves: bool) -> str:
    """What cron hands to the shell: `\\%` is a percent sign, a bare one the end. `halves`: as Vixie's cron does it."""
    out, place = "", 0
    while place < len(command):
        two = command[place : place + 2]
        if two == "\\%" or (halves and two == "\\\\"):
            out += two[1]
            place += 2
        else:
            assert command[place] != "%"
            out += command[place]
            place += 1
    return out
