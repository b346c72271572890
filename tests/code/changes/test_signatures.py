"""Which changes of a signature callers notice."""

import pytest
from tests.code.changes.conftest import Changed

from waypost.code.changes.signatures import callers_notice


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", "def f(a, b)", "def f( a, b, )"),
        ("python", "def f(a='x')", 'def f(a="x")'),
        ("python", "def f(a)", "def f(a: int) -> None"),
        ("python", "def f(a=1)", "def f(a: dict[str, int] = 1)"),
        ("go", "func f(a int, b int) error", "func f(x, y int) error"),
        ("go", "func (c *Client) Send(a int)", "func (client *Client) Send(a int)"),
        ("java", "public int get(int a)", "public int get(final int other)"),
        ("rust", "pub fn f(a: u32) -> u32", "pub fn f(mut value: u32) -> u32"),
        ("csharp", "public A(B b) : base(b)", "public A(B b) : base(b, null)"),
        ("cpp", "A(int b) : x(b)", "A(int b) : x(b), y(b)"),
        ("typescript", "f(a: string,): void", "f(a: string): void"),
    ],
)
def test_layout_added_hints_and_names_that_nobody_uses_are_not_noticed(language: str, before: str, after: str) -> None:
    assert not callers_notice(language, before, after)


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", "def f(a)", "def f(b)"),
        ("python", "def f(a, b)", "def f(a)"),
        ("python", "def f(a, b)", "def f(a, *, b)"),
        ("python", "def f(a=1)", "def f(a=2)"),
        ("python", "def f(a)", "def f(a=None)"),
        ("python", "def f(a: int)", "def f(a: str)"),
        ("python", "def f(a) -> int", "def f(a) -> str"),
        ("python", "def f(a)", "async def f(a)"),
        ("python", "class A(B)", "class A(C)"),
        ("go", "func f(a int) error", "func f(a int64) error"),
        ("go", "func f(a int)", "func f(a int) error"),
        ("go", "func f(a, b int)", "func f(a int)"),
        ("go", "func f(ctx context.Context)", "func f(ctx context.Context, opts ...Option)"),
        ("java", "public int get(int a)", "int get(int a)"),
        ("java", "public int get(int a)", "public int get(long a)"),
        ("java", "void close()", "void close() throws IOException"),
        ("rust", "pub fn f(a: u32)", "pub fn f(a: u64)"),
        ("rust", "fn f(a: u32)", "pub fn f(a: u32)"),
        ("csharp", "public int F(int a)", "public int F(int b)"),
        ("csharp", "public int F(int a)", "public Task<int> F(int a)"),
        ("typescript", "f(a: string): void", "f(a?: string): void"),
        ("typescript", "f(a: string): void", "async f(a: string): Promise<void>"),
        ("php", "public function f($a)", "private function f($a)"),
        ("ruby", "def f(a, b: 1)", "def f(a, b: 2)"),
    ],
)
def test_parameters_defaults_results_async_and_visibility_are_noticed(language: str, before: str, after: str) -> None:
    assert callers_notice(language, before, after)


def test_a_changed_signature_is_told_with_the_one_before(changed: Changed) -> None:
    before = "def connect(host):\n    return host\n"
    (change,) = changed("a.py", before, before.replace("(host)", "(host, port=80)")).symbols
    assert (change.signature, change.signature_before) == ("def connect(host, port=80)", "def connect(host)")


def test_a_body_that_changed_alone_has_no_signature_before(changed: Changed) -> None:
    (change,) = changed("a.py", "def f(a):\n    return a\n", "def f(a):\n    return -a\n").symbols
    assert change.signature_before == ""


def test_a_method_that_becomes_a_property_is_noticed(changed: Changed) -> None:
    before = "class A:\n    def size(self):\n        return 1\n"
    (change,) = changed("a.py", before, before.replace("    def", "    @property\n    def")).symbols
    assert (change.signature_before, change.signature) == ("def size(self)", "@property def size(self)")


def test_an_export_that_is_added_is_noticed(changed: Changed) -> None:
    before = "function f(a) {\n  return a\n}\nexport const x = 1\n"
    (change,) = changed("a.ts", before, "export " + before).symbols
    assert (change.signature_before, change.signature) == ("function f(a)", "export function f(a)")


def test_a_constant_tells_both_values(changed: Changed) -> None:
    (change,) = changed("a.py", "MAX_SIZE = 10\n", "MAX_SIZE = 20\n").symbols
    assert (change.signature_before, change.signature) == ("MAX_SIZE = 10", "MAX_SIZE = 20")


def test_a_long_signature_that_is_cut_tells_a_parameter_behind_the_cut(changed: Changed) -> None:
    many = ", ".join(f"parameter_{number}" for number in range(60))
    (change,) = changed("a.py", f"def f({many}):\n    pass\n", f"def f({many}, last):\n    pass\n").symbols
    assert (change.signature_before, change.signature) == (
        "f(…, parameter_57, parameter_58, parameter_59)",
        "f(…, parameter_58, parameter_59, last)",
    )
