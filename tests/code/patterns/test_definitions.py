import time

import pytest

from waypost.code.patterns.definitions import parse_by_patterns
from waypost.code.patterns.rules import languages_with_patterns, rules_for
from waypost.code.source import SYMBOL_KINDS, Parsed, SourceFile

Rows = list[tuple[str, str, int, int]]


def read(language: str, text: str) -> Parsed:
    return parse_by_patterns(SourceFile("x", language, text))


def rows(language: str, text: str) -> Rows:
    return [(item.kind, item.qualified, item.lines.start, item.lines.end) for item in read(language, text).symbols]


SAMPLES: list[tuple[str, str, Rows]] = [
    (
        "swift",
        "import Vapor\n\npublic final class Cart: Model, Codable {\n  init() {}\n  func add(_ item: Item, to list: [Item]) -> Int {\n    return 1\n  }\n}\n",
        [("class", "Cart", 3, 8), ("method", "Cart.init", 4, 4), ("method", "Cart.add", 5, 7)],
    ),
    (
        "scala",
        "package shop.cart\nimport shop.Item\nsealed trait Cart\nobject Cart extends App {\n  def add(item: Item): Int = {\n    1\n  }\n  def one = 1\n}\n",
        [("trait", "Cart", 3, 3), ("module", "Cart", 4, 9), ("function", "Cart.add", 5, 7), ("function", "Cart.one", 8, 8)],
    ),
    (
        "lua",
        "local M = {}\nfunction M.add(a, b)\n  if a then\n    return b\n  end\nend\nlocal sub = function(x)\n  return x\nend\n",
        [("function", "M.add", 2, 6), ("function", "sub", 7, 9)],
    ),
    (
        "elixir",
        'defmodule Shop.Cart do\n  alias Shop.Item\n  @doc """\n  Adds an item.\n  """\n  def add(cart, item) do\n    cart\n  end\n\n  defp one, do: 1\nend\n',
        [("module", "Shop.Cart", 1, 11), ("function", "Shop.Cart.add", 6, 8), ("function", "Shop.Cart.one", 10, 10)],
    ),
    (
        "dart",
        "import 'package:shop/item.dart' as item;\nclass Cart extends Base with Sums {\n  int add(Item item, int count) {\n    return 1;\n  }\n}\nvoid main() {\n  run(1);\n}\n",
        [("class", "Cart", 2, 6), ("method", "Cart.add", 3, 5), ("function", "main", 7, 9)],
    ),
    ("perl", "package Shop::Cart;\nuse Moose;\nsub add {\n  my $x = shift;\n}\n", [("module", "Shop::Cart", 1, 5), ("function", "Shop::Cart.add", 3, 5)]),
    ("r", "add <- function(x, y = 2) {\n  x\n}\nLIMIT <- 3\n", [("function", "add", 1, 3), ("constant", "LIMIT", 4, 4)]),
    (
        "haskell",
        "module Shop.Cart where\nimport qualified Data.Map as Map\ndata Cart = Cart\n  { items :: [Item]\n  }\nadd :: Cart -> Item -> Cart\nadd c i =\n  c\n",
        [("struct", "Cart", 3, 5), ("function", "add", 6, 6)],
    ),
    (
        "objectivec",
        "#import <F/F.h>\n@implementation Cart\n- (int)add:(Item *)item {\n  return 1;\n}\n@end\n",
        [("class", "Cart", 2, 6), ("method", "Cart.add", 3, 5)],
    ),
    ("zig", 'const std = @import("std");\npub fn add(a: i32, b: i32) i32 {\n  return a;\n}\n', [("function", "add", 2, 4)]),
    ("julia", "module Shop\nfunction add(a::Int, b)\n  a\nend\nend\n", [("module", "Shop", 1, 5), ("function", "Shop.add", 2, 4)]),
    ("groovy", "class Cart {\n  int add(Item item) {\n    1\n  }\n}\n", [("class", "Cart", 1, 5), ("method", "Cart.add", 2, 4)]),
    ("powershell", "function Add-Item {\n  param($x)\n}\nclass Cart {\n}\n", [("function", "Add-Item", 1, 3), ("class", "Cart", 4, 5)]),
    ("visualbasic", "Public Class Cart\n    Public Sub Add(item As Item)\n    End Sub\nEnd Class\n", [("class", "Cart", 1, 4), ("method", "Cart.Add", 2, 3)]),
    ("pascal", "unit Cart;\nprocedure Add(x: Integer);\nbegin\n  x := 1;\nend;\n", [("function", "Add", 2, 2)]),
    ("fortran", "module cart\ncontains\n  pure function add(a, b) result(c)\n    c = a\n  end function\nend module\n", [("module", "cart", 1, 6), ("function", "cart.add", 3, 5)]),
    (
        "proto",
        'syntax = "proto3";\npackage shop.v1;\nimport "a/b.proto";\nmessage Cart {\n  string id = 1;\n}\nservice Carts {\n  rpc Add(Item) returns (Cart);\n}\n',
        [("struct", "Cart", 4, 6), ("interface", "Carts", 7, 9), ("method", "Carts.Add", 8, 8)],
    ),
    ("graphql", "type Cart implements Node & Sum {\n  id: ID!\n}\nscalar Date\n", [("class", "Cart", 1, 3), ("type", "Date", 4, 4)]),
    ("hcl", 'resource "aws_s3_bucket" "data" {\n  bucket = "x"\n}\nvariable "region" {}\n', [("struct", "aws_s3_bucket.data", 1, 3), ("constant", "region", 4, 4)]),
    ("prisma", "model User {\n  id Int @id\n}\n", [("class", "User", 1, 3)]),
    ("scss", "$gap: 2px;\n@mixin card($x) {\n  a: b;\n}\n.button {\n  color: red;\n}\n", [("constant", "$gap", 1, 1), ("function", "card", 2, 4), ("constant", ".button", 5, 7)]),
    ("clojure", "(ns shop.cart)\n(defn add [a b]\n  (+ a b))\n(def limit 3)\n", [("function", "add", 2, 3), ("constant", "limit", 4, 4)]),
    ("ocaml", "open Shop\nlet rec add a b =\n  a + b\ntype cart = int\n", [("function", "add", 2, 3), ("type", "cart", 4, 4)]),
    ("cmake", "function(add_thing name)\n  set(x 1)\nendfunction()\n", [("function", "add_thing", 1, 3)]),
    ("solidity", "contract Cart is Owned, Paid {\n  function add(uint a) public returns (uint) {\n    return a;\n  }\n}\n", [("class", "Cart", 1, 5), ("method", "Cart.add", 2, 4)]),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "expected"), SAMPLES, ids=[sample[0] for sample in SAMPLES])
