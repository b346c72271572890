"""The examples in deploy/: what they call is there, what they set is read, and what they name fits together."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from waypost import config
from waypost.faces.cli.app import app
from waypost.faces.guard.serving import _AFTER_GRACE

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
HARDENED = {
    "DynamicUser": "yes",
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "CapabilityBoundingSet": "",
    "Restart": "on-failure",
    "StateDirectoryMode": "0700",
    "UMask": "0077",
}


def understood(arguments: list[str]) -> dict[str, Any]:
    """What the command line makes of these; nothing is done."""
    command = typer.main.get_command(app)
    name, *rest = arguments
    found = getattr(command, "commands")[name]  # noqa: B009  a group's
    return dict(found.make_context(name, rest).params)


@pytest.fixture
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text()))


@pytest.fixture
def unit() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (DEPLOY / "waypost.service").read_text().splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


@pytest.fixture
def settings(compose: dict[str, Any], tmp_path: Path) -> config.Settings:
    """As a server of the compose file reads them."""
    shutil.copy(DEPLOY / "config.toml", tmp_path / "config.toml")
    return config.load({**compose["services"]["waypost"]["environment"], "WAYPOST_HOME": str(tmp_path)})


def test_every_part_that_the_compose_file_names_is_in_it(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert set(service.get("networks", ())) <= compose["networks"].keys(), name
        assert set(service.get("secrets", ())) <= compose["secrets"].keys(), name
        assert set(service.get("depends_on", ())) <= compose["services"].keys(), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert (DEPLOY / source).is_file() if source.startswith("./") else source in compose["volumes"], volume
    for service in ("database", "waypost"):
        assert compose["services"][service]["healthcheck"]["test"][0] == "CMD"


def test_the_database_is_reached_by_the_servers_only(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["database"]["networks"] == ["inside"] and compose["networks"]["inside"]["internal"] is True
    assert [name for name, service in services.items() if "inside" in service["networks"]] == [
        "database",
        "waypost",
        "admin",
    ]
    assert services["admin"]["profiles"] == ["admin"]  # run by hand only


def test_no_password_stands_in_an_example(compose: dict[str, Any]) -> None:
    assert all(secret.keys() == {"file"} for secret in compose["secrets"].values())
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            assert "PASSWORD" not in name or name.endswith("_FILE")
            assert not re.search(r"://[^@/]*:[^@/]*@", str(value))


def test_the_servers_of_the_compose_file_read_their_settings(
    settings: config.Settings, compose: dict[str, Any]
) -> None:
    assert settings.serve.log_format == "json" and settings.serve.allowed_hosts == ("memory.example.org",)
    assert settings.store == "postgresql://waypost_server@database/waypost?passfile=/run/secrets/pgpass"
    assert "pgpass_admin" not in compose["services"]["waypost"]["secrets"]


def test_the_proxy_is_the_one_that_is_trusted(compose: dict[str, Any], settings: config.Settings) -> None:
    outside = [one["subnet"] for one in compose["networks"]["outside"]["ipam"]["config"]]
    assert tuple(outside) == settings.serve.trusted_proxies
    assert (DEPLOY / "Caddyfile").read_text().partition(" ")[0] in settings.serve.allowed_hosts


def test_the_commands_of_the_examples_are_understood(compose: dict[str, Any], unit: dict[str, list[str]]) -> None:
    served = compose["services"]["waypost"]["command"]
    image = json.loads(re.findall(r"^CMD (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)[0])
    program, *started = shlex.split(unit["ExecStart"][0])
    assert Path(program).name == "waypost"
    for arguments in (served, image, started):
        found = understood(arguments)
        assert found["log_format"] in config.LOG_FORMATS and found["port"] == 8765
    assert understood(served)["host"] == "0.0.0.0" and understood(started)["host"] == "127.0.0.1"


def test_the_image_installs_what_there_is() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.findall(r'"\.\[(\w+)\]"', text)) == {"postgres"} <= extras.keys()
    for source in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / one).exists() for one in source.split())
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["waypost"]


def test_whoever_ends_a_server_waits_until_it_has_ended(
    compose: dict[str, Any], unit: dict[str, list[str]], settings: config.Settings
) -> None:
    longest = settings.serve.shutdown_seconds + _AFTER_GRACE
    assert int(compose["services"]["waypost"]["stop_grace_period"].removesuffix("s")) > longest
    assert int(unit["TimeoutStopSec"][0]) > config.ServeSettings().shutdown_seconds + _AFTER_GRACE


def test_the_unit_is_hardened(unit: dict[str, list[str]]) -> None:
    assert {name: unit.get(name, ["missing"])[0] for name in HARDENED} == HARDENED


def test_the_variables_of_the_unit_are_read(tmp_path: Path) -> None:
    source = (ROOT / "src" / "waypost" / "config" / "reading.py").read_text()
    lines = (DEPLOY / "waypost.env.example").read_text() + (DEPLOY / "waypost.service").read_text()
    named = set(re.findall(r"\b(WAYPOST_[A-Z]+)=", lines))
    assert {"WAYPOST_HOME", "WAYPOST_STORE"} <= named
    assert [name for name in named if f'"{name}"' not in source] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here")
def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path: Path) -> None:
    """With a program that is here: ours is not installed there."""
    text = (DEPLOY / "waypost.service").read_text().replace("/opt/waypost/bin/waypost", shutil.which("true") or "")
    (tmp_path / "waypost.service").write_text(text)
    environment = {**os.environ, "SYSTEMD_LOG_LEVEL": "warning"}
    command = ["systemd-analyze", "verify", str(tmp_path / "waypost.service")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and "waypost.service" not in done.stderr, done.stderr
