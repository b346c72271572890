"""What in a text looks like code."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.model.reference import LineRange
from waypost.refs.links.mentions import MOST_MENTIONS, CodeMention, mentions


def _one(text: str) -> CodeMention:
    code_mentions = mentions(text)
    assert len(code_mentions) == 1, code_mentions
    return code_mentions[0]


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("see src/a/b.py", "src/a/b.py", None),
        ("in b.py:42.", "b.py", LineRange(42, 42)),
        ("in b.py:42:7", "b.py", LineRange(42, 42)),
        ("at b.py#L10-L20, twice", "b.py", LineRange(10, 20)),
        ("at b.py#L10-20", "b.py", LineRange(10, 20)),
        ("under ./x/y.ts", "x/y.ts", None),
        (r"in C:\code\Shop\Cart.cs", "/code/Shop/Cart.cs", None),
        (r"in src\shop\cart.py:7", "src/shop/cart.py", LineRange(7, 7)),
        ("file:///src/a.py#L1-L9", "/src/a.py", LineRange(1, 9)),
        ("`src/a.py`", "src/a.py", None),
        ("app/[slug]/page.tsx breaks", "app/[slug]/page.tsx", None),
        ('File "requests/sessions.py", line 12', "requests/sessions.py", LineRange(12, 12)),
        ("in cart.py, lines 3 to 9", "cart.py", LineRange(3, 9)),
        ("in cart.py (Zeilen 3 bis 9)", "cart.py", LineRange(3, 9)),
        ("в cart.py, строка 12", "cart.py", LineRange(12, 12)),
        ("change the Makefile", "Makefile", None),
    ],
)
def test_paths_and_their_lines_are_read(text: str, path: str, lines: LineRange | None) -> None:
    mention = _one(text)
    assert (mention.path, mention.lines, mention.is_file) == (path, lines, True)


@pytest.mark.parametrize(
    ("text", "name", "qualifier"),
    [
        ("Store.write fails", "write", ("Store",)),
        ("Store#write fails", "write", ("Store",)),
        ("Store::write fails", "write", ("Store",)),
        ("pkg.mod.func fails", "func", ("pkg", "mod")),
        ("$this->flush() fails", "flush", ("$this",)),
        (r"App\Models\User fails", "User", ("App", "Models")),
        ("std::fs::read_dir fails", "read_dir", ("std", "fs")),
        ("calls createFileUploads()", "createFileUploads", ()),
        ("calls close() late", "close", ()),
        ("calls extend(...)", "extend", ()),
        ("the `limit` is ignored", "limit", ()),
        ("`Store.write(row, force=True)` fails", "write", ("Store",)),
        (":meth:`~flask.Flask.run` fails", "run", ("flask", "Flask")),
        ("QuerySet is lazy", "QuerySet", ()),
        ("HTTPServer is old", "HTTPServer", ()),
        ("parse_row is slow", "parse_row", ()),
        ("parseRow is slow", "parseRow", ()),
        ("MAX_SIZE is low", "MAX_SIZE", ()),
        ("__init__ is long", "__init__", ()),
        ("uses @app.route today", "route", ("app",)),
        ("the function slugify is slow", "slugify", ()),
        ("the slugify function is slow", "slugify", ()),
        ("Die Klasse Warenkorb rundet falsch", "Warenkorb", ()),
        ("Die Warenkorb-Klasse rundet falsch", "Warenkorb", ()),
        ("В методе slugify ошибка", "slugify", ()),
        ("функция `parse` медленная", "parse", ()),
        ("set it with parse_row-Funktion", "parse_row", ()),
    ],
)
def test_names_are_read_in_the_spelling_of_many_languages(text: str, name: str, qualifier: tuple[str, ...]) -> None:
    mention = _one(text)
    assert (mention.name, mention.qualifier, mention.path) == (name, qualifier, "")


@pytest.mark.parametrize(
    "text",
    [
        "see https://github.com/a/b/blob/main/src/store.py#L10",
        "www.example.com/parse_row.html",
        "write to ada.lovelace_b@example.com",
        "needs v1.2.3 or 10.28.0 and Python3.8",
        "since 2024-01-02 or 01.02.2024",
        "hosted on example.com and docs.example.org",
        "golang.org/x/net was updated",
        "e.g. this, i.e. that, z.B. dies, d.h. das, т.е. это",
        "It works.The rest is prose.",
        "read/write and and/or",
        "file(s) and Nutzer(innen)",
        "GitHub, JavaScript, PostgreSQL and Node.js",
        "run with --no_color",
        "GET /api/v1/createUser",
        "the class is small, this method too",
        "`None` and `true` and `self`",
        "get, run and index are words; Datei auch, файл тоже",
        ":issue:`1234` and :doc:`quickstart`",
        "the URLs and IDs",
        "all of src/*.py",
    ],
)
def test_prose_addresses_versions_and_products_are_no_code(text: str) -> None:
    assert mentions(text) == ()


def test_a_test_id_names_a_symbol_in_a_file() -> None:
    mention = _one("tests/test_a.py::TestCart::test_total fails")
    assert (mention.path, mention.name, mention.qualifier) == ("tests/test_a.py", "test_total", ("TestCart",))
    assert not mention.is_file


def test_what_is_marked_or_called_is_surer_than_a_word_beside_a_cue() -> None:
    marked, cued, common = mentions("`parse_row`, the function slugify, the function get")
    assert marked.strength > cued.strength > common.strength


def test_names_in_an_example_count_less_than_names_in_prose() -> None:
    prose, example = mentions("parse_row is slow:\n```python\nread_rows(3)\n```\n")
    assert prose.strength > example.strength


def test_code_in_backticks_gives_the_names_inside() -> None:
    assert {mention.name for mention in mentions("`total = cart.sum_up(tax_rate)`")} == {"sum_up", "tax_rate"}


def test_a_name_is_given_once_with_its_best_strength() -> None:
    mention = _one("parse_row and later `parse_row`")
    assert mention.strength == 0.95 and mention.start == 0


def test_there_are_never_more_than_the_most() -> None:
    assert len(mentions(" ".join(f"name_{number}" for number in range(500)))) == MOST_MENTIONS


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a.",
        "`",
        "` ",
        "a_",
        "/a",
        "a ",
        "/[a",
        "a:",
        ":a:",
        "```\n",
        "a-",
        "`a b_c ",
        "x_y(",
        "class ",
        "a.py:1 ",
        "[(",
        "\\a",
    ],
)
def test_hostile_text_is_read_in_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        started = time.process_time()
        mentions(text)
        return time.process_time() - started

    short = max(min(seconds(10_000) for _ in range(3)), 0.005)
    assert seconds(100_000) < 40 * short


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="aB_.:/\\#`()[]@$->~ \n1é", max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for mention in mentions(text):
        assert mention.name and 0 < mention.strength <= 1
        assert 0 <= mention.start < len(text)
