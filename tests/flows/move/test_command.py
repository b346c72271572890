"""`waypost migrate`: as people and scripts use it."""

import os
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.commands import Done, run_command
from tests.faces.cli.conftest import Waypost, project

from waypost import config
from waypost.config import without_secret
from waypost.embed.fake import FakeEngine
from waypost.faces.cli.commands.migrate import with_store
from waypost.memory.spaces import open_spaces
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.installation import set_up

__all__ = ["project"]


@pytest.fixture
def waypost(project: Path, capfd: pytest.CaptureFixture[str], fake_engine: FakeEngine) -> Waypost:
    def call(*arguments: str) -> Done:
        return run_command(capfd, *arguments)

    assert call("remember", "The bridge was painted red").code == 0
    assert call("--person", "remember", "Ada likes green").code == 0
    return call


def test_a_memory_is_moved_switched_used_and_moved_back(waypost: Waypost, postgres: str) -> None:
    moved = waypost("migrate", "--to", postgres)
    assert moved.code == 0
    assert "rows moved" in moved.out
    assert "all tables match, and" in moved.out
    assert f'store = "{postgres}"' in moved.out
    assert "Copying" in moved.err
    assert "Still in the old place: " in moved.err
    told = waypost("ask", "bridge")
    assert told.code == 1
    assert "was moved to PostgreSQL database" in told.err
    every = waypost("migrate", "--to", postgres, "--all", "--switch")
    assert every.code == 0
    assert "was already moved" in every.out
    assert "Still in the old place" not in every.err
    assert config.load().store == postgres
    assert "painted red" in waypost("ask", "bridge").out
    assert "likes green" in waypost("--person", "ask", "colours").out
    assert waypost("migrate", "--to", "sqlite", "--all", "--switch", "--delete-old", "--yes").code == 0
    assert config.load().store == ""
    assert "painted red" in waypost("ask", "bridge").out
    assert [entry["action"] for entry in waypost("audit", "--json").json["entries"]].count("migrate") == 2


def test_a_dry_run_tells_how_much_and_changes_nothing(waypost: Waypost, postgres: str) -> None:
    said = waypost("migrate", "--to", postgres, "--dry-run")
    assert "rows, " in said.out
    assert "would be copied." in said.out
    told = waypost("migrate", "--to", postgres, "--dry-run", "--json").json["memories"][0]
    assert told["step"] == "fresh"
    assert told["tables"]["memories"] == 1
    assert "painted red" in waypost("ask", "bridge").out


def test_a_dry_run_tells_that_this_login_may_not_make_the_memory(waypost: Waypost, postgres: str) -> None:
    name = f"guest_{urlsplit(postgres).path[1:]}"
    hers = postgres.replace("postgres@", f"{name}@")
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN".encode())
        empty = waypost("migrate", "--to", hers, "--dry-run")
        assert admin.execute("SELECT to_regnamespace('waypost')").fetchone() == (None,)
        with connections(postgres).alone() as connection:
            set_up(connection, "here", utc_now())
        Directory(admin).add_user("guest")
        Directory(admin).add_login("guest", name)
        of_a_team = waypost("migrate", "--to", hers, "--dry-run")
    assert empty.code == 1 and "This login may not create a memory in" in empty.err
    assert of_a_team.code == 1 and "is not a memory of this team that you are a member of." in of_a_team.err
    assert waypost("migrate", "--to", postgres, "--dry-run").code == 0


def test_json_tells_what_was_moved(waypost: Waypost, postgres: str) -> None:
    done = waypost("migrate", "--to", postgres, "--all", "--json")
    assert done.err == ""
    rows = done.json["memories"]
    assert {row["name"] for row in rows} == {"project", config.load().person}
    assert {row["status"] for row in rows} == {"moved"}
    assert all(row["rows"] == sum(row["tables"].values()) > 0 for row in rows)
    assert done.json["failed"] == []
    assert done.json["switched"] is None


