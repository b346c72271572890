"""The importance of single utterances in three languages."""

import json
import time
from pathlib import Path

import pytest

from waypost.journal.importance.information import features, worth
from waypost.journal.importance.utterance import read_utterance
from waypost.journal.importance.word_lists import LANGUAGES, importance_words

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Please remember this: deploys only on Tuesdays.", "en"),
        ("This is important: the key rotates every 90 days.", "en"),
        ("Merke dir bitte, dass der Server am Sonntag aus ist.", "de"),
        ("Das ist mir sehr wichtig.", "de"),
        ("Kannst du dir das merken?", "de"),
        ("Запомни: пароль меняем каждый месяц.", "ru"),
        ("Это очень важно для проекта.", "ru"),
    ],
)
def test_an_instruction_to_remember_or_emphasis_is_explicit(text: str, language: str) -> None:
    assert read_utterance(text, language).explicit == 2


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Is it important to water a cactus?", "en"),
        ("Do you remember what I said?", "en"),
        ("I remember that day well.", "en"),
        ("I'll keep that in mind.", "en"),
        ("That is not important.", "en"),
        ("Ist es wichtig, Kakteen zu gießen?", "de"),
        ("Das ist nicht so wichtig.", "de"),
        ("Weißt du noch, was ich wollte?", "de"),
        ("Важно ли поливать кактусы?", "ru"),
        ("Это неважно.", "ru"),
    ],
)
def test_a_question_about_importance_or_a_memory_is_not(text: str, language: str) -> None:
    assert read_utterance(text, language).explicit == 0


@pytest.mark.parametrize(
    ("text", "language", "points"),
    [
        ("I prefer tabs over spaces.", "en", 3),
        ("My goal is to run a marathon by October.", "en", 3),
        ("I live in Lisbon.", "en", 3),
        ("We decided to migrate the billing service to Postgres.", "en", 2),
        ("Yesterday I bought a used car from my neighbour for 4,000 euros.", "en", 1),
        ("What is the capital of Australia?", "en", 0),
        ("Thanks, that was great!", "en", 0),
        ("Ich mag keinen Fußball.", "de", 3),
        ("Ich bin Vegetarier.", "de", 3),
        ("Wir haben beschlossen, künftig jede Woche zu veröffentlichen.", "de", 2),
        ("Gestern habe ich mit Jonas in Köln ein Klavier gekauft.", "de", 1),
        ("Wie funktioniert eine Wärmepumpe?", "de", 0),
        ("Я не люблю футбол.", "ru", 3),
        ("Хочу в этом году сдать три экзамена AWS.", "ru", 3),
        ("Мы решили перейти на PostgreSQL.", "ru", 2),
        ("Вчера мы с Пашей ездили в Тверь и купили там новую машину.", "ru", 1),
        ("Как работает тепловой насос?", "ru", 0),
    ],
)
def test_what_the_words_are_about_gives_the_points(text: str, language: str, points: int) -> None:
    assert read_utterance(text, language).relevance == points


@pytest.mark.parametrize(
    ("text", "language"),
    [("What's the weather tomorrow?", "en"), ("Wie wird das Wetter?", "de"), ("Какая завтра погода?", "ru")],
)
def test_weather_is_a_question_of_the_day(text: str, language: str) -> None:
    assert read_utterance(text, language).question.passing


def test_a_goal_without_plan_number_or_date_is_not_explicit() -> None:
    assert read_utterance("I want to become a better cook.", "en").explicit == 0
    assert read_utterance("I want to become a better cook by the end of the year.", "en").explicit == 2


def test_a_noted_preference_is_one_whatever_its_words() -> None:
    noted = read_utterance("Dark theme", "en", "preference")
    assert (noted.relevance, noted.explicit) == (3, 1)


def test_every_language_has_every_list() -> None:
    for language in LANGUAGES:
        assert importance_words(language)["keep"].pattern
    assert importance_words("fr") == importance_words("en")


def test_only_named_features_are_weighed() -> None:
    assert (
        0
        < worth("", "en")
        < worth("Yesterday I bought a used car from my neighbour in Leeds for 4,000 euros.", "en")
        < 1
    )
    assert features("Hello", "en").keys() == features("Привет", "ru").keys()


@pytest.mark.parametrize("language", ["de", "ru"])
def test_worth_ranks_labelled_utterances(language: str) -> None:
    rows = [json.loads(line) for line in (DATA / f"importance_{language}.jsonl").read_text("utf-8").splitlines()[1:]]
    kept = [worth(row["text"], language) for row in rows if row["label"]]
    others = [worth(row["text"], language) for row in rows if not row["label"]]
    assert min(len(kept), len(others)) >= 50
    above = sum(score > other for score in kept for other in others)
    assert above / (len(kept) * len(others)) >= 0.93


@pytest.mark.parametrize(
    "unit", ["a", "ich habe ", "я ", "remember ", "i want to ", "? ", "1.", "wichtig nicht ", "\n"]
)
def test_long_hostile_lines_are_read_in_time(unit: str) -> None:
    text = unit * 20_000
    begun = time.process_time()
    for language in LANGUAGES:
        read_utterance(text, language)
    assert time.process_time() - begun < 3


def test_a_note_is_noted_on_purpose_and_a_question_among_notes_is_not() -> None:
    assert (
        read_utterance("Plain words about the heating", "en", "note").explicit,
        read_utterance("Plain words", "en").explicit,
    ) == (1, 0)
    assert read_utterance("What is on TV tonight?", "en", "note").explicit == 0
    assert read_utterance("Remember this: the key is under the mat.", "en", "note").explicit == 2
