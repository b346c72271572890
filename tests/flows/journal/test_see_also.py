"""What belongs together across days, and files that entries speak of."""

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.flows.engines.pending_vectors import settle
from waypost.flows.journal.importance import scored
from waypost.flows.journal.see_also import (
    SEE_ALSO,
    link_related,
    related_to,
    see_also,
    similar_conversations,
    topics_over_time,
)
from waypost.flows.journal_files import media
from waypost.flows.journal_files.log import events
from waypost.flows.journal_files.media import drop_media, keep_media
from waypost.flows.journal_files.tally import entries_of
from waypost.model.journal import Entry, Score, ScoredEntry

LATER = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


def say(memory: Memory, text: str, time: str, session: str | None = None, speaker: str = "user") -> str:
    session = session or time[:10]
    return memory.remember(text, kind="conversation", session=session, speaker=speaker, time=time).id or ""


def items(memory: Memory, *ids: str, score: int = 5, topic: int = 0) -> list[ScoredEntry]:
    settle(memory.space)
    versions = [memory.show(one).version for one in ids]
    return [
        ScoredEntry(
            Entry(one.text, one.time or one.valid_from, one.kind, one.speaker, one.memory_id, one.session),
            Score(min(score, 3), 0, 0, max(0, score - 3), "", ""),
            topic,
        )
        for one in versions
    ]


def related(memory: Memory, *ids: str) -> dict[str, list[str]]:
    with memory.space.store.read() as reader:
        return {one: [other.id for other in found] for one, found in related_to(memory.space, reader, ids).items()}


def test_entries_of_different_days_that_mean_alike_see_each_other(memory: Memory) -> None:
    space = memory.space
    plan = say(memory, "plan for the architect exam in march", "2026-01-15T10:00:00Z")
    say(memory, "bread and butter for breakfast", "2026-01-16T10:00:00Z")
    booked = say(memory, "booked the architect exam in march", "2026-01-20T10:00:00Z")
    assert link_related(space, items(memory, plan, booked), LATER) == 1
    assert related(memory, plan, booked) == {plan: [booked], booked: [plan]}
    assert see_also(space, [plan, booked], date(2026, 1, 19)) == {booked: ["archive/daily/2026-01-15.md"]}
    assert see_also(space, [plan, booked], date(2026, 1, 15)) == {}
    with space.store.read() as reader:
        (edge,) = [edge for edge in reader.edges.of_memory(plan) if edge.kind == SEE_ALSO]
    assert 0.5 < edge.strength < 1
    assert link_related(space, items(memory, plan, booked), LATER) == 0  # they know each other
    assert events(space, event="linked")[0]["links"] == 1


def test_the_same_day_the_same_session_and_the_passing_are_not_linked(memory: Memory) -> None:
    space = memory.space
    one = say(memory, "plan for the architect exam in march", "2026-01-15T10:00:00Z")
    same_day = say(memory, "plan for the architect exam in may", "2026-01-15T11:00:00Z", "other")
    same_talk = say(memory, "plan for the architect exam in june", "2026-01-16T10:00:00Z", "2026-01-15")
    assert link_related(space, items(memory, one), LATER) == 0
    other_day = say(memory, "plan for the architect exam in july", "2026-01-20T10:00:00Z")
    assert link_related(space, items(memory, other_day, score=1), LATER) == 0
    assert link_related(space, items(memory, other_day), LATER) == 3
    assert set(related(memory, one, same_day, same_talk)) == {one, same_day, same_talk}


def test_what_was_said_later_than_asked_about_is_not_linked(memory: Memory) -> None:
    plan = say(memory, "plan for the architect exam in march", "2026-01-15T10:00:00Z")
    booked = say(memory, "booked the architect exam in march", "2026-01-20T10:00:00Z")
    assert link_related(memory.space, items(memory, plan, booked)[:1], LATER - timedelta(days=45)) == 0
    assert link_related(memory.space, items(memory, plan, booked)[:1], LATER) == 1


@pytest.mark.slow
def test_a_week_that_is_summed_up_says_where_its_subject_came_up_before(memory: Memory, clock: TestClock) -> None:
    clock.now = datetime(2026, 1, 5, 12, tzinfo=UTC)
    say(memory, "Remember this, it is important: I want to pass the architect exam in march.", "2026-01-05T10:00:00Z")
    clock.now = datetime(2026, 1, 14, 12, tzinfo=UTC)
    again = say(
        memory, "Remember this, it is important: I want to pass the architect exam in may.", "2026-01-14T10:00:00Z"
    )
    clock.now = datetime(2026, 1, 23, 12, tzinfo=UTC)
    memory.admin.maintain()
    assert "ee also: [2026-01-05](../archive/daily/2026-01-05.md)" in memory.journal.show("2026-W03").text
    [said] = memory.journal.timeline("2026-01-14").entries
    assert (said.id, [one.day.isoformat() for one in said.see_also]) == (again, ["2026-01-05"])


