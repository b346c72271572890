"""What is put on the schedule."""

from pathlib import Path

import pytest

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.schedule.job import At, ScheduledJob, job_of, needs_secrets
from waypost.space.identity import identify, identify_person


@pytest.mark.parametrize(
    ("text", "hour", "minute"), [("04:00", 4, 0), ("4:05", 4, 5), ("23:59", 23, 59), (" 0:00 ", 0, 0)]
)
def test_a_time_of_day_is_read(text: str, hour: int, minute: int) -> None:
    assert At.parse(text) == At(hour, minute)


@pytest.mark.parametrize("text", ["", "4", "24:00", "12:60", "04:00:00", "noon", "-1:00", "٠٤:٠٠", "04:00\n* *"])
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        At.parse(text)


def test_a_project_is_kept_by_its_directory_and_a_person_by_name(tmp_path: Path) -> None:
    settings = config.load({"HOME": str(tmp_path)})
    project = job_of(identify(tmp_path), "/opt/python", settings, At(4, 0))
    assert project.command == ("/opt/python", "-P", "-m", "waypost", "-C", str(tmp_path), "maintain")
    person = job_of(identify_person("Zoë"), "/opt/python", settings, At(4, 0))
    assert person.command[4:] == ("--person=Zoë", "maintain")
    assert project.name != person.name
    assert job_of(None, "/opt/python", settings, At(4, 0)).command[4:] == ("schedule", "run")


def test_only_what_the_environment_alone_says_is_handed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    identity = identify(tmp_path)

    def told(**environment: str) -> dict[str, str]:
        return dict(
            job_of(identity, "/opt/python", config.load({"HOME": str(tmp_path), **environment}), At(4, 0)).environment
        )

    assert told() == {}
    assert told(WAYPOST_HOME="/srv/memories") == {"WAYPOST_HOME": "/srv/memories"}
    assert told(WAYPOST_ENGINE="ollama", WAYPOST_MODELS="/srv/models") == {
        "WAYPOST_ENGINE": "ollama",
        "WAYPOST_MODELS": "/srv/models",
    }
    (tmp_path / ".waypost").mkdir()
    (tmp_path / ".waypost/config.toml").write_text('engine = "ollama"\n')
    assert told() == {}  # who runs by night reads the same file


@pytest.mark.parametrize("bad", ["/a\nb", "/a\rb", "/a\0b", "/a\u2028b", "/a\udcffb", "/a\x1bb"])
def test_a_path_that_no_line_can_hold_is_refused(bad: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be written into a schedule"):
        ScheduledJob("0" * 16, "x", ("/opt/python", "-C", bad), At(4, 0))
    with pytest.raises(InvalidInput):
        ScheduledJob("0" * 16, "x", ("/opt/python",), At(4, 0), {"WAYPOST_HOME": bad})


def test_a_program_without_its_full_path_is_refused() -> None:
    with pytest.raises(InvalidInput):
        ScheduledJob("0" * 16, "x", ("python", "-m", "waypost"), At(4, 0))


def test_a_title_stays_on_its_line() -> None:
    assert (
        ScheduledJob("0" * 16, "a\nExecStart=/bin/false\\", ("/opt/python",), At(4, 0)).shown_title
        == "a ExecStart=/bin/false/"
    )


def test_keys_that_only_a_shell_knows_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[llm]\nurl = "http://x"\nmodel = "m"\napi_key_variable = "KEY"\n')
    assert needs_secrets(config.load({"WAYPOST_HOME": str(tmp_path)}))
    assert not needs_secrets(config.load({"WAYPOST_HOME": str(tmp_path / "other")}))
