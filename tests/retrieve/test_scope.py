"""How smart context reads a task and scores memories."""

import math
import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.model.scope import ScopeDocument, ScopeScored, ScopeTask
from waypost.retrieve.scope import read_task, score, select
from waypost.retrieve.scope_words import scope_words

NOW = datetime(2026, 1, 30, 12, tzinfo=UTC)
SEED_GROUPS = {
    "login": "auth authentication signin session jwt token",
    "user": "account profile member customer",
    "database": "db sql table schema migration",
    "api": "endpoint route controller rest request",
    "bug": "fix error issue problem debug",
    "feature": "implement add create new",
    "test": "spec unit integration phpunit jest",
    "payment": "stripe checkout billing invoice cart",
    "email": "mail notification smtp newsletter",
    "upload": "file image storage s3 media",
}


def document(content: str = "", **fields: object) -> ScopeDocument:
    return ScopeDocument(**{"id": "d", "type": "class", "content": content} | fields)  # type: ignore[arg-type]


def task(*expanded: str, task_type: str = "general") -> ScopeTask:
    return ScopeTask(" ".join(expanded), expanded, expanded, task_type)


def test_keywords_are_the_telling_words_in_order_each_once() -> None:
    read = read_task("Login-Bug fixen und Session-Handling verbessern, der Login!")
    assert read.keywords == ("login", "bug", "session", "handling")


@pytest.mark.parametrize(
    ("description", "keywords"),
    [
        ("We must fix the cart and it should need a total", ("fix", "cart", "total")),
        ("Die Größe für den Warenkorb", ("größe", "warenkorb")),
        ("Исправить это в корзине", ("корзине",)),
        ("the in of", ()),
        ("", ()),
        ("user_table of getUserById", ("user", "table", "getuserbyid")),
        ("db id ui", ("db",)),
    ],
)
def test_stop_words_of_three_languages_and_short_words_are_no_keywords(
    description: str, keywords: tuple[str, ...]
) -> None:
    assert read_task(description).keywords == keywords


@pytest.mark.parametrize(("group", "related"), SEED_GROUPS.items())
def test_every_group_adds_its_related_terms(group: str, related: str) -> None:
    read = read_task(group)
    assert read.keywords == (group,)
    assert read.expanded == (group, *related.split())


@pytest.mark.parametrize(
    ("word", "group"),
    [
        ("logins", "login"),
        ("Anmeldung", "login"),
        ("Anmeldungen", "login"),
        ("anmelden", "login"),
        ("вход", "login"),
        ("входа", "login"),
        ("авторизацию", "login"),
        ("Benutzern", "user"),
        ("Nutzer", "user"),
        ("пользователей", "user"),
        ("Datenbanken", "database"),
        ("базе", "database"),
        ("Schnittstellen", "api"),
        ("эндпоинты", "api"),
        ("Fehlern", "bug"),
        ("ошибок", "bug"),
        ("Tests", "test"),
        ("тестов", "test"),
        ("Zahlungen", "payment"),
        ("платежа", "payment"),
        ("Benachrichtigungen", "email"),
        ("уведомлений", "email"),
        ("hochladen", "upload"),
        ("загрузку", "upload"),
    ],
)
def test_german_and_russian_words_lead_into_the_english_groups(word: str, group: str) -> None:
    expanded = read_task(word).expanded
    assert expanded[0] == word.lower()
    assert set(expanded[1:]) >= {group, *SEED_GROUPS[group].split()} - {word.lower()}


def test_a_german_compound_leads_into_the_groups_of_its_ends() -> None:
    expanded = read_task("Benutzeranmeldung").expanded
    assert {"login", "jwt", "user", "profile"} <= set(expanded)


@pytest.mark.parametrize("word", ["address", "latest", "restore", "nutzen", "prefix", "rapid", "production"])
def test_a_word_that_only_contains_another_leads_nowhere(word: str) -> None:
    assert read_task(word).expanded == (word,)


@pytest.mark.parametrize(
    ("description", "task_type"),
    [
        ("Fix the login", "bug"),
        ("Errors in the checkout", "bug"),
        ("Der Anmeldefehler", "bug"),
        ("Исправь корзину", "bug"),
        ("Implementing dark mode", "feature"),
        ("Eine neue Seite für Preise", "feature"),
        ("Добавить страницу", "feature"),
        ("Migrations of the orders table", "database"),
        ("Datenbank verkleinern", "database"),
        ("таблица заказов", "database"),
        ("Unit tests of the cart", "test"),
        ("тесты корзины", "test"),
        ("Refactoring of the cart", "refactor"),
        ("Warenkorb aufräumen", "refactor"),
        ("рефакторинг корзины", "refactor"),
        ("The cart is slow", "general"),
        ("Feedback from the community about the latest address prefix", "general"),
        ("", "general"),
    ],
)
def test_the_type_of_a_task_is_read_from_its_words(description: str, task_type: str) -> None:
    assert read_task(description).task_type == task_type


def test_of_several_types_the_first_in_the_order_of_the_list_wins() -> None:
    assert scope_words().task_types.names == ("bug", "feature", "database", "test", "refactor")
    assert read_task("Add a test that shows the bug in the table").task_type == "bug"
    assert read_task("Add a test of the table").task_type == "feature"


def test_what_is_searched_for_has_keywords_and_description() -> None:
    assert read_task("Fix the login").query == "fix login Fix the login"


