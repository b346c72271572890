"""Code names in a text: linked to index entries, or suggested."""

from collections import defaultdict
from collections.abc import Sequence

import pytest

from waypost.model.reference import LineRange
from waypost.refs.links.find import LinkedText, index_query, link, typo_lookups
from waypost.refs.links.index_entry import IndexEntry
from waypost.refs.links.mentions import mentions


def _symbol(
    place: str, kind: str = "function", line: int = 10, *, is_test: bool = False, referrers: int = 0
) -> IndexEntry:
    """`src/store.py Store.write`"""
    path, qualified = place.split(" ")
    name = qualified.rsplit(".", 1)[-1]
    return IndexEntry(name, qualified, kind, path, line, line + 5, f"id:{qualified}", is_test, referrers)


def _file(path: str, lines: int = 0, *, is_test: bool = False) -> IndexEntry:
    return IndexEntry(path.rsplit("/", 1)[-1], path, "file", path, 1 if lines else 0, lines, is_test=is_test)


def _linked(text: str, *knowns: IndexEntry, most: int = 5, project: Sequence[str] = ()) -> LinkedText:
    """Links of a text, with only the requested index entries, as a store would return them."""
    code_mentions = mentions(text)
    names, files = index_query(code_mentions)
    by_name: dict[str, list[IndexEntry]] = defaultdict(list)
    for entry in knowns:
        is_asked = entry.name in files if entry.kind == "file" else entry.name.lower() in names
        if is_asked:
            by_name[entry.name.lower()].append(entry)
    more = set(typo_lookups(code_mentions, by_name))
    for entry in knowns:
        if entry.kind != "file" and entry.name.lower() in more:
            by_name[entry.name.lower()].append(entry)
    return link(code_mentions, by_name, most=most, project=project)


def _targets(linked: LinkedText) -> list[str]:
    return [f"{text_link.entry.path} {text_link.entry.qualified}" for text_link in linked.links]


WRITE = _symbol("src/store.py Store.write", "method")
STORE = _symbol("src/store.py Store", "class", 1)


@pytest.mark.parametrize(
    "text",
    [
        "`Store.write` must stay idempotent",
        "Store.write() must stay idempotent",
        "Store::write darf nur einmal schreiben",
        "В `Store#write` нельзя писать дважды",
        "store.write() must stay idempotent",
        "src/store.py::Store::write fails",
        "store.py:Store.write fails",
    ],
)
def test_a_qualified_name_is_linked_to_its_symbol(text: str) -> None:
    other = _symbol("src/log.py Log.write", "method")
    linked = _linked(text, WRITE, other, _file("src/store.py"))
    assert _targets(linked) == ["src/store.py Store.write"]
    assert linked.links[0].lines == LineRange(10, 15)
    assert linked.links[0].confidence >= 0.7
    assert linked.suggestions == ()


def test_a_name_that_is_defined_once_is_linked() -> None:
    upload = _symbol("api/uploads.ts createFileUploads")
    assert _targets(_linked("createFileUploads needs a transaction", upload)) == ["api/uploads.ts createFileUploads"]


def test_of_several_definitions_none_is_linked_but_all_are_asked_about_the_most_used_first() -> None:
    rare = _symbol("src/a.py load_rows", referrers=1)
    used = _symbol("src/b.py load_rows", referrers=9)
    linked = _linked("load_rows is slow", rare, used)
    assert linked.links == ()
    assert [(suggestion.text, suggestion.why, suggestion.candidates) for suggestion in linked.suggestions] == [
        ("load_rows", "several", (used, rare))
    ]


def test_a_file_that_the_text_names_decides_between_definitions() -> None:
    first, second = _symbol("src/a.py load_rows"), _symbol("src/b.py load_rows")
    linked = _linked("load_rows in src/b.py is slow", first, second, _file("src/a.py"), _file("src/b.py"))
    assert _targets(linked) == ["src/b.py load_rows"]


def test_a_type_of_which_the_text_names_something_decides_between_definitions() -> None:
    first, second = _symbol("src/a.py Table.load_rows", "method"), _symbol("src/b.py RowReader.load_rows", "method")
    linked = _linked(
        "RowReader opens the file, load_rows reads it", first, second, _symbol("src/b.py RowReader", "class")
    )
    assert _targets(linked) == ["src/b.py RowReader.load_rows"]


