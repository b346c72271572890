"""Keeping a session: every turn once, through the gateway; lessons wait for a person and never come twice."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.errors import InvalidInput
from waypost.model.session_turn import ASSISTANT, USER, SessionTurn
from waypost.model.time import format_time

THEN = datetime(2026, 1, 29, 10, 0, tzinfo=UTC)


def at(minute: int) -> datetime:
    return THEN + timedelta(minutes=minute)


TALK = (
    SessionTurn(USER, "Loading a report fails with `KeyError: 'rows'`.", at(0)),
    SessionTurn(ASSISTANT, "I look at src/report.py.", at(1)),
    SessionTurn(ASSISTANT, "Fixed by giving an empty list in src/report.py.", at(2)),
    SessionTurn(USER, "Good. From now on all reports are written in UTC.", at(3)),
)
LEARNED = "From now on all reports are written in UTC."
FIX = "KeyError: 'rows' → Fixed by giving an empty list in src/report.py."


def journal(memory: Memory) -> list[tuple[str, str, str, str | None]]:
    found = memory.list(kind="conversation", limit=1000)
    return sorted(((one["speaker"], one["text"], one["session"], one["time"]) for one in found), key=str)


def waiting(memory: Memory) -> list[str]:
    return sorted(candidate.text for _, candidate in memory.facts.review().candidates)


def test_turns_become_entries_of_the_journal_as_the_agents_word(memory: Memory) -> None:
    kept = memory.journal.add_session("s1", TALK)
    assert (kept.added, kept.duplicates, kept.refused, kept.masked) == (4, 0, 0, 0)
    assert journal(memory) == sorted(
        ((one.speaker, one.text, "s1", format_time(one.at)) for one in TALK if one.at), key=str
    )
    (first,) = [one for one in memory.list() if one["text"] == TALK[0].text]
    assert (first["source"], first["speaker"]) == ("agent", USER)  # a transcript is what an agent says about a user
    assert len(memory.journal.timeline("2026-01-29").entries) == 4


def test_the_same_session_again_adds_nothing_and_one_that_went_on_adds_what_is_new(memory: Memory) -> None:
    memory.journal.add_session("s1", TALK[:2])
    kept = memory.journal.add_session("s1", TALK)
    assert (kept.added, kept.duplicates) == (2, 2)
    resumed = memory.journal.add_session("s2-resumed", TALK)  # an agent may copy what was said into a new session
    assert (resumed.added, resumed.duplicates, resumed.held) == (0, 4, 0)


def test_a_message_with_an_id_is_the_same_at_another_time(memory: Memory) -> None:
    """Gemini CLI gives the messages of a resumed session new times."""
    numbered = [replace(turn, id=f"m{number}") for number, turn in enumerate(TALK)]
    assert memory.journal.add_session("s1", TALK[:1]).added == 1  # by a version that knew no ids
    assert memory.journal.add_session("s1", numbered).added == 3
    later = [replace(turn, at=at(60 + number)) for number, turn in enumerate(numbered)]
    assert memory.journal.add_session("s1", later[1:]).added == 0
    assert memory.journal.add_session("s1", [replace(TALK[1], at=at(60), id="other")]).added == 1


def test_turns_without_a_time_are_once_in_their_session(memory: Memory, clock: TestClock) -> None:
    untimed = [replace(one, at=None) for one in TALK]
    assert memory.journal.add_session("s1", untimed).added == 4
    clock.advance(days=2)
    assert memory.journal.add_session("s1", [*untimed, SessionTurn(USER, "More")]).added == 1
    assert memory.journal.add_session("s2", [untimed[0]]).added == 1


def test_an_impossible_time_is_not_believed(memory: Memory) -> None:
    odd = [SessionTurn(USER, f"Said {year}", datetime(year, 1, 1, tzinfo=UTC)) for year in (1, 1970, 2400, 9999)]
    assert memory.journal.add_session("s1", odd).added == 4
    assert {time for _, _, _, time in journal(memory)} == {None}
    assert memory.journal.add_session("s1", odd).added == 0


def test_secrets_are_masked_in_entries_and_in_lessons(memory: Memory) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    kept = memory.journal.add_session(
        "s1", [SessionTurn(USER, f"Remember: the mirror must get the token {token} in CI runs.", at(0))]
    )
    assert (kept.added, kept.masked, kept.held) == (1, 1, 1)
    assert token not in str(journal(memory)) + json.dumps(memory.facts.review().to_json()) + json.dumps(kept.to_json())


def test_what_was_forgotten_is_refused_and_not_brought_back(memory: Memory, person: Memory) -> None:
    memory.journal.add_session("s1", TALK)
    (entry,) = [one for one in memory.list() if one["text"] == TALK[1].text]
    person.forget(entry["id"])
    kept = memory.journal.add_session("s1", TALK)
    assert (kept.added, kept.duplicates, kept.refused) == (0, 3, 1)


def test_lessons_wait_with_session_time_quote_and_files(memory: Memory) -> None:
    (memory.code.root / "src").mkdir()
    (memory.code.root / "src" / "report.py").write_text("rows = []\n")
    kept = memory.journal.add_session("s1", TALK)
    assert kept.held == 2
    assert waiting(memory) == [LEARNED, FIX]
    by_kind = {one.kind: (row, one) for row, one in memory.facts.review().candidates}
    row, fix = by_kind["fix"]
    assert fix.evidence == (f"session s1, 2026-01-29T10:02:00Z, assistant: {TALK[2].text}",)
    assert fix.refs == ("src/report.py",)
    assert (row.origin, fix.time) == ("session", at(2))
    assert row.confidence < 0.8
    assert [one["kind"] for one in memory.list()] == ["conversation"] * 4  # nothing is stored unreviewed


def test_an_approved_lesson_is_a_persons_word_that_points_at_its_file(memory: Memory, person: Memory) -> None:
    (memory.code.root / "src").mkdir()
    (memory.code.root / "src" / "report.py").write_text("rows = []\n")
    memory.journal.add_session("s1", TALK)
    (row,) = [row for row, one in memory.facts.review().candidates if one.kind == "fix"]
    person.facts.approve(row.candidate_id)
    (fix,) = memory.list(kind="fix")
    assert (fix["source"], [ref["file_path"] for ref in fix["code_refs"]]) == ("person", ["src/report.py"])
    assert memory.journal.add_session("s1", TALK).held == 0


def test_what_was_declined_or_already_waits_does_not_come_again(memory: Memory, person: Memory) -> None:
    memory.journal.add_session("s1", TALK)
    (row,) = [row for row, one in memory.facts.review().candidates if one.kind == "learning"]
    person.facts.reject(row.candidate_id)
    again = memory.journal.add_session("s1", TALK)
    other = memory.journal.add_session("s2", [SessionTurn(USER, LEARNED.upper(), at(60))])
    assert (again.held, other.held) == (0, 0)
    assert waiting(memory) == [FIX]


def test_settings_turn_it_off(open_memory: OpenMemory, memory: Memory, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text("[journal]\nsessions = false\n")
    silent = open_memory("silent")
    kept = silent.journal.add_session("s1", TALK)
    assert (kept.added, kept.held, journal(silent), waiting(silent)) == (0, 0, [], [])
    assert "sessions" in kept.notices[0]
    (home / "config.toml").write_text('[learn]\non = ["commit"]\n')
    unlearned = open_memory("unlearned")
    kept = unlearned.journal.add_session("s1", TALK)
    assert (kept.added, kept.held, waiting(unlearned)) == (4, 0, [])


@pytest.mark.parametrize("name", ["", "  ", "\n\n", "///"])
def test_a_session_needs_a_name(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidInput):
        memory.journal.add_session(name, TALK)


def test_a_hostile_name_is_tamed(memory: Memory) -> None:
    assert memory.journal.add_session("../a b\n# x" + "y" * 500, TALK[:1]).session.startswith("..-a-b-x")


TURNS = st.lists(
    st.builds(
        SessionTurn,
        st.sampled_from([USER, ASSISTANT]),
        st.sampled_from(["yes", "Yes", "no, we use pnpm, not npm", LEARNED, "a\x00b", " ", "```\ncode\n```"]),
        st.none() | st.integers(0, 3).map(at),
    ),
    max_size=8,
)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=TURNS, cut=st.integers(0, 8))
def test_a_beginning_and_then_the_whole_is_the_whole_and_twice_is_once(
    open_memory: OpenMemory, turns: list[SessionTurn], cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = tmp_path_factory.mktemp("x").name
    whole, parts = open_memory(f"{name}-whole"), open_memory(f"{name}-parts")
    whole.journal.add_session("s", turns)
    parts.journal.add_session("s", turns[:cut])
    parts.journal.add_session("s", turns)
    assert parts.journal.add_session("s", turns).added == 0
    assert (journal(parts), waiting(parts)) == (journal(whole), waiting(whole))
