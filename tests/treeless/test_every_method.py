"""Nothing of the façade falls over where there is no tree: it works from what is known, or says what to do."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.treeless.conftest import ADA, Shop, leave

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.errors import NotFound, WaypostError
from waypost.memory.catalog import open_known
from waypost.memory.journal import Journal
from waypost.model.draft import Draft
from waypost.model.session_turn import USER, SessionTurn

Use = Callable[[Memory, dict[str, str]], Any]
NOT_HERE = r"(tree|journal) of 'shop' is "


def turn(memory: Memory) -> SessionTurn:
    return SessionTurn(USER, "From now on all reports are in UTC.", memory._clock())


# What works from what the database knows.
WORKS: dict[str, Use] = {
    "about": lambda m, _: m.about("src/checkout.py", 5),
    "approve": lambda m, _: m.approve(()),
    "architecture": lambda m, _: m.architecture(),
    "audit": lambda m, _: m.audit(),
    "brief": lambda m, _: [
        m.brief("change the total", preset=p) for p in (None, "scope", "route", "inject", "journal")
    ],
    "checkouts": lambda m, _: m.checkouts,
    "close": lambda m, _: m.close(),
    "code_behind": lambda m, ids: m.code_behind(ids["stale"]),
    "correct": lambda m, ids: m.correct(ids["stale"], "The total adds up prices, and no tax."),
    "decide": lambda m, _: m.decide("Refunds are made by hand.", because=["They are few."]),
    "decline": lambda m, _: m.decline(()),
    "backup": lambda m, _: [m.backup.make(), m.backup.list(), m.backup.restore()],
    "doctor": lambda m, _: [m.doctor(), m.doctor(fix=True)],
    "expire": lambda m, _: m.expire(),
    "export": lambda m, _: m.export(code=True),
    "exports": lambda m, _: m.exports(),
    "files": lambda m, _: m.files(),
    "folder": lambda m, _: m.folder,
    "forget": lambda m, ids: m.forget(ids["stale"]),
    "growth": lambda m, _: m.growth(),
    "has_tree": lambda m, _: m.has_tree,
    "history": lambda m, ids: m.history(ids["stale"]),
    "import_file": lambda m, _: list(m.import_file(m.export().path)),
    "import_rows": lambda m, _: list(m.import_rows(list(m.rows()))),
    "journal": lambda m, _: m.journal,
    "keep_session": lambda m, _: m.keep_session("s-1", [turn(m)]),
    "lift": lambda m, _: m.lift("Never said."),
    "list": lambda m, _: [m.list(), m.list(kind="symbol")],
    "maintain": lambda m, _: [m.maintain(dry_run=True), m.maintain(force=True)],
    "page": lambda m, _: m.page(),
    "promote": lambda m, ids: m.promote(ids["fresh"], 2),
    "protect": lambda m, ids: m.protect(ids["fresh"]),
    "rebuild": lambda m, _: m.rebuild(),
    "recall": lambda m, _: m.recall("How is the total of a basket computed?"),
    "declined": lambda m, _: m.declined(),
    "reconsider": lambda m, _: m.reconsider(()),
    "reject": lambda m, ids: m.reject(ids["plain"]),
    "related": lambda m, ids: m.related(ids["decision"]),
    "relatives": lambda m, _: m.relatives(),
    "remember": lambda m, _: m.remember("Totals are rounded.", refs=["src/checkout.py#total"]),
    "remember_drafts": lambda m, _: list(m.remember_drafts([Draft.of({"text": "Cards expire."})])),
    "remember_many": lambda m, _: m.remember_many([{"text": "Vouchers expire.", "refs": ["src/session.py"]}]),
    "restore": lambda m, ids: _restored(m, ids["fresh"]),
    "retract": lambda m, ids: m.retract(ids["fresh"]),
    "review": lambda m, _: m.review(),
    "root": lambda m, _: m.root,
    "rows": lambda m, _: list(m.rows(code=True)),
    "seen": lambda m, _: m.seen,
    "seen_in": lambda m, _: m.seen_in(m.checkouts[0].id).recall("total"),
    "set_ttl": lambda m, ids: m.set_ttl(ids["plain"], 60),
    "settle": lambda m, _: m.settle(),
    "shares": lambda m, _: m.shares(),
    "show": lambda m, ids: [m.show(one) for one in (*ids.values(), m.recall("total", scope="code")[0].id)],
    "source": lambda m, _: m.source("src/checkout.py"),
    "space_id": lambda m, _: m.space_id,
    "stale": lambda m, _: [m.stale(), m.stale(["src/checkout.py"])],
    "damage_notices": lambda m, _: m.damage_notices(),
    "status": lambda m, _: m.status(),
    "subtree": lambda m, ids: m.subtree(ids["plain"]),
    "why": lambda m, _: m.why("Why one provider?"),
    "work": lambda m, _: m.work(),
}
# What needs the tree, or something that is not there, and says so.
REFUSES: dict[str, Use] = {
    "analyze": lambda m, _: m.analyze("src"),
    "discover": lambda m, _: m.discover(),
    "finish": lambda m, _: m.finish("Did it"),
    "git_changed": lambda m, _: m.git_changed(),
    "ignores": lambda m, _: m.ignores(),
    "index": lambda m, _: m.index(),
    "learn": lambda m, _: m.learn(),
    "relink": lambda m, ids: m.relink(ids["stale"], ["src/session.py"]),
    "summarize": lambda m, _: m.summarize(),
    "summary": lambda m, _: m.summary("src/checkout.py"),
    "track": lambda m, _: m.track("src/checkout.py"),
    "update": lambda m, _: m.update(["src/checkout.py"]),
    "verify": lambda m, ids: m.verify(ids["stale"]),
}
# What is about something else that is not there: a candidate, a file, an import.
OTHERWISE: dict[str, Use] = {
    "at": lambda m, _: m.at("."),
    "edit": lambda m, _: m.edit("0" * 26, "x"),
    "import_bridge": lambda m, _: m.import_bridge("/nowhere"),
    "import_tags": lambda m, _: m.import_tags("/nowhere"),
    "share_accept": lambda m, _: m.share_accept("0" * 16),
    "share_offer": lambda m, _: m.share_offer("0" * 16),
    "share_revoke": lambda m, _: m.share_revoke("0" * 16),
    "undo_import": lambda m, _: m.undo_import(),
}
JOURNAL_READS: dict[str, Use] = {
    "calendar": lambda m, _: m.journal.calendar(),
    "events": lambda m, _: m.journal.events(),
    "notices": lambda m, _: m.journal.notices(),
    "offered": lambda m, _: m.journal.offered,
    "root": lambda m, _: m.journal.root,
    "search": lambda m, _: m.journal.search("refunds"),
    "show": lambda m, _: m.journal.show("2026-01-29"),
    "similar": lambda m, ids: m.journal.similar(ids["note"]),
    "stats": lambda m, _: m.journal.stats(),
    "timeline": lambda m, _: [m.journal.timeline(), m.journal.timeline("2026-01-29")],
    "topics": lambda m, _: m.journal.topics(),
}
JOURNAL_TOUCHES: dict[str, Use] = {
    "add": lambda m, _: m.journal.add("We met again."),
    "condense": lambda m, _: m.journal.condense(force=True),
    "curate": lambda m, ids: m.journal.curate(ids["note"]),
    "protect": lambda m, ids: m.journal.protect(ids["note"]),
    "prune": lambda m, _: m.journal.prune(),
}
JOURNAL_OTHERWISE: dict[str, Use] = {
    "approve_dna": lambda m, _: m.journal.approve_dna(),
    "import_chat": lambda m, _: m.journal.import_chat("/nowhere"),
    "import_folder": lambda m, _: m.journal.import_folder("crowdbot", "/nowhere"),
    "keep_in_tree": lambda m, _: m.journal.keep_in_tree(),
    "release": lambda m, _: m.journal.release("2026-01-29"),
    "restore": lambda m, _: m.journal.restore("2026-01-29"),
    "undo_import": lambda m, _: m.journal.undo_import(),
}


def _restored(memory: Memory, memory_id: str) -> object:
    memory.retract(memory_id)
    return memory.restore(memory_id)


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_") and name not in ("open", "open_as")}


def test_the_tables_name_every_method() -> None:
    assert public(Memory) - {*WORKS, *REFUSES, *OTHERWISE} == set()
    journal = public(Journal) - public(inspect.getmro(Journal)[1]) | {"root"}
    assert journal - {*JOURNAL_READS, *JOURNAL_TOUCHES, *JOURNAL_OTHERWISE} == set()


@pytest.mark.parametrize("name", WORKS)
def test_it_works_from_what_is_known(name: str, shop: Shop, away: Memory) -> None:
    WORKS[name](away, shop.ids)
    again = {one.id: one for one in away.recall("total prices session user", 50, scope="code")}
    assert {"total", "Card", "is_open"} <= {one.name for one in again.values()}  # nothing that was read is dropped


@pytest.mark.parametrize("name", REFUSES)
def test_it_says_that_the_tree_is_elsewhere(name: str, shop: Shop, away: Memory) -> None:
    with pytest.raises(NotFound, match=r"The tree of 'shop' is not on this machine\.") as told:
        REFUSES[name](away, shop.ids)
    assert told.value.remedy == "Run this where the project is checked out."


@pytest.mark.parametrize("name", OTHERWISE)
def test_what_is_missing_otherwise_is_told_as_ever(name: str, shop: Shop, away: Memory) -> None:
    with pytest.raises(WaypostError):
        OTHERWISE[name](away, shop.ids)


@pytest.mark.parametrize("name", [*JOURNAL_READS, *JOURNAL_TOUCHES])
def test_a_journal_beside_the_database_is_as_ever(name: str, shop: Shop, away: Memory) -> None:
    (JOURNAL_READS | JOURNAL_TOUCHES)[name](away, shop.ids)


@pytest.fixture
def kept_in_tree(tmp_path: Path, clock: TestClock, fake_engine: FakeEngine) -> tuple[Memory, dict[str, str]]:
    shop = leave(tmp_path / "work" / "shop", clock, journal_in_tree=True)
    return open_known(config.load(), ADA, shop.space_id, clock), shop.ids


@pytest.mark.parametrize("name", JOURNAL_READS)
def test_a_journal_in_the_tree_can_still_be_read(name: str, kept_in_tree: tuple[Memory, dict[str, str]]) -> None:
    JOURNAL_READS[name](*kept_in_tree)


@pytest.mark.parametrize("name", JOURNAL_TOUCHES)
def test_the_files_of_a_journal_in_the_tree_are_elsewhere(
    name: str, kept_in_tree: tuple[Memory, dict[str, str]]
) -> None:
    with pytest.raises(NotFound, match="journal of 'shop' is kept in its tree") as told:
        JOURNAL_TOUCHES[name](*kept_in_tree)
    assert told.value.remedy == "Run this where the project is checked out."


@pytest.mark.parametrize("name", JOURNAL_OTHERWISE)
def test_the_rest_of_a_journal_raises_what_it_should(name: str, kept_in_tree: tuple[Memory, dict[str, str]]) -> None:
    with pytest.raises(WaypostError):
        JOURNAL_OTHERWISE[name](*kept_in_tree)
