"""Facts without a level or kind get them by their words, in three languages."""

import time

import pytest

from waypost.facts.classify import domain_of, kind_of, level_of

LEVELS = [
    (0, "The project is written in Python 3.11 and uses FastAPI"),
    (0, "This repository is a monorepo with pnpm workspaces"),
    (0, "We use conventional commits"),
    (0, "Licensed under Apache 2.0"),
    (0, "Releases are cut on the first Monday of a month"),
    (0, "Das Projekt ist in Rust geschrieben"),
    (0, "Wir verwenden Trunk-based Development im ganzen Team"),
    (0, "Проект написан на Go"),
    (0, "Мы используем монорепозиторий"),
    (1, "The payment service retries three times"),
    (1, "Sessions expire after 15 minutes"),
    (1, "Invoices are numbered by the ledger"),
    (1, "Uploads go to S3"),
    (1, "Der Zahlungsdienst wiederholt dreimal"),
    (1, "Sitzungen laufen nach 15 Minuten ab"),
    (1, "Сервис оплаты повторяет запрос три раза"),
    (1, "Сессии истекают через 15 минут"),
    (1, "The sky is blue"),
    (2, "src/auth/token.py signs tokens with RS256"),
    (2, "The fraud-detection module scores every order"),
    (2, "settings.toml holds the limits"),
    (2, "Das Modul fraud-detection bewertet jede Bestellung"),
    (2, "Модуль fraud-detection оценивает каждый заказ"),
    (2, "Настройки лежат в файле config.yaml"),
    (3, "verify_token() raises ExpiredSignature when the token is old"),
    (3, "The class TokenStore keeps tokens in Redis"),
    (3, "The method `charge` of PaymentGateway is idempotent"),
    (3, "Die Funktion verify_token prüft die Signatur"),
    (3, "Функция verify_token проверяет подпись"),
    (3, "calculate_total applies the discount before tax"),
    (3, "Auth.login( takes a password hash"),
    (3, "See handlers.py#L10-50 for the retry loop"),
]


@pytest.mark.parametrize(("level", "text"), LEVELS)
def test_the_level_is_how_far_a_fact_reaches(level: int, text: str) -> None:
    assert level_of(text) == level


def test_what_points_at_code_is_about_code() -> None:
    assert level_of("Uploads go to S3", points_at_lines=True) == 3
    assert level_of("Uploads go to S3", points_at_file=True) == 2


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "We chose FastAPI over Flask for its types"),
        ("decision", "Decided to keep sessions in Redis"),
        ("decision", "Wir haben uns für PostgreSQL entschieden"),
        ("decision", "Решили хранить сессии в Redis"),
        ("constraint", "Tokens must never be logged"),
        ("constraint", "Deploys on Fridays are not allowed"),
        ("constraint", "Passwörter dürfen nicht protokolliert werden"),
        ("constraint", "Нельзя писать токены в журнал"),
        ("constraint", "Пароли должны храниться в виде хэша"),
        ("fact", "Uploads go to S3"),
        ("fact", "Die Suche läuft auf OpenSearch"),
        ("fact", "Поиск работает на OpenSearch"),
        ("fact", "The mustard theme is the default"),
        ("fact", "Overall 40 % of requests are cached"),
    ],
)
def test_the_kind_follows_from_the_words(kind: str, text: str) -> None:
    assert kind_of(text) == kind


def test_a_domain_is_taken_only_when_one_is_named() -> None:
    names = ["auth-service", "payment-service", "auth", "api"]
    assert domain_of("The auth service signs tokens", names) == "auth-service"
    assert domain_of("auth-service calls payment-service", names) == ""
    assert domain_of("Authors write books", names) == ""
    assert domain_of("The api is slow", names) == ""  # too short to be surely a name
    assert domain_of("Nothing of that", names) == ""


@pytest.mark.parametrize(
    "piece", ["a/", "a_", "a.", "(", "`", "must not ", "строка ", " ", "x" * 50, "A1", "#L", "a::"]
)
def test_long_hostile_lines_take_no_time(piece: str) -> None:
    began = time.process_time()
    text = piece * 200_000
    level_of(text), kind_of(text), domain_of(text, ["payment-service"])
    assert time.process_time() - began < 1.0
