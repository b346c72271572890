"""Reading and editing JSON with comments: nothing but the asked change happens to the text."""

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.faces.setup.jsonc import DEEPEST, Malformed, dump, parse, to_python
from waypost.faces.setup.jsonc_edit import add_item, drop, is_bare, put

ENTRY = {"command": "/opt/waypost", "args": ["mcp"]}
PATH = ("mcpServers", "waypost")
SEEDS = st.integers(0, 2**32)


def read(text: str) -> Any:
    return to_python(parse(text).root)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@settings(max_examples=120, deadline=None)
@given(seed=SEEDS)
def test_any_way_to_write_a_value_is_read(seed: int, spelled: Any) -> None:
    sample = spelled(seed)
    value, text = sample.value, sample.text
    assert read(text) == value


@settings(max_examples=120, deadline=None)
@given(seed=SEEDS)
def test_a_member_that_is_put_in_and_taken_out_leaves_every_letter_and_comment(seed: int, spelled: Any) -> None:
    sample = spelled(seed)
    value, text = sample.value, sample.text
    name = "new"
    new = put(text, (name,), ENTRY)
    assert read(new.text) == {**value, name: ENTRY}
    assert put(new.text, (name,), ENTRY).text == new.text
    back = drop(new.text, (name,))
    assert read(back) == value
    assert squeezed(back) == squeezed(text)
    if value:
        assert back == text


@settings(max_examples=120, deadline=None)
@given(seed=SEEDS)
def test_a_nested_member_goes_where_it_belongs_or_is_refused(seed: int, spelled: Any) -> None:
    sample = spelled(seed)
    value, text = sample.value, sample.text
    servers = value.get("mcpServers", {})
    if not isinstance(servers, dict):
        with pytest.raises(Malformed, match="'mcpServers' is not an object"):
            put(text, PATH, ENTRY)
        return
    new = put(text, PATH, ENTRY)
    assert read(new.text) == {**value, "mcpServers": {**servers, "waypost": ENTRY}}
    assert new.made == (() if "mcpServers" in value else (("mcpServers",),))


@settings(max_examples=120, deadline=None)
@given(seed=SEEDS)
def test_an_item_that_is_added_and_dropped_leaves_the_list(seed: int, spelled: Any) -> None:
    sample = spelled(seed)
    value, text = sample.value, sample.text
    before = value.get("hooks", [])
    if not isinstance(before, list):
        with pytest.raises(Malformed, match="'hooks' is not a list"):
            add_item(text, ("hooks",), ENTRY)
        return
    new = add_item(text, ("hooks",), ENTRY)
    assert read(new.text)["hooks"] == [*before, ENTRY]
    back = drop(new.text, ("hooks", len(before)))
    assert read(back) == {**value, "hooks": before}
    if before:
        assert back == text


def test_a_member_takes_the_indentation_line_ends_and_comments_around_it() -> None:
    text = '{\r\n\t// mine\r\n\t"theme": "dark", // last\r\n\t"mcpServers": {\r\n\t\t"a": {} // one\r\n\t}\r\n}\r\n'
    new = put(text, PATH, ENTRY).text
    assert new == (
        '{\r\n\t// mine\r\n\t"theme": "dark", // last\r\n\t"mcpServers": {\r\n\t\t"a": {}, // one\r\n'
        '\t\t"waypost": {\r\n\t\t\t"command": "/opt/waypost",\r\n\t\t\t"args": ["mcp"]\r\n\t\t}\r\n\t}\r\n}\r\n'
    )


def test_an_object_on_one_line_stays_on_one_line() -> None:
    assert put('{"a": 1}', ("b",), [1, 2]).text == '{"a": 1, "b": [1, 2]}'
    assert put('{"a": 1,}', ("b",), 2).text == '{"a": 1, "b": 2,}'
    assert drop('{"a": 1, "b": 2, "c": 3}', ("b",)) == '{"a": 1, "c": 3}'


@pytest.mark.parametrize("text", ["", "\ufeff", "  \n", "// nothing yet\n", "/* nothing */"])
def test_a_text_without_a_value_gets_one(text: str) -> None:
    new = put(text, PATH, ENTRY)
    assert new.text.startswith(text)
    assert read(new.text) == {"mcpServers": {"waypost": ENTRY}}
    assert new.made == (("mcpServers",),)


def test_of_two_members_with_one_name_the_last_counts() -> None:
    text = '{"a": {"x": 1}, "a": {"y": 2}}'
    assert read(put(text, ("a", "z"), 3).text) == {"a": {"y": 2, "z": 3}}


def test_a_changed_value_is_replaced_in_its_place() -> None:
    text = '{\n    "mcpServers": {\n        "waypost": {"command": "old"} /* ours */\n    }\n}'
    new = put(text, (*PATH, "command"), "new").text
    assert new == text.replace('"old"', '"new"')
    assert put('{"a": [1, 2, 3]}', ("a", 1), 9).text == '{"a": [1, 9, 3]}'


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ('{"a": 1 "b": 2}', 1, 9, "a comma is missing"),
        ('{\n  "a": 1,\n  b: 2\n}', 3, 3, "a name in quotes"),
        ('{\n  "a" 1\n}', 2, 7, "a colon"),
        ('{\n  "a": [1, 2\n', 3, 1, "ends in the middle"),
        ('{"a": "b\n"}', 1, 7, "a string is not closed"),
        ('{"a": tru}', 1, 7, "a value is expected"),
        ('{"a": 01}', 1, 7, "a value is expected"),
        ('{"a": 1} x', 1, 10, "text after the end"),
        ('{"a": 1, , }', 1, 10, "a name in quotes"),
        ("[,]", 1, 2, "a value is expected"),
        ("{} /* open", 1, 4, "a comment is not closed"),
        ('{"a": "\\q"}', 1, 7, "a wrong escape"),
        ('{"a": ' + "9" * 5000 + "}", 1, 7, "too long"),
    ],
)
def test_a_broken_text_is_named_with_line_and_column(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(Malformed, match=what) as raised:
        parse(text)
    assert (raised.value.line, raised.value.column) == (line, column)


@pytest.mark.slow
def test_hostile_texts_end_quickly_with_an_answer() -> None:
    with pytest.raises(Malformed, match="levels"):
        parse("[" * 100_000)
    assert read("[" * DEEPEST + "]" * DEEPEST) is not None
    with pytest.raises(Malformed, match="not closed"):
        parse('"' + "\\\\" * 200_000)
    assert read('["' + "a" * 500_000 + '"]') == ["a" * 500_000]
    assert read("{" + "/**/" * 50_000 + "}") == {}


def test_a_value_is_written_for_people() -> None:
    assert dump({"a": ["x"], "b": [], "c": {}}, "\n", "  ", "") == '{\n  "a": ["x"],\n  "b": [],\n  "c": {}\n}'
    nested = {"a": [{"b": 1}]}
    assert json.loads(dump(nested, "\n", "\t", "")) == nested


def test_a_bare_container_has_not_even_a_comment() -> None:
    assert is_bare('{"a": { \n }}', ("a",))
    assert not is_bare('{"a": { /* kept */ }}', ("a",))
    assert not is_bare('{"a": 1}', ("a",))
    assert not is_bare("{}", ("a",))
