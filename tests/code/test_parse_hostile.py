"""Hostile files: cut, shuffled, deeply nested. Parsing must not fail, hang or report wrong lines."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waypost.code.parse import parse
from waypost.code.source import Parsed, SourceFile
from waypost.code.syntax.grammars import grammar_names

pytestmark = pytest.mark.slow  # too slow for `make test-fast`

SAMPLES = Path(__file__).parent / "syntax" / "samples"
TEXTS = {language: (SAMPLES / f"{language}.txt").read_text("utf-8") for language in grammar_names()}
FRAGMENTS = [
    "{",
    "}",
    "(",
    ")",
    "<",
    "`",
    '"',
    "'",
    "/*",
    "*/",
    "//",
    "#",
    "\n",
    "\0",
    "\ud800",
    "é",
    "fun ",
    "def f(",
    "@a",
]


def check(source: SourceFile) -> Parsed:
    parsed = parse(source)
    for number, symbol in enumerate(parsed.symbols):
        assert 1 <= symbol.first_line <= symbol.lines.start <= symbol.lines.end <= parsed.line_count
        assert symbol.parent is None or symbol.parent < number
        assert symbol.name
        assert "\n" not in symbol.signature
    assert all(1 <= call.line <= parsed.line_count for symbol in parsed.symbols for call in symbol.calls)
    assert parsed.path == source.path
    assert parsed.language == source.language
    return parsed


@pytest.mark.parametrize("language", grammar_names())
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_real_code_cut_and_patched_anywhere_is_read(language: str, data: st.DataObject) -> None:
    text = TEXTS[language]
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 300)))
        text = text[:start] + "".join(data.draw(st.lists(st.sampled_from(FRAGMENTS), max_size=4))) + text[end:]
    check(SourceFile("a/b", language, text))


@pytest.mark.parametrize("language", grammar_names())
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(noise=st.binary(max_size=300))
def test_noise_is_read(language: str, noise: bytes) -> None:
    check(SourceFile("a/b", language, noise.decode("utf-8", "surrogateescape")))


@pytest.mark.parametrize("language", grammar_names())
def test_ten_thousand_open_brackets_are_survived(language: str) -> None:
    check(SourceFile("a/b", language, "<?php " * (language == "php") + "(" * 10_000))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "f(" * 10_000 + ")" * 10_000),
        ("python", "@x\n" * 5_000 + "def f(): pass\n"),
        ("python", "a" + ".b()" * 10_000),
        ("javascript", "a" + ".b()" * 10_000),
        ("javascript", f"import {{{', '.join(f'a{n}' for n in range(3_000))}}} from 'x';"),
        ("javascript", "function f(){" * 2_000 + "}" * 2_000),
        ("java", "class A {" * 2_000 + "}" * 2_000),
        ("rust", "use a::{" * 3_000 + "b" + "}" * 3_000 + ";"),
        ("c", "AAAAAAAAAA " * 10_000),
        ("c", "ABCDEF(" * 10_000),
        ("sql", "CREATE TABLE a (" * 1_000),
        ("go", "// a\n" * 20_000 + "package a\nfunc f() {}\n"),
    ],
)
def test_repetition_without_end_takes_no_time_without_end(language: str, text: str) -> None:
    check(SourceFile("a/b", language, text))


def test_a_megabyte_on_one_line_is_read() -> None:
    parsed = check(SourceFile("a/b", "javascript", f'x="{"a" * 90}";' * 10_000 + "function last(){}"))
    assert [symbol.name for symbol in parsed.symbols] == ["last"]


def test_a_receiver_as_long_as_the_file_is_cut() -> None:
    parsed = check(SourceFile("a/b", "python", "a" + ".b()" * 2_000))
    assert max(len(call.receiver) for call in parsed.calls) <= 120
