"""`learn`, `review`, `promote` and `subtree` as commands."""

from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.cli.conftest import Waypost

from waypost import Memory, config
from waypost.model.memory import Caller

PROJECT = '[project]\nname = "shop"\nrequires-python = ">=3.10"\ndependencies = ["flask>=3"]\n'


@pytest.fixture
def held(project: Path, git: Git, waypost: Waypost) -> str:
    """A candidate that waits, by its id."""
    git(project, "init", "-q", "-b", "main")
    (project / "pyproject.toml").write_text(PROJECT)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Begin")
    (project / "pyproject.toml").write_text(PROJECT.replace('"flask>=3"', '"flask>=3", "httpx>=0.27"'))
    home = config.load().home
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text('[learn]\nhold = "all"\n')
    done = waypost("learn", "--json")
    assert done.code == 0
    (one,) = done.json["candidates"]
    assert (one["approved"], one["status"], done.json["pending_approval"]) == (False, "held", 1)
    assert set(one) >= {"content", "confidence", "approved", "level", "domain", "source", "evidence"}
    return str(one["id"])


@pytest.mark.slow
def test_review_shows_what_waits_and_approve_makes_it_a_fact(waypost: Waypost, held: str) -> None:
    found = waypost("review", "--json").json
    assert [one["id"] for one in found["candidates"]] == [held]
    assert found["stale"] == []
    assert "httpx" in waypost("review").out
    refused = waypost("review", "approve", held)
    assert (refused.code, "Only a person" in refused.err) == (1, True)
    done = waypost("review", "approve", held, "--yes", "--json")
    assert (done.code, done.json["decided"][0]["status"]) == (0, "approved")
    (fact,) = waypost("list", "--json").json["memories"]
    assert (fact["id"], fact["source"]) == (held, "person")
    assert "Nothing to review" in waypost("review").out
    assert waypost("review", "approve", held, "--yes", "--json").json["decided"][0]["status"] == "known"


@pytest.mark.slow
def test_a_rejected_candidate_does_not_come_back(waypost: Waypost, held: str) -> None:
    assert waypost("review", "reject", held, "--yes").code == 0
    again = waypost("learn", "--json").json
    assert [one["status"] for one in again["candidates"]] == ["refused"]
    assert again["pending_approval"] == 0


def test_edit_puts_words_right_and_approves_or_keeps_it_waiting(waypost: Waypost, held: str) -> None:
    kept = waypost("review", "edit", held, "HTTP calls go through httpx.", "--keep", "--yes", "--json")
    assert kept.json["decided"] == [{"id": held, "status": "edited", "text": "HTTP calls go through httpx."}]
    assert waypost("review", "--json").json["candidates"][0]["text"] == "HTTP calls go through httpx."
    done = waypost("review", "edit", held, "All HTTP calls go through httpx.", "--yes", "--json")
    assert done.json["decided"][0]["status"] == "approved"
    assert [row["text"] for row in waypost("list", "--json").json["memories"]] == ["All HTTP calls go through httpx."]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("bless", "x"), "Unknown action"),
        (("approve",), "No facts chosen"),
        (("edit", "0" * 26), "new text"),
        (("approve", "0" * 26), "No candidate"),
        (("approve", "x"), "not the id"),
    ],
)
def test_a_wrong_review_says_what_is_wrong(waypost: Waypost, arguments: tuple[str, ...], said: str) -> None:
    done = waypost("review", *arguments, "--yes")
    assert done.code != 0
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_a_dry_run_and_plain_output_say_what_there_is(waypost: Waypost, held: str) -> None:
    out = waypost("learn", "--dry-run").out
    assert "Would learn from 1 file: 1 already in review." in out
    assert "Learned from 0 files: nothing new." in waypost("learn", "--staged").out


def test_facts_move_between_levels(waypost: Waypost) -> None:
    root = waypost("remember", "Shop sells tea", "--level", "0", "--json").json["id"]
    leaf = waypost(
        "remember", "Tokens live an hour", "--level", "2", "--domain", "auth", "--parent", root, "--json"
    ).json["id"]
    assert waypost("promote", leaf, "1", "--json").json["status"] == "added"
    rows = waypost("subtree", root, "--json").json["memories"]
    assert [(row["depth"], row["level"]) for row in rows] == [(0, 0), (1, 1)]
    assert "Tokens live an hour" in waypost("subtree", root).out
    assert waypost("promote", leaf, "--parent", "none", "--json").code == 0
    assert len(waypost("subtree", root, "--json").json["memories"]) == 1
    assert waypost("promote", leaf, "7").code == 2
    assert waypost("promote", "0" * 26, "1").code == 3


def test_a_change_of_what_a_person_said_needs_review(waypost: Waypost, project: Path) -> None:
    person = Memory.open(project, caller=Caller("person", "ada"))
    fact = str(person.remember("Deploys run on Tuesdays").id)
    done = waypost("correct", fact, "Deploys run on Fridays", "--json")
    assert (done.code, done.json["status"], done.json["review"], done.json["replaces"]) == (0, "added", True, fact)
    assert "Needs review" in waypost("retract", fact).out
    told = waypost("remember", "Deploys run on Mondays", "--replaces", fact)
    assert (told.code, "Needs review" in told.out, f"about {fact[:8]}" in told.out) == (0, True, True)
    refused = waypost("ttl", fact, "60")
    assert (refused.code, "only a person can" in refused.err) == (1, True)
    assert person.show(fact).version.text == "Deploys run on Tuesdays"
    shown = waypost("review").out
    assert "instead of: Deploys run on Tuesdays" in shown
    assert "retract: Deploys run on Tuesdays" in shown
    proposed = waypost("review", "--json").json["candidates"]
    assert len(proposed) == 3
    waypost("review", "approve", done.json["id"], "--yes")
    assert person.show(fact).version.text == "Deploys run on Fridays"
    assert "for agent (command line)" in waypost("history", fact).out


def test_a_rejection_is_undone_by_another_command(waypost: Waypost, project: Path) -> None:
    fact = waypost("remember", "Deploys run on Tuesdays", "--json").json["id"]
    waypost("reject", fact, "--yes")
    assert waypost("restore", fact).code == 1  # only with the owner's rights
    assert waypost("restore", fact, "--yes", "--json").json == {"id": fact, "status": "restored"}
    assert [row["id"] for row in waypost("list", "--json").json["memories"]] == [fact]
    waypost("correct", fact, "Deploys run on Fridays")
    first = waypost("history", fact, "--json").json["versions"][0]["number"]
    waypost("restore", fact, "--version", str(first))
    assert waypost("show", fact, "--json").json["text"] == "Deploys run on Tuesdays"
    assert waypost("restore", fact).code == 2  # it holds
    proposed = Memory.open(project, caller=Caller("person", "ada"))
    person = str(proposed.remember("Tests run on every push").id)
    candidate = waypost("correct", person, "Tests run at night", "--json").json["id"]
    waypost("review", "reject", candidate, "--yes")
    assert waypost("review", "--json").json["candidates"] == []
    assert [row["id"] for row in waypost("review", "--rejected", "--json").json["rejected"]] == [candidate]
    assert "review restore ID" in waypost("review", "--rejected").out
    assert waypost("review", "restore", candidate, "--yes").code == 0
    assert [row["id"] for row in waypost("review", "--json").json["candidates"]] == [candidate]
