"""What callers notice of a changed signature, language by language."""

import time

import pytest

from waypost.facts.learn.signatures import signature_difference


@pytest.mark.parametrize(
    ("language", "before", "after", "seen", "breaks"),
    [
        ("python", "def f(a)", "def f(a, b=1)", ("b",), False),
        ("python", "def f(self, a)", "def f(self, a, *, b)", ("b",), True),
        ("python", "def f(a, b, c)", "def f(a)", ("b", "c"), True),
        ("python", "def f(a)", "def f(b)", ("b", "a"), True),
        ("python", "def f(a: int)", "def f(a: str)", (), False),
        ("python", "def f(a: dict[str, int] = {})", "def f(a: dict[str, int] = {}, b: str = ',')", ("b",), False),
        ("go", "func (c *C) f(a, b int) error", "func (c *C) f(a, b int, d string) error", ("d",), True),
        ("go", "func f(a int)", "func f(b int)", (), False),
        ("go", "func f(v ...interface{})", "func f(v ...any)", (), False),
        ("go", "func f(a int)", "func f(a int64)", ("a",), False),
        ("typescript", "function f(a: string)", "function f(a: string, b?: () => void)", ("b",), False),
        ("rust", "fn f(&self, a: u8)", "fn f(&self, a: u8, b: Vec<(u8, u8)>)", ("b",), True),
        ("java", "void f(String a)", "void f(String a, Map<String, Integer> b)", ("b",), True),
    ],
)  # fmt: skip
def test_what_came_went_and_must_be_given(
    language: str, before: str, after: str, seen: tuple[str, ...], breaks: bool
) -> None:
    difference = signature_difference("C.f", language, before, after)
    assert (difference.parameters, difference.breaks) == (seen, breaks)


@pytest.mark.parametrize(
    "text", ["f" + "(" * 100_000, "f(" + "a," * 100_000, "f(" + "[" * 1_900, "f('" + "x" * 1_900, ""]
)
def test_a_hostile_signature_says_nothing_and_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert signature_difference("f", "python", text, "def f(a)").parameters in ((), ("a",))
    assert time.process_time() - started < 0.5
