"""Expiry and renewal of a memory's state."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from waypost.errors import InvalidInput
from waypost.facts.ageing import (
    RUN_OUT,
    has_expired,
    is_refreshable,
    lifetime_changes,
    renewal_changes,
    restatement_changes,
    with_expiry,
)
from waypost.model.lifetime import CLASSES, Lifetime, format_seconds, lifetime_of
from waypost.model.memory import State
from waypost.text.durations import parse_duration

NOW = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)
ENDED = State(expires_at=NOW, on_expire="stale", ttl_seconds=60)


def test_the_last_moment_is_not_part_of_its_time() -> None:
    assert not has_expired(ENDED, NOW - timedelta(microseconds=1))
    assert has_expired(ENDED, NOW)
    assert not has_expired(State(), NOW)
    assert not has_expired(replace(ENDED, protected=True), NOW)


def test_what_is_stale_for_another_reason_keeps_that_reason() -> None:
    broken = replace(ENDED, is_stale=True, stale_reason="the import said so")
    assert with_expiry({"a": ENDED, "b": broken}, NOW)["a"].stale_reason == RUN_OUT
    assert with_expiry({"a": ENDED, "b": broken}, NOW)["b"].stale_reason == "the import said so"
    assert "is_stale" not in renewal_changes(broken, NOW)


def test_renewing_gives_the_whole_time_and_takes_back_what_its_end_did() -> None:
    state = replace(ENDED, is_stale=True, stale_reason=RUN_OUT, archived_at=NOW)
    assert renewal_changes(state, NOW) == {
        "expires_at": NOW + timedelta(seconds=60),
        "archived_at": None,
        "is_stale": False,
        "stale_reason": None,
    }


def test_one_whose_length_nobody_said_has_no_end_after_it_was_renewed() -> None:
    assert renewal_changes(State(expires_at=NOW, on_expire="stale"), NOW) == {"expires_at": None, "on_expire": None}
    assert renewal_changes(State(expires_at=NOW + timedelta(1), on_expire="stale"), NOW) == {}


@pytest.mark.parametrize(("action", "lively"), [("stale", True), (None, True), ("archive", False), ("delete", False)])
def test_only_what_goes_stale_can_be_called_back_by_a_file(action: str | None, lively: bool) -> None:
    state = replace(ENDED, on_expire=action)
    assert is_refreshable(state, NOW - timedelta(1))
    assert is_refreshable(state, NOW) == lively
    assert not is_refreshable(replace(state, archived_at=NOW), NOW - timedelta(1))


def test_taking_a_lifetime_away_leaves_nothing_of_it() -> None:
    changes = lifetime_changes(replace(ENDED, is_stale=True, stale_reason=RUN_OUT, refresh=("a",)), None, None, NOW)
    assert replace(ENDED, **changes) == State()


@pytest.mark.parametrize(
    ("earlier", "said", "after"),
    [
        ("session", None, (None, None)),  # with the first lifetime it would be deleted
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
    earlier: str | None, said: str | None, after: tuple[int | None, str | None]
) -> None:
    state = replace(
        State(), **lifetime_changes(State(), CLASSES[earlier] if earlier else None, earlier, NOW - timedelta(40))
    )
    restated = replace(state, **restatement_changes(state, CLASSES[said] if said else None, said, NOW))
    days = None if restated.expires_at is None else (restated.expires_at - NOW).days
    assert (days, restated.on_expire) == after
    assert restated.ttl_class == (
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
    assert parse_duration(written) == seconds
    assert parse_duration(format_seconds(seconds)) == seconds


@pytest.mark.parametrize("written", ["", "d", "-3", "1.5h", "3 d", "3y", "٣", "9" * 13, "1e3"])
def test_what_is_no_length_of_time_is_refused_by_name(written: str) -> None:
    with pytest.raises(InvalidInput, match="not a duration"):
        parse_duration(written)
