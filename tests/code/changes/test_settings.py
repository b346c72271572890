"""Settings that were added, removed or changed."""

import time

import pytest
from tests.code.changes.conftest import Changed

from waypost.code.changes.configuration import flat_settings
from waypost.code.changes.settings import MOST, setting_changes
from waypost.model.change import ADDED, MODIFIED, REMOVED, SettingChange


def told(path: str, before: str, after: str) -> list[SettingChange]:
    return list(setting_changes(path, before, after))


def test_toml_keys_have_dots_and_lists_are_one_value() -> None:
    before = '[tool.ruff]\nline-length = 88\nselect = ["E"]\nold = true\n'
    after = '[tool.ruff]\nline-length = 120\nselect = ["E", "F"]\nnew = 1\n'
    assert told("pyproject.toml", before, after) == [
        SettingChange("tool.ruff.line-length", MODIFIED, "120", "88"),
        SettingChange("tool.ruff.select", MODIFIED, "[E, F]", "[E]"),
        SettingChange("tool.ruff.new", ADDED, "1", ""),
        SettingChange("tool.ruff.old", REMOVED, "", "true"),
    ]


def test_dependencies_are_not_told_a_second_time() -> None:
    assert told("pyproject.toml", "", '[project]\nname = "x"\ndependencies = ["a"]\nrequires-python = ">=3"\n') == [
        SettingChange("project.name", ADDED, "x", "")
    ]
    assert told("package.json", "{}", '{"dependencies": {"a": "1"}, "engines": {"node": "1"}}') == []
    assert told("Cargo.toml", "", '[dependencies]\na = "1"\n[target.x.dev-dependencies]\nb = "1"\n') == []


def test_json_may_have_comments_and_trailing_commas() -> None:
    after = '{\n  // why\n  "compilerOptions": {"strict": true, /* x */ "url": "http://a//b",},\n}\n'
    assert told("tsconfig.json", '{"compilerOptions": {"strict": false}}', after) == [
        SettingChange("compilerOptions.strict", MODIFIED, "true", "false"),
        SettingChange("compilerOptions.url", ADDED, "http://a//b", ""),
    ]


def test_yaml_values_are_as_they_are_written() -> None:
    before = "on: push\npython: 3.9\n"
    assert told("a.yml", before, "on: push\npython: 3.10\nyes: no\n") == [
        SettingChange("python", MODIFIED, "3.10", "3.9"),
        SettingChange("yes", ADDED, "no", ""),
    ]


def test_members_of_a_list_are_told_by_their_names_whatever_their_place() -> None:
    before = "repos:\n- repo: a\n  rev: v1\n- repo: b\n  rev: v1\n"
    after = "repos:\n- repo: new\n  rev: v3\n- repo: a\n  rev: v2\n- repo: b\n  rev: v1\n"
    assert told(".pre-commit-config.yaml", before, after) == [
        SettingChange("repos.new.repo", ADDED, "new", ""),
        SettingChange("repos.new.rev", ADDED, "v3", ""),
        SettingChange("repos.a.rev", MODIFIED, "v2", "v1"),
    ]
    matrix = "include:\n- {python: '3.12'}\n- {python: '3.11'}\n"
    assert [change.change for change in told("a.yml", matrix, "include:\n- {python: '3.13'}\n" + matrix[9:])] == [ADDED]


def test_compose_images_and_ports_are_told() -> None:
    before = "services:\n  db:\n    image: postgres:15\n    ports: ['5432:5432']\n"
    assert told("docker-compose.yml", before, before.replace("15", "16")) == [
        SettingChange("services.db.image", MODIFIED, "postgres:16", "postgres:15")
    ]


