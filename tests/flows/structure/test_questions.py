"""Questions about structure in plain language are answered from the relations."""

from pathlib import Path

import pytest

from waypost.memory import Memory


def hits(memory: Memory, question: str, k: int = 5) -> list[tuple[str | None, str | None, int | None]]:
    return [(hit.name, hit.path, hit.line) for hit in memory.recall(question, k)]


@pytest.mark.parametrize(
    "question", ["who calls Store.write?", "wer ruft Store.write auf?", "кто вызывает Store.write?"]
)
def test_callers_in_three_languages(shop: Memory, question: str) -> None:
    assert hits(shop, question) == [("order", "shop/app.py", 12), ("test_write", "tests/test_store.py", 5)]


def test_a_hit_says_in_the_language_of_the_question_why_it_is_one(shop: Memory) -> None:
    assert shop.recall("who calls Store.write?")[0].summary == "uses Store.write"
    assert shop.recall("wer ruft Store.write auf?")[0].summary == "verwendet Store.write"


def test_implementors_tests_and_keys(shop: Memory) -> None:
    assert [name for name, _, _ in hits(shop, "what implements Store?")] == ["FileStore", "CachedFileStore"]
    assert hits(shop, "which test covers Store.write?") == [("test_write", "tests/test_store.py", 5)]
    assert hits(shop, "where is the key SHOP_LIMIT read?") == [("check", "shop/store.py", 25)]


def test_more_answers_than_asked_for_are_counted(shop: Memory) -> None:
    answer = shop.recall("who calls Store.write?", 1)
    assert len(answer.hits) == 1
    assert "1 of 2. `waypost uses Store.write` lists all." in answer.notices


def test_a_symbol_without_callers_gets_a_notice_and_an_unknown_name_none(shop: Memory) -> None:
    notices = shop.recall("who calls forgotten_helper?").notices
    assert "Nothing in this repository answers that about forgotten_helper (shop/store.py:28)." in notices
    assert not any("answers that" in notice for notice in shop.recall("who calls nobody_knows_it?").notices)


def test_facts_are_not_answered_from_code(shop: Memory) -> None:
    fact = shop.remember("Only the order desk calls Store.write.")
    assert [hit.id for hit in shop.recall("who calls Store.write?", scope="facts")] == [fact.id]


@pytest.mark.parametrize(
    ("question", "notice"),
    [
        ("who calls nobody_knows_it?", "There is no nobody_knows_it in the indexed code."),
        ("wer ruft Store.nothing auf?", "Store.nothing gibt es im indizierten Code nicht."),
        ("что реализует NoSuchStore?", "NoSuchStore нет в проиндексированном коде."),
    ],
)
def test_an_absent_name_of_code_is_reported_as_absent(shop: Memory, question: str, notice: str) -> None:
    assert notice in shop.recall(question).notices


def test_other_words_are_not_names_of_code(shop: Memory) -> None:
    assert not any("indexed code" in notice for notice in shop.recall("who uses the kitchen?").notices)


def test_a_question_about_several_symbols_with_one_name_is_answered_for_all(shop: Memory) -> None:
    (shop.code.root / "shop" / "guard.py").write_text(
        "from shop.admin import check\n\n\ndef guard():\n    check('ada')\n"
    )
    shop.index()
    assert {name for name, _, _ in hits(shop, "who calls check?")} >= {"guard", "order", "Store.write"}


def test_the_notice_about_more_names_the_direction(shop: Memory) -> None:
    notices = shop.recall("what implements Store?", 1).notices
    assert "1 of 2. `waypost uses Store --direction implementors` lists all." in notices


def test_open_calls_and_names_of_many_symbols_are_mentioned(shop: Memory, tree: Path) -> None:
    (tree / "shop/later.py").write_text("def later(made):\n    made.thing().write('x')\n", encoding="utf-8")
    assert "1 more calls by this name could not be resolved." in shop.recall("who calls Store.write?").notices
    classes = "".join(f"class Kind{number}:\n    def enqueue(self): ...\n\n\n" for number in range(6))
    (tree / "shop/kinds.py").write_text(classes, encoding="utf-8")
    said = "6 symbols are called enqueue. Name one of them, such as shop/kinds.py#Kind0.enqueue."
    assert said in shop.recall("who calls enqueue?").notices


def test_a_key_is_found_where_examples_read_it_or_other_names_of_the_module(shop: Memory, tree: Path) -> None:
    (tree / "examples").mkdir()
    (tree / "examples/main.py").write_text(
        "import os as _os\n\nif _os.environ.get('WORKER_CLASS') == 'x':\n    print(1)\n"
        "_os.environ['SLOW_TESTS'] = '1'\nprint(_os.environ['SLOW_TESTS'])\n",
        encoding="utf-8",
    )
    (tree / "limits.rb").write_text("LIMIT = env_int.call('QUERY_LIMIT', 4)\n", encoding="utf-8")
    assert [hit[1:] for hit in hits(shop, "where is the key WORKER_CLASS read?")] == [("examples/main.py", 3)]
    assert [hit[1:] for hit in hits(shop, "where is the key SLOW_TESTS read?")] == [("examples/main.py", 6)]
    assert [hit[1:] for hit in hits(shop, "where is the key QUERY_LIMIT read?")] == [("limits.rb", 1)]


def test_code_that_names_a_table_in_sql_uses_it(shop: Memory, tree: Path) -> None:
    (tree / "shop/kv.py").write_text(
        "def put(db):\n    db.sql('insert or replace into kv (key) values (?)')\n\n\n"
        "def take(db):\n    return db.sql('select value from kv where key = ?')\n",
        encoding="utf-8",
    )
    assert {hit[0] for hit in hits(shop, "which functions use table kv?")} == {"put", "take"}


def test_helpers_of_tests_are_no_tests(shop: Memory, tree: Path) -> None:
    (tree / "tests/test_more.py").write_text(
        "from shop.admin import check\n\n\ndef prepare():\n    check('ada')\n\n\ndef test_check():\n    prepare()\n",
        encoding="utf-8",
    )
    assert [hit[0] for hit in hits(shop, "which test covers shop/admin.py#check?")] == ["test_check"]
