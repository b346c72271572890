"""Small parts of pages: differences, audit_lines and reasons in words."""

from datetime import UTC, datetime, timedelta
from time import process_time

from waypost.faces.dashboard.activity import audit_lines
from waypost.faces.dashboard.diffs import line_diff, word_diff
from waypost.faces.dashboard.memory_rows import main_reasons, rank_parts
from waypost.faces.dashboard.wording import ago, opening, plain, reason, shortened
from waypost.model.memory import AuditEntry

NOW = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)


def test_lines_are_numbered_as_they_were_and_as_they_are() -> None:
    found = line_diff(["a", "b", "c"], ["a", "x", "c"], old_first=10, new_first=20)
    assert [(line.change, line.old, line.new, line.text) for line in found] == [
        ("same", 10, 20, "a"),
        ("removed", 11, None, "b"),
        ("added", None, 21, "x"),
        ("same", 12, 22, "c"),
    ]


def test_words_that_changed_are_told_and_the_rest_is_as_it_is() -> None:
    found = word_diff("Deploys run on Fridays.", "Deploys run on Tuesdays.")
    assert "".join(part.text for part in found if part.change != "removed") == "Deploys run on Tuesdays."
    assert "".join(part.text for part in found if part.change != "added") == "Deploys run on Fridays."


def test_texts_too_long_to_compare_are_shown_one_after_the_other() -> None:
    old, new = "a b " * 100_000, "b a " * 100_000
    started = process_time()
    found = word_diff(old, new)
    assert process_time() - started < 1
    assert [(part.change, part.text) for part in found] == [("removed", old), ("added", new)]


def entry(action: str, memory_id: str | None, hours: int = 0, actor: str = "ada") -> AuditEntry:
    return AuditEntry(NOW - timedelta(hours=hours), action, memory_id, "person", actor, {})


def test_the_same_done_to_several_on_a_day_is_one_line() -> None:
    found = audit_lines(
        [entry("verify", "a"), entry("verify", "b", 1), entry("verify", "a", 2), entry("protect", "a", 3)]
    )
    assert [(one.says, one.memory_ids) for one in found] == [
        ("verified 3 memories", ("a", "b")),
        ("protected a memory", ("a",)),
    ]


def test_deeds_of_another_day_or_actor_are_told_apart() -> None:
    assert len(audit_lines([entry("verify", "a"), entry("verify", "b", 24), entry("verify", "c", 24, "bob")])) == 3


def test_an_action_without_words_is_told_by_its_name() -> None:
    assert audit_lines([entry("put_aside", None)])[0].says == "put aside"


def test_reasons_of_a_rank_are_ordered_by_size_and_told_by_what_is_special() -> None:
    parts = rank_parts({"telling": 1.2, "keywords": 0.9, "freshness": -1.0, "brand_new": 0.1})
    assert [part.name for part in parts] == ["Content", "Freshness", "Words", "Brand new"]
    assert [round(part.share, 2) for part in parts] == [1.0, 0.83, 0.75, 0.08]
    assert main_reasons(parts) == "not freshness, words"
    assert rank_parts({}) == ()


def test_the_opening_of_a_text_is_bounded_in_lines_and_width() -> None:
    assert opening("    def a():\n        pass\n") == "def a():\n    pass\n"
    long = opening("x" * 10_000 + "\n" + "y\n" * 50)
    assert max(map(len, long.split("\n"))) == 160
    assert opening("a\n" * 50).endswith("\n…")


def test_reasons_of_staleness_read_as_sentences() -> None:
    assert reason("code_changed: a.py:1") == "Its code has changed: a.py:1"
    assert reason("its time has run out") == "Its time has run out"
    assert reason("") == ""


def test_text_that_would_act_is_shown_by_its_codes() -> None:
    assert plain("a\x1b[31m\u202eb\u2066\x00") == "a\\u001b[31m\\u202eb\\u2066\\u0000"
    assert plain("tab\tline\n") == "tab\tline\n"
    assert shortened("a  b\nc" * 100, 10) == "a b ca b…"


def test_ages_are_told_in_the_largest_unit() -> None:
    assert ago(NOW - timedelta(days=400), NOW) == "1 year ago"
    assert ago(NOW - timedelta(minutes=5), NOW) == "5 minutes ago"
    assert ago(NOW, NOW) == "just now"
    assert ago(NOW + timedelta(days=1), NOW) == "on 2026-01-31"
