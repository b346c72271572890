"""`waypost discover`: the first facts, for people and as JSON."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost


@pytest.fixture
def courier(project: Path) -> Path:
    (project / "go.mod").write_text("module example.org/courier\n\ngo 1.23\n")
    (project / "README.md").write_text("# Courier\n\nCourier is a service that brings letters.\n")
    (project / "main.go").write_text("package main\n\nfunc main() {\n}\n")
    for part in ("letters", "routes"):
        (project / "internal" / part).mkdir(parents=True)
        for name in ("post.go", "stamp.go", "post_test.go"):
            (project / "internal" / part / name).write_text(f"package {part}\n")
        (project / "internal" / part / "README.md").write_text(
            f"# {part}\n\nThis package contains {part} of the service.\n"
        )
    return project


def test_facts_are_shown_by_level_with_their_places(waypost: Waypost, courier: Path) -> None:
    done = waypost("discover")

    assert done.code == 0
    assert done.out.index("About the project") < done.out.index("Its parts")
    assert "The Go module example.org/courier needs Go 1.23." in done.out
    assert "README.md#L3" in done.out
    assert "new facts. 11 files of go." in done.out


def test_a_dry_run_says_so_and_stores_nothing(waypost: Waypost, courier: Path) -> None:
    assert "Would store " in waypost("discover", "--dry-run").out
    assert waypost("discover", "--json").json["facts_created"] > 3


def test_the_answer_as_json(waypost: Waypost, courier: Path) -> None:
    row = waypost("discover", "--task", "letters get lost", "--json").json

    assert (row["status"], row["project_type"], row["suggested_domains"]) == ("success", "go", ["letters"])


def test_nothing_found_is_told_and_has_a_code_of_its_own(waypost: Waypost, project: Path) -> None:
    done = waypost("discover")

    assert (done.code, done.out) == (3, "No certain facts found.\n")
