"""Entries judged with all that the space's journal holds, by rules and by a language model."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.errors import LlmUnavailable
from waypost.flows.journal.importance import scored
from waypost.flows.open_space import OpenSpace
from waypost.llm.fake import FakeLlm
from waypost.llm.protocol import Completion, Prompt
from waypost.memory import Memory
from waypost.model.journal import Amendment, Entry, ScoredEntry

PLAN = (
    "Ich möchte dieses Jahr drei AWS Zertifizierungen machen: Solutions Architect, Developer und SysOps"
    " Administrator. Kannst du mir einen Lernplan erstellen?"
)
AWS = [
    ("2026-01-15T14:30:00+01:00", "user", PLAN),
    ("2026-01-15T14:31:20+01:00", "Crowdbot", "Hier ist dein Lernplan: zuerst Solutions Architect."),
    ("2026-01-18T10:00:00+01:00", "user", "Wie weit bin ich mit dem AWS Lernplan?"),
    ("2026-01-22T10:00:00+01:00", "user", "Erkläre mir VPCs für die AWS Prüfung"),
    ("2026-01-25T10:00:00+01:00", "user", "Ich habe die erste Mock-Prüfung gemacht"),
    ("2026-01-28T10:00:00+01:00", "user", "Wann sollte ich die Solutions Architect Prüfung buchen?"),
]
TV = [
    ("2026-01-29T18:00:15+01:00", "user", "Was läuft heute auf ProSieben um 20:15?"),
    ("2026-01-30T18:00:15+01:00", "user", "Was läuft heute auf ZDF um 20:15?"),
    ("2026-01-30T18:00:20+01:00", "Crowdbot", "Im ZDF läuft heute Abend das Halbfinale der Handball-EM."),
]
AT = datetime.fromisoformat("2026-01-31T04:00:00+01:00")
Rows = Sequence[tuple[str, str, str]]


def kept(memory: Memory, rows: Rows) -> list[Entry]:
    """Put them into the journal, a conversation each day, and give them back as entries."""
    drafts = [
        {"text": text, "kind": "conversation", "speaker": who, "time": at, "session": at[:10]} for at, who, text in rows
    ]
    receipts = memory.remember_many(drafts)
    return [
        Entry(text, datetime.fromisoformat(at), speaker=who, session=at[:10], id=receipt.id)
        for (at, who, text), receipt in zip(rows, receipts, strict=True)
    ]


def space_of(memory: Memory) -> OpenSpace:
    return memory.space


def points(judged: Sequence[ScoredEntry]) -> list[int]:
    return [item.score.score for item in judged]


@pytest.fixture
def memory(open_memory: OpenMemory, clock: TestClock) -> Memory:
    clock.now = AT
    return open_memory()


def test_the_plan_rises_with_what_is_said_about_it_later(memory: Memory) -> None:
    entries = kept(memory, AWS)
    first, later = (datetime.fromisoformat(f"2026-01-{day}:00:00+01:00") for day in ("15T20", "22T04"))
    assert points(scored(space_of(memory), entries[:2], first)) == [7, 7]
    assert points(scored(space_of(memory), entries[:2], later)) == [8, 8]


def test_only_entries_that_mention_a_topic_have_its_name(memory: Memory) -> None:
    rows = [
        ("2026-01-05T09:00:00+01:00", "user", "Mir wurde heute das Fahrrad vor dem Bahnhof gestohlen."),
        ("2026-01-05T09:00:20+01:00", "bot", "Das tut mir sehr leid."),
        ("2026-01-09T09:00:00+01:00", "user", "Die Polizei hat das Fahrrad vor dem Bahnhof gefunden."),
        ("2026-01-09T09:01:00+01:00", "user", "Was für ein Glück!"),
        ("2026-01-13T09:00:00+01:00", "user", "Ist das Schloss vom Fahrrad noch am Bahnhof?"),
    ]
    judged = scored(space_of(memory), kept(memory, rows), AT)
    assert {bool(item.topic) for item in judged} == {True}  # an answer and a remark belong to it
    label = judged[0].label
    assert label in ("Fahrrad", "Bahnhof")
    assert [item.label for item in judged] == [label, "", label, "", label]


@pytest.mark.slow
def test_by_meaning_the_plan_of_the_seed_is_worth_nine(tmp_path: Path, clock: TestClock) -> None:
    clock.now = AT
    memory = Memory.open(tmp_path, clock=clock)
    space = space_of(memory)
    entries = kept(memory, [*AWS, *TV])
    for engine in (space.engines.main, space.engines.multilingual):
        if engine is None or space.engines.embed(engine, ["eins"]) is None:
            pytest.skip("the weights are not installed")
    judged = scored(space, entries, AT)
    told = [(item.topic, item.score.reasoning) for item in judged]
    assert {item.topic for item in judged[:4]} == {judged[0].topic}, told
    assert points(judged)[:2] == [9, 9], told
    assert points(judged)[-3:] == [1, 1, 1]


def test_earlier_entries_are_read_from_the_journal_when_only_some_are_asked_for(memory: Memory) -> None:
    entries = kept(memory, [*AWS, *TV])
    alone = scored(space_of(memory), entries[:1], AT)[0]
    among = scored(space_of(memory), entries, AT)[0]
    assert alone.score == among.score
    assert "AWS" in alone.label


def test_questions_about_tv_stay_at_one_and_their_answer_with_them(memory: Memory) -> None:
    entries = kept(memory, [*AWS, *TV])
    judged = scored(space_of(memory), entries[len(AWS) :], AT)
    assert points(judged) == [1, 1, 1]
    assert judged[2].score.reasoning.startswith("As what it answers")
    assert judged[0].topic == judged[1].topic != 0


def test_entries_come_back_in_their_order_and_without_ids_too(memory: Memory) -> None:
    by_hand = Entry("Ich mag keinen Fußball.", AT, kind="note")
    answer = Entry("Gern.", AT, speaker="assistant", session="nobody asked")
    judged = scored(space_of(memory), [answer, by_hand], AT)
    assert [item.entry for item in judged] == [answer, by_hand]
    assert points(judged) == [0, 6]  # what is written down by hand is written down on purpose


def test_a_retracted_entry_is_worth_nothing(memory: Memory) -> None:
    said = Entry("Ich mag keinen Fußball.", AT, speaker="user")
    retracted = replace(said, amendments=(Amendment(AT, "user", None),))
    assert points(scored(space_of(memory), [said, retracted], AT))[1] == 0


def test_nothing_to_judge_is_nothing(memory: Memory) -> None:
    assert scored(space_of(memory), [], AT) == []


# -- by a language model


def answer(number: int, explicit: int, relevance: int, **other: object) -> dict[str, object]:
    return {
        "n": number,
        "score": 10,
        "frequency_points": 3,
        "recency_points": 2,
        "explicit_points": explicit,
        "relevance_points": relevance,
        "reasoning": "It matters.",
        "retention_recommendation": "Keep.",
    } | other


def test_a_model_judges_what_the_words_say_and_what_was_counted_stays_counted(memory: Memory) -> None:
    entries = kept(memory, AWS)
    llm = FakeLlm([json.dumps({"answers": [answer(1, 1, 2), answer(2, 0, 1)]})])
    judged = scored(space_of(memory), entries, AT, llm=llm)
    assert len(llm.asked) == 1
    assert "Mock-Prüfung" in llm.asked[0]
    assert "drei AWS" not in llm.asked[0]  # said more than a week ago
    mock = judged[4].score
    assert (mock.explicit_points, mock.relevance_points) == (1, 2)
    assert mock.score == mock.frequency_points + mock.recency_points + 3
    assert "fake" in mock.reasoning


def test_a_model_is_asked_once_about_the_same_words(memory: Memory) -> None:
    entries = kept(memory, TV[1:])
    llm = FakeLlm([json.dumps({"answers": [answer(1, 2, 3)]})])
    first = points(scored(space_of(memory), entries, AT, llm=llm))
    assert points(scored(space_of(memory), entries, AT, llm=llm)) == first == [7, 7]
    assert len(llm.asked) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        "no",
        "[]",
        '{"answers": 3}',
        json.dumps({"answers": [answer(1, 3, 1)]}),
        json.dumps({"answers": [answer(1, 1, 1, reasoning=7)]}),
        json.dumps({"answers": [answer(1, 1, 1, relevance_points=True)]}),
        json.dumps({"answers": [answer(9, 1, 1)]}),
    ],
)
def test_an_unusable_answer_leaves_it_to_the_rules_and_says_so(memory: Memory, wrong: str) -> None:
    entries = kept(memory, TV[1:])
    notices: list[str] = []
    judged = scored(space_of(memory), entries, AT, llm=FakeLlm([wrong]), notices=notices)
    assert points(judged) == [0, 0]
    assert len(notices) == 1
    assert "by rules" in notices[0]


class AwayLlm:
    name = "away"
    asked = 0

    def complete(self, prompt: Prompt, *, max_tokens: int, as_json: bool = False) -> Completion:
        self.asked += 1
        raise LlmUnavailable("It is away.", "Wait.")


def test_a_model_that_is_away_is_not_asked_for_every_batch(memory: Memory) -> None:
    rows = [(f"2026-01-30T10:{minute:02}:00+01:00", "user", f"Frage Nummer {minute}?") for minute in range(20)]
    llm, notices = AwayLlm(), list[str]()
    scored(space_of(memory), kept(memory, rows), AT, llm=llm, notices=notices)
    assert llm.asked == 1
    assert len(notices) == 1
