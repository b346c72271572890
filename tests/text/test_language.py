import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.text.language import is_surely_foreign, language_of


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The upload service retries three times before it gives up."),
        ("en", "What did Caroline say about the trip?"),
        ("en", "Don't restart it: there's a job running."),
        ("de", "Der Dienst versucht es dreimal, bevor er aufgibt."),
        ("de", "Wie groß ist die Datenbank?"),
        ("de", "Was bedeutet Rhodophyta?"),
        ("de", "Wir nutzen Redis als Cache"),
        ("de", "Tests laufen grün"),
        ("ru", "Служба повторяет попытку трижды, прежде чем сдаться."),
        ("ru", "Сервер падает"),
        ("ru", "Мы используем PostgreSQL и Redis Streams для очередей"),
        ("ru", "Объект подъехал к съезду"),
        ("other", "Le service réessaie trois fois avant d'abandonner."),
        ("other", "El servicio lo intenta tres veces antes de rendirse, pero no funciona."),
        ("other", "Il servizio riprova tre volte prima di arrendersi."),
        ("other", "O serviço tenta três vezes antes de desistir."),
        ("other", "De dienst probeert het drie keer voordat hij opgeeft."),
        ("other", "Usługa próbuje trzy razy, zanim się podda."),
        ("other", "Tjänsten försöker tre gånger innan den ger upp."),
        ("other", "Служба повторює спробу тричі, перш ніж здатися."),
        ("other", "Услугата опитва три пъти, преди да се откаже."),
        ("other", "Қызмет бас тартпас бұрын үш рет әрекет етеді."),
        ("other", "サービスは三回試してから諦めます。"),
        ("other", "该服务在放弃之前重试三次。"),
        ("other", "Η υπηρεσία προσπαθεί τρεις φορές."),
        ("other", "الخدمة تحاول ثلاث مرات"),
    ],
)
def test_a_sentence_is_known_by_its_language(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    "text",
    ["Uploads use S3 multipart", "fix login bug", "deploy", "Prefer tabs", "TODO: refactor auth middleware",
     "kubectl apply -f deploy.yaml", "Max lives in Berlin", "die after 3 retries", "summarize in bullets"],
)  # fmt: skip
def test_a_short_note_that_could_be_anything_is_english(text: str) -> None:
    assert language_of(text) == "en"


@pytest.mark.parametrize(
    "text",
    ["", " \n", "1234 56.7", "!?", "`der_die_das()`", "src/und/oder.py#L3", "https://example.org/der/die/das",
     "getUserById", "a_b=c", "```\nfür und wider\n```", "🙂🙂", "ada@example.org"],
)  # fmt: skip
def test_what_has_no_words_of_a_language_has_none(text: str) -> None:
    assert language_of(text) == ""


def test_code_and_paths_do_not_count() -> None:
    assert language_of("Der Fehler liegt in `the_only_thing_that_is_there()` und the/file/of/the.py") == "de"
    assert language_of("Ошибка здесь:\n```python\nthis is all of the english that we have\n```") == "ru"
    assert language_of("It fails in das_und_die(der) and in für/und/wider.py when it runs.") == "en"


def test_a_name_in_other_letters_does_not_change_the_language_of_a_text() -> None:
    assert language_of("The word 'совет' means council, and it was used for the assemblies.") == "en"
    assert language_of("Мы говорили с Зеленським (так по-украински) о том, что было вчера на заводе.") == "ru"


@given(st.text())
def test_any_text_has_an_answer(text: str) -> None:
    assert language_of(text) in {"", "en", "de", "ru", "other"}


def test_a_short_phrase_of_an_unclear_language_is_not_surely_foreign() -> None:
    assert not is_surely_foreign("Take care!", "other")
    assert not is_surely_foreign("We deploy on Tuesdays", "en")
    assert is_surely_foreign("Alles klar", "de")
    assert is_surely_foreign("Понятно", "ru")
    assert is_surely_foreign("Les tests sont exécutés chaque nuit sur le serveur", "other")
