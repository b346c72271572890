import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.code.documents.parse import parse_document
from waypost.code.source import Parsed, SourceFile

LANGUAGES = (
    "markdown", "rst", "text", "yaml", "toml", "json", "ini", "xml", "html", "dockerfile", "makefile", "asciidoc", "org",
    "tex", "jinja", "blade", "erb",
)  # fmt: skip


def read(language: str, text: str) -> Parsed:
    return parse_document(SourceFile(f"x.{language}", language, text))


def titles(language: str, text: str) -> list[tuple[str, int, int]]:
    return [(part.title, part.lines.start, part.lines.end) for part in read(language, text).sections]


def covers(parsed: Parsed) -> bool:
    lines = [line for part in parsed.sections for line in range(part.lines.start, part.lines.end + 1)]
    return lines == list(range(1, parsed.line_count + 1))


def test_markdown_is_cut_at_its_headings() -> None:
    text = "intro\n\n# Usage #\ntext\n\n## [Install](x.md) `now`\ntext\n\nOther\n=====\ntext\n\nPart\n---\nmore\n"
    assert titles("markdown", text) == [
        ("", 1, 2),
        ("Usage", 3, 5),
        ("Usage > Install now", 6, 8),
        ("Other", 9, 12),
        ("Other > Part", 13, 15),
    ]


def test_what_looks_like_a_heading_in_code_comments_and_front_matter_is_none() -> None:
    text = "---\n# note\ntitle: X\n---\n# A\n```sh\n# comment\n```\n~~~\n# b\n```\n# c\n~~~\n<!--\n# no\n-->\n#hash\n- item\n---\n"
    assert [title for title, _, _ in titles("markdown", text)] == ["", "A"]


def test_a_fence_that_never_closes_still_gives_sections() -> None:
    assert titles("markdown", "# A\n```\n# b\n") == [("A", 1, 3)]


def test_rst_levels_are_the_order_of_their_styles() -> None:
    text = "=====\nTitle\n=====\n\nWords.\n\nPart\n----\n\nInner\n~~~~~\n\nOther\n-----\n"
    assert titles("rst", text) == [
        ("Title", 1, 6),
        ("Title > Part", 7, 9),
        ("Title > Part > Inner", 10, 12),
        ("Title > Other", 13, 14),
    ]


def test_a_table_in_rst_is_no_title() -> None:
    text = "Top\n===\n\n===== =====\nx     y\n===== =====\n1     2\n===== =====\n"
    assert titles("rst", text) == [("Top", 1, 8)]


def test_yaml_is_cut_at_top_level_keys_and_short_neighbours_go_together() -> None:
    text = (
        "# The shop\nname: shop\nversion: 1\nservices:\n  web:\n    image: a\n    ports: [1]\nvolumes:\n- a\n- b\n- c\n"
    )
    assert titles("yaml", text) == [("name, version", 1, 3), ("services", 4, 7), ("volumes", 8, 11)]


def test_a_long_block_is_cut_at_its_inner_keys() -> None:
    web = "".join(f"    key{number}: {number}\n" for number in range(30))
    text = f"services:\n  web:\n{web}  # the store\n  database:\n{web}top: 1\n"
    assert titles("yaml", text) == [("services.web", 1, 32), ("services.database", 33, 64), ("top", 65, 65)]


def test_keys_inside_a_block_of_text_are_none() -> None:
    script = "".join(f"  step{number}: echo\n" for number in range(60))
    assert titles("yaml", f"run: |\n{script}after:\n  a: 1\n  b: 2\n  c: 3\n") == [("run", 1, 61), ("after", 62, 65)]


def test_documents_in_one_yaml_file_are_named_by_kind_and_name() -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"
    assert titles("yaml", f"{service}---\n{service.replace('Service', 'Pod')}") == [
        ("Service web", 1, 4),
        ("Pod web", 5, 9),
    ]


def test_list_items_are_called_by_their_name() -> None:
    play = "- name: {}\n  hosts: all\n  become: true\n  tasks: []\n"
    assert titles("yaml", play.format("Install") + play.format("Start")) == [("Install", 1, 4), ("Start", 5, 8)]


