"""The shape of a file: words, marks, notes and landmarks, without layout."""

import time

import pytest

from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.code.syntax.grammars import grammar_names
from waypost.model.shape import FileShape, Landmark


def shape(text: str, language: str = "python", path: str = "shop/cart.py") -> FileShape:
    source = SourceFile(path, language, text)
    return shape_of(source, parse(source))


def meaning(text: str, language: str = "python") -> bytes:
    read = shape(text, language)
    return read.meaning(0, len(read.words))


def landmark(read: FileShape, qualified: str) -> Landmark:
    return next(symbol for symbol in read.landmarks if symbol.qualified == qualified)


def test_a_landmark_knows_its_comment_its_decorators_and_its_definition() -> None:
    read = shape(
        "import a\n"
        "\n"
        "# Adds up.\n"
        "# Twice.\n"
        "@cached  # why not\n"
        "@typed\n"
        "def total(rows):\n"
        '    """Adds up."""\n'
        "    return sum(rows)\n"
    )
    total = landmark(read, "total")
    assert (total.start, total.define, total.end) == (5, 7, 9)
    assert total.first <= 5
    assert (total.name, total.kind) == ("total", "function")
    assert total.symbol_id.endswith("total().")


def test_the_decorator_of_a_class_is_not_that_of_its_last_method() -> None:
    read = shape("@a  # x\nclass A:\n    def b(self):\n        pass\n\n    @c  # y\n    def d(self):\n        pass\n")
    assert landmark(read, "A").start == 1
    assert landmark(read, "A.b").start == 3
    assert landmark(read, "A.d").start == 6


def test_annotations_belong_to_the_definition() -> None:
    read = shape("class A {\n  // why\n  @Override\n  public int b() { return 1; }\n}\n", "java", "A.java")
    member = landmark(read, "A.b")
    assert (member.first, member.start, member.define) == (2, 3, 4)


def test_comments_and_docstrings_are_notes_and_not_words() -> None:
    plain = shape("def f():\n    return 1\n")
    documented = shape('"""Module."""\n# one two\ndef f():\n    """Says it."""\n    return 1  # three\n')
    assert plain.words == documented.words
    assert len(documented.notes) == 6
    assert list(documented.note_rows) == [1, 2, 2, 4, 4, 5]
    assert not plain.notes


def test_a_string_that_is_used_is_no_docstring() -> None:
    assert meaning('def f():\n    return "a"\n') != meaning('def f():\n    return "b"\n')
    assert meaning('def f():\n    f"{a()}"\n') != meaning('def f():\n    f"{b()}"\n')


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ('x = "a" "b"', 'x = "ab"'),
        ('x = "a b"', "x = ('a'\n     ' b')"),
        ('x = f"a {b} c"', "x = (f'a {b}'\n  ' c')"),
        ('x = r"\\d"', 'x = "\\\\d"'),
        ('x = u"a"', "x = 'a'"),
        ("x = 1_000", "x = 1000"),
        ("f(x for x in y)", "f((x for x in y))"),
        ("class A(): pass", "class A: pass"),
        ("for (a, b) in c: pass", "for a, b in c:\n    pass"),
        ("return_ = (a, b)", "return_ = a, b"),
        ("from a import (b, c)", "from a import b, c"),
        ("with (a as b, c as d): pass", "with a as b, c as d: pass"),
        ("x = a if b else c; y = 1", "x = (a if b else c)\ny = 1\n"),
    ],
)
def test_two_ways_to_write_the_same_in_python(left: str, right: str) -> None:
    assert meaning(left) == meaning(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x = (a,)", "x = (a)"),
        ("x = [a, b]", "x = {a, b}"),
        ("x = [a, b]", "x = (a, b)"),
        ("x[1,]", "x[1]"),
        ("f()", "f"),
        ("f(a)(b)", "f(a, b)"),
        ('f("a", "b")', 'f("a" "b")'),
        ('x = b"a"', 'x = "a"'),
        ('x = "a b"', 'x = "a  b"'),
        ('x = "a"', "x = a"),
        ('x = f"{a:>3}"', 'x = f"{a:>4}"'),
        ('x = f"{a!r}"', 'x = f"{a}"'),
        ("if a:\n    b\n    c", "if a:\n    b\nc"),
        ("for x in y:\n    a\nelse:\n    b", "for x in y:\n    if a:\n        b"),
        ("lambda: a", "lambda a: a"),
        ("def f(a, /, b): pass", "def f(a, b): pass"),
        ("x = a < b < c", "x = (a < b) < c"),
        ("not (a in b)", "(not a) in b"),
        ("x = -1", "x = 1"),
        ("a.b = c", "a = b.c"),
    ],
)
def test_two_things_in_python_that_are_not_the_same(left: str, right: str) -> None:
    assert meaning(left) != meaning(right)


