"""Memories of a repository under another id are not silently out of sight, and a person can bring them here."""

import json
import shutil
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.flows.checkouts.conftest import FACT, ORIGIN, Clone, Repository, Waypost, recalled

from waypost.embed.fake import FakeEngine
from waypost.errors import UnknownCheckout
from waypost.memory import Memory
from waypost.space import identify

LOCAL = "The local project was here before its remote."
FORMS = [
    "git@git.example.org:team/shop.git",
    "git@git.example.org:team/shop",
    "git.example.org:/team/shop.git/",
    "ssh://git@git.example.org/team/shop.git",
    "ssh://anna@GIT.example.org:22/team/shop",
    "https://GIT.EXAMPLE.ORG/team/shop/",
    "https://anna:token@git.example.org:443/team/shop.git",
    "http://git.example.org/team/shop",
    "git://git.example.org:9418/team/shop.git",
]


@pytest.fixture
def local(repository: Repository, fake_engine: FakeEngine) -> Path:
    """A repository without a remote, of which something is remembered."""
    root = repository("local")
    with Memory.open(root) as memory:
        memory.remember(LOCAL)
        memory.remember("It has a second memory.", kind="learning")
    return root


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_clone_by_another_form_of_the_address_shares_the_memory(form: str, shop: Path, clone: Clone) -> None:
    second = clone(shop, "second", form)
    assert identify(second).space_id != identify(shop).space_id
    assert FACT in recalled(second)
    with Memory.open(second) as memory:
        memory.remember("The second clone says hello.")
    assert "The second clone says hello." in recalled(shop, "second clone hello")


@pytest.mark.both_stores
def test_changing_the_form_in_a_known_checkout_keeps_its_memory(shop: Path, git: Git) -> None:
    git(shop, "remote", "set-url", "origin", "git@git.example.org:team/shop.git")
    assert FACT in recalled(shop)


@pytest.mark.slow
def test_the_id_of_a_memory_that_is_there_already_stays(shop: Path, clone: Clone, waypost: Waypost) -> None:
    before = waypost(shop, "status", "--json").json["space"]
    second = clone(shop, "second", FORMS[0])
    assert waypost(second, "status", "--json").json["space"] == before == identify(shop).space_id


@pytest.mark.slow
@pytest.mark.parametrize("form", ["https://git.example.org:8443/team/shop", "https://git.example.org/team/shop2"])
def test_another_address_is_another_memory_that_says_where_the_first_is(
    form: str, shop: Path, clone: Clone, waypost: Waypost
) -> None:
    second = clone(shop, "second", form)
    done = waypost(second, "ask", "orders in Postgres")
    assert done.code == 3 and FACT not in done.out
    assert f"2 memories of this repository exist under {identify(shop).space_id}" in done.err


@pytest.mark.slow
def test_two_memories_from_before_are_both_kept_and_shown(shop: Path, clone: Clone, waypost: Waypost) -> None:
    """As with a version that made a memory for each form."""
    second = clone(shop, "second", FORMS[0])
    aliases = Path(waypost(shop, "status", "--json").json["path"]).parent.parent / "aliases.json"
    recalled(second)
    aliases.unlink()
    other = aliases.parent / "memory" / identify(second).space_id
    shutil.copytree(aliases.parent / "memory" / identify(shop).space_id, other)
    assert waypost(second, "status", "--json").json["space"] == identify(second).space_id
    assert f"2 memories of this repository exist under {identify(shop).space_id}" in waypost(second, "doctor").out


def test_a_first_opening_that_is_cut_off_while_it_looks_is_made_up_for_by_the_next(
    local: Path, git: Git, waypost: Waypost, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)

    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("waypost.flows.checkouts.relatives.find_relatives", cut)
        Memory.open(local)
    assert f"2 memories of this repository exist under {old}" in waypost(local, "status").err


@pytest.mark.slow
def test_adding_an_origin_says_where_the_memories_are(local: Path, git: Git, waypost: Waypost) -> None:
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)
    told = f"2 memories of this repository exist under {old}"
    status = waypost(local, "status")
    assert told in status.err and "run `waypost adopt`" in status.err
    assert waypost(local, "status", "--json").json["relatives"] == [
        {"space": old, "name": "local", "memories": 2, "roots": [str(local)]}
    ]
    ask = waypost(local, "ask", "local project remote")
    assert told in ask.err and ask.code == 3
    assert told in waypost(local, "init", "--no-facts").err
    assert waypost(local, "init", "--no-facts", "--json").json["relatives"][0]["memories"] == 2
    assert told in waypost(local, "ask", "local project remote").err  # though code is found now
    assert told in waypost(local, "doctor").out


