"""Settings: what is off by default, every mistake named, nothing secret repeated."""

import os
from dataclasses import fields
from pathlib import Path

import pytest

from waypost import config
from waypost.config import LlmServer, Settings
from waypost.errors import ConfigError

SETTINGS = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
BASE = '[llm]\nurl = "http://127.0.0.1:11434"\nmodel = "m"\n'


def loaded(home: Path, text: str, **environment: str) -> Settings:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(text)
    return config.load({"WAYPOST_HOME": str(home), "HOME": str(home), **environment})


def test_there_is_no_language_model_unless_configured(tmp_path: Path) -> None:
    assert loaded(tmp_path, "").llm is None


def test_url_and_model_are_enough(tmp_path: Path) -> None:
    assert loaded(tmp_path, BASE).llm == LlmServer("http://127.0.0.1:11434", "m")


def test_the_key_is_read_from_the_named_variable_and_never_shown(tmp_path: Path) -> None:
    settings = loaded(tmp_path, BASE + 'api_key_variable = "MY_KEY"', MY_KEY="sk-0123456789", OTHER="x")
    assert settings.secrets == {"MY_KEY": "sk-0123456789"}
    assert "sk-0123456789" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("llm = 3", "table"),
        ('[llm]\nmodel = "m"', "url"),
        (BASE + "colour = 1", "takes url"),
        (BASE + 'api_key = "sk-1"', "takes url"),
        (BASE + "retries = -1", "retries"),
        (BASE + "retries = true", "retries"),
        (BASE + 'retries = "2"', "retries"),
        (BASE + "context_window = 10", "context_window"),
        (BASE + "temperature = nan", "temperature"),
        (BASE + "timeout_seconds = 0", "timeout_seconds"),
        (BASE + "max_tokens_per_run = -5", "max_tokens_per_run"),
        (BASE + "max_cost_per_run = 1.0", "prices"),
        ('[llm]\nurl = "file:///etc"\nmodel = "m"', "http"),
        ('[llm]\nurl = 1\nmodel = "m"', "url"),
    ],
)
def test_a_setting_of_the_language_model_that_cannot_be_meant_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, text)
    assert said in str(caught.value)


def test_every_setting_of_the_language_model_is_documented() -> None:
    section = SETTINGS.read_text().split("[llm]", 1)[1].split("```")[0]
    assert [field.name for field in fields(LlmServer) if field.name not in section] == []


@pytest.mark.parametrize("name", ["stale_threshold", "stale_threshold_whole"])
def test_how_much_must_change_is_read_and_bounded(tmp_path: Path, name: str) -> None:
    (tmp_path / "config.toml").write_text(f"{name} = 0.25\n")
    assert getattr(config.load({"WAYPOST_HOME": str(tmp_path)}), name) == 0.25
    (tmp_path / "config.toml").write_text(f"{name} = 1.5\n")
    with pytest.raises(ConfigError, match=name):
        config.load({"WAYPOST_HOME": str(tmp_path)})


def test_annotations_count_only_if_the_settings_say_so(tmp_path: Path) -> None:
    assert config.load({"WAYPOST_HOME": str(tmp_path)}).count_annotations is False
    (tmp_path / "config.toml").write_text("count_annotations = true\n")
    assert config.load({"WAYPOST_HOME": str(tmp_path)}).count_annotations is True
    (tmp_path / "config.toml").write_text('count_annotations = "yes"\n')
    with pytest.raises(ConfigError, match="count_annotations"):
        config.load({"WAYPOST_HOME": str(tmp_path)})


def test_how_many_cores_a_worker_uses_is_read_and_bounded(tmp_path: Path) -> None:
    assert config.load({"WAYPOST_HOME": str(tmp_path)}).worker_cores == 1
    (tmp_path / "config.toml").write_text("worker_cores = 4\n")
    assert config.load({"WAYPOST_HOME": str(tmp_path)}).worker_cores == 4
    for wrong in ("0", "1.5", "true", "100000"):
        (tmp_path / "config.toml").write_text(f"worker_cores = {wrong}\n")
        with pytest.raises(ConfigError, match="worker_cores"):
            config.load({"WAYPOST_HOME": str(tmp_path)})


def test_every_setting_of_the_page_is_read(tmp_path: Path) -> None:
    page = SETTINGS.read_text("utf-8")
    toml = page[page.index("```toml") + 7 :]
    (tmp_path / "config.toml").write_text(toml[: toml.index("```")])
    assert config.load({"WAYPOST_HOME": str(tmp_path)}).person == "anna"


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:sec@ret@db.example.org/memory",
        "postgresql://ann:sec/ret@db.example.org/memory",
        "postgresql://ann:sec%ret@db.example.org/memory",
        "postgresql://ann:sec ret@db.example.org/memory",
        "mysql://ann:secret@db.example.org/memory",
    ],
)
def test_an_address_of_a_database_that_cannot_be_meant_is_not_repeated(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError, match="is not the address") as raised:
        loaded(tmp_path, f'store = "{address}"')
    assert "sec" not in str(raised.value)
    assert "%40" in raised.value.remedy


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://",
        "postgres://ann@[::1]:5432/memory?sslmode=verify-full",
        "postgresql://ann:p%40s:s?#@db1:5432,db2:5433/memory?target_session_attrs=read-write",
        "postgresql://ann@/memory?host=/var/run/postgresql&password=a@b/c",
    ],
)
def test_what_libpq_reads_as_meant_is_an_address(tmp_path: Path, address: str) -> None:
    assert loaded(tmp_path, f'store = "{address}"').store == address


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("sort", ["pipe", "device", "folder"])
def test_a_config_that_is_no_file_is_refused_and_not_waited_for(tmp_path: Path, sort: str) -> None:
    place = tmp_path / "config.toml"
    {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "folder": os.mkdir}[sort](place)
    with pytest.raises(ConfigError, match=r"config\.toml (is not a plain file|cannot be read)") as refused:
        config.load({"WAYPOST_HOME": str(tmp_path), "HOME": str(tmp_path)})
    assert refused.value.remedy


def test_a_data_directory_that_is_a_file_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("root:x:0:0\n")
    with pytest.raises(ConfigError, match=r"The data directory .*home is not a directory"):
        config.load({"WAYPOST_HOME": str(tmp_path / "home")})
    assert (tmp_path / "home").read_text() == "root:x:0:0\n"
