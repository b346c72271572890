"""Editing TOML: a table comes and goes, and every other byte stays."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.faces.setup.jsonc import Malformed
from waypost.faces.setup.toml_edit import (
    add_item,
    drop_item,
    drop_table,
    put_table,
    read,
    set_in_item,
    statements,
    table_items,
    toml_value,
)

ENTRY: dict[str, Any] = {"command": "/opt/way post/waypost", "args": ["mcp"]}
PATH = ("mcp_servers", "waypost")

CHUNKS = [
    'model = "o3" # a comment with [brackets] and "quotes"\n',
    '[projects."/home/me/it\'s [here]"]\ntrust_level = "trusted"\n',
    '[mcp_servers.other]\ncommand = \'npx\'\nargs = [\n  "-y", # why\n  "x]",\n]\n',
    "[features]\nhooks = true\n\n# the end of the features\n",
    'text = """\n[mcp_servers.waypost]\n"quoted" \\""" more\n"""\n',
    "other = '''\n# no comment\n[x]\n'''\n",
    'inline = { a = [1, 2], b = { c = "}" } }\n',
    "[[list]]\nname = 1\n[[list]]\nname = 2\n",
    '"quo ted"."a.b" = 1979-05-27T07:32:00Z\n',
    "\n\n# only a comment\n",
]


@st.composite
def toml_texts(draw: Any) -> str:
    tables = [chunk for chunk in CHUNKS if chunk.lstrip("\n# ").startswith("[")]
    plain = [chunk for chunk in CHUNKS if chunk not in tables]
    parts = (
        draw(st.permutations(plain))[: draw(st.integers(0, 4))]
        + draw(st.permutations(tables))[: draw(st.integers(0, 4))]
    )
    text = "".join(parts)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return str(draw(st.sampled_from(["", "", "\ufeff"])) + text)


@settings(max_examples=80, deadline=None)
@given(text=toml_texts())
def test_a_table_that_is_put_in_and_taken_out_leaves_the_rest(text: str) -> None:
    before = read(text)
    new = put_table(text, PATH, ENTRY)
    assert new.startswith(text)
    after = tomllib.loads(new.removeprefix("\ufeff"))
    servers = before.get("mcp_servers", {})
    assert after == {**before, "mcp_servers": {**servers, "waypost": ENTRY}}
    assert put_table(new, PATH, ENTRY) == new
    back = drop_table(new, PATH)
    assert back.rstrip("\r\n") == text.rstrip("\r\n")
    if text.endswith("\n") or not text.strip("\ufeff"):
        assert back == text


def test_a_table_in_the_middle_goes_with_what_is_under_it_and_nothing_else() -> None:
    text = (
        'model = "x"\n\n[mcp_servers.waypost] # ours\ncommand = "waypost"\n# inside\nargs = ["mcp"]\n\n'
        '[mcp_servers.waypost.env]\nA = "1"\n\n# about it\n[projects."/p"]\ntrust_level = "trusted"\n'
    )
    assert drop_table(text, PATH) == 'model = "x"\n\n# about it\n[projects."/p"]\ntrust_level = "trusted"\n'


def test_a_changed_value_is_replaced_in_its_place_and_others_stay() -> None:
    text = '[mcp_servers."waypost"]\ncommand = "old" # here\nstartup_timeout_sec = 9\n[z]\na = 1\n'
    assert put_table(text, PATH, ENTRY) == (
        '[mcp_servers."waypost"]\nargs = ["mcp"]\ncommand = "/opt/way post/waypost" # here\n'
        "startup_timeout_sec = 9\n[z]\na = 1\n"
    )


@pytest.mark.parametrize(
    "text", ['mcp_servers = { other = { command = "x" } }\n', 'mcp_servers = { waypost = { command = "x" } }\n']
)
def test_a_table_that_is_closed_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="cannot be changed"):
        put_table(text, PATH, ENTRY)


def test_a_table_written_by_dots_can_be_taken_out() -> None:
    text = 'a = 1\nmcp_servers.waypost.command = "waypost"\nmcp_servers.x.command = "y"\n'
    assert drop_table(text, PATH) == 'a = 1\nmcp_servers.x.command = "y"\n'
    with pytest.raises(Malformed, match="cannot be changed"):
        drop_table('mcp_servers = { waypost = { command = "x" } }\n', PATH)


@pytest.mark.parametrize(("text", "line"), [("a = 1\nb = \n", 2), ("a = 1\na = 2\n", 2), ("[x\n", 1), ("a = [1,", 1)])
def test_a_broken_text_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(Malformed) as raised:
        put_table(text, PATH, ENTRY)
    assert raised.value.line == line
    assert "(at" not in str(raised.value)


def test_a_value_is_written_as_it_is_read() -> None:
    value = {"a": 'C:\\x "y" \x7f\n', "b": ["ä", ""]}
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value


def test_hostile_texts_end_quickly_with_an_answer() -> None:
    with pytest.raises(Malformed):
        put_table("a = " + "[" * 100_000, PATH, ENTRY)
    long = "a = '" + "x" * 300_000 + "'\n" + "#" * 300_000 + "\n"
    assert len(statements(long)) == 1
    many = 'a = """' + '\\" ' * 100_000 + '"""\n'
    assert len(statements(many)) == 1


LIST = ("list",)
HOOK: dict[str, Any] = {
    "event": "UserPromptSubmit",
    "command": "/opt/way post/waypost-hook prompt --agent kimi",
    "timeout": 10,
}


@settings(max_examples=80, deadline=None)
@given(text=toml_texts())
def test_an_item_of_a_list_that_comes_and_goes_leaves_the_rest(text: str) -> None:
    items = table_items(text, LIST)
    new = add_item(add_item(text, LIST, HOOK), LIST, ENTRY)
    assert new.startswith(text)
    assert table_items(new, LIST) == [*items, HOOK, ENTRY]
    changed = set_in_item(new, LIST, len(items), "command", "other")
    assert table_items(changed, LIST) == [*items, {**HOOK, "command": "other"}, ENTRY]
    back = drop_item(drop_item(changed, LIST, len(items) + 1), LIST, len(items))
    assert back.rstrip("\r\n") == text.rstrip("\r\n")
    if text.endswith("\n") or not text.strip("\ufeff"):
        assert back == text


def test_an_item_goes_with_its_sub_tables_and_leaves_its_neighbours() -> None:
    text = "[[list]]\nname = 1\n\n[[list]]\nname = 2\n[list.env]\nA = 'b'\n\n[other]\nname = 3\n\n[[list]]\nname = 4\n"
    assert drop_item(text, LIST, 1) == "[[list]]\nname = 1\n\n[other]\nname = 3\n\n[[list]]\nname = 4\n"


@pytest.mark.parametrize("text", ["list = []\n", "list = [{ name = 1 }]\n", "list = 1\n", "[list]\nname = 1\n"])
def test_a_list_that_is_written_otherwise_is_not_touched(text: str) -> None:
    with pytest.raises(Malformed):
        add_item(text, LIST, HOOK)
