import ast
from pathlib import Path

import pytest

from waypost.code.parse import parse
from waypost.code.source import Parsed, SourceFile, Symbol
from waypost.code.syntax.grammars import grammar_names


def read(language: str, text: str, path: str = "a/b") -> Parsed:
    return parse(SourceFile(path, language, text))


def only(language: str, text: str) -> Symbol:
    (symbol,) = read(language, text).symbols
    return symbol


def names(parsed: Parsed) -> list[str]:
    return [symbol.qualified for symbol in parsed.symbols]


@pytest.mark.slow
def test_python_agrees_with_its_own_ast() -> None:
    for path in sorted(Path(ast.__file__).parent.glob("a*.py")):
        text = path.read_text("utf-8")
        expected = {
            (node.name, node.lineno, node.end_lineno)
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        parsed_languages = {
            (symbol.name, symbol.lines.start, symbol.lines.end)
            for symbol in read("python", text).symbols
            if symbol.kind not in {"constant", "type"}
        }
        assert parsed_languages == expected, path


@pytest.mark.parametrize("language", grammar_names())
def test_an_empty_file_has_nothing(language: str) -> None:
    parsed = read(language, "")
    assert (parsed.symbols, parsed.imports, parsed.calls, parsed.line_count) == ((), (), (), 0)


def test_lines_are_counted_as_an_editor_does() -> None:
    assert read("python", "a\nb").line_count == 2
    assert read("python", "a\nb\n").line_count == 2
    assert only("python", "x = '\x0c\u2028'\r\ndef f():\r\n    pass\r\n").lines.start == 2


def test_positions_hold_behind_letters_of_many_bytes() -> None:
    parsed = read("javascript", "// привет 🎉\nfunction größe(länge) { return rufe(länge); }\n")
    (symbol,) = parsed.symbols
    assert (symbol.name, symbol.parameters, symbol.lines.start) == ("größe", ("länge",), 2)
    assert [call.name for call in symbol.calls] == ["rufe"]


def test_a_zero_byte_does_not_end_the_file() -> None:
    assert names(read("python", "x = 1\0\ndef f(): pass\n")) == ["f"]


def test_a_lone_surrogate_does_not_stop_the_parser() -> None:
    assert names(read("python", "x = '\ud800'\ndef f(): pass\n")) == ["f"]


def test_a_broken_file_yields_what_can_be_read() -> None:
    parsed = read("python", "def good():\n    pass\n\nclass Half(\n\ndef other():\n    return 1\n")
    assert parsed.broken
    assert {"good", "other"} <= {symbol.name for symbol in parsed.symbols}


def test_a_definition_at_the_broken_end_of_a_file_is_found() -> None:
    parsed = read("python", "import os\n\n\ndef begun(a, b")
    assert parsed.broken
    assert names(parsed) == ["begun"]


def test_what_an_error_hides_is_found_by_the_look_of_its_line() -> None:
    text = "class A {\n  fun first() {\n    val x = ((((1\n  }\n\n  fun second(n: Int) {\n    go(n)\n  }\n}\n"
    parsed = read("kotlin", text)
    assert parsed.broken
    assert {"first", "second"} <= {symbol.name for symbol in parsed.symbols}


def test_a_type_behind_what_the_grammar_cannot_read_is_found() -> None:
    calls = "  (listener: Listener<T>): () => void\n  <Slice>(\n    listener: Listener<Slice>\n  ): () => void\n"
    text = f"interface Subscribe<T> {{\n{calls}}}\ntype SetState<T> = (\n  part: T\n) => void\ntype Get<T> = () => T\n"
    symbols = parse(SourceFile("a.ts", "typescript", text)).symbols
    assert [(symbol.name, symbol.lines.start, symbol.lines.end) for symbol in symbols[1:]] == [
        ("SetState", 7, 9),
        ("Get", 10, 10),
    ]


def test_a_table_in_sql_that_the_grammar_does_not_know_is_found_once() -> None:
    text = "CREATE TABLE shop.a (id int) ENGINE=X PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (1));\nGO\nCREATE PROCEDURE dbo.b @x int AS SELECT 1;\n"
    assert names(read("sql", text)) == ["a", "b"]


def test_a_word_in_a_string_is_no_definition_even_in_a_broken_file() -> None:
    parsed = read("kotlin", 'fun good() {\n  val text = """\n  fun quoted() {\n  """\n}\nval x = = 1\n')
    assert parsed.broken
    assert names(parsed) == ["good"]


def test_macros_do_not_hide_functions_of_c() -> None:
    text = 'API int open_it(const char *p);\nstatic DWORD WINAPI run(void *x) {\n  return 1;\n}\n#ifdef __cplusplus\nextern "C" {\n#endif\nint last(void);\n'
    assert names(read("c", text)) == ["open_it", "run", "last"]


def test_a_test_made_by_a_macro_has_the_name_of_its_arguments() -> None:
    assert names(read("cpp", "TEST(CartTest, Adds) {\n  check();\n}\n")) == ["CartTest.Adds"]


@pytest.mark.parametrize(
    ("language", "comment", "code"),
    [
        ("javascript", "/**\n * Adds **bold**.\n *\n * @param {number} a\n */", "function add(a) {}"),
        ("java", "/** Adds **bold**.\n\n @param {number} a */", "class Add {}"),
        ("rust", "/// Adds **bold**.\n///\n/// @param {number} a", "fn add() {}"),
        ("go", "// Adds **bold**.\n//\n// @param {number} a", "func add() {}"),
        ("php", "/**\n * Adds **bold**.\n *\n * @param {number} a\n */", "function add() {}"),
        ("ruby", "# Adds **bold**.\n#\n# @param {number} a", "def add; end"),
        ("shell", "# Adds **bold**.\n#\n# @param {number} a", "add() { :; }"),
        ("c", "/*\n * Adds **bold**.\n *\n * @param {number} a\n */", "int add(void) { return 1; }"),
    ],
)
def test_the_comment_above_is_the_doc_without_its_marks(language: str, comment: str, code: str) -> None:
    lead = "<?php\n" if language == "php" else "package a\n\n" if language == "go" else ""
    symbol = only(language, f"{lead}{comment}\n{code}\n")
    assert symbol.doc == "Adds **bold**.\n\n@param {number} a"


def test_tags_of_csharp_docs_are_removed() -> None:
    text = '/// <summary>\n/// Adds <see cref="T:Item"/> to it.\n/// </summary>\nclass Cart {}\n'
    assert only("csharp", text).doc == "Adds Item to it."


def test_a_comment_behind_an_empty_line_does_not_belong_to_the_definition() -> None:
    parsed = read("go", "package a\n\n// Alone.\n\nfunc f() {}\n")
    assert parsed.symbols[0].doc == ""
    assert parsed.symbols[0].first_line == 5


def test_a_comment_behind_code_does_not_belong_to_the_next_line() -> None:
    assert read("python", "x = 1  # one\ndef f(): pass\n").symbols[0].doc == ""


@pytest.mark.parametrize("comment", ["# ------", "# noqa: E501", "# pylint: disable=x", "#!/usr/bin/python"])
def test_separators_and_pragmas_are_no_docs(comment: str) -> None:
    assert only("python", f"{comment}\ndef f(): pass\n").doc == ""


def test_a_licence_is_not_what_a_file_says_of_itself() -> None:
    text = "// Copyright 2020 Acme. Licensed under MIT.\n\n// Keeps rows.\n\npackage store\n"
    assert read("go", text).doc == "Keeps rows."


def test_a_long_signature_is_cut() -> None:
    symbol = only("python", f"def f({', '.join(f'argument_{n}=None' for n in range(100))}): pass\n")
    assert len(symbol.signature) == 300
    assert symbol.signature.endswith("…")
    assert len(symbol.parameters) == 100


def test_a_decorator_with_a_comment_behind_it_belongs_to_what_follows() -> None:
    symbol = only("python", "@paused(1)  # type: ignore\n@twice  # noqa\ndef f():\n    return 1\n")
    assert (symbol.first_line, symbol.lines.start, symbol.decorators) == (1, 3, ("paused(1)", "twice"))


def test_decorators_count_for_the_first_line_only() -> None:
    symbol = only("java", "@A\n@B(x = 1)\npublic class C {}\n")
    assert (symbol.first_line, symbol.lines.start, symbol.decorators) == (1, 3, ("A", "B(x = 1)"))
    assert symbol.signature == "public class C"


def test_several_attributes_on_one_line_belong_to_the_definition() -> None:
    text = "struct Row;\n\n#[test] #[should_panic]\nfn fails() {\n    panic!();\n}\n"
    assert [symbol.first_line for symbol in parse(SourceFile("a.rs", "rust", text)).symbols] == [1, 3]


def test_a_call_belongs_to_the_innermost_symbol() -> None:
    parsed = read("python", "start()\ndef outer():\n    def inner():\n        deep()\n    shallow()\n")
    assert [call.name for call in parsed.calls] == ["start"]
    assert [[call.name for call in symbol.calls] for symbol in parsed.symbols] == [["shallow"], ["deep"]]


def test_local_constants_and_short_local_functions_are_no_symbols() -> None:
    text = "function f() {\n  const LIMIT = 3;\n  const g = (x) => x;\n}\n"
    assert names(read("javascript", text)) == ["f"]


def test_an_exported_function_keeps_the_name_it_has() -> None:
    assert names(read("javascript", "module.exports = function open(path) {};\n")) == ["open"]
    assert names(read("javascript", "module.exports = function (path) {};\n")) == ["default"]


def test_a_class_that_is_returned_is_a_symbol() -> None:
    text = "function make() {\n  return class Row extends Base {\n    add() {}\n  };\n}\n"
    assert names(read("javascript", text)) == ["make", "make.Row", "make.Row.add"]


def test_a_component_holds_the_symbols_of_its_scripts() -> None:
    text = '<template><Row/></template>\n<script lang="ts">\nimport Row from "./Row.vue"\nfunction add(n: number) { go(n) }\n</script>\n'
    parsed = read("vue", text, "src/Cart.vue")
    assert [(symbol.qualified, symbol.lines.start, symbol.parent) for symbol in parsed.symbols] == [
        ("Cart", 1, None),
        ("Cart.add", 4, 0),
    ]
    assert [imported.module for imported in parsed.imports] == ["./Row.vue"]
    assert parsed.symbols[1].scip == "scip-vue . . src/`Cart.vue`/Cart#add()."


def test_documents_have_sections_and_other_languages_patterns() -> None:
    assert [section.title for section in read("markdown", "# Shop\n\nText.\n").sections] == ["Shop"]
    swift = read("swift", "class Cart {\n}\n")
    assert (swift.parser, names(swift)) == ("patterns", ["Cart"])
    assert read("", "").symbols == ()
