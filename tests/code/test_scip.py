import pytest

from waypost.code.parse import parse
from waypost.code.scip import descriptor, escaped, scip_prefix
from waypost.code.source import SourceFile


def ids(language: str, text: str, path: str = "src/cart.x") -> list[str]:
    return [symbol.scip.partition("`cart.x`/")[2] for symbol in parse(SourceFile(path, language, text)).symbols]


def test_an_id_names_language_package_and_path() -> None:
    prefix = scip_prefix("src/cart.py", "python", manager="pip", package="shop")
    assert prefix == "scip-python pip shop src/`cart.py`/"
    assert scip_prefix("cart", "tsx") == "scip-typescript . . cart/"


def test_a_space_in_a_package_is_written_twice() -> None:
    assert scip_prefix("a", "go", package="my shop") == "scip-go . my  shop a/"


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("Cart", "class", "Cart#"),
        ("Cart", "interface", "Cart#"),
        ("shop", "module", "shop/"),
        ("LIMIT", "constant", "LIMIT."),
        ("CHECK", "macro", "CHECK!"),
        ("add", "method", "add()."),
        ("total", "property", "total()."),
        ("operator +", "method", "`operator +`()."),
        ("a`b", "function", "`a``b`()."),
        ("имя", "function", "`имя`()."),
    ],
)
def test_the_kind_decides_the_end_of_a_descriptor(name: str, kind: str, expected: str) -> None:
    assert descriptor(name, kind) == expected


def test_a_simple_name_stays_as_it_is() -> None:
    assert escaped("a_b-c+d$1") == "a_b-c+d$1"


def test_members_are_below_their_types() -> None:
    assert ids("python", "class Cart:\n    def add(self):\n        def save(): pass\n") == [
        "Cart#",
        "Cart#add().",
        "Cart#add().save().",
    ]


def test_functions_of_the_same_name_are_numbered() -> None:
    assert ids("typescript", "function f(a: number): void;\nfunction f(a: string): void;\n") == ["f().", "f(+1)."]


def test_a_method_is_below_its_type_even_when_that_is_in_another_file() -> None:
    assert ids("go", "package a\n\nfunc (c *Cart) Add() {}\n") == ["Cart#Add()."]


def test_what_patterns_find_has_ids_too() -> None:
    parsed = parse(SourceFile("a.swift", "swift", "class Cart {\n  func add() {\n  }\n}\n"))
    assert [symbol.scip for symbol in parsed.symbols] == [
        "scip-swift . . `a.swift`/Cart#",
        "scip-swift . . `a.swift`/Cart#add().",
    ]
