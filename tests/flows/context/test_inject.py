"""Injected beside a message: what has to do with it, under a heading in its language; else nothing."""

import pytest

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.relevance import USUAL, _of, least_cosine, nearness, shares_words, words_shared
from waypost.text.fence import TAG
from waypost.text.keywords import query_terms

FACT = "The staging server is rebuilt every Sunday night"


def lines(text: str) -> list[str]:
    return text.splitlines()[2:-1]


def test_what_is_near_is_listed_under_a_heading_inside_the_fence(memory: Memory) -> None:
    memory.remember(FACT)
    memory.remember("Bananas ripen faster in a paper bag")
    told = memory.brief("the staging server is rebuilt every sunday night", preset="inject")
    assert told.text.startswith(f"<{TAG} ")
    heading, *rest = lines(told.text)
    assert heading == "Known information:"
    assert len(rest) == 1
    assert rest[0].startswith(f"- {FACT}")
    assert [hit.text for hit in told.memories] == [FACT]
    assert 0 < told.confidence <= 1


def test_what_somebody_only_asked_is_not_told_as_known(memory: Memory) -> None:
    question = "When is the staging server rebuilt?"
    memory.remember(question, kind="conversation", session="yesterday", speaker="user")
    assert memory.brief(question, preset="inject").text == ""
    memory.remember(FACT, kind="conversation", session="yesterday", speaker="assistant")
    assert [hit.text for hit in memory.brief(FACT + "?", preset="inject").memories] == [FACT]


def test_a_question_gets_the_answer_of_a_conversation_and_the_turn_beside_it(memory: Memory) -> None:
    said = "We painted half of the hallway, the colour is called Sea Salt"
    turns = [("user", said), ("assistant", "Sea Salt needs two coats and eight hours between them")]
    memory.remember_many(
        [{"text": text, "kind": "conversation", "session": "s", "speaker": speaker} for speaker, text in turns]
    )
    memory.admin.embed_pending()
    assert [hit.text for hit in memory.brief("Which colour did the hallway get?", preset="inject").memories] == [
        text for _, text in turns
    ]
    assert memory.brief("Where do penguins lay their eggs?", preset="inject").memories == ()


def test_nothing_is_told_when_nothing_is_near(memory: Memory) -> None:
    memory.remember(FACT)
    told = memory.brief("how do I peel a banana", preset="inject")
    assert (told.text, told.tokens, told.memories, told.confidence) == ("", 0, (), 0.0)
    assert "No memory matches" in told.explanation


@pytest.mark.parametrize(
    ("message", "heading"),
    [
        ("Die Rechnungen werden jeden Monat mit der Post verschickt", "Bekannte Informationen:"),
        ("Счета отправляются почтой каждый месяц", "Известная информация:"),
    ],
)
def test_the_heading_is_in_the_language_of_the_message(memory: Memory, message: str, heading: str) -> None:
    memory.remember(message)
    memory.admin.embed_pending()
    assert lines(memory.brief(message, preset="inject").text)[0] == heading


def test_the_nearest_come_first_and_the_budget_is_kept(memory: Memory) -> None:
    memory.remember_many({"text": f"{FACT}, says note {number}"} for number in range(12))
    told = memory.brief(FACT, 250, preset="inject")
    assert 0 < told.tokens <= 250
    assert 1 < len(told.memories) < 12
    scores = [hit.score for hit in told.memories]
    assert scores == sorted(scores, reverse=True)
    assert "left out" in told.explanation


def test_conversations_are_searched_too(memory: Memory) -> None:
    memory.remember(FACT, kind="conversation", session="s", speaker="user")
    assert FACT in memory.brief(FACT, preset="inject").text


def test_without_an_engine_words_decide(memory: Memory, fake_engine: FakeEngine) -> None:
    memory.remember(FACT)
    memory.remember("Bananas ripen faster in a paper bag")
    fake_engine.fail = True
    told = memory.brief("when is the staging server rebuilt?", preset="inject")
    assert [hit.text for hit in told.memories] == [FACT]
    assert "Answered without" in told.explanation
    assert memory.brief("who painted the bathroom ceiling?", preset="inject").text == ""


