"""What callers notice of a changed signature, language by language."""

import time

import pytest

from waypost.facts.learn.signatures import signature_difference


@pytest.mark.parametrize(
    ("language", "before", "after", "seen", "breaks"),
    [
        ("python", "def f(a)", "def f(a, b=1)", "takes the new optional parameter `b`", False),
        ("python", "def f(self, a)", "def f(self, a, *, b)", "must now be given `b`", True),
        ("python", "def f(a, b, c)", "def f(a)", "no longer takes `b` and `c`", True),
        ("python", "def f(a)", "def f(b)", "takes `b` in place of `a`", True),
        ("python", "def f(a: int)", "def f(a: str)", "", False),
        ("python", "def f(a: dict[str, int] = {})", "def f(a: dict[str, int] = {}, b: str = ',')", "takes the new optional parameter `b`", False),
        ("go", "func (c *C) f(a, b int) error", "func (c *C) f(a, b int, d string) error", "must now be given `d`", True),
        ("go", "func f(a int)", "func f(b int)", "", False),
        ("go", "func f(v ...interface{})", "func f(v ...any)", "", False),
        ("go", "func f(a int)", "func f(a int64)", "takes `a` as `int64` (was `int`)", False),
        ("typescript", "function f(a: string)", "function f(a: string, b?: () => void)", "takes the new optional parameter `b`", False),
        ("rust", "fn f(&self, a: u8)", "fn f(&self, a: u8, b: Vec<(u8, u8)>)", "must now be given `b`", True),
        ("java", "void f(String a)", "void f(String a, Map<String, Integer> b)", "must now be given `b`", True),
    ],
)  # fmt: skip
def test_what_came_went_and_must_be_given(language: str, before: str, after: str, seen: str, breaks: bool) -> None:
    difference = signature_difference("C.f", language, before, after)
    assert difference[0] == seen
    assert not seen or difference[1] is breaks


@pytest.mark.parametrize(
    "text", ["f" + "(" * 100_000, "f(" + "a," * 100_000, "f(" + "[" * 1_900, "f('" + "x" * 1_900, ""]
)
def test_a_hostile_signature_says_nothing_and_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert signature_difference("f", "python", text, "def f(a)")[0] in ("", "must now be given `a`")
    assert time.process_time() - started < 0.5
