"""Nothing of the façade falls over where there is no tree: it works from what is known, or says what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.treeless.conftest import ADA, Shop, leave

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.errors import NotFound, WaypostError
from waypost.memory.admin import MemoryAdmin, Shares
from waypost.memory.backups import Backups
from waypost.memory.catalog import open_by_id
from waypost.memory.code import MemoryCode
from waypost.memory.facts import MemoryFacts
from waypost.memory.journal import Journal
from waypost.model.draft import Draft
from waypost.model.session_turn import USER, SessionTurn

Use = Callable[[Memory, dict[str, str]], Any]
NOT_HERE = r"(tree|journal) of 'shop' is "


def turn(memory: Memory) -> SessionTurn:
    return SessionTurn(USER, "From now on all reports are in UTC.", memory.space.clock())


# What works from what the database knows.
WORKS: dict[str, Use] = {
    "code.about": lambda m, _: m.code.about("src/checkout.py", 5),
    "facts.approve": lambda m, _: m.facts.approve(()),
    "facts.for_agents_file": lambda m, _: m.facts.for_agents_file(),
    "code.architecture": lambda m, _: m.code.architecture(),
    "admin.audit": lambda m, _: m.admin.audit(),
    "brief": lambda m, _: [
        m.brief("change the total", preset=p) for p in (None, "scope", "route", "inject", "journal")
    ],
    "admin.checkouts": lambda m, _: m.admin.checkouts(),
    "chat": lambda m, _: m.chat("ada").user,
    "close": lambda m, _: m.close(),
    "code.code_behind": lambda m, ids: m.code.code_behind(ids["stale"]),
    "correct": lambda m, ids: m.correct(ids["stale"], "The total adds up prices, and no tax."),
    "decide": lambda m, _: m.decide("Refunds are made by hand.", because=["They are few."]),
    "facts.reject": lambda m, _: m.facts.reject(()),
    "admin.backups.list": lambda m, _: m.admin.backups.list(),
    "admin.backups.make": lambda m, _: m.admin.backups.make(),
    "admin.backups.plan": lambda m, _: [m.admin.backups.make(), m.admin.backups.plan()],
    "admin.backups.restore": lambda m, _: [m.admin.backups.make(), m.admin.backups.restore()],
    "admin.doctor": lambda m, _: [m.admin.doctor(), m.admin.doctor(fix=True)],
    "facts.expire": lambda m, _: m.facts.expire(),
    "admin.export": lambda m, _: m.admin.export(code=True),
    "admin.exports": lambda m, _: m.admin.exports(),
    "code.export_index": lambda m, _: m.code.export_index(m.admin.export().path.with_suffix(".index")),
    "code.files": lambda m, _: m.code.files(),
    "forget": lambda m, ids: m.forget(ids["stale"]),
    "admin.full_id": lambda m, ids: m.admin.full_id(ids["stale"]),
    "admin.short_ids": lambda m, ids: m.admin.short_ids([ids["stale"]]),
    "admin.growth": lambda m, _: m.admin.growth(),
    "history": lambda m, ids: m.history(ids["stale"]),
    "admin.import_file": lambda m, _: list(m.admin.import_file(m.admin.export().path)),
    "admin.import_rows": lambda m, _: list(m.admin.import_rows(list(m.admin.export_rows()))),
    "journal.add_session": lambda m, _: m.journal.add_session("s-1", [turn(m)]),
    "facts.infer_place": lambda m, _: m.facts.infer_place("Cards expire for now."),
    "facts.lift_rejection": lambda m, _: m.facts.lift_rejection("Never said."),
    "identity": lambda m, _: m.identity,
    "list": lambda m, _: [m.list(), m.list(kind="symbol")],
    "admin.maintain_all": lambda m, _: list(m.admin.maintain_all()),
    "admin.maintain": lambda m, _: [m.admin.maintain(dry_run=True), m.admin.maintain(force=True)],
    "admin.page": lambda m, _: m.admin.page(),
    "facts.promote": lambda m, ids: m.facts.promote(ids["fresh"], 2),
    "protect": lambda m, ids: m.protect(ids["fresh"]),
    "admin.rebuild": lambda m, _: m.admin.rebuild(),
    "recall": lambda m, _: m.recall("How is the total of a basket computed?"),
    "facts.rejected": lambda m, _: m.facts.rejected(),
    "facts.reconsider": lambda m, _: m.facts.reconsider(()),
    "reject": lambda m, ids: m.reject(ids["plain"]),
    "facts.related": lambda m, ids: m.facts.related(ids["decision"]),
    "admin.relatives": lambda m, _: m.admin.relatives(),
    "remember": lambda m, _: m.remember("Totals are rounded.", refs=["src/checkout.py#total"]),
    "facts.remember_drafts": lambda m, _: list(m.facts.remember_drafts([Draft.of({"text": "Cards expire."})])),
    "remember_many": lambda m, _: m.remember_many([{"text": "Vouchers expire.", "refs": ["src/session.py"]}]),
    "restore": lambda m, ids: _restored(m, ids["fresh"]),
    "retract": lambda m, ids: m.retract(ids["fresh"]),
    "facts.review": lambda m, _: m.facts.review(),
    "code.root": lambda m, _: m.code.root,
    "admin.export_rows": lambda m, _: list(m.admin.export_rows(code=True)),
    "admin.shown_checkout": lambda m, _: m.admin.shown_checkout(),
    "admin.as_of_checkout": lambda m, _: m.admin.as_of_checkout(m.admin.checkouts()[0].id).recall("total"),
    "facts.set_ttl": lambda m, ids: m.facts.set_ttl(ids["plain"], 60),
    "admin.embed_pending": lambda m, _: m.admin.embed_pending(),
    "admin.shares.list": lambda m, _: m.admin.shares.list(),
    "show": lambda m, ids: [m.show(one) for one in (*ids.values(), m.recall("total", scope="code")[0].id)],
    "code.source": lambda m, _: m.code.source("src/checkout.py"),
    "code.symbol_names": lambda m, _: m.code.symbol_names("tot"),
    "code.symbols": lambda m, _: [m.code.symbols("total"), m.code.symbols(path="src/checkout.py")],
    "code.uses": lambda m, _: m.code.uses("total"),
    "code.impact": lambda m, _: m.code.impact("total"),
    "code.unused": lambda m, _: m.code.unused(),
    "code.stale": lambda m, _: [m.code.stale(), m.code.stale(["src/checkout.py"])],
    "admin.damage_notices": lambda m, _: m.admin.damage_notices(),
    "space": lambda m, _: m.space,
    "status": lambda m, _: m.status(),
    "facts.subtree": lambda m, ids: m.facts.subtree(ids["plain"]),
    "why": lambda m, _: m.why("Why one provider?"),
    "admin.run_worker": lambda m, _: m.admin.run_worker(),
}
# What needs the tree, or something that is not there, and says so.
REFUSES: dict[str, Use] = {
    "code.analyze": lambda m, _: m.code.analyze("src"),
    "facts.discover": lambda m, _: m.facts.discover(),
    "code.finish_task": lambda m, _: m.code.finish_task("Did it"),
    "code.git_changed": lambda m, _: m.code.git_changed(),
    "code.ignores": lambda m, _: m.code.ignores(),
    "index": lambda m, _: m.index(),
    "facts.learn": lambda m, _: m.facts.learn(),
    "code.relink": lambda m, ids: m.code.relink(ids["stale"], ["src/session.py"]),
    "code.summarize": lambda m, _: m.code.summarize(),
    "code.summary": lambda m, _: m.code.summary("src/checkout.py"),
    "code.track": lambda m, _: m.code.track("src/checkout.py"),
    "code.update": lambda m, _: m.code.update(["src/checkout.py"]),
    "verify": lambda m, ids: m.verify(ids["stale"]),
}
# What is about something else that is not there: a candidate, a file, an import.
OTHERWISE: dict[str, Use] = {
    "admin.for_path": lambda m, _: m.admin.for_path("."),
    "code.import_index": lambda m, _: m.code.import_index("/nowhere"),
    "facts.edit": lambda m, _: m.facts.edit("0" * 26, "x"),
    "admin.import_memory_bridge": lambda m, _: m.admin.import_memory_bridge("/nowhere"),
    "admin.import_coding_brain": lambda m, _: m.admin.import_coding_brain("/nowhere"),
    "admin.import_notes": lambda m, _: m.admin.import_notes("/nowhere"),
    "admin.shares.accept": lambda m, _: m.admin.shares.accept("0" * 16),
    "admin.shares.offer": lambda m, _: m.admin.shares.offer("0" * 16),
    "admin.shares.revoke": lambda m, _: m.admin.shares.revoke("0" * 16),
    "admin.undo_import": lambda m, _: m.admin.undo_import(),
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
    "why": lambda m, ids: m.journal.why(ids["note"]),
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


GROUPS: dict[str, type] = {
    "": Memory,
    "code.": MemoryCode,
    "facts.": MemoryFacts,
    "journal.": Journal,
    "admin.": MemoryAdmin,
    "admin.backups.": Backups,
    "admin.shares.": Shares,
}


def test_the_tables_name_every_method() -> None:
    names = {place + name for place, kind in GROUPS.items() for name in dir(kind) if not name.startswith("_")}
    names -= {"open", *(place.removesuffix(".") for place in GROUPS)}
    journal = {f"journal.{name}" for name in (*JOURNAL_READS, *JOURNAL_TOUCHES, *JOURNAL_OTHERWISE)}
    assert names == {*WORKS, *REFUSES, *OTHERWISE, *journal}


@pytest.mark.parametrize("name", WORKS)
def test_it_works_from_what_is_known(name: str, shop: Shop, away: Memory) -> None:
    WORKS[name](away, shop.ids)
    names = ("total", "Card", "is_open")
    assert [away.recall(name, 50, scope="code")[0].name for name in names] == list(
        names
    )  # nothing that was read is dropped


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
    return open_by_id(config.load(), ADA, shop.space_id, clock), shop.ids


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNAL_READS)
def test_a_journal_in_the_tree_can_still_be_read(name: str, kept_in_tree: tuple[Memory, dict[str, str]]) -> None:
    JOURNAL_READS[name](*kept_in_tree)


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNAL_TOUCHES)
def test_the_files_of_a_journal_in_the_tree_are_elsewhere(
    name: str, kept_in_tree: tuple[Memory, dict[str, str]]
) -> None:
    with pytest.raises(NotFound, match="journal of 'shop' is kept in its repository") as told:
        JOURNAL_TOUCHES[name](*kept_in_tree)
    assert told.value.remedy == "Run this where the project is checked out."


@pytest.mark.slow
@pytest.mark.parametrize("name", JOURNAL_OTHERWISE)
def test_the_rest_of_a_journal_raises_what_it_should(name: str, kept_in_tree: tuple[Memory, dict[str, str]]) -> None:
    with pytest.raises(WaypostError):
        JOURNAL_OTHERWISE[name](*kept_in_tree)