def test_a_dockerfile_tells_its_images_by_stage() -> None:
    before = "FROM node:18 AS build\nRUN x\nFROM nginx\nEXPOSE 80\n"
    after = "FROM --platform=linux/amd64 node:20 AS build\nRUN y\nFROM nginx\nEXPOSE 8080\nENV MODE=fast\n"
    assert told("Dockerfile", before, after) == [
        SettingChange("FROM build", MODIFIED, "node:20", "node:18"),
        SettingChange("EXPOSE", MODIFIED, "8080", "80"),
        SettingChange("ENV MODE", ADDED, "fast", ""),
    ]


def test_ini_and_properties_have_sections_and_long_values() -> None:
    before = "[flake8]\nignore =\n    E1\n    E2\n; no\n"
    assert told("tox.ini", before, "[flake8]\nignore =\n    E1\nmax = 3\n") == [
        SettingChange("flake8.ignore", MODIFIED, "E1", "E1, E2"),
        SettingChange("flake8.max", ADDED, "3", ""),
    ]
    assert told("app.properties", "a.b=1\n", "a.b=2\n# c=3\n") == [SettingChange("a.b", MODIFIED, "2", "1")]


def test_a_pinned_hash_that_moved_says_nothing() -> None:
    before = "uses: actions/checkout@" + "a" * 40 + "\n"
    assert told("a.yml", before, before.replace("a" * 40, "b" * 40)) == []


def test_secrets_are_dropped_by_value_and_by_name(changed: Changed) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    assert told("a.yml", "x: 1\n", f"x: {token}\ndb:\n  password: hunter2xyz\nport: 5\n") == [
        SettingChange("port", ADDED, "5", "")
    ]
    change = changed("config/app.yml", "x: 1\n", f"x: 1\ntoken: {token}\ny: 2\n")
    assert [setting.key for setting in change.settings] == ["y"]


def test_values_are_short_and_a_file_tells_a_bounded_number() -> None:
    after = "".join(f"k{number} = '{'v' * 500}'\n" for number in range(100))
    changes = told("a.toml", "", after)
    assert len(changes) == MOST
    assert all(len(change.value) <= 160 for change in changes)


def test_comments_and_order_in_configuration_are_layout(changed: Changed) -> None:
    assert changed("a.toml", "a = 1\n", "# why\na   = 1\n").layout_only
    assert changed("a.yml", "a: 1\nb: 2\n", "a: 1 # why\n\nb: '2'\n").layout_only
    assert not changed("a.yml", "a:\n  b: 1\n", "a:\nb: 1\n").layout_only


def test_yaml_aliases_and_tags_are_names_and_nothing_is_built() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*b{n - 1}, *b{n - 1}]\n" for n in range(1, 30)).replace(
        "*b0", "*a"
    )
    settings = flat_settings("a.yml", bomb)
    assert settings is not None and settings["b29"] == "[*b28, *b28]"
    assert flat_settings("a.yml", "x: !!python/object/apply:os.system ['true']\n") == {"x": "[true]"}
    assert flat_settings("a.yml", "base: &b\n  k: 1\nuse:\n  <<: *b\n") == {"base.k": "1", "use.<<": "*b"}


def test_what_cannot_be_read_is_no_settings() -> None:
    assert flat_settings("a.toml", "= = =") is None
    assert flat_settings("a.json", "{") is None
    assert flat_settings("a.yml", "a: [") is None
    assert flat_settings("a.py", "a = 1") is None
    assert told("a.toml", "a = 1", "= = =") == []


@pytest.mark.parametrize("path", ["a.toml", "a.json", "a.yml", "a.ini", "a.properties", "Dockerfile"])
def test_hostile_configuration_is_read_in_time(path: str) -> None:
    started = time.process_time()
    texts = (
        "[" * 90_000,
        "- " * 45_000,
        "/*" * 45_000,
        '"\\"' * 30_000,
        '{"a":' * 18_000,
        "a: " * 30_000,
        "FROM " * 18_000,
    )
    for text in (*texts, "? " * 45_000, "&a " * 30_000, " " * 90_000 + "x"):
        flat_settings(path, text)
    assert time.process_time() - started < 4
