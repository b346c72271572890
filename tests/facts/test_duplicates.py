"""Judging duplicates on minimal pairs and paraphrases in three languages (see the .jsonl files here)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.facts.duplicates import THRESHOLDS, DuplicateVerdict, Judgement, judge, merge_texts, thresholds

HERE = Path(__file__).parent
MINILM, MULTILINGUAL = "minilm-l6-v2", "use-multilingual-v3"
LOSES_THE_NEW_TEXT = (DuplicateVerdict.SKIP, DuplicateVerdict.MERGE)


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


MINIMAL_PAIRS = rows("minimal_pairs.jsonl") + rows("unseen_pairs.jsonl")
PARAPHRASES = rows("paraphrases.jsonl")


def judged_by(engine: str, row: dict[str, Any]) -> Judgement:
    skip, merge = thresholds(engine)
    return judge(row["b"], row["a"], row[engine], skip_above=skip, merge_above=merge)


def share_found(judgements: list[Judgement]) -> float:
    return sum(judgement.verdict in LOSES_THE_NEW_TEXT for judgement in judgements) / len(judgements)


def test_there_are_enough_pairs_of_each_language() -> None:
    for language in ("en", "de", "ru"):
        assert sum(row["lang"] == language for row in rows("minimal_pairs.jsonl")) >= 100
    assert len(PARAPHRASES) >= 100


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_no_minimal_pair_is_skipped_or_merged_however_alike_it_sounds(language: str) -> None:
    lost = [
        (new, existing)
        for row in MINIMAL_PAIRS
        if row["lang"] == language
        for new, existing in ((row["a"], row["b"]), (row["b"], row["a"]))
        if judge(new, existing, 0.99).verdict in LOSES_THE_NEW_TEXT
    ]
    assert lost == []


@pytest.mark.slow
def test_nearly_every_minimal_pair_is_offered_as_a_correction() -> None:
    verdicts = [judge(row["a"], row["b"], 0.99).verdict for row in MINIMAL_PAIRS]
    assert verdicts.count(DuplicateVerdict.CONFLICT) / len(verdicts) > 0.98


# Measured when the pairs were written, rounded down. The rest is stored twice, which costs a line each.
@pytest.mark.parametrize(
    ("engine", "language", "floor"),
    [(MINILM, "en", 0.71), (MULTILINGUAL, "en", 0.65), (MULTILINGUAL, "de", 0.70), (MULTILINGUAL, "ru", 0.70)],
)
def test_most_paraphrases_are_found_at_their_real_similarity(engine: str, language: str, floor: float) -> None:
    verdicts = [judged_by(engine, row) for row in PARAPHRASES if row["lang"] == language]
    assert share_found(verdicts) >= floor


def test_the_guard_alone_lets_most_paraphrases_pass() -> None:
    assert share_found([judge(row["b"], row["a"], 0.96) for row in PARAPHRASES]) >= 0.70


@pytest.mark.parametrize(
    ("similarity", "verdict"),
    [
        (0.96, DuplicateVerdict.SKIP),
        (0.95, DuplicateVerdict.MERGE),
        (0.85, DuplicateVerdict.MERGE),
        (0.84, DuplicateVerdict.ADD),
        (float("nan"), DuplicateVerdict.ADD),
    ],
)
def test_the_similarity_decides_between_skip_merge_and_add(similarity: float, verdict: DuplicateVerdict) -> None:
    assert (
        judge("Deploys on Fridays are not allowed.", "Deploys are not allowed on Fridays.", similarity).verdict
        is verdict
    )


def test_a_fact_that_says_more_is_merged_and_never_skipped() -> None:
    short, long = "Logs are shipped to Datadog.", "Logs are shipped to Datadog for the billing service."
    assert judge(long, short, 0.99).verdict is DuplicateVerdict.MERGE
    assert judge(short, long, 0.99).verdict is DuplicateVerdict.SKIP


def test_without_an_engine_only_equal_texts_are_duplicates() -> None:
    assert judge("The  cache is warm", "The cache is warm.", None).verdict is DuplicateVerdict.SKIP
    assert judge("The cache is hot.", "The cache is warm.", None).verdict is DuplicateVerdict.ADD


def test_equal_texts_are_duplicates_at_any_similarity() -> None:
    assert judge("The cache is warm.", "The cache is warm.", 0.1).verdict is DuplicateVerdict.SKIP


def test_an_engine_that_was_never_calibrated_judges_by_equal_text_only() -> None:
    skip, merge = thresholds("some-new-engine")
    paraphrase = judge(
        "Deploys on Fridays are not allowed.",
        "Deploys are not allowed on Fridays.",
        1.0,
        skip_above=skip,
        merge_above=merge,
    )
    assert paraphrase.verdict is DuplicateVerdict.ADD
    assert judge("Same text.", "Same text.", 1.0, skip_above=skip, merge_above=merge).verdict is DuplicateVerdict.SKIP


def test_every_calibrated_engine_skips_above_where_it_merges() -> None:
    assert all(0 < merge < skip < 1 for skip, merge in THRESHOLDS.values())
    assert THRESHOLDS[MINILM] == (0.95, 0.85)


@pytest.mark.parametrize(
    ("new", "existing", "reason"),
    [
        ("TTL is 15 minutes.", "TTL is 60 minutes.", "numbers differ: 60 / 15"),
        ("The flag is disabled.", "The flag is enabled.", "opposites differ: enabled / disabled"),
        ("Deploys are not allowed.", "Deploys are allowed.", "negations differ: — / not"),
        ("Uploads go to GCS.", "Uploads go to S3.", "identifiers differ: S3 / GCS"),
        ("Boris owns billing.", "Anna owns billing.", "words differ: Anna / Boris"),
        ("Boris trusts Anna.", "Anna trusts Boris.", "the same words in another order"),
        ("The tests need a fake database.", "The tests need a database.", "may narrow: fake"),
    ],
)
def test_a_conflict_says_what_differs(new: str, existing: str, reason: str) -> None:
    assert judge(new, existing, 0.97) == Judgement(DuplicateVerdict.CONFLICT, reason)


def test_texts_with_little_in_common_are_two_facts_and_no_correction() -> None:
    assert judge("Pay the rent early.", "Anna mentors two juniors.", 0.9).verdict in (
        DuplicateVerdict.ADD,
        DuplicateVerdict.CONFLICT,
    )
    assert judge("Kim bakes bread happily.", "Anna mentors juniors well.", 0.9).verdict is DuplicateVerdict.ADD


@given(st.text())
def test_a_text_is_a_duplicate_of_itself(text: str) -> None:
    assert judge(text, text, 1.0).verdict is DuplicateVerdict.SKIP


PIECES = st.sampled_from(
    [
        "the",
        "not",
        "is",
        "5",
        "7",
        "Anna",
        "Boris",
        "calls",
        "by",
        "of",
        "on",
        "Fridays",
        "allowed",
        "forbidden",
        "cache,",
        "nicht",
        "wird",
        "der",
        "den",
        "сервис",
        "не",
        "`x`",
        "only",
    ]
)
FACTS = st.lists(PIECES, max_size=7).map(" ".join) | st.sampled_from([row["a"] for row in MINIMAL_PAIRS])


@pytest.mark.slow
@given(FACTS, FACTS)
def test_who_came_first_does_not_decide_whether_two_facts_agree(first: str, other: str) -> None:
    kept = judge(first, other, 0.99).verdict in LOSES_THE_NEW_TEXT
    assert kept == (judge(other, first, 0.99).verdict in LOSES_THE_NEW_TEXT)


@given(st.text(), st.text(), st.floats(0, 1) | st.none())
def test_any_two_texts_can_be_judged_and_merged(first: str, other: str, similarity: float | None) -> None:
    assert judge(first, other, similarity).reason
    merge_texts(first, other)


def test_a_merge_keeps_the_text_that_says_more() -> None:
    short, long = "The worker retries 3 times.", "The worker retries three times with exponential backoff."
    assert merge_texts(short, long) == long
    assert merge_texts(long, short) == long


def test_a_merge_of_two_wordings_keeps_the_existing_one() -> None:
    existing = "Deploys are not allowed on Fridays."
    assert merge_texts(existing, "Deploys on Fridays are not allowed.") == existing


def test_a_merge_of_texts_that_each_say_something_keeps_both_without_repetition() -> None:
    existing = "The cache is keyed by tenant. It lives in Redis"
    new = "The cache is keyed by tenant. Entries expire after 60 s."
    assert merge_texts(existing, new) == "The cache is keyed by tenant. It lives in Redis. Entries expire after 60 s."
