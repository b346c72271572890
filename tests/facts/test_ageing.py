"""What time does to the state of a memory."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from waypost.errors import InvalidInput
from waypost.facts.ageing import RUN_OUT, aged, has_run_out, is_lively, limited, renewed, said_again
from waypost.model.lifetime import CLASSES, Lifetime, format_seconds, lifetime_of, parse_seconds
from waypost.model.memory import State

NOW = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)
ENDED = State(expires_at=NOW, on_expire="stale", ttl_seconds=60)


def test_the_last_moment_is_not_part_of_its_time() -> None:
    assert not has_run_out(ENDED, NOW - timedelta(microseconds=1))
    assert has_run_out(ENDED, NOW)
    assert not has_run_out(State(), NOW)
    assert not has_run_out(replace(ENDED, protected=True), NOW)


def test_what_is_stale_for_another_reason_keeps_that_reason() -> None:
    broken = replace(ENDED, is_stale=True, stale_reason="the import said so")
    assert aged({"a": ENDED, "b": broken}, NOW)["a"].stale_reason == RUN_OUT
    assert aged({"a": ENDED, "b": broken}, NOW)["b"].stale_reason == "the import said so"
    assert "is_stale" not in renewed(broken, NOW)


def test_renewing_gives_the_whole_time_and_takes_back_what_its_end_did() -> None:
    state = replace(ENDED, is_stale=True, stale_reason=RUN_OUT, archived_at=NOW)
    assert renewed(state, NOW) == {
        "expires_at": NOW + timedelta(seconds=60),
        "archived_at": None,
        "is_stale": False,
        "stale_reason": None,
    }


def test_one_whose_length_nobody_said_has_no_end_after_it_was_renewed() -> None:
    assert renewed(State(expires_at=NOW, on_expire="stale"), NOW) == {"expires_at": None, "on_expire": None}
    assert renewed(State(expires_at=NOW + timedelta(1), on_expire="stale"), NOW) == {}


@pytest.mark.parametrize(("action", "lively"), [("stale", True), (None, True), ("archive", False), ("delete", False)])
def test_only_what_goes_stale_can_be_called_back_by_a_file(action: str | None, lively: bool) -> None:
    state = replace(ENDED, on_expire=action)
    assert is_lively(state, NOW - timedelta(1))
    assert is_lively(state, NOW) == lively
    assert not is_lively(replace(state, archived_at=NOW), NOW - timedelta(1))


def test_taking_a_lifetime_away_leaves_nothing_of_it() -> None:
    changes = limited(replace(ENDED, is_stale=True, stale_reason=RUN_OUT, refresh=("a",)), None, None, NOW)
    assert replace(ENDED, **changes) == State()


@pytest.mark.parametrize(
    ("known", "said", "after"),
    [
        ("session", None, (None, None)),  # deleted with its first saying, it would be lost
        ("implementation", None, (None, None)),
        ("api_contract", None, (7, "stale")),
        ("session", "architecture", (30, "stale")),
        ("architecture", "session", (30, "stale")),
        ("session", "implementation", (3, "archive")),
        ("api_contract", "architecture", (30, "stale")),
        ("architecture", "api_contract", (30, "stale")),
        (None, "session", (None, None)),
    ],
)
def test_what_is_said_twice_has_the_milder_end(
    known: str | None, said: str | None, after: tuple[int | None, str | None]
) -> None:
    state = replace(State(), **limited(State(), CLASSES[known] if known else None, known, NOW - timedelta(40)))
    found = replace(state, **said_again(state, CLASSES[said] if said else None, said, NOW))
    days = None if found.expires_at is None else (found.expires_at - NOW).days
    assert (days, found.on_expire) == after
    assert found.ttl_class == (
        None if days is None else {7: "api_contract", 30: "architecture", 3: "implementation"}[days]
    )


def test_what_is_not_said_comes_from_the_class() -> None:
    assert lifetime_of(None, None) is None
    assert lifetime_of(5, None) == Lifetime(5, "stale")
    assert lifetime_of(None, "session") == CLASSES["session"]
    assert lifetime_of(5, "implementation", ["x/*"], None) == Lifetime(5, "archive", ("x/*",))
    assert lifetime_of(None, "session", (), "archive") == Lifetime(86_400, "archive")
    with pytest.raises(InvalidInput, match="week"):
        lifetime_of(None, "week")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90", 90), ("90s", 90), ("30m", 1_800), ("12h", 43_200), (" 3D ", 259_200), ("2w", 1_209_600)],
)
def test_a_length_of_time_can_be_written_in_a_unit(written: str, seconds: int) -> None:
    assert parse_seconds(written) == seconds
    assert parse_seconds(format_seconds(seconds)) == seconds


@pytest.mark.parametrize("written", ["", "d", "-3", "1.5h", "3 d", "3y", "٣", "9" * 13, "1e3"])
def test_what_is_no_length_of_time_is_refused_by_name(written: str) -> None:
    with pytest.raises(InvalidInput, match="not a duration"):
        parse_seconds(written)