def test_every_engine_has_its_threshold() -> None:
    assert least_cosine("ollama:nomic-embed-text") == 0.7
    assert least_cosine("ollama:library/nomic-embed-text:latest") == 0.7
    assert least_cosine("minilm-l6-v2") < least_cosine("ollama:nomic-embed-text")
    assert least_cosine("openai:never-heard-of") == USUAL


def test_the_engine_for_the_pair_of_languages_judges() -> None:
    engines = ServingEngines("minilm-l6-v2", "use-multilingual-v3")
    cosines = {"minilm-l6-v2": 0.9, "use-multilingual-v3": 0.1}
    assert nearness(cosines, engines, "en", "en") > 0.7
    assert nearness(cosines, engines, "en", "de") < 0
    assert nearness({}, engines, "en", "en") < 0
    assert nearness({"minilm-l6-v2": 1.0}, engines, "de", "en") == 1.0


def test_half_of_the_words_must_be_shared() -> None:
    terms = query_terms("staging server rebuilt")
    assert shares_words(terms, FACT, "en")
    assert not shares_words(query_terms("staging invoices customers taxes"), FACT, "en")
    assert not shares_words([], FACT, "en")


def test_shared_words_count_towards_the_threshold_of_a_measured_engine() -> None:
    engines = ServingEngines("minilm-l6-v2", "use-multilingual-v3")
    below = {"use-multilingual-v3": 0.3}
    assert nearness(below, engines, "de", "de") < 0
    assert nearness(below, engines, "de", "de", shared=0.5) > 0
    assert nearness(below, engines, "de", "de", shared=0.1) < 0
    other = ServingEngines("ollama:nomic-embed-text", "ollama:nomic-embed-text")
    assert nearness({"ollama:nomic-embed-text": 0.69}, other, "de", "de", shared=1.0) < 0


def test_rare_words_tell_more_than_those_that_many_texts_have() -> None:
    terms = query_terms("Does Caroline play the oboe?")
    texts = {number: (f"Caroline said thing {number}", "en") for number in range(20)} | {99: ("the oboe is sold", "en")}
    shared = words_shared(terms, texts)
    assert shared[99] > 2 * shared[0] > 0


def test_what_was_not_embedded_yet_is_near_by_half_of_its_words() -> None:
    engines = ServingEngines("minilm-l6-v2", "use-multilingual-v3")
    assert nearness({}, engines, "de", "de", shared=0.5) >= 0
    assert nearness({}, engines, "de", "de", shared=0.4) < 0


def test_words_in_common_make_near_what_the_engine_alone_would_leave_out(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.remember(FACT)
    memory.remember("Bananas ripen faster in a paper bag")
    memory.admin.embed_pending()
    asked, name = "when is the staging server rebuilt?", memory.space.engines.main.name
    worth = {"least": {name: 0.95}}
    monkeypatch.setattr("waypost.retrieve.relevance._of", _of.__wrapped__)  # without what it keeps of the table
    monkeypatch.setattr("waypost.retrieve.relevance._known", lambda: worth | {"words": {}})
    assert memory.brief(asked, preset="inject").memories == ()
    monkeypatch.setattr("waypost.retrieve.relevance._known", lambda: worth | {"words": {name: 0.9}})
    assert [hit.text for hit in memory.brief(asked, preset="inject").memories] == [FACT]


@pytest.mark.parametrize("message", ["continue", "danke", "fix typo", "what?", "продолжай"])
def test_small_talk_gets_nothing(memory: Memory, message: str) -> None:
    memory.remember("We continue to fix what users call a typo, danke; what else?")
    memory.remember(message, kind="conversation", session="s", speaker="user")
    assert memory.brief(message, preset="inject").text == ""


def test_a_stored_rule_comes_before_code_and_code_is_one_line_for_a_file(indexed: Memory) -> None:
    rule = "Compare a password with the stored hash in constant time"
    indexed.remember(rule)
    told = lines(indexed.brief("compare a password with the stored hash", preset="inject").text)[1:]
    assert rule in told[0]
    assert len([line for line in told if "shop/auth.py" in line]) <= 1


def test_a_decision_is_injected_with_its_reason(memory: Memory) -> None:
    memory.decide(FACT, because=["The disk fills up during the week"])
    (line,) = lines(memory.brief(FACT, preset="inject").text)[1:]
    assert "Reason: The disk fills up" in line
