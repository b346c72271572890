"""Words around a sentence that no page needs."""

import pytest

from waypost.journal.statements.openings import without_opening


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("By the way, I'm left-handed.", "I'm left-handed."),
        ("Remember that my locker code is 4417.", "My locker code is 4417."),
        ("Oil makes me sneeze, by the way.", "Oil makes me sneeze."),
        ("Merke dir: Der Schlüssel liegt bei Frau Kern.", "Der Schlüssel liegt bei Frau Kern."),
        ("Übrigens, ich bin Linkshänder.", "Ich bin Linkshänder."),
        ("Кстати, я левша.", "Я левша."),
        ("Okay, we bought the boat.", "We bought the boat."),
        ("Keine Ahnung, ich mag keinen Tee.", "Ich mag keinen Tee."),
        ("Запомни, что ключ у соседки.", "Ключ у соседки."),
    ],
)
def test_the_sentence_stays_without_its_opening(text: str, plain: str) -> None:
    assert without_opening(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "Remember to feed the cat.",
        "Also Papa kommt morgen.",
        "Merke dir, dass ich Linkshänder bin.",
        "Кстати!",
        "I remember that day.",
    ],
)
def test_other_sentences_stay_as_they_are(text: str) -> None:
    assert without_opening(text) == text