def test_what_words_say_does_not_depend_on_what_is_around_them() -> None:
    alone = shape("if a:\n    f(b)\n")
    nested = shape("while x:\n    if a:\n            f(b)\n    y = 2\n")
    assert alone.part_meaning(*alone.between(1, 2)) == nested.part_meaning(*nested.between(2, 3))
    longer = shape("while x:\n    if a:\n            f(b)\n            g(b)\n")
    assert alone.part_meaning(*alone.between(1, 2)) == longer.part_meaning(*longer.between(2, 3))
    other = shape("while x:\n    if a:\n            f()(b)\n")
    assert alone.part_meaning(*alone.between(1, 2)) != other.part_meaning(*other.between(2, 3))


def test_a_long_string_has_its_words_on_their_lines() -> None:
    read = shape('x = """one\ntwo three\n"""\ny = 1\n')
    assert read.between(2, 2)[0] < read.between(2, 2)[1]
    assert read.part_meaning(*read.between(2, 2)) != read.part_meaning(*read.between(1, 1))


def test_yaml_counts_depth_but_not_its_width() -> None:
    text = "a:\n  b: 1\n  c:\n    - d\n"
    assert meaning(text, "yaml") == meaning("a:\n    b: 1\n    # why\n    c:\n      - d\n", "yaml")
    assert meaning(text, "yaml") != meaning("a:\n  b: 1\nc:\n  - d\n", "yaml")
    read, deeper = shape(text, "yaml"), shape("x:\n" + "".join(f"  {line}\n" for line in text.splitlines()), "yaml")
    assert read.meaning(*read.between(1, 4)) == deeper.meaning(*deeper.between(2, 5))


def test_prose_may_be_wrapped_anew() -> None:
    assert meaning("# Title\n\nOne two three.\n", "markdown") == meaning("# Title\n\nOne\ntwo three.\n", "markdown")
    assert meaning("One two three.\n", "markdown") != meaning("One two four.\n", "markdown")


def test_the_sections_of_a_document_are_landmarks() -> None:
    read = shape("# Use\n\nText.\n\n## Install\n\nMore.\n", "markdown", "README.md")
    assert [(section.kind, section.start, section.end) for section in read.landmarks] == [
        ("section", 1, 4),
        ("section", 5, 7),
    ]


def test_comments_of_a_language_without_a_grammar_do_not_count() -> None:
    code = "-- why\nlocal x = 1\n--[[ long\n   and longer ]]\nprint(x)\n"
    assert meaning(code, "lua") == meaning("local x = 1\nprint( x )\n", "lua")
    assert meaning(code, "lua") != meaning("local x = 2\nprint(x)\n", "lua")


def test_a_component_is_read_with_its_template_and_its_script() -> None:
    code = "<template>\n  <b>{{ name }}</b>\n</template>\n<script>\nfunction f() { return 'a'; }\n</script>\n"
    read = shape(code, "vue", "Card.vue")
    assert landmark(read, "Card.f").define == 5
    assert meaning(code, "vue") == meaning(code.replace("'a';", '"a"'), "vue")
    assert meaning(code, "vue") != meaning(code.replace("'a'", "'b'"), "vue")
    assert meaning(code, "vue") != meaning(code.replace("<b>", "<i>"), "vue")


HOSTILE = {
    "nested": "(" * 10_000 + ")" * 10_000,
    "unclosed": "{[(" * 700,
    "deep blocks": "if(a){" * 1_000,
    "one line": "a " * 20_000,
    "quotes": "\"'`" * 500,
    "comments": "/*" * 2_000 + "#" * 2_000,
    "indent": "\n".join(" " * depth + "a:" for depth in range(400)),
    "nothing": "",
    "controls": "\0\ud800\r\r\n\x0b\x0c\u2028" * 100,
    "escapes": 'x = "' + "\\" * 20_001 + '"',
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("language", ["python", "typescript", "rust", "yaml", "lua", "vue", ""])
def test_hostile_files_have_a_shape_in_time(language: str, text: str) -> None:
    source = SourceFile("a/b", language, text)
    parsed = parse(source)
    begun = time.process_time()
    read = shape_of(source, parsed)
    assert time.process_time() - begun < 3
    assert len(read.words) == len(read.rows)
    assert list(read.rows) == sorted(read.rows)
    assert all(1 <= row <= max(1, read.line_count) for row in (*read.rows[:1], *read.rows[-1:]))


@pytest.mark.parametrize("language", grammar_names())
def test_marks_are_nested_and_in_order(language: str) -> None:
    read = shape("f(a, [b, {c: d}]); // x\n\n" * 20, language)
    assert list(read.opens) == sorted(read.opens)
    for mark, parent in enumerate(read.parents):
        assert parent < mark
        assert read.opens[mark] <= read.closes[mark] <= len(read.words)
        if parent >= 0:
            assert read.opens[parent] <= read.opens[mark]
            assert read.closes[mark] <= read.closes[parent]


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_comment_at_the_end_of_a_macro_does_not_count(language: str) -> None:
    plain = meaning("int a;\n#define MAXLEN 64\n", language)
    assert meaning("int a;\n#define MAXLEN 64 // the longest\n", language) == plain
    assert meaning("int a;\n#define MAXLEN 64 / 2\n", language) != plain
    assert meaning('#define SITE "http://a"\n', language) != meaning('#define SITE "http://b"\n', language)
    assert meaning('#define SITE "http://a"\n', language) == meaning('#define SITE "http://a" // "here"\n', language)
