"""Summaries of files and symbols without a language model."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.code.parse import parse
from waypost.code.source import Call, DocumentSection, Import, Parsed, SourceFile, Symbol
from waypost.code.summary import describe, summarise
from waypost.code.summary.sentences import first_sentence
from waypost.model.reference import LineRange


def symbol(name: str, kind: str = "function", **more: Any) -> Symbol:
    given = {"qualified": name, "lines": LineRange(1, 1), "first_line": 1, "signature": "", **more}
    return Symbol(name, kind=kind, **given)


def said(name: str, kind: str = "function", *, text: str = "", language: str = "python", **more: Any) -> str:
    """The description of a symbol that is alone in a file of this text."""
    described = symbol(name, kind, **{"lines": LineRange(1, max(1, text.count("\n") + 1)), **more})
    parsed = Parsed("a.py", language, 1, (described,))
    return describe(described, parsed, SourceFile("a.py", language, text))


def method(name: str, of: Symbol, path: str = "a.py", language: str = "python", **more: Any) -> str:
    method = symbol(name, "method", qualified=f"{of.name}.{name}", parent=0, **more)
    parsed = Parsed(path, language, 1, (of, method))
    return describe(method, parsed, SourceFile(path, language, ""))


def summary(path: str, language: str, text: str) -> str:
    source = SourceFile(path, language, text)
    return summarise(source, parse(source)).text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("get_user_by_id", "Gets a user by id."),
        ("getUserById", "Gets a user by id."),
        ("GetUserById", "Gets a user by id."),
        ("_parse_cfg", "Parses the configuration."),
        ("createHTTPServer", "Creates an HTTP server."),
        ("list_all_users", "Lists all users."),
        ("find_or_create_tag", "Finds or creates a tag."),
        ("render_to_string", "Renders to string."),
        ("copyFiles", "Copies files."),
        ("SaveChangesAsync", "Saves changes."),
        ("is_valid", "Tells whether it is valid."),
        ("hasPermission", "Tells whether it has permission."),
        ("to_json", "Converts to JSON."),
        ("on_message", "Reacts to message."),
        ("doFilter", "Filters."),
        ("login_required", "Login required."),
        ("logout_user", "Logs out the user."),
        ("clear_expired", "Clears what is expired."),
        ("cache_key", "Cache key."),
        ("canonicalize_path", "Canonicalizes the path."),
        ("main", "Starts the program."),
        ("valid?", "Tells whether it is valid."),
        ("name=", "Sets the name."),
        ("x", "X."),
        ("_", "_."),
        ("загрузить_файл", "Загрузить файл."),
    ],
)
def test_a_name_becomes_a_sentence(name: str, sentence: str) -> None:
    assert said(name) == sentence


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("write", ("row",), "Writes the row."),
        ("delete", ("user_id",), "Deletes by user id."),
        ("save", ("force",), "Saves, given force."),
        ("find", ("key",), "Finds, given key."),
        ("get_user", ("user", "db"), "Gets the user, given database."),
        ("send", ("*args", "**kwargs"), "Sends."),
        ("contains", ("value",), "Tells whether it contains value."),
        ("handle", ("req", "res", "next"), "Handles; answers a request."),
        ("plot", ("a", "width", "height", "color", "label", "style"), "Plots, given width, height, color, label and 1 more."),
    ],
)  # fmt: skip
def test_parameters_complete_the_sentence(name: str, parameters: tuple[str, ...], sentence: str) -> None:
    assert said(name, parameters=parameters) == sentence


def test_a_documented_symbol_is_described_by_its_first_sentence() -> None:
    assert said("get", doc="Return a user, e.g. by id. Never None.\n\nMore.") == "Return a user, e.g. by id."


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
def test_a_comment_that_describes_nothing_gives_way_to_the_name(doc: str) -> None:
    assert said("open_door", doc=doc) == "Opens a door."


def test_what_the_code_does_is_told_by_its_calls_and_signs() -> None:
    text = "def load(path):\n    rows = json.loads(path.read_text())\n    if not rows:\n        raise EmptyFile(path)\n    return rows"
    calls = (Call("loads", "json", 2), Call("read_text", "path", 2), Call("EmptyFile", "", 4))
    sentence = said("load", text=text, calls=calls, parameters=("path",), returns="list[Row]")
    assert sentence == "Loads the path; reads a file, reads JSON, raises EmptyFile."


def test_sql_in_a_string_is_a_query_and_a_word_in_a_comment_is_not() -> None:
    query = 'def users(self):\n    return self.run("SELECT name, mail FROM users WHERE id = ?")'
    assert said("users", text=query) == "Gives users; queries the database."
    assert said("users", text="def users(self):\n    return 1  # SELECT one FROM many") == "Gives users."


def test_a_call_of_the_same_name_on_another_thing_says_nothing() -> None:
    assert said("load", calls=(Call("loads", "parcel", 1), Call("fetch", "", 1))) == "Loads."
    assert said("load", calls=(Call("fetch", "", 1),), language="javascript") == "Loads; sends an HTTP request."


def test_a_function_that_calls_itself_is_told() -> None:
    assert said("walk_tree", calls=(Call("walk_tree", "", 1),)) == "Walks the tree; calls itself."


@pytest.mark.parametrize(
    ("decorators", "sentence"),
    [
        (('app.route("/users/<id>", methods=["POST"])',), "Answers POST /users/<id>: gets the user."),
        (('GetMapping("/users/{id}")',), "Answers GET /users/{id}: gets the user."),
        (('router.get("/users")',), "Answers GET /users: gets the user."),
        (("login_required",), "Gets the user; needs a signed-in user."),
        (("functools.lru_cache(maxsize=None)",), "Gets the user; remembers its answers."),
        (("pytest.fixture",), "Gets the user; a test fixture."),
    ],
)
def test_decorators_are_read(decorators: tuple[str, ...], sentence: str) -> None:
    assert said("get_user", decorators=decorators) == sentence


def test_a_property_is_a_thing_and_its_setter_an_act() -> None:
    assert said("full_name", decorators=("property",)) == "The full name."
    assert said("full_name", "property", decorators=("full_name.setter",)) == "Sets the full name."


def test_special_names_of_languages_are_known() -> None:
    session = symbol("UserSession", "class")
    assert method("__init__", session, parameters=("key",)) == "Creates a user session, given key."
    assert method("UserSession", session, language="java") == "Creates a user session."
    assert method("__str__", session) == "Gives the user session as text."
    assert method("close", session) == "Closes the user session."
    assert method("parse", symbol("Parser", "class")) == "Parses (parser)."
    assert method("~UserSession", session, language="cpp") == "Cleans up when the user session is destroyed."
    assert method("operator==", session, language="cpp") == "Operator ==."
    assert method("get", symbol("UserView", "class", bases=("View",))) == "Answers GET requests."


def test_tests_are_told_by_name_mark_and_place() -> None:
    tests = symbol("UserTests", "class")
    assert method("test_user_can_log_in", tests, "tests/test_a.py") == "Test: user can log in."
    assert (
        method("rejectsEmptyNames", tests, "src/A.java", "java", decorators=("Test",)) == "Test: rejects empty names."
    )
    assert said("test_connection") == "Tests the connection."


def test_an_asynchronous_twin_is_read_without_its_first_letter() -> None:
    assert said("aget_user", signature="async def aget_user()") == "Gets the user, asynchronously."
    assert said("assign_user", signature="async def assign_user()") == "Assigns the user."


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("uv__io_poll", "Polls the IO."),
        ("uv_timer_set_repeat", "Sets the repeat of the timer."),
        ("uv_buffer_free", "Frees the buffer."),
    ],
)
def test_names_of_c_lose_the_name_of_the_library(name: str, sentence: str) -> None:
    names = [name, "uv_a_x", "uv_b_x", "uv_c_x"]
    parsed = Parsed("a.c", "c", 1, tuple(symbol(name, first_line=at + 1) for at, name in enumerate(names)))
    assert describe(parsed.symbols[0], parsed, SourceFile("a.c", "c", "")) == sentence


@pytest.mark.parametrize(
    ("name", "bases", "sentence"),
    [
        ("HTMLParser", (), "Parses HTML."),
        ("UserRepository", ("Repository[User]",), "Stores and finds user, a repository."),
        ("PageNotFound", ("errors.HttpError",), "Error: page not found, an HTTP error."),
        ("PaymentError", ("Exception",), "Error: payment."),
        ("Invoice", ("models.Model", "Arrayable", "SerializesModels"), "Invoice, a model."),
        ("Thing", ("object",), "Thing class."),
    ],
)
def test_a_class_is_described_by_its_name_and_bases(name: str, bases: tuple[str, ...], sentence: str) -> None:
    assert said(name, "class", bases=bases) == sentence


def test_a_class_tells_what_it_can_do_and_an_enumeration_its_values() -> None:
    text = "class Cart:\n    def add_item(self, item): ...\n    def _hide(self): ...\n    def checkout(self): ...\n"
    assert "- Cart: Cart; can add item and check out." in summary("shop/cart.py", "python", text)
    parsed = Parsed(
        "a.ts", "typescript", 1, (symbol("Color", "enum"), symbol("RED", "constant", parent=0, qualified="Color.RED"))
    )
    assert describe(parsed.symbols[0], parsed, SourceFile("a.ts", "typescript", "")) == "Color: RED."


def test_a_constant_shows_its_value_when_it_is_short() -> None:
    assert said("MAX_RETRIES", "constant", text="MAX_RETRIES = 5") == "Maximum retries: 5."
    assert said("TABLE", "constant", text="TABLE = build(1)") == "Constant: table."


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
        "  - Cart.add: Adds the item.",
        "  - load_cart: Loads the cart, given user id; sends an HTTP request.",
    ]


@pytest.mark.parametrize(
    ("path", "language", "text", "purpose"),
    [
        ("shop/decorators.py", "python", "def cached(f): ...\ndef logged(f): ...", "Shop decorators: functions cached and logged."),
        ("shop/models.py", "python", "class A: ...\nclass B: ...\n", "Data models of shop: defines A and B."),
        ("shop/migrations/0002_add_price.py", "python", "class Migration:\n    x = AddField()\n", "Database migration: add price; uses AddField."),
        ("tests/test_price.py", "python", "def test_is_rounded(): ...\ndef test_is_positive(): ...", "Tests of price: checks is rounded and is positive."),
        ("test/price.spec.js", "javascript", 'describe("price", () => { it("is never negative", () => {}) })', "Tests of price: checks is never negative."),
        ("app/Events/OrderShipped.php", "php", "<?php\nclass OrderShipped {}\n", "Event: order shipped."),
        ("shop/__init__.py", "python", "from .cart import Cart, load\n", "Shop: brings together Cart and load."),
        ("cart.go", "go", "package shop\n\n// Cart holds what a user buys.\ntype Cart struct{}\n\nfunc helper() {}\n", "Cart holds what a user buys."),
        ("src/run.py", "python", "import numpy\nfrom flask import Flask\nmain()\nstart()\n", "Run: brings together Flask. Uses numpy and flask."),
        ("data.unknown", "", "", "Data."),
    ],
)  # fmt: skip
def test_a_file_without_words_of_its_own_is_told_by_place_names_and_imports(
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
    assert summary.text == "PURPOSE: Guide: Guide and Use.\nSECTIONS:\n  - Guide\n  - Guide > Use"


def test_a_long_file_names_the_public_and_documented_first_and_counts_the_rest() -> None:
    names = [f"_hidden_{number}" for number in range(60)] + [f"shown_{number}" for number in range(30)]
    parsed = Parsed("a.py", "python", 90, tuple(symbol(name, first_line=at + 1) for at, name in enumerate(names)))
    summary = summarise(SourceFile("a.py", "python", ""), parsed)
    assert [line.name for line in summary.functions if line.name.startswith("shown")] == names[60:]
    assert len(summary.functions) + summary.left_out == 90
    assert summary.text.endswith("… and 50 more")


def test_the_one_line_form_is_one_short_line() -> None:
    parsed = Parsed("a.py", "python", 1, doc="One\ntwo " + "three " * 100)
    line = summarise(SourceFile("a.py", "python", ""), parsed).line
    assert line.startswith("One two three") and len(line) <= 200 and "\n" not in line


@pytest.mark.slow
@given(name=st.text(max_size=40), doc=st.text(max_size=300), returns=st.text(max_size=30), base=st.text(max_size=20))
def test_whatever_the_file_holds_a_line_comes_out(name: str, doc: str, returns: str, base: str) -> None:
    for kind in ("function", "method", "property", "class", "enum", "constant", "type", "macro"):
        sentence = said(
            name, kind, doc=doc, returns=returns, bases=(base,), decorators=(base,), parameters=(name,), text=doc
        )
        assert sentence.strip()
        assert "\n" not in sentence and len(sentence) <= 300


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
        for item in symbols[::100]:
            describe(item, parsed, source)
    assert time.process_time() - started < 3.0