def test_a_file_of_which_the_text_names_something_else_is_only_asked_about_first() -> None:
    first, second, other = _symbol("src/a.py load_rows"), _symbol("src/b.py load_rows"), _symbol("src/b.py parse_head")
    linked = _linked("parse_head runs before load_rows", first, second, other)
    assert _targets(linked) == ["src/b.py parse_head"]
    assert linked.suggestions[0].candidates == (second, first)


@pytest.mark.parametrize("text", ["saves calls to charAt()", "`longValue()` fails on null"])
def test_members_that_standard_libraries_have_need_their_owner(text: str) -> None:
    knowns = [_symbol(f"Num.java Num.{name}", "method") for name in ("charAt", "longValue")]
    assert _linked(text, *knowns).links == ()
    assert _linked(f"In Num, {text}: `Num.longValue`", *knowns).links != ()


def test_source_comes_before_tests_and_examples() -> None:
    source = _symbol("src/a.py load_rows")
    test = _symbol("tests/test_a.py load_rows", is_test=True)
    example = _symbol("examples/demo.py load_rows")
    assert _targets(_linked("load_rows is slow", test, example, source)) == ["src/a.py load_rows"]


def test_a_name_that_only_a_test_defines_inside_something_is_asked_about_unless_the_text_speaks_of_tests() -> None:
    hook = _symbol("tests/test_json.py test_custom.object_hook", is_test=True)
    assert _linked("decode without object_hook", hook).links == ()
    assert _linked("test_custom needs object_hook", hook).links != ()


def test_a_type_comes_before_what_is_called_like_it_and_is_one_with_its_constructor() -> None:
    kind = _symbol("src/Cart.java CartItem", "class", 3)
    constructor = _symbol("src/Cart.java CartItem.CartItem", "method", 9)
    field = _symbol("src/Order.java Order.CartItem", "constant")
    (text_link,) = _linked("CartItem holds the price", field, constructor, kind).links
    assert text_link.entry == kind


def test_case_tells_names_apart() -> None:
    type_, function = _symbol("a.go RowReader", "struct"), _symbol("b.go rowReader")
    assert _targets(_linked("rowReader leaks", type_, function)) == ["b.go rowReader"]


@pytest.mark.parametrize(
    "text", ["the run method is slow", "call run when ready", "die Methode get", "`index` is a column"]
)
def test_a_common_word_is_never_linked_by_itself(text: str) -> None:
    knowns = [_symbol(f"src/job.py Job.{name}", "method") for name in ("run", "get", "index")]
    linked = _linked(text, *knowns)
    assert linked.links == ()
    assert all(suggestion.why == "common word" for suggestion in linked.suggestions)


@pytest.mark.parametrize("text", ["`Job.run` is slow", "Job.run() is slow", "`run` of src/job.py is slow"])
def test_a_common_word_is_linked_with_what_it_belongs_to(text: str) -> None:
    assert "src/job.py Job.run" in _targets(_linked(text, _symbol("src/job.py Job.run", "method"), _file("src/job.py")))


@pytest.mark.parametrize(
    "text", ["os.path.join is slow", "`json.load` fails", "use `setattr(a, b, c)`", "re.sub() is old"]
)
def test_names_of_other_libraries_are_not_linked_to_symbols_that_are_called_alike(text: str) -> None:
    knowns = [_symbol(f"src/own.py Own.{name}", "method") for name in ("join", "load", "setattr", "sub")]
    assert _linked(text, *knowns).links == ()


@pytest.mark.parametrize(
    "text",
    [
        "create_file_uploads is slow",
        "CreateFileUploads is slow",
        "`createFileUpload()` fails",
        "createFielUploads fails",
    ],
)
def test_a_name_spelled_otherwise_is_asked_about(text: str) -> None:
    upload = _symbol("api/uploads.ts createFileUploads")
    linked = _linked(text, upload)
    assert linked.links == ()
    assert [(suggestion.why, suggestion.candidates) for suggestion in linked.suggestions] == [("spelling", (upload,))]


def test_a_plural_in_prose_means_the_class() -> None:
    assert _targets(_linked("QuerySets are lazy", _symbol("db/query.py QuerySet", "class"))) == ["db/query.py QuerySet"]


def test_a_member_that_is_no_symbol_leads_to_its_class() -> None:
    (text_link,) = _linked("Store.timeout is in seconds", STORE).links
    assert text_link.entry == STORE and text_link.confidence < 0.8


def test_of_nested_names_only_the_most_precise_is_linked() -> None:
    linked = _linked("Die Klasse `Store` in src/store.py: `Store.write` sperrt", STORE, WRITE, _file("src/store.py"))
    assert _targets(linked) == ["src/store.py Store.write"]


