"""All spellings of one URL name one repository: whoever was accepted first defines whose memory it is."""

import json
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.flows.checkouts.conftest import FACT, ORIGIN, Clone, Repository, Waypost, recalled
from tests.flows.checkouts.test_adoption import FORMS, LOCAL

from waypost import config
from waypost.errors import UnknownCheckout
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces
from waypost.space import identify

STRANGER = "The stranger says: trust me."
MORE_FORMS = [
    "https://git.example.org./team/shop",
    "https://git.example.org//team/./shop.git",
    "https://git.example.org/%74eam/sh%6Fp.git",
    "HTTPS://git.example.org/team/shop",
]


def memory_folder(root: Path) -> Path:
    return config.load().memory_root / identify(root).space_id


@pytest.fixture
def squatted(shop: Path, repository: Repository, waypost: Waypost) -> Path:
    """A stranger that has a memory under another spelling, as versions made it that did not compare spellings."""
    stranger = repository("stranger", FORMS[0])
    open_spaces.drop_all()
    away = memory_folder(shop).rename(config.load().home / "away")
    assert waypost(stranger, "remember", STRANGER).code == 0
    open_spaces.drop_all()
    away.rename(memory_folder(shop))
    return stranger


@pytest.mark.slow
@pytest.mark.parametrize("form", [*FORMS, *MORE_FORMS])
def test_a_stranger_is_refused_under_every_spelling(
    form: str, shop: Path, repository: Repository, clone: Clone, waypost: Waypost
) -> None:
    stranger = repository("stranger", form)
    others = (("status",), ("list",), ("backup", "list"), ("doctor",)) if form == FORMS[0] else ()
    for command in (("remember", STRANGER), ("ask", "orders"), *others):  # all are refused in the same place
        done = waypost(stranger, *command)
        assert (done.code, "waypost adopt" in done.err, FACT in done.out) == (1, True, False), command
        assert "shares no commit with a known checkout" in done.err and "Traceback" not in done.err
    with pytest.raises(UnknownCheckout):
        Memory.open(stranger)
    assert not memory_folder(stranger).exists()
    assert FACT in recalled(clone(shop, "second", form))
    assert STRANGER not in waypost(shop, "export", "-").out


@pytest.mark.slow
@pytest.mark.both_stores
def test_a_stranger_of_another_spelling_is_refused_in_every_store(shop: Path, repository: Repository) -> None:
    with pytest.raises(UnknownCheckout):
        Memory.open(repository("stranger", FORMS[0]))
    with pytest.raises(UnknownCheckout):
        Memory.open(shop).admin.for_path(repository("second_stranger", FORMS[1])).recall("orders")


@pytest.mark.slow
def test_the_other_spelling_of_the_stranger_that_came_first_is_refused_too(
    repository: Repository, clone: Clone, waypost: Waypost
) -> None:
    """Nobody can know which of two is the genuine one: the later one says so, and a person decides."""
    source = repository("source", ORIGIN)
    assert waypost(repository("stranger", FORMS[0]), "remember", STRANGER).code == 0
    done = waypost(clone(source, "second"), "list")
    assert done.code == 1 and "waypost adopt" in done.err and STRANGER not in done.out


@pytest.mark.slow
def test_a_person_can_confirm_a_checkout_of_another_spelling_and_sees_whose_memory_it_is(
    shop: Path, repository: Repository, waypost: Waypost
) -> None:
    rewritten = repository("rewritten", FORMS[0])
    assert waypost(rewritten, "adopt").code == 1
    done = waypost(rewritten, "adopt", "--yes", "--json").json
    assert (done["status"], done["space"], done["checkouts"]) == ("confirmed", identify(shop).space_id, [str(shop)])
    assert FACT in recalled(rewritten)


@pytest.mark.slow
def test_a_genuine_clone_is_recognised_where_a_stranger_took_its_spelling(
    squatted: Path, shop: Path, clone: Clone, waypost: Waypost
) -> None:
    second = clone(shop, "second", FORMS[0])
    done = waypost(second, "list")
    assert done.code == 0 and FACT in done.out and STRANGER not in done.out
    assert waypost(second, "adopt", "--yes").code == 3  # nothing is to be adopted
    assert waypost(second, "remember", "The second clone says hello.").code == 0
    assert "second clone says hello" in waypost(shop, "export", "-").out
    left = waypost(squatted, "list").out
    assert STRANGER in left and FACT not in left and "hello" not in left


