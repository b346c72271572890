"""Sharing between memories of a team, by people who are members of one side only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.flows.share.conftest import PERSON
from tests.postgres_server import Postgres

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.errors import NotFound, SecurityError
from waypost.flows.recall.candidates import gather
from waypost.flows.recall.search import NOTHING_RELEVANT
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.installation import set_up
from waypost.store.postgres.roles import Role, RoleNames, schema_of
from waypost.store.postgres.security import PRINCIPAL, Principal

PAYMENTS = "Payments are retried three times before the order is cancelled"
LOGO = "The logo of the shop is printed in green"
TALK = "Ann told that payments are boring"
QUESTION = "how often are payments retried?"
PEOPLE: tuple[tuple[str, str, Role], ...] = (
    ("ann", "shop", "owner"),
    ("bob", "shop", "writer"),
    ("tom", "web", "owner"),
    ("wil", "web", "reader"),
    ("eve", "api", "owner"),
)


@dataclass(frozen=True)
class Team:
    dsn: str
    admin: "psycopg.Connection[Any]"
    names: RoleNames
    spaces: dict[str, str]
    open_: Callable[[str, str], Memory]

    @property
    def directory(self) -> Directory:
        return Directory(self.admin)

    def login(self, user: str) -> str:
        """Roles are of the whole server, so each database of the tests has its own."""
        return f"{user}_{urlsplit(self.dsn).path[1:]}"

    def on_machine(self, user: str, project: str) -> Memory:
        """As a machine of this user opens it."""
        return self.open_(self.login(user), project)

    @contextmanager
    def connection(self, user: str) -> Iterator["psycopg.Connection[Any]"]:
        with psycopg.connect(self.dsn.replace("//postgres@", f"//{self.login(user)}@"), autocommit=True) as connection:
            yield connection

    def seen(self, user: str, table: str, columns: str = "*") -> list[Any]:
        """What a user finds in a table of shop with SQL of their own."""
        with self.connection(user) as connection:
            return connection.execute(f"SELECT {columns} FROM {self.shop}.{table}".encode()).fetchall()

    @property
    def shop(self) -> str:
        return schema_of(self.spaces["shop"])

    def share(self, **offer: Any) -> None:
        self.on_machine("ann", "shop").admin.shares.offer(self.spaces["web"], **offer)
        self.on_machine("tom", "web").admin.shares.accept("shop")


@contextmanager
def made_team(dsn: str, folder: Path) -> Iterator[Team]:
    """Three projects with people of their own; shop has something to tell."""
    with connections(dsn).alone() as connection:
        names = set_up(connection, "here", utc_now()).names
    assert names is not None
    engine = FakeEngine()

    def open_(role: str, name: str) -> Memory:
        open_spaces.drop_all()
        (folder / name).mkdir(exist_ok=True)
        store = dsn.replace("//postgres@", f"//{role}@")
        settings = config.load({"WAYPOST_HOME": str(folder / "home"), "WAYPOST_STORE": store, "HOME": str(folder)})
        return Memory.open(folder / name, caller=PERSON, settings=replace(settings, background=False))

    with psycopg.connect(dsn, autocommit=True) as admin, pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        patch.setattr("waypost.retrieve.certainty.FITTED_FOR", frozenset())  # as `fake_engine` does
        spaces = {name: open_("postgres", name).identity.space_id for name in ("web", "api", "shop")}
        shop = open_("postgres", "shop")
        shop.remember(PAYMENTS, kind="decision", domain="payments")
        shop.remember(LOGO, domain="design")
        shop.remember(TALK, kind="note")
        made = Team(dsn, admin, names, spaces, open_)
        for user, name, role in PEOPLE:
            made.directory.add_user(user)
            admin.execute(f'CREATE ROLE "{made.login(user)}" LOGIN'.encode())
            made.directory.add_login(user, made.login(user))
            made.directory.add_member(spaces[name], user, role)
        yield made
        open_spaces.drop_all()


@pytest.fixture(scope="module")
def standing_team(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    with made_team(postgres_server.new_database(), tmp_path_factory.mktemp("team")) as made:
        yield made


@pytest.fixture
def team(standing_team: Team) -> Iterator[Team]:
    """For tests that change nothing but shares."""
    yield standing_team
    for space_id in standing_team.spaces.values():
        standing_team.admin.execute(f"DELETE FROM {schema_of(space_id)}.shares".encode())


@pytest.fixture
def fresh_team(postgres: str, tmp_path: Path) -> Iterator[Team]:
    with made_team(postgres, tmp_path) as made:
        yield made


def told(memory: Memory) -> list[tuple[str, str | None]]:
    hits = memory.recall(QUESTION).hits
    return [(hit.text, None if hit.project is None else hit.project.name) for hit in hits]


def test_members_of_the_reader_read_what_a_memory_shares_that_they_are_no_members_of(team: Team) -> None:
    team.share()
    for user in ("tom", "wil"):
        assert (PAYMENTS, "shop") in told(team.on_machine(user, "web"))
    assert told(team.on_machine("eve", "api")) == []


@contextmanager
def acting(user: str, space_id: str) -> Iterator[None]:
    before = PRINCIPAL.set(Principal(user, "agent", "read", {space_id: "reader"}))
    try:
        yield
    finally:
        PRINCIPAL.reset(before)


def test_a_server_reads_it_for_them(team: Team) -> None:
    team.share()
    served = team.open_(team.names.server, "web")
    with acting("wil", team.spaces["web"]):
        assert (PAYMENTS, "shop") in told(served)
    with acting("eve", team.spaces["web"]):  # who is no member: a server that were wrong about that
        assert told(served) == []
    team.on_machine("ann", "shop").admin.shares.revoke("web")
    with acting("wil", team.spaces["web"]):
        assert told(team.open_(team.names.server, "web")) == []


def test_the_offer_bounds_what_the_database_itself_shows(team: Team) -> None:
    team.share(kinds=["decision"])
    assert team.seen("wil", "memories", "text") == [(PAYMENTS,)]
    assert len(team.seen("wil", "passages")) == len(team.seen("wil", "vectors")) == 1
    assert len(team.seen("wil", "states")) <= 1
    for closed in ("candidates", "audit", "journal_places", "tombstones", "domains", "owed"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            team.seen("wil", closed)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.seen("wil", "checkouts", "root")


@pytest.mark.parametrize(
    ("offer", "shown"),
    [
        ({}, {PAYMENTS, LOGO}),
        ({"domains": ["design"]}, {LOGO}),
        ({"domains": ["design"], "kinds": ["decision"]}, set()),
        ({"levels": [3]}, set()),
        ({"levels": [1]}, {PAYMENTS, LOGO}),
    ],
)
def test_every_part_of_an_offer_counts(team: Team, offer: dict[str, Any], shown: set[str]) -> None:
    team.share(**offer)
    assert {text for (text,) in team.seen("wil", "memories", "text")} == shown


def test_what_was_changed_or_forgotten_is_gone_for_guests(fresh_team: Team) -> None:
    fresh_team.share()
    anns = fresh_team.on_machine("ann", "shop")
    first, second = (next(hit for hit in anns.recall(q).hits) for q in (QUESTION, "colour of the logo"))
    anns.correct(first.id, "Payments are retried twice")
    anns.forget(second.id)
    texts = {text for (text,) in fresh_team.seen("wil", "memories", "text")}
    assert "Payments are retried twice" in texts and texts.isdisjoint({PAYMENTS, LOGO})


def test_nothing_is_seen_before_both_have_agreed_nor_after_either_has_revoked(team: Team) -> None:
    def is_closed() -> bool:
        try:
            return not team.seen("wil", "memories")
        except psycopg.errors.InsufficientPrivilege:
            return True

    assert is_closed()
    team.on_machine("ann", "shop").admin.shares.offer(team.spaces["web"])
    assert is_closed()
    team.on_machine("tom", "web").admin.shares.accept("shop")
    assert not is_closed()
    team.on_machine("ann", "shop").admin.shares.offer(
        team.spaces["web"], kinds=["decision"]
    )  # another offer: not accepted
    assert is_closed() and told(team.on_machine("wil", "web")) == []
    team.on_machine("tom", "web").admin.shares.accept("shop")
    assert not is_closed()
    team.on_machine("tom", "web").admin.shares.revoke("shop")
    assert is_closed() and told(team.on_machine("wil", "web")) == []
    with team.connection("wil") as connection:
        groups = connection.execute("SELECT count(*) FROM pg_roles WHERE rolname LIKE '%\\_guest'"
                                    " AND pg_has_role(oid, 'MEMBER')").fetchone()  # fmt: skip
    assert groups == (0,)


def test_a_revocation_is_no_news_for_a_question(team: Team) -> None:
    team.share()
    team.on_machine("ann", "shop").admin.shares.revoke("web")
    assert team.on_machine("wil", "web").recall(QUESTION).notices == (NOTHING_RELEVANT,)


def test_who_leaves_the_reader_sees_nothing_more(fresh_team: Team) -> None:
    fresh_team.share()
    with fresh_team.connection("wil") as connection:
        assert connection.execute(f"SELECT count(*) FROM {fresh_team.shop}.memories".encode()).fetchone() == (2,)
        fresh_team.directory.disable_user("wil")
        try:
            left = connection.execute(f"SELECT count(*) FROM {fresh_team.shop}.memories".encode()).fetchone()
        except psycopg.errors.InsufficientPrivilege:
            left = (0,)
    assert left == (0,)


def test_offering_and_accepting_is_for_owners(team: Team) -> None:
    with pytest.raises(SecurityError):
        team.on_machine("bob", "shop").admin.shares.offer(team.spaces["web"])
    team.on_machine("ann", "shop").admin.shares.offer(team.spaces["web"])
    with pytest.raises(SecurityError):
        team.on_machine("wil", "web").admin.shares.accept("shop")
    with pytest.raises(NotFound):
        team.on_machine("eve", "api").admin.shares.accept(team.spaces["shop"])


def test_a_writer_ends_what_an_owner_has_offered(team: Team) -> None:
    team.share()
    assert [one.state for one in team.on_machine("bob", "shop").admin.shares.revoke("web")] == ["revoked"]
    assert told(team.on_machine("wil", "web")) == []


def test_a_share_is_not_turned_into_one_with_another_memory(team: Team) -> None:
    """Its own half would be somewhere else then, and what it opened would stand with nobody to revoke it."""
    team.share()
    for user in ("bob", "ann"):
        with team.connection(user) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"UPDATE {team.shop}.shares SET other = 'ffffffffffffffff', revoked_at = 9".encode())
    team.on_machine("bob", "shop").admin.shares.revoke("web")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.seen("wil", "memories")


def test_who_accepts_in_a_transaction_from_before_a_revocation_is_no_guest(team: Team) -> None:
    team.on_machine("ann", "shop").admin.shares.offer(team.spaces["web"])
    taken = f"""INSERT INTO {schema_of(team.spaces["web"])}.shares (role, other, name, offer_id, offer, made_at, made_by)
        SELECT 'takes', space_id, 'shop', offer_id, '{{}}', 1, 'tom' FROM waypost.halves WHERE role = 'gives'"""
    with team.connection("tom") as tom:
        tom.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM waypost.halves")
        team.on_machine("ann", "shop").admin.shares.revoke(team.spaces["web"])
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            tom.execute(taken.encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.seen("wil", "keywords")


def test_both_sides_are_listed_by_name_once_both_have_agreed(team: Team) -> None:
    offered = team.on_machine("ann", "shop").admin.shares.offer(team.spaces["web"])
    assert (offered.project.name, offered.state) == (team.spaces["web"], "offered")  # it has not said who it is
    (seen,) = team.on_machine("wil", "web").admin.shares.list()
    assert (seen.role, seen.project.name, seen.state, seen.offered_by) == ("takes", "shop", "offered", PERSON.actor)
    team.on_machine("tom", "web").admin.shares.accept("shop")
    (given,) = team.on_machine("bob", "shop").admin.shares.list()
    assert (given.role, given.project.name, given.state) == ("gives", "web", "active")
    assert team.on_machine("eve", "api").admin.shares.list() == ()


def test_an_offer_to_a_memory_that_nobody_has_made_yet_holds_once_it_is_made(team: Team) -> None:
    team.on_machine("ann", "shop").admin.shares.offer("f" * 16)
    (share,) = team.on_machine("ann", "shop").admin.shares.list()
    assert (share.project.id, share.state, share.notices) == ("f" * 16, "offered", ())


def test_the_team_notes_it_for_owners_of_both(team: Team) -> None:
    team.share()
    for name in ("shop", "web"):
        latest = team.directory.audit(space_id=team.spaces[name], most=2)
        assert [one.action for one in latest] == ["accept share", "offer share"]


def test_a_memory_that_is_erased_takes_its_guests_along(fresh_team: Team) -> None:
    fresh_team.share()
    open_spaces.drop_all()
    fresh_team.directory.forget_space(fresh_team.spaces["shop"])
    assert told(fresh_team.on_machine("wil", "web")) == []
    (share,) = fresh_team.on_machine("wil", "web").admin.shares.list()
    assert share.state == "revoked"


def test_members_of_both_share_as_they_would_at_home(fresh_team: Team) -> None:
    fresh_team.directory.add_member(fresh_team.spaces["web"], "ann", "owner")
    fresh_team.on_machine("ann", "shop").admin.shares.offer("web")
    accepted = fresh_team.on_machine("ann", "web").admin.shares.accept("shop")
    assert (accepted.state, accepted.notices) == ("active", ())
    assert (PAYMENTS, "shop") in told(fresh_team.on_machine("ann", "web"))
    assert "share_accept" in {one.action for one in fresh_team.on_machine("ann", "shop").admin.audit()}


def test_code_is_shown_where_it_is_offered_and_only_there(team: Team) -> None:
    anns = team.on_machine("ann", "shop")
    (anns.code.root / "refund.py").write_text(
        'def refund_order(order):\n    """Pay an order back."""\n    return order\n'
    )
    anns.index()
    question = "where is an order paid back?"
    team.share()
    assert not team.on_machine("wil", "web").recall(question, scope="code").hits
    assert {kind for (kind,) in team.seen("wil", "memories", "kind")} == {"fact", "decision"}
    team.share(code=True)
    (hit, *_) = team.on_machine("wil", "web").recall(question, scope="code").hits
    assert hit.project is not None and hit.project.name == "shop"
    assert "symbol" in {kind for (kind,) in team.seen("wil", "memories", "kind")}


def test_one_who_closes_in_the_middle_of_a_question_does_not_spoil_the_answer(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.share()
    toms = team.on_machine("tom", "web")

    def gather_once_it_is_closed(*told: Any) -> Any:
        guests, readers = team.names.guests(team.spaces["shop"]), team.names.group(team.spaces["web"], "reader")
        team.admin.execute(f"REVOKE {guests} FROM {readers}".encode())
        return gather(*told)

    monkeypatch.setattr("waypost.flows.share.recall.gather", gather_once_it_is_closed)
    answer = toms.recall(QUESTION)
    assert not answer.hits and answer.notices[-1] == NOTHING_RELEVANT
    assert "cannot be read now" in answer.notices[0]
