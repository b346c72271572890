"""`waypost ttl`: how long a memory lives."""

from typing import Any

import pytest
from tests.faces.cli.conftest import Waypost

import waypost.faces.cli.commands.facts  # noqa: F401  puts the command into the framework


def remembered(waypost: Waypost, *options: str) -> str:
    row: dict[str, Any] = waypost("remember", "Uploads use S3 multipart", *options, "--json").json
    return str(row["id"])


def test_a_lifetime_is_set_shown_changed_and_taken_away(waypost: Waypost) -> None:
    one = remembered(waypost)
    assert waypost("ttl", one, "--json").json["expires_at"] is None
    done = waypost(
        "ttl", one, "3d", "--refresh", "src/**/*.py", "--refresh", "*.toml", "--on-expire", "archive", "--json"
    )
    assert done.code == 0
    row = done.json
    assert (row["id"], row["ttl"], row["on_expire"]) == (one, 259_200, "archive")
    assert row["refresh"] == ["src/**/*.py", "*.toml"]
    assert waypost("ttl", one, "--json").json == row
    assert waypost("ttl", one, "--on-expire", "stale", "--json").json["ttl"] == 259_200
    assert waypost("ttl", one, "--none", "--json").json["expires_at"] is None


def test_people_are_told_in_words(waypost: Waypost) -> None:
    one = remembered(waypost)
    assert "never" in waypost("ttl", one).out
    told = waypost("ttl", one, "--class", "api_contract").out
    assert "7d (api_contract)" in told
    assert "marked stale" in told
    assert "**/api/**" in told
    waypost("protect", one)
    assert "does not expire" in waypost("ttl", one).out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("soon",), "not a duration"),
        (("0",), "ttl"),
        (("--class", "eternal"), "architecture"),
        (("5", "--on-expire", "explode"), "stale, archive, delete"),
        (("5", "--refresh", "src/["), "src/["),
        (("5", "--none"), "--none"),
        (("--refresh", "src/**"), "need a lifetime"),
    ],
)
def test_what_cannot_be_meant_is_told_and_changes_nothing(
    waypost: Waypost, options: tuple[str, ...], told: str
) -> None:
    one = remembered(waypost)
    done = waypost("ttl", one, *options)
    assert done.code == 2
    assert told in done.err
    assert waypost("ttl", one, "--json").json["expires_at"] is None


def test_a_memory_that_is_not_there_is_not_found(waypost: Waypost) -> None:
    assert waypost("ttl", "0" * 26, "3d").code == 3
    assert waypost("ttl", "0" * 26).code == 3