@pytest.mark.slow
def test_adopting_finds_the_memory_that_shares_history_before_that_of_a_stranger(
    shop: Path, repository: Repository, clone: Clone, waypost: Waypost
) -> None:
    """The project moved to another host, where a stranger came first."""
    address = "https://other.example.org/team/shop"
    stranger = repository("stranger", address)
    assert waypost(stranger, "remember", STRANGER).code == 0
    second = clone(shop, "second", address)
    assert waypost(second, "list").code == 1
    done = waypost(second, "adopt", "--yes", "--json").json
    assert (done["status"], done["space"], done["checkouts"]) == ("adopted", identify(shop).space_id, [str(shop)])
    listed = waypost(second, "list").out
    assert FACT in listed and STRANGER not in listed
    assert STRANGER in waypost(stranger, "list").out and FACT not in waypost(stranger, "list").out
    assert waypost(second, "adopt", "--undo", "--yes").code == 0
    assert waypost(second, "list").code == 1


@pytest.mark.slow
def test_the_memory_of_a_stranger_is_adopted_only_by_its_name(
    shop: Path, repository: Repository, clone: Clone, waypost: Waypost
) -> None:
    address = "https://other.example.org/team/shop"
    stranger = repository("stranger", address)
    waypost(stranger, "remember", STRANGER)
    second = clone(shop, "second", address)
    done = waypost(second, "adopt", identify(stranger).space_id, "--yes", "--json").json
    assert (done["status"], done["checkouts"]) == ("confirmed", [str(stranger)])


@pytest.mark.slow
def test_an_adopted_memory_is_used_under_every_spelling(
    repository: Repository, clone: Clone, waypost: Waypost, git: Git
) -> None:
    local = repository("local")
    waypost(local, "remember", LOCAL)
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)
    assert waypost(local, "list").code == 0
    assert waypost(local, "adopt", "--yes").code == 0
    clones = [clone(local, f"clone{number}", form) for number, form in enumerate(FORMS[:3])]
    for one in clones:
        assert LOCAL in waypost(one, "list").out
        assert waypost(one, "status", "--json").json["space"] == old
    assert waypost(local, "adopt", "--undo", "--yes", "--json").json["space"] == identify(local).space_id
    assert {waypost(one, "status", "--json").json["space"] for one in clones} == {identify(local).space_id}


@pytest.mark.slow
def test_a_spelling_that_was_linked_before_the_adoption_follows_it(
    repository: Repository, clone: Clone, waypost: Waypost, git: Git
) -> None:
    local = repository("local")
    waypost(local, "remember", LOCAL)
    git(local, "remote", "add", "origin", ORIGIN)
    assert waypost(local, "list").code == 0
    second = clone(local, "second", FORMS[0])
    assert waypost(second, "list").code == 0
    assert waypost(local, "adopt", "--yes").code == 0
    assert LOCAL in waypost(second, "list").out


@pytest.mark.slow
def test_a_chain_of_aliases_that_an_earlier_version_wrote_is_followed(
    repository: Repository, clone: Clone, waypost: Waypost, git: Git
) -> None:
    local = repository("local")
    waypost(local, "remember", LOCAL)
    old = identify(local).space_id
    git(local, "remote", "add", "origin", ORIGIN)
    waypost(local, "list")
    second = clone(local, "second", FORMS[0])
    first, other = identify(local).space_id, identify(second).space_id
    (config.load().home / "aliases.json").write_text(json.dumps({other: first, first: old}))
    assert LOCAL in waypost(second, "list").out


@pytest.mark.slow
def test_undo_in_a_clone_of_another_spelling_has_nothing_to_undo(shop: Path, clone: Clone, waypost: Waypost) -> None:
    second = clone(shop, "second", FORMS[0])
    assert FACT in waypost(second, "list").out
    done = waypost(second, "adopt", "--undo", "--yes")
    assert done.code == 3 and "There is nothing to undo" in done.err
    assert FACT in waypost(second, "list").out


@pytest.mark.slow
def test_an_empty_list_says_where_the_memories_are(repository: Repository, waypost: Waypost, git: Git) -> None:
    local = repository("local")
    waypost(local, "remember", LOCAL)
    told = f"1 memory of this repository exists under {identify(local).space_id}"
    git(local, "remote", "add", "origin", ORIGIN)
    done = waypost(local, "list")
    assert told in done.err and "run `waypost adopt`" in done.err
    waypost(local, "remember", "The new memory knows this.")
    assert told not in waypost(local, "list").err


@pytest.mark.slow
def test_a_damaged_memory_of_another_spelling_is_not_replaced_by_an_empty_one(
    shop: Path, clone: Clone, waypost: Waypost
) -> None:
    open_spaces.drop_all()
    database = memory_folder(shop) / "memory.db"
    database.write_bytes(database.read_bytes()[:4096] + b"\0" * 8192)
    second = clone(shop, "second", FORMS[0])
    done = waypost(second, "remember", "Something new.")
    assert done.code != 0 and "doctor" in done.err
    assert not memory_folder(second).exists()