def test_an_entry_has_at_most_three_links_whoever_made_them(memory: Memory) -> None:
    ids = [say(memory, f"plan for the architect exam number {n}", f"2026-01-{n:02}T10:00:00Z") for n in range(10, 18)]
    link_related(memory.space, items(memory, ids[0]), LATER)
    assert len(related(memory, ids[0])[ids[0]]) == 3
    link_related(memory.space, items(memory, *ids), LATER)
    assert {len(others) for others in related(memory, *ids).values()} <= {2, 3}


def test_answers_and_output_are_not_linked(memory: Memory) -> None:
    ids = [
        say(memory, "plan for the architect exam in march", f"2026-01-{day}T10:00:00Z", speaker=speaker)
        for day, speaker in ((15, "assistant"), (16, "tool"), (17, "assistant"), (18, "user"))
    ]
    assert link_related(memory.space, items(memory, *ids), LATER) == 0


def test_forgetting_one_end_forgets_the_link(memory: Memory) -> None:
    plan = say(memory, "plan for the architect exam in march", "2026-01-15T10:00:00Z")
    booked = say(memory, "booked the architect exam in march", "2026-01-20T10:00:00Z")
    link_related(memory.space, items(memory, plan, booked), LATER)
    memory.forget(booked)
    assert related(memory, plan) == {}


def test_conversations_alike_are_found_by_session_or_entry(memory: Memory) -> None:
    first = say(memory, "how do trains cross the alps to italy", "2026-01-15T10:00:00Z", "trains")
    say(memory, "trains cross the alps in a tunnel", "2026-01-15T10:01:00Z", "trains", "assistant")
    say(memory, "which trains cross the alps at night", "2026-01-18T10:00:00Z", "night")
    say(memory, "recipe for onion soup with bread", "2026-01-19T10:00:00Z", "soup")
    settle(memory.space)
    for asked in ("trains", first):
        found = similar_conversations(memory.space, asked)
        assert [one.session for one in found][:1] == ["night"]
        assert "trains" not in [one.session for one in found]
        assert found[0].score > 2 * found[-1].score
    assert len(similar_conversations(memory.space, "trains", k=1)) == 1
    with pytest.raises(NotFound):
        similar_conversations(memory.space, "nobody")


def test_topics_are_counted_by_period(memory: Memory) -> None:
    for day in ("2025-12-03", "2025-12-10", "2026-01-14", "2026-01-21"):
        say(memory, "I work on the marathon training plan", f"{day}T10:00:00Z")
    say(memory, "Nice weather.", "2026-01-22T10:00:00Z")
    settle(memory.space)
    by_month = topics_over_time(memory.space)
    assert list(by_month) == ["2025-12", "2026-01"]
    assert [sum(count for _, count in topics) for topics in by_month.values()] == [2, 2]
    assert "marathon" in by_month["2026-01"][0][0].lower()
    assert list(topics_over_time(memory.space, "year")) == ["2025", "2026"]
    with pytest.raises(InvalidInput):
        topics_over_time(memory.space, "decade")
    assert scored(memory.space, entries_of(memory.space, "daily/2026-01-14.md"), memory.space.clock())[0].topic


# -- media


def test_a_file_is_kept_once_under_a_name_from_its_content(memory: Memory, tmp_path: Path) -> None:
    space = memory.space
    photo = tmp_path / "My Photo.JPG"
    photo.write_bytes(b"\xff\xd8 picture")
    name = keep_media(space, photo)
    assert name.startswith("archive/media/")
    assert name.endswith(".jpg")
    assert (space.journal.root / name).read_bytes() == b"\xff\xd8 picture"
    assert (space.journal.root / name).stat().st_mode & 0o077 == 0
    photo.rename(tmp_path / "other.jpg")
    assert keep_media(space, tmp_path / "other.jpg") == name
    assert len(events(space, event="media_kept")) == 1


def test_a_kept_markdown_file_is_no_page_of_the_journal(memory: Memory, tmp_path: Path) -> None:
    transcript = tmp_path / "memo.md"
    transcript.write_text("- not an entry\n")
    name = keep_media(memory.space, transcript)
    assert (memory.space.journal.root / name).exists()
    assert memory.space.journal.scan() == {}


def test_links_pipes_folders_and_large_files_are_refused(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    (tmp_path / "link.txt").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(media, "LARGEST", 10)
    (tmp_path / "large.bin").write_bytes(b"x" * 11)
    for name in ("link.txt", "pipe", "large.bin", "."):
        with pytest.raises(InvalidInput):
            keep_media(memory.space, tmp_path / name)
    with pytest.raises(NotFound):
        keep_media(memory.space, tmp_path / "missing")


def test_a_file_goes_when_no_entry_names_it_any_more(memory: Memory, tmp_path: Path) -> None:
    space = memory.space
    photo = tmp_path / "a.png"
    photo.write_bytes(b"picture")
    name = keep_media(space, photo)
    page = space.journal.root / "daily" / "2026-01-30.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"# 2026-01-30\n\n### 10:00 · user <!-- note media={name} -->\nThe picture.\n")
    assert drop_media(space, [name, "../../x"]) == []
    page.unlink()
    assert drop_media(space, [name]) == [name]
    assert not (space.journal.root / name).exists()
