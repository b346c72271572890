"""The cards that one file produces for the index."""

from textwrap import dedent

import pytest

from waypost.code.cards import Card, cards, identifier_words, path_words
from waypost.code.parse import parse
from waypost.code.source import DocumentSection, Parsed, SourceFile, Symbol
from waypost.model.reference import LineRange

SHOP = dedent(
    '''\
    """Orders of the shop."""

    import decimal

    RATE = decimal.Decimal("0.19")


    class OrderBook:
        """Keeps orders until they are paid.

        :param limit: how many
        """

        limit = 10

        def addOrder(self, order):
            """Take a new order in."""
            self.orders.append(order)

        def total(self):
            return sum(order.price for order in self.orders)


    def pay(book):
        print("paid", book)
    '''
)


def made(text: str = SHOP, path: str = "src/shop/order_book.py", language: str = "python") -> dict[str, Card]:
    source = SourceFile(path, language, text)
    return {card.qualified or card.kind: card for card in cards(source, parse(source))}


def test_every_symbol_and_the_file_itself_give_a_card() -> None:
    cards_by_name = made()
    assert {"OrderBook", "OrderBook.addOrder", "OrderBook.total", "pay", "file"} <= set(cards_by_name)
    assert cards_by_name["file"].lines == LineRange(1, 25)
    assert cards_by_name["pay"].lines == LineRange(24, 25)


def test_what_is_embedded_says_in_words_what_it_is_where_it_stands_and_what_it_does() -> None:
    assert made()["OrderBook.addOrder"].embedded == ("add order of order book, shop order book. Take a new order in.",)
    assert made()["OrderBook.total"].embedded == ("total of order book, shop order book.",)


def test_of_a_documentation_the_first_paragraph_is_embedded_and_keywords_find_all_of_it() -> None:
    book = made()["OrderBook"]
    assert book.embedded == ("order book, shop order book. Keeps orders until they are paid.",)
    assert "how many" in book.doc


def test_a_class_shows_its_own_lines_and_how_its_methods_begin_but_not_their_bodies() -> None:
    book = made()["OrderBook"]
    assert "limit = 10" in book.text
    assert "def addOrder(self, order):" in book.text
    assert "self.orders.append" not in book.body


def test_a_function_is_found_by_its_whole_body() -> None:
    assert 'print("paid", book)' in made()["pay"].body


def test_a_file_is_found_by_what_stands_outside_of_its_symbols_and_shows_its_outline() -> None:
    file = made()["file"]
    assert "import decimal" in file.body
    assert "orders.append" not in file.body
    assert file.embedded == ("shop order book: Orders of the shop.. order book, pay",)
    assert "8: class OrderBook" in file.text


def test_a_summary_is_the_authors_or_none() -> None:
    cards_by_name = made(SHOP)
    assert cards_by_name["OrderBook.total"].summary == ""
    assert cards_by_name["OrderBook.addOrder"].summary == "Take a new order in."


def test_a_section_of_a_document_gives_a_card_with_its_opening() -> None:
    cards_by_name = made("# Shop\n\nSells things.\n\n## Paying\n\nBy card only.\n", "docs/shop.md", "markdown")
    section = next(card for card in cards_by_name.values() if card.kind == "section" and "Paying" in card.name)
    assert "By card only." in section.embedded[0]
    assert section.lines.start == 5


def test_the_values_of_a_data_file_are_found_by_keywords_and_not_embedded() -> None:
    cards_by_name = made("services:\n  web:\n    image: nginx\n", "compose.yaml", "yaml")
    section = next(card for card in cards_by_name.values() if card.kind == "section")
    assert "nginx" in section.body
    assert "nginx" not in section.embedded[0]


@pytest.mark.parametrize("text", ["", "\n", "x"])
def test_a_file_without_symbols_still_has_its_card(text: str) -> None:
    (card,) = cards(SourceFile("notes", "", text), Parsed("notes", "", len(text.splitlines())))
    assert card.kind == "file"
    assert card.embedded == ("notes",)


def test_lines_that_are_not_there_are_left_out() -> None:
    symbol = Symbol("f", "f", "function", LineRange(1, 90), 1, "def f()")
    card = cards(SourceFile("a.py", "python", "def f(): ..."), Parsed("a.py", "python", 1, (symbol,)))[0]
    assert card.body == "def f(): ..."


def test_long_things_are_cut_for_people_and_engines_and_found_whole_by_keywords() -> None:
    text = "def f():\n" + "    call_something()\n" * 3_000 + "    needle()\n"
    cards_by_name = made(text, "a/" + "very_long_name_" * 50 + ".py")
    assert "needle" in cards_by_name["f"].body
    assert len(cards_by_name["f"].text) == 20_000
    assert len(cards_by_name["file"].embedded[0]) <= 1024


@pytest.mark.slow
def test_thousands_of_members_take_no_square_of_time() -> None:
    symbols = [Symbol("C", "C", "class", LineRange(1, 20_001), 1, "class C")]
    symbols += [Symbol(f"m{at}", f"C.m{at}", "method", LineRange(at, at), at, "", parent=0) for at in range(2, 20_002)]
    text = "class C:\n" + "\n".join(f"    def m{at}(self): ..." for at in range(2, 20_002))
    parsed = Parsed("c.py", "python", 20_001, tuple(symbols), sections=(DocumentSection("x", LineRange(1, 1)),))
    assert len(cards(SourceFile("c.py", "python", text), parsed)) == 20_003


def test_names_and_paths_are_told_in_words() -> None:
    assert identifier_words("HTTPServer.handle_request2") == "http server handle request 2"
    assert path_words("packages/zod/src/v4/core/fromJsonSchema.test.ts") == "v 4 core from json schema"
    assert path_words("Makefile") == "makefile"
