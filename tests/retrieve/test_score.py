"""Each rule of ranking, on two or three memories that differ in nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from waypost.model.time import to_micros
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.question import read_question
from waypost.retrieve.score import RankCandidates, ScoredMemory, fuse
from waypost.retrieve.traits import Traits
from waypost.store.protocol import Population, VersionSketch

NOW = datetime(2023, 6, 15, 12, tzinfo=UTC)
ENGINES = ServingEngines(english="minilm", multilingual="use")
POPULATIONS = {"minilm": {"en": Population(1000, 0.1, 0.1)}}
SPEAKERS = ("Ann", "Ben", "user", "assistant")


LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Candidate:
    """A memory and what searches found out about it."""

    memory_id: str
    language: str = "en"
    keyword: float = 0.0
    similarity: Mapping[str, float] = field(default_factory=dict)
    session: str | None = None
    position: int = 0  # from 0
    speaker: str | None = None
    time: datetime = LONG_AGO
    traits: int = 0


def turn(
    memory_id: str, position: int = 5, *, session: str | None = None, traits: int | None = None, **more: object
) -> Candidate:
    """A turn of thirty words in a session of its own that nothing speaks for, unless told."""
    plain = Candidate(memory_id, session=session or f"session of {memory_id}", position=position)
    return replace(plain, traits=Traits(30).packed if traits is None else traits, **more)  # type: ignore[arg-type]


def as_gathered(candidates: Sequence[Candidate]) -> RankCandidates:
    numbered = list(enumerate(candidates, 1))
    engines = {engine for _, candidate in numbered for engine in candidate.similarity}
    return RankCandidates(
        [
            VersionSketch(
                number,
                candidate.memory_id,
                "conversation",
                "journal",
                None,
                candidate.session,
                candidate.position + 1,
                candidate.speaker,
                candidate.language,
                candidate.traits,
                to_micros(candidate.time),
            )
            for number, candidate in numbered
        ],
        {number: candidate.keyword for number, candidate in numbered if candidate.keyword},
        {
            engine: {number: c.similarity[engine] for number, c in numbered if engine in c.similarity}
            for engine in engines
        },
    )


def ranked(
    question: str,
    candidates: Sequence[Candidate],
    *,
    language: str = "en",
    populations: Mapping[str, Mapping[str, Population]] = POPULATIONS,
    k: int = 10,
) -> list[ScoredMemory]:
    read = read_question(question, language=language, now=NOW, speakers=SPEAKERS)
    return list(islice(fuse(read, as_gathered(candidates), populations, ENGINES, now=NOW), k))


def order(question: str, candidates: Sequence[Candidate], **more: object) -> list[str]:
    return [one.memory_id for one in ranked(question, candidates, **more)]  # type: ignore[arg-type]


def test_more_keywords_rank_higher() -> None:
    assert order("the boat", [turn("a", keyword=1.0), turn("b", keyword=4.0)]) == ["b", "a"]


def test_nearer_meaning_ranks_higher() -> None:
    near, far = turn("near", similarity={"minilm": 0.6}), turn("far", similarity={"minilm": 0.2})
    assert order("the boat", [far, near]) == ["near", "far"]


def test_a_text_that_no_engine_has_read_yet_counts_as_average() -> None:
    far, unread = turn("far", similarity={"minilm": -0.2}), turn("unread")
    near = turn("near", similarity={"minilm": 0.4})
    assert order("the boat", [far, unread, near]) == ["near", "unread", "far"]


def test_a_short_answer_is_found_by_the_question_before_it() -> None:
    asked = turn("asked", 3, session="s", keyword=5.0, traits=Traits(8, asks=True).packed)
    answer = turn("answer", 4, session="s")
    elsewhere = turn("elsewhere", 9, session="s")
    assert order("Where is the boat?", [elsewhere, answer, asked]).index("answer") < 2
    assert order("Where is the boat?", [elsewhere, answer, asked])[-1] == "elsewhere"


def test_a_long_turn_takes_less_from_the_question_before_it() -> None:
    def answer_part(words: int) -> float:
        asked = turn("asked", 3, session="s", keyword=5.0, traits=Traits(8, asks=True).packed)
        answer = turn("answer", 4, session="s", traits=Traits(words).packed)
        return next(one.why["answer"] for one in ranked("the boat", [asked, answer]) if one.memory_id == "answer")

    assert answer_part(20) > 2 * answer_part(100)


def test_a_turn_in_a_session_that_speaks_of_it_ranks_above_one_that_is_not() -> None:
    match = turn("match", 1, session="s", keyword=5.0)
    assert order("the boat", [turn("stranger", 8), turn("fellow", 8, session="s"), match]) == [
        "match",
        "fellow",
        "stranger",
    ]


def test_the_parts_of_a_list_come_from_several_sessions() -> None:
    same = [
        turn(name, at, session="s", keyword=5.0 - at / 10) for at, name in ((1, "first"), (5, "second"), (9, "third"))
    ]
    candidates = [*same, turn("elsewhere", 1, keyword=3.8)]
    assert order("What did Ann paint?", candidates) == ["first", "second", "third", "elsewhere"]
    assert order("What pictures did Ann paint?", candidates) == ["first", "second", "elsewhere", "third"]


def test_a_named_speaker_is_preferred() -> None:
    by_ben, by_ann = turn("ben's", speaker="Ben", keyword=2.0), turn("ann's", speaker="Ann", keyword=2.0)
    assert order("What did Ann paint?", [by_ben, by_ann])[0] == "ann's"


def test_of_two_named_speakers_neither_is_preferred() -> None:
    candidates = [turn("b", speaker="Ben", keyword=2.0), turn("c", speaker="Cid", keyword=2.0)]
    assert all("speaker" not in one.why for one in ranked("Did Ann and Ben paint?", candidates))


def test_a_question_about_oneself_is_answered_by_oneself() -> None:
    assistant, user = turn("assistant's", speaker="assistant", keyword=3.0), turn("user's", speaker="user", keyword=2.0)
    assert order("Which boat did I buy?", [assistant, user])[0] == "user's"


def test_a_question_for_what_the_assistant_said_is_answered_by_it() -> None:
    assistant, user = turn("assistant's", speaker="assistant", keyword=3.0), turn("user's", speaker="user", keyword=2.0)
    assert order("Which boat did you recommend to me?", [assistant, user])[0] == "assistant's"


def test_a_turn_that_tells_more_ranks_above_a_word() -> None:
    word, sentence = turn("word", traits=Traits(2).packed), turn("sentence", traits=Traits(25).packed)
    assert order("the boat", [word, sentence])[0] == "sentence"


def test_a_turn_that_merely_asks_ranks_below_one_that_tells() -> None:
    asks = turn("asks", keyword=2.0, traits=Traits(30, asks=True).packed)
    assert order("the boat", [asks, turn("tells", keyword=2.0)])[0] == "tells"


def test_the_first_turn_of_a_session_ranks_above_a_later_one() -> None:
    assert order("the boat", [turn("later", 7), turn("first", 0)])[0] == "first"


@pytest.mark.parametrize(
    ("question", "traits"),
    [("When was the race?", Traits(30, dated=True)), ("How many boats?", Traits(30, counted=True))],
)
def test_what_the_question_asks_for_should_stand_in_the_answer(question: str, traits: Traits) -> None:
    candidates = [turn("plain", keyword=2.0), turn("fitting", keyword=2.0, traits=traits.packed)]
    assert order(question, candidates)[0] == "fitting"
    assert all("type" not in one.why for one in ranked("Which boats raced?", candidates))


def test_what_was_said_at_the_named_time_ranks_higher() -> None:
    march, april = datetime(2023, 3, 13, tzinfo=UTC), datetime(2023, 4, 25, tzinfo=UTC)
    candidates = [turn("april", time=april), turn("march", time=march)]
    assert order("What did I do on 13 March?", candidates)[0] == "march"
    assert order("What did I do?", candidates)[0] == "april"


def test_of_equal_ones_the_newer_comes_first() -> None:
    candidates = [turn("old", time=NOW - timedelta(days=40)), turn("new", time=NOW - timedelta(days=1))]
    assert order("the boat", candidates) == ["new", "old"]


def test_recency_never_outweighs_a_clear_match() -> None:
    candidates = [turn("new", time=NOW, keyword=2.0), turn("old", time=NOW - timedelta(days=900), keyword=4.0)]
    assert order("the boat", candidates)[0] == "old"


def test_what_cannot_be_told_apart_is_ordered_by_id() -> None:
    assert order("the boat", [turn("b"), turn("c"), turn("a")]) == ["a", "b", "c"]


def test_a_fact_outside_of_sessions_competes_with_turns() -> None:
    fact = Candidate("fact", "en", keyword=5.0)
    assert order("the boat", [turn("turn", keyword=5.0), fact])[0] == "fact"
    assert order("the boat", [turn("turn", keyword=5.0), replace(fact, keyword=1.0)])[0] == "turn"


def test_facts_are_no_session_together() -> None:
    facts = [Candidate("hit", "en", keyword=5.0), Candidate("other", "en")]
    other = next(one for one in ranked("the boat", facts) if one.memory_id == "other")
    assert "session" not in other.why


def test_a_text_in_another_language_is_found_by_its_meaning() -> None:
    spread = {"use": {"de": Population(100, 0.1, 0.1), "en": Population(100, 0.1, 0.1)}}
    own = turn("own", language="de", keyword=1.0, similarity={"use": 0.1})
    foreign = turn("foreign", similarity={"use": 0.6})
    assert order("Wo ist das Boot?", [own, foreign], language="de", populations=spread)[0] == "foreign"


def test_the_engine_follows_the_languages_of_the_pair() -> None:
    spread = {"minilm": {"en": Population(100, 0.0, 0.1)}, "use": {"en": Population(100, 0.0, 0.1)}}
    candidate = turn("a", similarity={"minilm": 0.1, "use": 0.3})
    english = ranked("the boat", [candidate], populations=spread)[0].why["meaning"]
    german = ranked("das Boot", [candidate], language="de", populations=spread)[0].why["meaning"]
    assert german == pytest.approx(3 * english)


def test_the_parts_of_a_score_add_up_and_scores_lie_between_0_and_1_in_order() -> None:
    candidates = [turn(f"t{n}", n, session="s", keyword=n * 1.0, similarity={"minilm": n / 10}) for n in range(9)]
    scored = ranked("When did I buy the boat?", candidates)
    for one in scored:
        assert sum(one.why.values()) == pytest.approx(one.total)
        assert 0.0 < one.score < 1.0
    assert [one.score for one in scored] == sorted((one.score for one in scored), reverse=True)


def test_only_the_best_k_are_given() -> None:
    assert order("the boat", [turn("a", keyword=1.0), turn("b", keyword=4.0)], k=1) == ["b"]


def test_nothing_gives_nothing() -> None:
    assert ranked("the boat", []) == []