def test_an_address_may_come_from_a_variable_and_its_password_is_never_shown(
    waypost: Waypost, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = postgres.replace("postgres@", "postgres:hunter2@", 1)
    monkeypatch.setenv("PLACE", secret)
    monkeypatch.setattr("waypost.store.postgres.connection._FIRST_PATIENCE_SECONDS", 0.0)
    done = waypost("migrate", "--to", "env:PLACE")
    assert done.code == 0
    assert "hunter2" not in done.out + done.err
    assert "postgres:PASSWORD@" in done.out
    assert waypost("migrate", "--to", "env:NOWHERE").code == 2
    refused = waypost("migrate", "--to", "mysql://ada:hunter2@host/x")
    assert refused.code == 2
    assert "hunter2" not in refused.out + refused.err
    away = waypost("migrate", "--to", "postgresql://ada:hunter2@/nothing?host=/nowhere")
    assert away.code != 0
    assert "hunter2" not in away.out + away.err


def test_memories_that_were_left_are_found_after_the_settings_were_changed(
    waypost: Waypost, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_STORE", postgres)
    assert "painted red" not in waypost("ask", "bridge").out
    assert waypost("migrate", "--to", postgres).code == 2
    assert waypost("migrate", "--from", "sqlite").code == 0
    assert "painted red" in waypost("ask", "bridge").out


def test_what_is_left_is_deleted_only_with_a_word(waypost: Waypost, postgres: str) -> None:
    asked = waypost("migrate", "--to", postgres, "--delete-old")
    assert asked.code == 2
    assert "--yes" in asked.err
    assert "painted red" in waypost("ask", "bridge").out
    done = waypost("migrate", "--to", postgres, "--delete-old", "--yes")
    assert "The old copy is deleted." in done.out
    assert not any(path.name == "memory.db" and "ada" not in str(path) for path in _databases("project"))


def _databases(name: str) -> list[Path]:
    root = config.load().memory_root
    return [path for path in root.rglob("memory.db") if name in (path.parent / "metadata.json").read_text()]


def test_one_that_cannot_be_moved_stops_no_other(waypost: Waypost, postgres: str) -> None:
    open_spaces.drop_all()
    for path in _databases("project"):
        path.write_bytes(b"not a database at all, but long enough to be taken for one" * 100)
    done = waypost("migrate", "--to", postgres, "--all", "--switch")
    assert done.code == 1
    assert "project: not moved." in done.out
    assert "rows moved" in done.out
    assert config.load().store == ""


@pytest.mark.parametrize(
    ("text", "store", "expected"),
    [
        ("", "postgresql://a/b", 'store = "postgresql://a/b"\n'),
        ("# mine\n", "postgresql://a/b", 'store = "postgresql://a/b"\n# mine\n'),
        (
            'engine = "minilm"  # small\n\n[serve]\nopen_metrics = true\n',
            "postgresql://a/b",
            'engine = "minilm"  # small\nstore = "postgresql://a/b"\n\n[serve]\nopen_metrics = true\n',
        ),
        ("[serve]\nopen_metrics = true", "postgresql://a/b", None),
        ('store = "postgresql://x/y" # old\nperson = "ada"\n', "postgresql://a/b", None),
        ('person = "ada"\r\nstore = "postgresql://x/y"\r\n', "", 'person = "ada"\r\n'),
        ('person = "ada"', "postgresql://a/b", 'person = "ada"\nstore = "postgresql://a/b"\n'),
        ("links = 'none'\n", "", "links = 'none'\n"),
    ],
)
def test_the_setting_is_changed_and_nothing_else(text: str, store: str, expected: str | None) -> None:
    changed = with_store(text, store)
    if expected is not None:
        assert changed == expected
    assert tomllib.loads(changed) == {
        **{name: value for name, value in tomllib.loads(text).items() if name != "store"},
        **({"store": store} if store else {}),
    }


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ada@host/x", "postgresql://ada@host/x"),
        ("postgresql://ada:s3:cret@host/x", "postgresql://ada:PASSWORD@host/x"),
        ("postgresql://host/x?user=ada&password=s3cret&a=b", "postgresql://host/x?user=ada&password=PASSWORD&a=b"),
        ("postgresql://host:5432/x", "postgresql://host:5432/x"),
        ("postgresql://:s3cret@host/x", "postgresql://:PASSWORD@host/x"),
    ],
)
def test_an_address_is_shown_without_its_password(address: str, shown: str) -> None:
    assert without_secret(address) == shown


@pytest.mark.skipif(os.name != "posix", reason="modes")
def test_a_file_that_may_hold_a_password_is_for_its_owner(waypost: Waypost, postgres: str) -> None:
    waypost("migrate", "--to", postgres, "--all", "--switch")
    assert (config.load().home / "config.toml").stat().st_mode & 0o077 == 0