def test_definitions_are_found_with_their_lines(language: str, text: str, expected: Rows) -> None:
    assert rows(language, text) == expected
    assert read(language, text).parser == "patterns"


def test_any_language_has_a_last_resort() -> None:
    text = "pub fn add(a: i32) -> i32 {\n  a\n}\nclass Cart {\n  def total(x) {\n  }\n}\nint count(int a) {\n  return a;\n}\n"
    assert rows("nonsense", text) == [
        ("function", "add", 1, 3),
        ("class", "Cart", 4, 7),
        ("method", "Cart.total", 5, 6),
        ("function", "count", 8, 10),
    ]


def test_a_comment_above_is_the_documentation() -> None:
    text = "/// Adds.\n/// Twice.\n@objc\nfunc add() {}\n\n/**\n * Removes\n * all.\n */\nfunc clear() {}\n\n// far\n\nfunc far() {}\n"
    symbols = read("swift", text).symbols
    assert [(item.doc, item.first_line) for item in symbols] == [("Adds.\nTwice.", 1), ("Removes\nall.", 6), ("", 14)]


def test_documentation_of_elixir_is_read() -> None:
    text = 'defmodule A do\n  @doc """\n  Adds an item.\n  """\n  @spec add(x) :: y\n  def add(x), do: x\nend\n'
    assert read("elixir", text).symbols[1].doc == "Adds an item."


def test_signature_parameters_and_result() -> None:
    add = read(
        "swift", "class A {\n  func add(_ item: Item = .init(a, b),\n    to list: [Item]) -> Int {\n  }\n}\n"
    ).symbols[1]
    assert add.signature == "func add(_ item: Item = .init(a, b), to list: [Item]) -> Int"
    assert (add.parameters, add.returns) == (("item", "list"), "Int")
    assert read("dart", "int add(Map<int, int> a, {int b = 1}) {\n}\n").symbols[0].parameters == ("a", "b")


def test_bases_imports_package_and_calls() -> None:
    parsed = read(
        "scala",
        "package shop\nimport shop.item.Item\nclass Cart(x: Int) extends Base with Sums {\n  def add(a: Int) = {\n    this.store.save(a)\n  }\n}\n",
    )
    assert (parsed.package, parsed.symbols[0].bases) == ("shop", ("Base", "Sums"))
    assert [(item.module, item.name, item.line) for item in parsed.imports] == [("shop.item", "Item", 2)]
    assert [(call.receiver, call.name, call.line) for call in parsed.symbols[1].calls] == [("this.store", "save", 5)]


def test_what_stands_in_comments_is_no_definition() -> None:
    assert rows("swift", "/*\nfunc no() {}\n*/\n// func no() {}\nfunc yes() {}\n") == [("function", "yes", 5, 5)]


def test_a_brace_in_a_string_closes_nothing() -> None:
    assert rows("swift", 'func a() {\n  let x = "}"\n  // }\n}\n') == [("function", "a", 1, 4)]


def test_the_comment_of_a_file_is_its_documentation_unless_it_is_about_licences() -> None:
    assert (
        read("lua", "-- Copyright 2020 Someone\n\n-- Counts what is sold.\nlocal x = 1\n").doc == "Counts what is sold."
    )
    assert read("swift", "/*\n * All about carts here.\n */\nimport A\n").doc == "All about carts here."


def test_broken_files_still_give_what_can_be_read() -> None:
    assert rows("swift", "class A {\n  func b() {\n\x00}}}}}\n  func c() {") == [
        ("class", "A", 1, 3),
        ("method", "A.b", 2, 3),
        ("function", "c", 4, 4),
    ]
    assert rows("swift", "") == []


@pytest.mark.parametrize("language", languages_with_patterns())
def test_every_pattern_can_be_used_and_gives_a_known_kind(language: str) -> None:
    assert {kind for kind, _ in rules_for(language).symbols} <= set(SYMBOL_KINDS)
    assert all("name" in pattern.groupindex for _, pattern in rules_for(language).symbols)
    assert all("module" in pattern.groupindex for pattern in rules_for(language).imports)


HOSTILE = [
    "class ",
    "public ",
    "a ",
    "a.",
    "(",
    "{",
    "func a(",
    "/*",
    '"\\"',
    "'",
    "@a ",
    "type a = ",
    "def f(\n",
    "{\n",
    "}\n",
    "// x\n",
    "  x\n",
    "a b c d(",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    text = unit * (8_000 // len(unit))
    started = time.process_time()
    for language in (
        "generic",
        "swift",
        "scala",
        "dart",
        "elixir",
        "haskell",
        "fortran",
        "css",
        "objectivec",
        "r",
        "julia",
    ):
        read(language, text)
    assert time.process_time() - started < 3
