"""Days and years of conversations: nothing is lost, nothing moves too early, and upkeep comes to rest."""

import pytest
from tests.simulation.conftest import START, Begin
from tests.simulation.life import Life
from tests.simulation.world import OWN_WORDS, World

from waypost.embed.fake import FakeEngine


def check(world: World) -> None:
    """All that must hold on any morning."""
    assert world.lost() == []
    assert world.left_too_early() == []
    assert world.not_word_for_word() == []
    assert world.unreadable() == []
    assert world.upper_part() == OWN_WORDS.encode()


def check_rest(world: World) -> None:
    """Upkeep that was done changes nothing when it is done again, asked for or not."""
    before = world.folder()
    world.memory.admin.maintain()
    assert changed(before, world.folder()) == []
    world.memory.admin.maintain(force=True)
    assert changed(before, world.folder()) == []


def changed(before: object, after: object) -> list[str]:
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


@pytest.mark.slow
def test_the_checks_notice_what_they_look_for(begin: Begin) -> None:
    """A line gone from the archive, a day's file gone too early, a protected line reworded, a page rewritten."""
    world = begin(Life(7, START, conversations=1, characters=300))
    for _ in world.live(10):
        pass
    check(world)
    root = world.journal.root
    archived = root / "archive/daily/2024-01-01.md"
    text = archived.read_text()
    archived.write_text(text.replace(next(iter(world.said.values())).text, "something else"))
    assert [line.key for line in world.lost()] == [next(iter(world.said))]
    archived.write_text(text)
    (root / "daily/2024-01-09.md").rename(root / "archive/daily/2024-01-09.md")
    assert {line.at.day for line in world.left_too_early()} == {9}
    for path in root.rglob("*.md"):
        if "archive" not in path.parts:
            path.write_text(path.read_text().replace(world.protected[0].text[:40], "in other words, "))
    assert world.protected[0] in world.not_word_for_word()
    (root / "MEMORY.md").write_text("# Another\n")
    assert world.upper_part() != OWN_WORDS.encode()


@pytest.mark.slow
def test_sixty_days_are_kept(begin: Begin) -> None:
    world = begin(Life(7, START, conversations=1, characters=600))
    for day in world.live(60):
        if day.date.day % 10 == 1:
            check(world)
    check(world)
    check_rest(world)
    stages = {path.rpartition("/")[0] for path in world.journal.scan()}
    assert {"daily", "weekly", "monthly", "archive/daily", "archive/weekly"} <= stages
    found = [fact for fact in world.facts if world.found(fact)]
    assert len(found) / len(world.facts) > 0.75  # by an engine that knows no meaning


@pytest.mark.soak
def test_three_years_are_kept(begin: Begin, fake_engine: FakeEngine) -> None:
    """Two conversations a day: two thousand and more of them, through every stage up to the year."""
    world = begin(Life(11, START, conversations=2, characters=700))
    for place, _ in enumerate(world.live(3 * 365), 1):
        if place % 120 == 0:
            check(world)
            check_rest(world)
    check(world)
    check_rest(world)
    scanned = world.journal.scan()
    assert {path.rpartition("/")[0] for path in scanned} >= {"yearly", "archive/monthly", "archive/weekly"}
    assert any(stamp.gzipped for stamp in scanned.values())
    fake_engine.fail = True  # by words alone: hashed trigrams of thousands of like sentences say nothing of meaning
    found = [fact for fact in world.facts if world.found(fact)]
    print(f"found by words alone after three years: {len(found)} of {len(world.facts)}")
    assert len(found) / len(world.facts) > 0.85
