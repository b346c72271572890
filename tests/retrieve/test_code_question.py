"""What questions about code ask for."""

import time

import pytest

from waypost.retrieve.code_question import MOST_NAMES, MOST_PLACES, CodeQuestion, read_code_question

ISSUE = (
    """\
Session.send loses the proxy after a redirect

<!-- Thanks for reporting! Describe your environment -->
**Describe the bug**
Calling `rebuild_proxies` twice drops `HTTP_PROXY`, see
https://example.org/acme/requests/blob/0a1b2c/requests/utils.py#L40

Traceback (most recent call last):
  File "/home/me/venv/lib/python3.9/site-packages/requests/sessions.py", line 646, in send
    r = adapter.send(request, **kwargs)
  File "C:\\\\work\\\\requests\\\\adapters.py", line 12, in send
KeyError: 'http'

at Object.run (lib/runner.js:12:5)

<details><summary>Versions</summary>
attrs==19.3.0
numpy: 1.19.2
</details>
"""
    + "More words about nothing at all. " * 20
)


def names(question: CodeQuestion) -> list[str]:
    return [one.qualified for one in question.names]


@pytest.mark.parametrize(
    "text", ["OrderBook", "order_book", "shop::OrderBook", "`pay()`", "App\\Models\\User", "response"]
)
def test_a_question_of_one_name_looks_it_up(text: str) -> None:
    question = read_code_question(text)
    assert question.is_lookup
    assert len(question.names) == 1


def test_the_last_part_of_a_qualified_name_is_what_is_looked_up() -> None:
    (named,) = read_code_question("Shop::OrderBook->addOrder").names
    assert (named.name, named.qualified) == ("addOrder", "Shop.OrderBook.addOrder")


def test_words_that_can_only_be_names_are_names() -> None:
    question = read_code_question(
        "how does OrderBook call add_order() and `pay` with HTTPServer, camelCase and res.send?"
    )
    assert names(question) == ["OrderBook", "add_order", "pay", "HTTPServer", "camelCase", "res.send"]
    assert not question.is_lookup


def test_plain_words_are_no_names() -> None:
    assert read_code_question("How are JSON responses sent in Flask?").names == ()


def test_neighbouring_words_are_also_looked_for_as_one_name() -> None:
    terms = read_code_question("JSON objects with thread pool size").terms
    assert {"jsonobject", "threadpool", "threadpoolsize", "json", "object", "thread"} <= set(terms)
    assert "objectsthread" not in terms  # "with" stands between them


def test_an_issue_has_a_subject_and_a_rest() -> None:
    question = read_code_question(ISSUE)
    assert question.is_long
    assert question.subject == "Session.send loses the proxy after a redirect"
    assert question.embedded[0] == question.subject
    assert "redirect" in question.subject_terms
    assert "rebuild_proxies" in question.terms
    assert "rebuild_proxies" not in question.subject_terms


def test_names_outside_of_the_subject_weigh_less() -> None:
    weights = {one.qualified: one.weight for one in read_code_question(ISSUE).names}
    assert weights["Session.send"] == 1.0
    assert weights["rebuild_proxies"] < 1.0


def test_files_of_a_traceback_and_paths_are_places() -> None:
    places = read_code_question(ISSUE).places
    assert any(place.endswith("requests/sessions.py") for place in places)
    assert any(place.endswith("requests/adapters.py") for place in places)
    assert "lib/runner.js" in places
    assert "requests/utils.py" in places  # out of an address of the source


def test_remarks_of_a_template_and_lists_of_versions_say_nothing() -> None:
    terms = read_code_question(ISSUE).terms
    assert not {"thank", "attr", "numpi", "environ"} & set(terms)


def test_a_question_may_ask_for_tests_and_name_versions() -> None:
    assert read_code_question("Where are the tests for the parser?").asks_tests
    assert read_code_question("Где тесты парсера?", "ru").asks_tests
    assert not read_code_question("Where is the parser?").asks_tests
    assert not read_code_question("Test").asks_tests  # a class of this name
    assert read_code_question("errors of v3").versions == {"3"}


def test_german_words_are_also_asked_for_in_english() -> None:
    question = read_code_question("Wo werden Benutzereinstellungen aus der Konfigurationsdatei gelesen?", "de")
    assert {"user", "set", "config", "file", "read"} <= set(question.terms)


def test_russian_words_are_also_asked_for_in_english() -> None:
    question = read_code_question("Как обрабатываются ошибки соединения с сервером?", "ru")
    assert {"error", "connect", "server"} <= set(question.terms)


def test_an_english_engine_is_given_the_english_words() -> None:
    assert read_code_question("Wie wird die Sitzung gespeichert?", "de").in_english == ("session save",)
    assert read_code_question("Запросы к базе данных через QuerySet", "ru").in_english == ("request database QuerySet",)
    assert read_code_question("Bitte sehr", "de").in_english == ("Bitte sehr",)
    assert read_code_question("How is it saved?").in_english == ("How is it saved?",)


def test_a_question_of_stop_words_is_still_asked() -> None:
    assert read_code_question("this").terms
    assert read_code_question("").terms == ()


@pytest.mark.parametrize(
    "piece",
    ["a", "a_", "a.", "/a", "A1", "`", "<!--", "<details", "v1.", "- ", "https://", 'File "', "a::", "\\", "x.py", "𝕏"],
)
def test_hostile_text_is_read_in_time(piece: str) -> None:
    started = time.process_time()
    question = read_code_question(("subject\n" + piece * (200_000 // len(piece)))[:200_000])
    assert time.process_time() - started < 2
    assert len(question.names) <= MOST_NAMES
    assert len(question.places) <= MOST_PLACES
