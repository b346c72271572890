"""Summaries of files and symbols without a language model."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.code.parse import parse
from waypost.code.schema import find_schema
from waypost.code.source import Call, DocumentSection, Import, Parsed, SourceFile, Symbol
from waypost.code.summary.build import summarise
from waypost.code.summary.sentences import first_sentence
from waypost.code.summary.structure import describe
from waypost.code.summary.view import SummaryView
from waypost.model.reference import LineRange


def symbol(name: str, kind: str = "function", **more: Any) -> Symbol:
    given = {"qualified": name, "lines": LineRange(1, 1), "first_line": 1, "signature": "", **more}
    return Symbol(name, kind=kind, **given)


def said(name: str, kind: str = "function", *, text: str = "", language: str = "python", **more: Any) -> str:
    """The description of a symbol that is alone in a file of this text."""
    described = symbol(name, kind, **{"lines": LineRange(1, max(1, text.count("\n") + 1)), **more})
    parsed = Parsed("a.py", language, 1, (described,))
    return describe(described, SummaryView(SourceFile("a.py", language, text), parsed))


def summary(path: str, language: str, text: str) -> str:
    source = SourceFile(path, language, text)
    return summarise(source, parse(source)).text


def test_a_documented_symbol_is_described_by_its_first_sentences() -> None:
    assert (
        said("get", doc="Return a user, e.g. by id. Never None.\n\nMore.") == "Return a user, e.g. by id. Never None."
    )
    assert said("get", doc=f"Return a user. {'Never ' * 50}None.") == "Return a user."


@pytest.mark.parametrize(
    ("doc", "sentence"),
    [
        ("Liest die Datei, z. B. eine CSV. Dann nichts.", "Liest die Datei, z. B. eine CSV."),
        ("Загружает пользователя, т. е. читает базу. Потом всё.", "Загружает пользователя, т. е. читает базу."),
        ("returns the {@link Engine} of <b>this</b> &amp; that.\n@param x y", "Returns the Engine of this & that."),
        ("Give :class:`~a.b.Model` and ``x`` back.\n\n:param x: no", "Give Model and x back."),
        ("<summary>\nFinds a user.\n</summary>", "Finds a user."),
        ("@brief Opens the port.\n@return 0", "Opens the port."),
        ("A [Socket] that reads", "A Socket that reads."),
        ("getName returns the name", "getName returns the name."),
        ("======\nTitle of it\n======\n\nText.", "Title of it."),
        ("获取用户的名称并返回结果给调用者。", "获取用户的名称并返回结果给调用者。"),
    ],
)
def test_markup_goes_and_the_language_stays(doc: str, sentence: str) -> None:
    assert first_sentence(doc) == sentence


@pytest.mark.parametrize(
    "doc",
    [
        "", "-----", "@param x the x", "TODO: write this", "Copyright (c) 2020 Someone. All rights reserved.",
        "https://example.org/a/b", "gh-1234", "Module dependencies.", "See Paginator.page().", "foo(bar)", "Args:\n  x: y",
    ],
)  # fmt: skip
def test_a_comment_that_describes_nothing_gives_way_to_the_signature(doc: str) -> None:
    assert said("open_door", doc=doc, signature="def open_door()") == "def open_door()"


@pytest.mark.parametrize(
    ("name", "doc"),
    [("up", "Up."), ("getUser", "Gets the user."), ("parse_files", "Parse file"), ("Cart", "The Cart class")],
)
def test_a_comment_that_only_repeats_the_name_gives_way_to_the_signature(name: str, doc: str) -> None:
    assert said(name, doc=doc, signature=f"function {name}()") == f"function {name}()"
    assert (
        said(name, doc=f"{doc.rstrip('.')} at night.", signature=f"function {name}()") == f"{doc.rstrip('.')} at night."
    )


def test_a_sentence_is_shown_whole_or_not_at_all() -> None:
    long = "Opens the door " + "and closes it again " * 14 + "at night."
    assert said("door", doc=f"{long} Then it sleeps.") == long
    assert said("door", doc=long * 3, signature="def door()") == "def door()"


def test_without_documentation_the_line_quotes_signature_callees_and_errors() -> None:
    text = "def load(path):\n    rows = json.loads(read_rows(path))\n    if not rows:\n        raise errors.EmptyFile(path)\n    return rows"
    calls = (Call("loads", "json", 2), Call("read_rows", "", 2), Call("len", "", 2), Call("EmptyFile", "errors", 4))
    line = said("load", text=text, calls=calls, signature="def load(path) -> list[Row]")
    assert line == "def load(path) -> list[Row]; calls loads, read_rows; raises EmptyFile"


def test_decorators_with_arguments_are_quoted() -> None:
    line = said("login", decorators=('app.route("/login", methods=["POST"])', "cached"), signature="def login()")
    assert line == 'def login(); decorators app.route("/login", methods=["POST"])'


@pytest.mark.parametrize(
    ("code", "tables"),
    [
        ('run("SELECT name, mail FROM users JOIN orders ON 1 WHERE id = ?")', "; tables users, orders"),
        ("db.execute('insert into audit_log (a) values (1)')", "; tables audit_log"),
        ("db.execute('UPDATE carts SET total = 1')", "; tables carts"),
        ("return 1  # SELECT one FROM many", ""),
        ('say("update the users")', ""),
        ('say("Select a file from the list")', ""),
        ('say("select a file from the list")', ""),
        ('run("select id, name from users")', "; tables users"),
    ],
)
def test_tables_in_sql_are_named(code: str, tables: str) -> None:
    assert (
        said("users", text=f"def users(self):\n    {code}", signature="def users(self)") == f"def users(self){tables}"
    )


def test_a_migration_names_its_tables_although_it_has_no_sql() -> None:
    text = "<?php\nclass AddUsers extends Migration {\n    public function up() {\n        Schema::create('users', function () {});\n    }\n}\n"
    source = SourceFile("database/migrations/2020_01_01_000000_add_users.php", "php", text)
    parsed = parse(source)
    up = next(symbol for symbol in parsed.symbols if symbol.name == "up")
    tables = [(change.lines, change.table) for change in find_schema(source)]
    assert describe(up, SummaryView(source, parsed), tables) == "public function up(); calls create; tables users"


def test_a_class_lists_its_public_members() -> None:
    text = (
        "class Cart(Base):\n    def add_item(self, item): ...\n    def _hide(self): ...\n    def checkout(self): ...\n"
    )
    assert "- Cart: class Cart(Base); members add_item, checkout" in summary("shop/cart.py", "python", text)


def test_a_long_signature_is_cut_after_a_parameter() -> None:
    parameters = ", ".join(f"parameter_{number}: int" for number in range(30))
    line = said("f", signature=f"def f(\n    {parameters},\n) -> int")
    assert line.startswith("def f(parameter_0: int,") and line.endswith(": int, …") and len(line) <= 160


def test_a_summary_has_the_form_of_purpose_classes_and_functions() -> None:
    text = '''"""Keeps what users put into their carts. Nothing is paid here."""
import requests


class Cart:
    """A list of things to buy."""

    def add(self, item): ...


def load_cart(user_id):
    def inner(): ...
    return requests.get(user_id)
'''
    assert summary("shop/cart.py", "python", text).splitlines() == [
        "PURPOSE: Keeps what users put into their carts. Nothing is paid here.",
        "CLASSES:",
        "  - Cart: A list of things to buy.",
        "FUNCTIONS:",
        "  - Cart.add: def add(self, item)",
        "  - load_cart: def load_cart(user_id)",
    ]


@pytest.mark.parametrize(
    ("path", "language", "text", "purpose"),
    [
        ("shop/decorators.py", "python", "def cached(f): ...\ndef logged(f): ...", "Functions cached, logged."),
        ("shop/models.py", "python", "class A: ...\nclass B: ...\n", "Defines A, B."),
        ("shop/migrations/0002_add_price.py", "python", "class Migration:\n    x = AddField()\n", "Defines Migration."),
        ("tests/test_price.py", "python", "def test_is_rounded(): ...\ndef test_is_positive(): ...", "Functions test_is_rounded, test_is_positive."),
        ("test/price.spec.js", "javascript", 'describe("price", () => { it("is never negative", () => {}) })', "Tests is never negative."),
        ("app/Events/OrderShipped.php", "php", "<?php\nclass OrderShipped {}\n", "Defines OrderShipped."),
        ("shop/__init__.py", "python", "from .cart import Cart, load\n", "Brings together Cart, load."),
        ("cart.go", "go", "package shop\n\n// Cart holds what a user buys.\ntype Cart struct{}\n\nfunc helper() {}\n", "Cart holds what a user buys."),
        ("src/run.py", "python", "import numpy\nfrom flask import Flask\nmain()\nstart()\n", "Brings together Flask; uses numpy, flask."),
        ("data.unknown", "", "", "Text file."),
    ],
)  # fmt: skip
def test_a_file_without_documentation_lists_names_and_imports(
    path: str, language: str, text: str, purpose: str
) -> None:
    assert summary(path, language, text).splitlines()[0] == f"PURPOSE: {purpose}"


def test_a_comment_after_the_imports_is_not_about_the_file() -> None:
    parsed = Parsed("a.py", "python", 9, imports=(Import("x", "Y", "", 1),), doc="Kept for old callers of this.")
    summary = summarise(SourceFile("a.py", "python", "from x import Y\n# Kept for old callers of this.\n"), parsed)
    assert "old callers" not in summary.purpose


def test_a_document_lists_its_sections() -> None:
    parsed = Parsed(
        "docs/guide.md",
        "markdown",
        9,
        sections=(DocumentSection("Guide", LineRange(1, 2)), DocumentSection("Guide > Use", LineRange(3, 9))),
    )
    summary = summarise(SourceFile("docs/guide.md", "markdown", ""), parsed)
    assert summary.text == "PURPOSE: Sections Guide, Use.\nSECTIONS:\n  - Guide\n  - Guide > Use"


def test_a_long_file_names_the_public_and_documented_first_and_counts_the_rest() -> None:
    names = [f"_hidden_{number}" for number in range(60)] + [f"shown_{number}" for number in range(30)]
    parsed = Parsed("a.py", "python", 90, tuple(symbol(name, first_line=at + 1) for at, name in enumerate(names)))
    summary = summarise(SourceFile("a.py", "python", ""), parsed)
    assert [line.name for line in summary.functions if line.name.startswith("shown")] == names[60:]
    assert len(summary.functions) + summary.left_out == 90
    assert summary.text.endswith("… and 50 more")


def test_the_one_line_form_is_one_short_line() -> None:
    parsed = Parsed("a.py", "python", 1, doc="One\ntwo " + "three " * 60)
    line = summarise(SourceFile("a.py", "python", ""), parsed).line
    assert line.startswith("One two three") and len(line) <= 200 and "\n" not in line


@pytest.mark.slow
@given(name=st.text(max_size=40), doc=st.text(max_size=300), returns=st.text(max_size=30), base=st.text(max_size=20))
def test_whatever_the_file_holds_a_line_comes_out(name: str, doc: str, returns: str, base: str) -> None:
    for kind in ("function", "method", "property", "class", "enum", "constant", "type", "macro"):
        sentence = said(
            name, kind, doc=doc, returns=returns, bases=(base,), decorators=(base,), parameters=(name,), text=doc
        )
        assert "\n" not in sentence and len(sentence) <= 1000


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000, "a." * 20_000, "`" * 20_000, "<" * 20_000, "[" * 20_000, " \n" * 20_000, "SELECT " * 5000,
        '"SELECT ' + "a " * 20_000, "raise " * 5000, "{@" * 10_000, ":a" * 10_000, "|" * 20_000, "*" * 20_000, "_a" * 10_000,
        'it("' * 5000, "= " * 10_000,
    ],
)  # fmt: skip
def test_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    said(text, doc=text, text=text, returns=text, bases=(text,), decorators=(text,), parameters=(text,))
    said(text, "class", doc=text, bases=(text,), decorators=(text,))
    said("X", "constant", text=text)
    summarise(SourceFile("tests/a.spec.js", "javascript", text), Parsed("tests/a.spec.js", "javascript", 1, doc=text))
    assert time.process_time() - started < 1.0


@pytest.mark.slow
def test_ten_thousand_functions_inside_each_other_or_on_one_line_are_no_burden() -> None:
    size = 10_000
    text = "\n".join("def f(): return 1  # some words that make the line longer" for _ in range(size))
    nested = tuple(
        symbol("f", qualified="f", lines=LineRange(at + 1, size), first_line=at + 1, parent=at - 1 if at else None)
        for at in range(size)
    )
    on_one_line = tuple(symbol(f"f{at}", "class") for at in range(size))
    started = time.process_time()
    for symbols, content in ((nested, text), (on_one_line, "x" * 1_000_000)):
        parsed, source = Parsed("a.py", "python", size, symbols), SourceFile("a.py", "python", content)
        assert summarise(source, parsed).purpose
        view = SummaryView(source, parsed)
        for item in symbols[::100]:
            describe(item, view)
    assert time.process_time() - started < 3.0
