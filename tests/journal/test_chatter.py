"""What is said between a person and an agent and answers no question."""

import pytest

from waypost.journal.chatter import is_chatter


@pytest.mark.parametrize(
    "text",
    [
        *(
            "fix typo",
            "continue",
            "hello",
            "thanks!",
            "run the tests",
            "yes please",
            "looks good",
            "Let me look into that.",
        ),
        *("weiter", "danke", "mach weiter", "passt so", "starte die Tests", "sieht gut aus"),
        *("привет", "спасибо", "продолжай", "запусти тесты", "да, давай"),
        *("How are cookies signed?", "hey, how do I run this", "Wo liegt die Konfiguration?", "Почему упал импорт"),
        *("Can you look? Please fix it.", "make_response", ""),
        *("can you measure how long the page takes", "kannst du das Log ansehen", "можешь проверить сборку"),
    ],
)
def test_questions_commands_and_small_talk_tell_nothing(text: str) -> None:
    assert is_chatter(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Commit messages are written in English.",
            "Use integer cents for money, never floats.",
            "Staging runs on port 9191.",
        ),
        *(
            "Fix typos in the same commit, because reviews take long.",
            "Why it failed: the disk was full.",
            "What we need is a cache.",
        ),
        *("Wir verschicken Mahnungen erst nach 21 Tagen.", "Teste nie gegen die Produktion, immer gegen Staging."),
        *("Доступ к продакшену выдаёт только Марина.", "Запусти тесты перед релизом, потому что CI их пропускает."),
        *("Is it slow? The pool has only one connection.", "run\n```\nrm -rf build\n```"),
        "That was the old limit of a token.",  # "was" asks in German
        "can you always use tabs",
    ],
)
def test_statements_are_kept(text: str) -> None:
    assert not is_chatter(text)
