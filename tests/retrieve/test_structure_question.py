"""Questions about the structure of code in three languages, and questions that only look like them."""

import pytest

from waypost.retrieve.structure_question import StructureQuestion, read_structure_question


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("who calls Store.write?", "callers", "Store.write"),
        ("What uses `check`?", "callers", "check"),
        ("where is the function check_key used?", "callers", "check_key"),
        ("which functions call Store::open()", "callers", "Store::open"),
        ("wer ruft Store.write auf?", "callers", "Store.write"),
        ("Wo wird die Methode check überall aufgerufen?", "callers", "check"),
        ("кто вызывает Store.write?", "callers", "Store.write"),
        ("где используется функция check", "callers", "check"),
        ("what does order call?", "callees", "order"),
        ("welche Funktionen werden von order aufgerufen?", "callees", "order"),
        ("какие функции вызываются в order?", "callees", "order"),
        ("what implements Store?", "implementors", "Store"),
        ("was implementiert Store?", "implementors", "Store"),
        ("какие классы реализуют Store?", "implementors", "Store"),
        ("which files import shop.store", "importers", "shop.store"),
        ("which test covers Store.write?", "tests", "Store.write"),
        ("welcher Test deckt Store.write ab?", "tests", "Store.write"),
        ("какой тест покрывает Store.write?", "tests", "Store.write"),
        ("where is the key SHOP_LIMIT read?", "key", "SHOP_LIMIT"),
        ("wo wird die Umgebungsvariable SHOP_LIMIT gelesen?", "key", "SHOP_LIMIT"),
        ("где читается переменная SHOP_LIMIT?", "key", "SHOP_LIMIT"),
        ("which functions use table orders?", "table", "orders"),
        ("welche Funktionen verwenden die Tabelle orders?", "table", "orders"),
        ("какие функции используют таблицу orders?", "table", "orders"),
    ],
)
def test_forms_are_recognised(text: str, relation: str, name: str) -> None:
    assert read_structure_question(text) == StructureQuestion(relation, name)


@pytest.mark.parametrize(
    "text",
    [
        "who calls the customer when an order is late?",
        "what does the cart call a discount, and why?",
        "where are invoices sent?",
        "wer ruft den Kunden an?",
        "кто вызывает такси для гостей?",
        "who calls " + "x" * 400,
        "",
    ],
)
def test_other_questions_are_not(text: str) -> None:
    assert read_structure_question(text) is None