@pytest.mark.slow
def test_an_adopted_memory_is_used_by_every_clone_and_can_be_given_back(
    local: Path, git: Git, clone: Clone, waypost: Waypost
) -> None:
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)
    waypost(local, "init", "--no-facts")
    assert waypost(local, "adopt").code == 1
    done = waypost(local, "adopt", "--yes", "--json").json
    assert done == {
        "status": "adopted", "space": old, "name": "local", "memories": 2, "root": str(local), "from": old,
        "checkouts": [str(local)], "left_out": [],
    }  # fmt: skip
    assert LOCAL in recalled(local, "local project remote")
    assert LOCAL in recalled(clone(local, "second"), "local project remote")
    assert waypost(local, "status", "--json").json["relatives"] == []
    assert waypost(local, "adopt", "--undo").code == 1
    assert waypost(local, "adopt", "--undo", "--yes", "--json").json["status"] == "undone"
    assert LOCAL not in recalled(local, "local project remote")
    assert waypost(local, "adopt", old, "--yes").code == 0
    assert LOCAL in recalled(local, "local project remote")


@pytest.mark.slow
def test_where_both_hold_something_the_other_memory_is_merged_and_kept(
    local: Path, git: Git, waypost: Waypost, tmp_path: Path
) -> None:
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)
    waypost(local, "remember", "The new memory knows this.")
    waypost(local, "remember", LOCAL)
    done = waypost(local, "adopt", "--yes", "--json").json
    assert (done["status"], done["space"], done["from"]) == ("merged", identify(local).space_id, old)
    texts = [row["text"] for row in json.loads(f"[{','.join(waypost(local, 'export', '-').out.splitlines())}]")]
    assert sorted(texts) == sorted(["The new memory knows this.", LOCAL, "It has a second memory."])
    assert waypost(local, "status", "--json").json["relatives"] == []
    git(local, "remote", "remove", "origin")
    assert sorted(recalled(local, "local project second memory")) == ["It has a second memory.", LOCAL]


@pytest.mark.slow
def test_dismissed_memories_are_not_shown_again(local: Path, git: Git, waypost: Waypost) -> None:
    git(local, "remote", "add", "origin", ORIGIN)
    assert waypost(local, "status", "--json").json["relatives"]
    assert waypost(local, "adopt", "--dismiss").code == 1
    assert waypost(local, "adopt", "--dismiss", "--yes").code == 0
    assert waypost(local, "status", "--json").json["relatives"] == []
    assert waypost(local, "doctor").out.count("exist under") == 0


def test_moving_a_folder_says_where_its_memories_are(local: Path, waypost: Waypost) -> None:
    old, moved = identify(local).space_id, local.with_name("moved")
    local.rename(moved)
    done = waypost(moved, "ask", "local project remote")
    assert f"2 memories of this repository exist under {old}" in done.err
    assert waypost(moved, "adopt", str(local), "--yes").code == 0
    assert LOCAL in recalled(moved, "local project remote")


def test_moving_a_folder_that_is_no_repository_says_it_too(tmp_path: Path, waypost: Waypost) -> None:
    notes = tmp_path / "work" / "notes"
    notes.mkdir(parents=True)
    waypost(notes, "remember", "Notes need no git.")
    moved = notes.rename(notes.with_name("moved"))
    assert "1 memory of this repository exists under" in waypost(moved, "status").err
    assert waypost(moved, "adopt", "--yes").code == 0
    assert recalled(moved, "notes git") == ["Notes need no git."]


def test_a_folder_beside_it_is_not_taken_for_a_moved_one(local: Path, repository: Repository, waypost: Waypost) -> None:
    assert waypost(repository("other"), "status", "--json").json["relatives"] == []


@pytest.mark.parametrize(
    ("target", "code", "says"),
    [
        ("0123456789abcdef", 3, "There is no memory"),
        ("/nowhere/at/all", 3, "There is no memory"),
        ("../../x\x1b[31m", 3, "There is no memory"),
        (None, 3, "No other memory of this repository"),
    ],
)
def test_what_cannot_be_adopted_is_said(
    target: str | None, code: int, says: str, local: Path, waypost: Waypost
) -> None:
    done = waypost(local, "adopt", *([target] if target else []), "--yes")
    assert (done.code, says in done.err, "\x1b" in done.err) == (code, True, False)
    assert waypost(local, "--person", "anna", "adopt", "--yes").code == 2


def test_a_malformed_file_of_aliases_opens_no_memory(shop: Path, waypost: Waypost) -> None:
    (Path(waypost(shop, "status", "--json").json["path"]).parent.parent / "aliases.json").write_text('{"x": 1}')
    done = waypost(shop, "ask", "orders")
    assert done.code == 1 and "aliases.json is malformed" in done.err


def test_agents_have_no_tool_to_adopt(shop: Path) -> None:
    from waypost.faces.mcp.compat import PROFILES, tools_of

    assert [tool.name for profile in PROFILES for tool in tools_of(profile) if "adopt" in tool.name] == []


def test_a_stranger_cannot_be_confirmed_by_the_library(shop: Path, repository: Repository) -> None:
    stranger = repository("stranger", ORIGIN)
    assert not any("adopt" in name for name in dir(Memory))
    with pytest.raises(UnknownCheckout):
        Memory.open(stranger, space_id=identify(shop).space_id)
