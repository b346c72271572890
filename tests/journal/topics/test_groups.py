"""Grouping utterances about the same topic, by rare words, vectors and time."""

import random

import numpy as np

from waypost.journal.topics.groups import find_topics
from waypost.journal.topics.similarity import Meaning, Subject

GARDEN = (
    "We are building two raised beds for tomatoes.",
    "Which soil suits raised beds with tomatoes?",
    "My tomatoes in the raised beds have yellow leaves.",
)
BILLING = (
    "The billing migration to PostgreSQL failed.",
    "Which billing tables are not on PostgreSQL?",
    "The billing migration to PostgreSQL is done.",
)
OTHERS = ("Recommend a capo for an acoustic guitar.", "The vet vaccinated Nala.", "How many people live in Norway?")


def subjects(*texts: str, language: str = "en") -> list[Subject]:
    return [Subject(text, language, day=place) for place, text in enumerate(texts)]


def test_shared_rare_words_make_a_topic() -> None:
    of = find_topics(subjects(*GARDEN, *OTHERS, *BILLING)).of
    assert of == (1, 1, 1, 0, 0, 0, 2, 2, 2)


def test_the_order_in_which_they_are_given_does_not_matter_to_the_groups() -> None:
    given = subjects(*GARDEN, *OTHERS, *BILLING)
    groups = _groups(given)
    for seed in range(5):
        shuffled = random.Random(seed).sample(given, len(given))
        assert _groups(shuffled) == groups


def _groups(given: list[Subject]) -> set[frozenset[str]]:
    of = find_topics(given).of
    return {
        frozenset(subject.text for subject, number in zip(given, of, strict=True) if number == wanted)
        for wanted in {*of} - {0}
    }


def test_other_words_for_the_same_meet_by_their_vectors() -> None:
    texts = ("The AWS exam is in June.", "Solutions Architect certification", *OTHERS)
    vectors = np.eye(5, dtype=np.float32)
    vectors[1] = [0.8, 0.6, 0, 0, 0]
    assert find_topics(subjects(*texts)).of == (0, 0, 0, 0, 0)
    assert find_topics(subjects(*texts), [Meaning(vectors)]).of == (1, 1, 0, 0, 0)


def test_a_missing_vector_leaves_it_to_the_words() -> None:
    vectors = np.zeros((3, 4), np.float32)
    vectors[0, 0] = 1.0
    assert find_topics(subjects(*GARDEN), [Meaning(vectors)]).of == (1, 1, 1)


def test_an_engine_of_more_languages_has_the_word_where_not_both_are_english() -> None:
    texts = [Subject("The exam is in June.", "en"), Subject("Zertifizierung buchen", "de"), *subjects(*OTHERS)]
    english, both = np.eye(5, dtype=np.float32), np.eye(5, dtype=np.float32)
    both[1] = [0.9, 0.43, 0, 0, 0]
    assert find_topics(texts, [Meaning(english), Meaning(both, beside=True)]).of[:2] == (1, 1)
    assert find_topics(texts, [Meaning(both), Meaning(english, beside=True)]).of[:2] == (0, 0)


def test_german_compounds_meet_their_parts() -> None:
    texts = ("Der Klavierunterricht beginnt.", "Klavier üben fällt mir schwer.", "Der Hund schläft im Korb.")
    assert find_topics(subjects(*texts, language="de")).of == (1, 1, 0)


def test_groups_apart_never_meet() -> None:
    apart = [Subject("Weather in Marmagen", "en", group=1), Subject("Marmagen, weather station", "en", group=0)]
    assert find_topics(apart).of == (0, 0)


def test_a_label_is_what_its_utterances_share_as_they_write_it() -> None:
    topics = find_topics(subjects(*BILLING))
    assert topics.label(1) in ("PostgreSQL", "billing")
    assert topics.label(0) == ""


def test_words_that_stand_side_by_side_again_and_again_are_the_label() -> None:
    texts = ("The heat pump is loud.", "Is the heat pump paid?", "Our heat pump needs a valve from Graz.", *OTHERS)
    topics = find_topics(subjects(*texts))
    assert topics.of[:3] == (1, 1, 1)
    assert topics.label(1) == "heat pump"


def test_a_label_is_no_list_of_words_that_stand_apart() -> None:
    texts = (
        "We'd like Joppa, the flat there is dry.",
        "We'd pay more for a flat in Joppa.",
        "The flat: keys from Joppa!",
    )
    assert find_topics(subjects(*texts, *OTHERS)).label(1) in ("flat", "Joppa")


def test_interjections_and_verbs_name_no_topic() -> None:
    given = [
        Subject("Ach, Dieter hat sich etwas gebrochen.", "de"),
        Subject("Ach, gebrochen: Dieter muss ins Krankenhaus.", "de"),
    ]
    assert find_topics([*given, *subjects(*OTHERS)]).label(1) in ("Dieter", "")


def test_a_label_is_in_one_language() -> None:
    given = [
        Subject("Die Solaranlage kommt im Mai.", "de"),
        Subject("Solaranlage: Angebot eingeholt.", "de"),
        Subject("The Solaranlage inverter arrived.", "en"),
    ]
    assert find_topics([*given, *subjects(*OTHERS)]).label(1) == "Solaranlage"


def test_a_word_of_one_utterance_is_no_part_of_a_label() -> None:
    texts = [f"When does the train to {town} leave?" for town in ("Oban", "Bath", "Ely", "Deal", "Rye")]
    label = find_topics(subjects(*texts, *OTHERS)).label(1)
    assert "train" in label
    assert not any(town in label for town in ("Oban", "Bath", "Ely", "Deal", "Rye"))


def test_with_few_wanted_their_topics_are_the_same() -> None:
    fillers = [f"Number {place} of zebra{place} and quokka{place}" for place in range(60)]
    given = subjects(*GARDEN, *fillers, *BILLING)
    whole, some = find_topics(given), find_topics(given, selected={1})
    assert some.of[:3] == whole.of[:3] == (1, 1, 1)


def test_nothing_has_no_topics() -> None:
    assert find_topics([]).of == ()
