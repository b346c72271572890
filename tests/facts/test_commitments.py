"""Two spellings of one commitment are equal; two commitments are not."""

import pytest

from waypost.facts.agreement import TextRelation, compare
from waypost.facts.commitments import commitments
from waypost.facts.lexicon import LANGUAGES, lexicon, shared_lexicon


def values(text: str, language: str = "en") -> list[tuple[str, str]]:
    return [key.identity for key in commitments(text, lexicon(language))]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("The quota is 1,000 calls.", "The quota is 1000 calls."),
        ("Das Kontingent beträgt 1.000 Aufrufe.", "Das Kontingent beträgt 1000 Aufrufe."),
        ("Квота равна 1 000 запросов.", "Квота равна 1000 запросов."),
        ("It has two replicas.", "It has 2 replicas."),
        ("Es gibt zwei Replikate.", "Es gibt 2 Replikate."),
        ("Есть две реплики.", "Есть 2 реплики."),
        ("Coverage is 80 %.", "Coverage is 80 percent."),
        ("The timeout is 30s.", "The timeout is 30 seconds."),
        ("It ends on 2025-03-01.", "It ends on 1 March 2025."),
        ("It ends on March 1, 2025.", "It ends on 1 March 2025."),
        ("Es endet am 01.03.2025.", "Es endet am 1. März 2025."),
        ("Это закончится 01.03.2025.", "Это закончится 1 марта 2025 года."),
        ("The call is at 2 pm.", "The call is at 14:00."),
        ("The call is at 9:30.", "The call is at 09:30."),
        ("The parser doesn't stream.", "The parser does not stream."),
        ("Rounding uses `half_even`.", "Rounding uses half_even."),
        ("Флаг включён.", "Флаг включен."),
        ("Do NOT deploy on Fridays.", "Do not deploy on Fridays."),
        ("Do **not** deploy on Fridays.", "Do not deploy on Fridays."),
        ("The billing module is owned by Anna.", "Anna owns the billing module."),
        ("The session's TTL is long.", "The TTL of the session is long."),
    ],
)
def test_two_spellings_of_one_commitment_agree(first: str, other: str) -> None:
    assert compare(first, other).relation is TextRelation.SAME


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("Python 3.1 is used.", "Python 3.10 is used."),
        ("The offset is -5.", "The offset is 5."),
        ("Latency < 50 ms.", "Latency > 50 ms."),
        ("The build is ✅.", "The build is ❌."),
        ("Contact US for support.", "Contact us for support."),
        ("Do NOT deploy on Fridays.", "Do deploy on Fridays."),
        ("The tests need a **fake** database.", "The tests need a database."),
        ("We use go for scripts.", "We use Go for scripts."),
        ("We used Jenkins.", "We use Jenkins."),
        ("Wir nutzten Jenkins.", "Wir nutzen Jenkins."),
        ("Монолит разворачивали вручную.", "Монолит разворачивают вручную."),
        ("It needs Redis or Kafka.", "It needs Redis and Kafka."),
        ("Is the cache warm?", "The cache is warm."),
        ("Not all endpoints require auth.", "Endpoints do not require auth."),
        ("Only admins delete projects.", "Admins delete only projects."),
        ("Admins are users.", "Users are admins."),
        ("The service monitors.", "The service is monitored."),
        ("The queue feeds the worker.", "The queue is fed by the worker."),
        ("Der Planer ruft den Importer auf.", "Den Planer ruft der Importer auf."),
        ("Анна обучает Бориса.", "Анну обучает Борис."),
        ("Планировщик вызывает импортёр.", "Планировщик вызывается импортёром."),
        ("Ben is Anna's brother.", "Anna is Ben's brother."),
        ("The user service is down.", "The service user is down."),
        ("Log errors but not warnings.", "Log warnings but not errors."),
        ("The cache is keyed by user.", "The cache is keyed by user group."),
    ],
)
def test_two_commitments_are_distinguished(first: str, other: str) -> None:
    assert compare(first, other).relation is TextRelation.DIFFERENT


def test_identifiers_are_read_whole_and_in_their_case() -> None:
    keys_found = values("Call Foo::bar() in src/app/main.py with --dry-run, see OPS-118 and https://example.org/a.")
    identifiers = [value for kind, value in keys_found if kind == "identifier"]
    assert identifiers == ["Foo::bar()", "src/app/main.py", "--dry-run", "OPS-118", "https://example.org/a"]


def test_quotations_are_kept_to_the_letter() -> None:
    assert ("quotation", "Save draft") in values('The button says "Save draft".')
    assert ("quotation", "Entwurf speichern") in values("Auf dem Knopf steht „Entwurf speichern“.", "de")
    assert ("quotation", "Сохранить") in values("На кнопке написано «Сохранить».", "ru")


def test_a_negation_counts_in_a_text_of_another_language() -> None:
    assert ("negation", "not") in values("Deployments: not freitags.", "de")


@pytest.mark.parametrize(
    ("first", "second", "language"),
    [
        ("Uploads are stored in S3.", "S3", "en"),
        ("Der Dienst läuft auf Python 3.11.", "Python 3.11", "de"),
        ("Сервис работает на Python 3.11.", "Python 3.11", "ru"),
        ("", "", "en"),
        ("服务在端口上运行", "服务在端口上运行吗", "en"),
        ("Анна отвечает за биллинг.", "За биллинг отвечает Анна.", "ru"),
    ],
)
def test_two_texts_are_read_with_the_word_lists_of_one_language(first: str, second: str, language: str) -> None:
    assert shared_lexicon(first, second).language == shared_lexicon(second, first).language == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_is_its_own_opposite_nor_a_synonym_of_one(language: str) -> None:
    words = lexicon(language)
    assert not [word for word, others in words.opposite.items() if word in others]
    stems = [*words.synonym, *words.synonym.values()]
    assert not [stem for stem in stems if words.synonym.get(stem, stem) in words.opposite.get(stem, ())]


@pytest.mark.parametrize("language", LANGUAGES)
def test_negations_and_opposites_of_every_language_are_never_weightless(language: str) -> None:
    for word in ("not", "never", "without", "nicht", "kein", "ohne", "не", "нет", "без"):
        assert [kind for kind, _ in values(word, language)] == ["negation"]