def test_a_german_or_russian_task_is_searched_for_with_its_english_topics_too() -> None:
    assert read_task("Die Anmeldung der Benutzer").query == "anmeldung benutzer login user Die Anmeldung der Benutzer"
    assert read_task("вход").query == "вход login вход"


def test_a_page_of_text_is_read_in_no_time() -> None:
    started = time.process_time()
    read = read_task("x" * 100_000 + " ".join(f"word{n}" for n in range(50_000)))
    assert len(read.keywords) <= 64
    assert time.process_time() - started < 1


@given(st.text(max_size=300))
def test_any_description_can_be_read(text: str) -> None:
    read = read_task(text)
    assert set(read.keywords) <= set(read.expanded)
    assert len(set(read.expanded)) == len(read.expanded)


def test_the_score_is_the_weighted_sum_and_each_part_can_be_seen() -> None:
    found = score(
        task("login", "jwt", "cart", "bug", task_type="bug"),
        document("Checks the JWT.", name="doLogin", type="function", cosine=0.5, changed_at=NOW - timedelta(days=3)),
        NOW,
    )
    assert (found.semantic, found.keyword, found.recency, found.bonus) == (0.75, 0.5, 0.8, 0.1)
    assert found.final == pytest.approx(0.60 * 0.75 + 0.25 * 0.5 + 0.15 * 0.8 + 0.1)


@pytest.mark.parametrize(
    ("cosine", "semantic"),
    [(1.0, 1.0), (0.0, 0.5), (-1.0, 0.0), (1.0000002, 1.0), (-3.0, 0.0), (None, 0.5), (math.nan, 0.5)],
)
def test_a_cosine_becomes_a_share_and_none_is_neutral(cosine: float | None, semantic: float) -> None:
    assert score(task("x"), document(cosine=cosine), NOW).semantic == semantic


@pytest.mark.parametrize(
    ("age", "recency"),
    [
        (timedelta(hours=-2), 1.0),
        (timedelta(hours=23, minutes=59), 1.0),
        (timedelta(days=1), 0.8),
        (timedelta(days=6, hours=23), 0.8),
        (timedelta(days=7), 0.5),
        (timedelta(days=29, hours=23), 0.5),
        (timedelta(days=30), 0.2),
        (timedelta(days=4000), 0.2),
        (None, 0.5),
    ],
)
def test_recency_goes_by_the_last_change(age: timedelta | None, recency: float) -> None:
    changed_at = None if age is None else NOW - age
    assert score(task("x"), document(changed_at=changed_at), NOW).recency == recency


@pytest.mark.parametrize(
    ("task_type", "kind", "path", "bonus"),
    [
        ("bug", "function", "", 0.1),
        ("bug", "method", "", 0.1),
        ("bug", "error", "", 0.15),
        ("bug", "table", "", 0.0),
        ("feature", "architecture", "", 0.1),
        ("feature", "pattern", "", 0.1),
        ("database", "table", "", 0.2),
        ("database", "migration", "", 0.15),
        ("database", "file", "db/migrations/2024_01_users.php", 0.15),
        ("database", "table", "db/migrations/2024_01_users.php", 0.2),
        ("test", "test", "", 0.2),
        ("test", "spec", "", 0.15),
        ("test", "function", "tests/cart.py", 0.2),
        ("test", "function", "src/latest.py", 0.0),
        ("test", "class", "spec/cart_spec.rb", 0.15),
        ("refactor", "function", "", 0.0),
        ("general", "function", "tests/cart.py", 0.0),
    ],
)
def test_a_type_that_suits_the_task_gets_its_bonus(task_type: str, kind: str, path: str, bonus: float) -> None:
    assert score(task("x", task_type=task_type), document(type=kind, path=path), NOW).bonus == bonus


def test_a_score_never_passes_one() -> None:
    best = document("x", type="table", cosine=1.0, changed_at=NOW)
    assert score(task("x", task_type="database"), best, NOW).final == 1.0


def test_composed_and_decomposed_letters_are_the_same() -> None:
    assert score(task("größe"), document("GRO\u0308ßE"), NOW).keyword == 1.0


def test_a_task_without_keywords_has_no_share_of_them() -> None:
    assert score(task(), document("anything"), NOW).keyword == 0.0


def scored(final: float, path: str = "", identity: str = "") -> ScopeScored:
    return ScopeScored(document(path=path, id=identity or f"{path}{final}"), 0.0, 0.0, 0.0, 0.0, final)


def test_only_what_is_above_one_half_is_kept_the_best_first() -> None:
    kept = select([scored(0.5), scored(0.51), scored(0.9), scored(0.1)])
    assert [one.final for one in kept] == [0.9, 0.51]


def test_at_most_eight_are_kept_whatever_the_order_they_come_in() -> None:
    many = [scored(0.7, path=f"{place:02}.py") for place in range(20)]
    assert select(many) == select(reversed(many))
    assert [one.document.path for one in select(many)] == [f"{place:02}.py" for place in range(8)]


def test_what_was_found_twice_is_kept_once_with_its_better_score() -> None:
    assert [one.final for one in select([scored(0.6, identity="a"), scored(0.8, identity="a")])] == [0.8]


def test_a_german_task_finds_english_code_by_its_words() -> None:
    read = read_task("Fehler bei der Benutzeranmeldung")
    login = document("def login(user, password): creates a session and a token", name="login", type="function")
    other = document("def draw(canvas): paints the background", name="draw", type="function")
    assert score(read, login, NOW).keyword > score(read, other, NOW).keyword == 0