def test_a_path_with_lines_is_a_link_to_those_lines() -> None:
    (text_link,) = _linked("see src/store.py:42-50", _file("src/store.py", 80)).links
    assert (text_link.entry.path, text_link.lines) == ("src/store.py", LineRange(42, 50))


def test_lines_past_the_end_of_the_file_are_asked_about() -> None:
    linked = _linked("see src/store.py:420", _file("src/store.py", 80))
    assert linked.links == () and linked.suggestions[0].candidates[0].path == "src/store.py"


@pytest.mark.parametrize(
    "written",
    ["src/app/store.py", "app/store.py", "./src/app/store.py", r"src\app\store.py", "/home/ada/shop/src/app/store.py"],
)
def test_a_path_is_found_by_its_end_or_as_an_end(written: str) -> None:
    linked = _linked(f"in {written} is a lock", _file("src/app/store.py"), _file("src/web/store.py"))
    assert [text_link.entry.path for text_link in linked.links] == ["src/app/store.py"]
    assert linked.links[0].lines is None


def test_a_file_name_that_several_files_have_is_asked_about() -> None:
    linked = _linked("store.py is long", _file("src/app/store.py"), _file("src/web/store.py"))
    assert linked.links == () and linked.suggestions[0].why == "several"


def test_a_path_that_does_not_exist_brings_the_nearest_one_of_that_name() -> None:
    linked = _linked("in src/web/v2/store.py", _file("lib/store.py"), _file("src/web/store.py"))
    assert linked.links == ()
    assert [candidate.path for candidate in linked.suggestions[0].candidates] == ["src/web/store.py", "lib/store.py"]


def test_a_member_that_looks_like_a_file_is_found_where_no_such_file_is() -> None:
    json = _symbol("src/models.py Response.json", "method")
    assert _targets(_linked("`Response.json` caches nothing", json)) == ["src/models.py Response.json"]


def test_what_the_project_is_called_says_nothing_more() -> None:
    root, deep = _symbol("engine.go Default"), _symbol("binding/binding.go Default")
    assert _targets(_linked("gin.Default() logs", root, deep, project=["gin"])) == ["engine.go Default"]
    assert _linked("gin.Default() logs", root, deep).links == ()


def test_the_name_of_the_project_in_prose_is_not_the_class_that_is_called_so() -> None:
    client = _symbol("src/OkHttp.kt OkHttp", "class")
    assert _linked("Changelog for OkHttp 4.9.2", client, project=["okhttp"]) == LinkedText()
    assert _linked("`OkHttp` holds the version", client, project=["okhttp"]).links != ()


def test_constructors_do_not_tell_of_which_class_a_text_speaks() -> None:
    mine, other = _symbol("a.py Cart.__init__", "method"), _symbol("b.py Shop.__init__", "method")
    assert _targets(_linked("CartView moves out of `__init__`", mine, other, _symbol("a.py CartView", "class"))) == [
        "a.py CartView"
    ]


def test_overloads_are_one_symbol() -> None:
    first, second = _symbol("Gson.java Gson.toJson", "method", 10), _symbol("Gson.java Gson.toJson", "method", 40)
    (text_link,) = _linked("Gson.toJson(Object) is slow", second, first).links
    assert text_link.entry == first


def test_no_more_links_than_asked_for_and_the_surest_first() -> None:
    knowns = [_symbol(f"src/a.py load_part_{number}") for number in range(9)]
    text = " ".join(entry.name for entry in knowns) + " and `save_part`"
    linked = _linked(text, *knowns, _symbol("src/b.py save_part"), most=3)
    assert len(linked.links) == 3 and linked.links[0].entry.name == "save_part"


def test_a_name_with_very_many_definitions_is_not_asked_about() -> None:
    knowns = [_symbol(f"src/m{number}.py Model{number}.__init__", "method") for number in range(40)]
    assert _linked("__init__ is too long", *knowns) == LinkedText()


def test_nothing_known_gives_nothing() -> None:
    assert _linked("`Store.write` in src/store.py:42") == LinkedText()


def test_what_is_wanted_are_lower_cased_names_in_other_styles_owners_and_file_names() -> None:
    names, files = index_query(mentions("`Store.writeRows` in src/Rows.py"))
    assert {"writerows", "write_rows", "store"} <= set(names)
    assert "Rows.py" in files and "src/Rows.py" not in files
