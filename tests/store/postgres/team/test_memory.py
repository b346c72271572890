"""The library and a server on a team's database: each person can what their role allows, whatever they try."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.conftest import OpenMemory
from tests.store.postgres.team.conftest import Team

from waypost.errors import SecurityError
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections
from waypost.store.postgres.directory.installation import set_up
from waypost.store.postgres.roles import Role, schema_of
from waypost.store.postgres.security import PRINCIPAL, Acting, Principal, act

SAID = "The deploy script belongs to Ann."
As = Callable[[str], Memory]


@pytest.fixture
def team(postgres: str) -> Iterator[Team]:
    """Nobody but the administrator yet."""
    with connections(postgres).alone() as connection:
        names = set_up(connection, "here", utc_now()).names
    with psycopg.connect(postgres, autocommit=True) as admin:
        made = Team(postgres, admin, names)
        with made.opened:
            yield made


@pytest.fixture
def space_id(team: Team, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> str:
    """Made by the administrator, who also says something; then ann owns it, bob writes, carol reads, eve does not."""
    monkeypatch.setenv("WAYPOST_STORE", team.dsn)
    memory = open_memory()
    memory.remember(SAID)
    open_spaces.drop_all()
    people: dict[str, Role | None] = {"ann": "owner", "bob": "writer", "carol": "reader", "eve": None}
    for user, role in people.items():
        team.directory.add_user(user)
        team.add_login(user)
        if role is not None:
            team.directory.add_member(memory.identity.space_id, user, role)
    return memory.identity.space_id


@pytest.fixture
def machine_of(team: Team, space_id: str, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> As:
    """Open the memory as a machine of this user does."""

    def opened(user: str) -> Memory:
        open_spaces.drop_all()
        monkeypatch.setenv("WAYPOST_STORE", team.dsn.replace("postgres@", f"{team.login_of(user)}@"))
        return open_memory()

    return opened


@contextmanager
def acting(user: str, role: Role, space_id: str) -> Iterator[None]:
    before = PRINCIPAL.set(Principal(user, "person", "write", {space_id: role}))
    try:
        yield
    finally:
        PRINCIPAL.reset(before)


def test_members_recall_what_was_said(machine_of: As) -> None:
    for user in ("ann", "bob", "carol"):
        assert [hit.text for hit in machine_of(user).recall("whose is the deploy script?").hits] == [SAID]


def test_a_reader_asks_in_every_way_though_nobody_has_written_since(machine_of: As) -> None:
    carols = machine_of("carol")
    assert SAID in carols.brief("whose is the deploy script?").text
    assert carols.status()
    assert [row["text"] for row in carols.list()] == [SAID]
    assert carols.code.stale().stale == 0
    assert carols.recall("wem gehört das Skript?") is not None  # would wake another engine
    assert carols.journal.stats()
    assert carols.facts.review() is not None


def test_a_writer_indexes_a_tree_that_a_reader_then_asks_about(machine_of: As) -> None:
    bobs = machine_of("bob")
    functions = "\n\n".join(f"def step_{number}():\n    return {number}" for number in range(100))
    (bobs.code.root / "steps.py").write_text(functions)
    bobs.index()
    assert "step_77" in [hit.name for hit in bobs.recall("step_77").hits]
    assert "step_78" in [hit.name for hit in machine_of("carol").recall("step_78", scope="code").hits]


def test_who_is_no_member_cannot_open_it(machine_of: As) -> None:
    with pytest.raises(SecurityError, match="not a member"):
        machine_of("eve")


def test_a_reader_is_refused_before_a_tree_is_walked(machine_of: As) -> None:
    carols, phases = machine_of("carol"), list[str]()
    (carols.code.root / "steps.py").write_text("FIRST = 1")
    for facts in (False, True):
        with pytest.raises(SecurityError, match="Your role in this memory is reader") as told:
            carols.index(facts=facts, report=lambda phase, *_: phases.append(phase))
        assert "waypost team member role USER writer" in told.value.remedy
    assert not phases


def test_who_may_make_no_memory_is_told_who_does_it_and_how(machine_of: As, tmp_path: Path) -> None:
    machine_of("bob")
    (tmp_path / "other").mkdir()
    with pytest.raises(SecurityError, match="'other' is not a memory of this team") as told:
        Memory.open(tmp_path / "other")
    assert told.value.remedy.endswith("an administrator to run `waypost init` in it once.")
    with pytest.raises(SecurityError, match="'Bob B' is not a memory of this team") as told:
        Memory.open(person="Bob B")
    assert told.value.remedy.endswith("an administrator to run `waypost --person 'Bob B' status` once.")


def test_a_writer_remembers_and_a_reader_does_not(machine_of: As, team: Team, space_id: str) -> None:
    machine_of("bob").remember("Releases are on Tuesdays.")
    carols = machine_of("carol")
    assert "Releases are on Tuesdays." in [hit.text for hit in carols.recall("when are releases?").hits]
    with pytest.raises(SecurityError):
        carols.remember("Releases are never.")
    count = f"SELECT count(*) FROM {schema_of(space_id)}.memories"
    assert team.admin.execute(count.encode()).fetchone() == (2,)


def test_an_owner_forgets_and_a_writer_does_not(machine_of: As) -> None:
    said = machine_of("bob").recall("deploy script").hits[0].id
    for user in ("carol", "bob"):
        with pytest.raises(SecurityError):
            machine_of(user).forget(said)
        assert machine_of(user).recall("deploy script").hits[0].id == said
    machine_of("ann").forget(said)
    assert not machine_of("ann").recall("deploy script").hits


def test_a_lifetime_that_ends_in_erasing_is_for_owners_and_for_what_one_adds(machine_of: As) -> None:
    said = machine_of("bob").recall("deploy script").hits[0].id
    with pytest.raises(SecurityError, match="Only an owner"):
        machine_of("bob").facts.set_ttl(said, 60, on_expire="delete")
    machine_of("bob").facts.set_ttl(said, 60, on_expire="archive")
    bobs = machine_of("bob")
    added = bobs.remember("The stand-up is in room four today", ttl=60, on_expire="delete").id
    assert added is not None
    bobs.facts.set_ttl(added, 3600, on_expire="delete")  # later than it was: nothing is lost by it
    with pytest.raises(SecurityError, match="Only an owner"):
        bobs.facts.set_ttl(added, 1, on_expire="delete")
    assert machine_of("ann").facts.set_ttl(said, 60, on_expire="delete").to_json()["on_expire"] == "delete"


def test_no_agent_erases_through_a_server_whomever_it_belongs_to(team: Team, space_id: str) -> None:
    with team.server() as server:
        for kind, is_done in (("agent", False), ("person", True)):
            with server.transaction(force_rollback=True):
                act(server, team.roles, space_id, Acting("ann", "owner", kind))  # type: ignore[arg-type]
                delete = f"DELETE FROM {schema_of(space_id)}.memories".encode()
                if is_done:
                    assert server.execute(delete).rowcount == 1
                else:
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        server.execute(delete)


def test_a_server_does_for_each_what_they_may(
    team: Team, space_id: str, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_STORE", team.dsn.replace("postgres@", f"{team.roles.server}@"))
    with acting("bob", "writer", space_id):
        memory = open_memory()
        memory.remember("Releases are on Tuesdays.")
    with acting("carol", "reader", space_id):
        assert len(memory.recall("releases and the deploy script").hits) == 2
        with pytest.raises(SecurityError):
            memory.remember("Releases are never.")
    with acting("carol", "owner", space_id), pytest.raises(SecurityError):  # its code was wrong
        memory.remember("Releases are never.")
    with acting("eve", "owner", space_id), pytest.raises(SecurityError):  # sees an empty memory, and cannot fill it
        memory.recall("deploy script")
    with pytest.raises(SecurityError):  # for nobody
        memory.recall("deploy script")


def test_a_removed_member_is_refused_by_the_next_statement(team: Team, space_id: str, machine_of: As) -> None:
    bobs = machine_of("bob")
    bobs.remember("Releases are on Tuesdays.")
    team.directory.remove_member(space_id, "bob")
    with pytest.raises(SecurityError):
        bobs.remember("Releases are never.")
    with pytest.raises(SecurityError):
        bobs.recall("releases")


def test_the_audit_names_whose_machine_it_was(machine_of: As, space_id: str) -> None:
    machine_of("bob").remember("The cache lives on cachebox.")
    by = [entry.actor for entry in machine_of("ann").admin.audit(limit=1)]
    assert len(by) == 1
    assert by[0].startswith("bob/")
    assert not by[0].removeprefix("bob/").startswith("bob")
