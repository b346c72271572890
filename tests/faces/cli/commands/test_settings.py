"""`waypost config` shows every setting and changes config.toml without touching anything else."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import config


def file_of(waypost: Waypost) -> Path:
    path = Path(waypost("config", "path").out.strip())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def test_every_setting_is_listed_with_its_origin(waypost: Waypost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_PERSON", "anna")
    file_of(waypost).write_text("stale_threshold = 0.25\n")
    rows = {row["key"]: row for row in waypost("config", "list", "--json").json["settings"]}
    assert rows["person"] == {"key": "person", "value": "anna", "origin": "WAYPOST_PERSON"}
    assert rows["stale_threshold"] == {"key": "stale_threshold", "value": 0.25, "origin": "config.toml"}
    assert rows["backup.keep"] == {"key": "backup.keep", "value": 7, "origin": "default"}
    assert {key.partition(".")[0] for key in rows} == config.KNOWN
    assert waypost("config").out == waypost("config", "list").out


def test_a_value_is_set_and_comments_stay(waypost: Waypost) -> None:
    path = file_of(waypost)
    path.write_text("# mine\nstale_threshold = 0.25  # a quarter\n\n[journal]\n# where I live\nsessions = true\n")
    assert waypost("config", "set", "journal.timezone", "Europe/Berlin").code == 0
    assert waypost("config", "set", "stale_threshold", "0.5", "links", "zed").code == 0
    text = path.read_text()
    assert text.startswith('# mine\nstale_threshold = 0.5  # a quarter\nlinks = "zed"\n')
    assert "# where I live\n" in text
    assert waypost("config", "get", "journal.timezone").out == "Europe/Berlin\n"
    assert waypost("config", "unset", "links").code == 0
    assert "links" not in path.read_text()
    assert waypost("config", "unset", "links").code == 3


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [("multilingual", "false", "multilingual = false"), ("learn.on", "commit,save", 'on = ["commit", "save"]'),
     ("backup.keep", "3", "keep = 3"), ("machine", "42", 'machine = "42"'), ("learn.on", "[]", "on = []")],
)  # fmt: skip
def test_values_get_the_type_of_their_setting(waypost: Waypost, key: str, value: str, written: str) -> None:
    assert waypost("config", "set", key, value).code == 0
    assert written in file_of(waypost).read_text()
    config.load()


@pytest.mark.parametrize(
    ("pairs", "says"),
    [(["nonsense", "1"], "Unknown setting 'nonsense'"), (["backup.keep", "many"], "wrong type"),
     (["backup.keep", "0"], "from 1 to 1000"), (["journal.timezone", "Moon/Base"], "Moon/Base"),
     (["llm.url", "http://localhost"], "url and model"), (["links"], "has no value"), (["links", "notepad"], "notepad")],
)  # fmt: skip
def test_a_wrong_value_is_refused_and_nothing_is_written(waypost: Waypost, pairs: list[str], says: str) -> None:
    path = file_of(waypost)
    path.write_text("# mine\n")
    done = waypost("config", "set", *pairs)
    assert done.code == 2 or done.code == 1
    assert says in done.err
    assert path.read_text() == "# mine\n"


def test_settings_that_need_each_other_are_set_together(waypost: Waypost) -> None:
    assert waypost("config", "set", "llm.url", "http://localhost:11434", "llm.model", "qwen3").code == 0
    llm = config.load().llm
    assert llm is not None and llm.model == "qwen3"


def test_a_password_is_never_printed(waypost: Waypost) -> None:
    file_of(waypost).write_text('store = "postgresql://ann:hunter2@db/memories"\n')
    shown = waypost("config").out + waypost("config", "get", "store", "--json").out
    assert "hunter2" not in shown
    assert "ann:PASSWORD@db" in shown


def test_a_new_file_is_readable_by_its_owner_only(waypost: Waypost) -> None:
    waypost("config", "set", "links", "none")
    assert file_of(waypost).stat().st_mode & 0o077 == 0