def test_toml_is_cut_at_its_tables() -> None:
    text = 'title = "x"\n\n[project]\nname = "a"\nkeys = [\n  ["a", "b"]\n]\n\n# lint\n[tool.ruff.lint]\nselect = """\n[no]\n"""\nx = 1\n'
    assert titles("toml", text) == [("title", 1, 2), ("project", 3, 8), ("tool.ruff.lint", 9, 14)]


def test_json_is_cut_at_its_keys() -> None:
    text = '{\n  "name": "x",\n  "a": {\n    "b": "}{",\n    "c": [1,\n 2]\n  },\n  "z": 1\n}\n'
    assert titles("json", text) == [("name", 1, 2), ("a", 3, 7), ("z", 8, 9)]


def test_json_keys_that_begin_on_one_line_are_one_section() -> None:
    text = '{"a": {}, "b": {}, "c": {\n"d": 1,\n"e": 2,\n"f": 3\n}}\n'
    assert titles("json", text) == [("c", 1, 5)]


def test_ini_is_cut_at_its_sections() -> None:
    assert titles("ini", "; all\n[one]\na = 1\nb = 2\nc = 3\n[two]\na = 1\nb = 2\nc = 3\n") == [
        ("one", 1, 5),
        ("two", 6, 9),
    ]


def test_a_dockerfile_has_stages_and_a_makefile_targets() -> None:
    assert titles("dockerfile", "ARG X\nFROM a:1 AS build\nRUN x\nFROM b\nCOPY y\n") == [
        ("", 1, 1),
        ("build (from a:1)", 2, 3),
        ("from b", 4, 5),
    ]
    assert titles(
        "makefile", "X := 1\nY = a:b\n\n# Runs it.\n.PHONY: test\ntest: build\n\tpytest\nbuild:\n\tmake\n"
    ) == [
        ("", 1, 3),
        ("test", 4, 7),
        ("build", 8, 9),
    ]


def test_plain_text_is_cut_between_paragraphs() -> None:
    text = "".join(f"Paragraph {number} begins\nand ends.\n\n" for number in range(60))
    parts = read("text", text).sections
    assert covers(read("text", text))
    assert all(part.lines.end - part.lines.start < 60 for part in parts)
    assert parts[1].title.startswith("Paragraph")


@pytest.mark.parametrize(
    ("language", "text", "doc"),
    [
        ("markdown", "# Shop\n\n[![build](x)](y)\n\nA shop for **small** [things](x).\nAnd more.\n\nOther.", "A shop for small things. And more."),
        ("markdown", "---\ndescription: Sells small things\n---\n# X\n\nWords and words.", "Sells small things"),
        ("rst", "Shop\n====\n\nSells :ref:`small` things.\n", "Sells :ref:small things."),
        ("json", '{\n "name": "x",\n "description": "Sells things",\n "a": 1\n}', "Sells things"),
        ("toml", '[project]\nname = "x"\ndescription = "Sells things"\n', "Sells things"),
        ("yaml", "# Copyright 2020 Someone\n\n# Deploys the shop to production.\nname: x\n", "Deploys the shop to production."),
        ("html", "<html><head><title>The little shop</title></head></html>", "The little shop"),
        ("text", "", ""),
    ],
)  # fmt: skip
def test_a_document_says_what_it_is(language: str, text: str, doc: str) -> None:
    assert read(language, text).doc == doc


def test_an_empty_document_has_no_sections() -> None:
    assert all(not read(language, text).sections for language in LANGUAGES for text in ("", "\n", " \n\t\n"))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(LANGUAGES),
    st.lists(
        st.sampled_from(
            [*"#-=:[]{}\"'|>\n\n\n \t", "key", "- ", "```", "---\n", "FROM a\n", "<h1>", "x: |\n", "[a]\n", '"k": {\n']
        )
    ),
)
def test_sections_cover_any_text_in_order(language: str, parts: list[str]) -> None:
    parsed = read(language, "".join(parts))
    assert covers(parsed) or not "".join(parts).strip()


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "unit", ["#", "a: ", "[", '"\\"', "{\n", "  " * 50 + "x:\n", "<h1 ", "---\n", "\\section{", "- ", "'''", ":a", "![", "===\n", "description: "]
)  # fmt: skip
def test_hostile_documents_are_read_in_linear_time(language: str, unit: str) -> None:
    text = unit * (50_000 // len(unit))
    started = time.process_time()
    assert covers(read(language, text))
    assert time.process_time() - started < 2
