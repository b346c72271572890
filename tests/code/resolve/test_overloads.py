"""Which of several overloads a call reaches."""

import pytest
from tests.code.resolve.test_values import edges

from waypost.code.outline import Outline, outline
from waypost.code.parse import parse
from waypost.code.source import SourceFile
from waypost.code.syntax.arguments import read_arguments

JAVA = """package a;
class Base {}
class Item extends Base {}
class Box {
  void put(String s) {}
  void put(int n) {}
  void put(boolean b) {}
  void put(Base b) {}
  void put(Class<?> c) {}
  void put(Runnable r) {}
}
class Use {
  void use(Box box, Item item, String text) {
    %s
  }
}
"""


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ('box.put("a, (b");', 5),
        ("box.put(text);", 5),
        ("box.put(12);", 6),
        ("box.put(true);", 7),
        ("box.put(new Item());", 8),
        ("box.put(item);", 8),
        ("box.put((Base) other());", 8),
        ("box.put(Item.class);", 9),
        ("box.put(() -> run(1, 2));", 10),
    ],
)
def test_the_types_of_arguments_choose_an_overload(call: str, line: int) -> None:
    calls = [e for e in edges({"a/Box.java": JAVA % call}) if e.kind == "calls" and e.target.qualified == "Box.put"]
    assert [(edge.target.line, edge.strength) for edge in calls] == [(line, 0.85)]


def test_an_overload_that_no_argument_decides_is_doubtful() -> None:
    calls = [e for e in edges({"a/Box.java": JAVA % "box.put(make());"}) if e.target.qualified == "Box.put"]
    assert [edge.strength for edge in calls] == [0.5]


def test_csharp_overloads_are_chosen_by_types() -> None:
    text = (
        "namespace A;\nclass Box {\n  void Put(string s) {}\n  void Put(int n) {}\n  void Put(System.Type t) {}\n"
        '  void Use(int count) {\n    Put($"a");\n    Put(count);\n    Put(typeof(Box));\n  }\n}\n'
    )
    calls = [e for e in edges({"Box.cs": text}) if e.kind == "calls" and e.target.qualified.endswith("Put")]
    assert sorted((edge.lines[0], edge.target.line) for edge in calls) == [(7, 3), (8, 4), (9, 5)]


def test_optional_and_repeated_parameters_take_fewer_or_more_arguments() -> None:
    text = (
        "class Box {\n  void Put(int n) {}\n  void Put(System.Func<int> f, params string[] names) {}\n"
        '  void Put(string s, int n, bool b = false) {}\n  void Use() {\n    Put(() => 1);\n    Put("a", 2);\n    Put(3);\n  }\n}\n'
    )
    calls = [e for e in edges({"Box.cs": text}) if e.kind == "calls" and e.target.qualified.endswith("Put")]
    assert sorted((edge.lines[0], edge.target.line) for edge in calls) == [(6, 3), (7, 4), (8, 2)]


def test_types_survive_storage() -> None:
    read = outline(parse(SourceFile("a/Box.java", "java", JAVA % "box.put(12);")), JAVA)
    assert Outline.from_json(read.to_json()) == read
    assert [symbol.types for symbol in read.symbols if symbol.name == "put"][:2] == [("String",), ("int",)]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (b"()", (0, "")),
        (b"( )", (0, "")),
        (b'("a", x, f(1, 2))', (3, "String,=x")),
        (b"(1L, 2.5, 3f, 'c', null)", (5, "long,double,float,char,null")),
        (b"(a -> a.b(), A::b)", (2, ">,>")),
        (b" no call", (-1, "")),
        (b"(" + b"(" * 3000, (-1, "")),
    ],
)
def test_arguments_are_counted_and_read(text: bytes, arguments: tuple[int, str]) -> None:
    assert read_arguments(text, 0) == arguments
