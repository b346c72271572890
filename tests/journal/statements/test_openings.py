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
        ("No idea, I just like tea.", "I just like tea."),
        ("Не знаю, я просто люблю чай.", "Я просто люблю чай."),
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
        "No idea, how I'll manage.",
        "No idea, I might hire somebody.",
        "Oh, no idea - whether it works, we'll see.",
        "Keine Ahnung, wie ich das schaffen soll.",
        "Keine Ahnung, ob Papa kommt.",
        "Keine Ahnung, ich fahre oder ich bleibe.",
        "Не знаю, как совместить это с клиникой, может, найму второго врача.",
        "Не знаю, справлюсь ли я.",
        "Не знаю, я ли это.",
        "Не знаю что делать.",
    ],
)
def test_other_sentences_stay_as_they_are(text: str) -> None:
    assert without_opening(text) == text
