"""Changes of definitions, rule by rule."""

import pytest
from tests.code.changes.conftest import Changed, Repo

from waypost.model.change import ADDED, MODIFIED, REMOVED, RENAMED, SymbolChange

BODY = """
    total = 0
    for row in rows:
        if row.price > limit:
            total += row.price * row.count
        else:
            total -= row.discount
    return total
"""


def named(symbols: tuple[SymbolChange, ...]) -> dict[str, str]:
    return {symbol.name: symbol.change for symbol in symbols}


def test_a_new_function_and_a_removed_one_are_told_with_signature_doc_and_lines(changed: Changed) -> None:
    before = "def old(a):\n    return a\n"
    after = 'import os\n\n\ndef fresh(path: str, deep: bool = False) -> int:\n    """Count files. Slowly."""\n    return os.x\n'
    added, removed = changed("src/a.py", before, after).symbols
    assert added == SymbolChange(
        name="fresh",
        type="function",
        change=ADDED,
        line=4,
        end_line=6,
        signature="def fresh(path: str, deep: bool = False) -> int",
        doc="Count files.",
        lines_changed=3,
    )
    assert (removed.name, removed.change, removed.line) == ("old", REMOVED, 1)


def test_a_method_has_the_name_of_its_class_before_it_and_an_unchanged_class_is_not_told(changed: Changed) -> None:
    before = "class Client:\n    def send(self):\n        return 1\n\n    def close(self):\n        return 2\n"
    after = before.replace("return 1", "return 11")
    (change,) = changed("a.py", before, after).symbols
    assert (change.name, change.type, change.change, change.lines_changed) == ("Client.send", "method", MODIFIED, 1)


def test_a_class_is_told_when_its_own_lines_change(changed: Changed) -> None:
    before = "class Client:\n    retries = 3\n\n    def send(self):\n        return 1\n"
    (change,) = changed("a.py", before, before.replace("retries = 3", "retries = 5")).symbols
    assert (change.name, change.change) == ("Client", MODIFIED)


def test_layout_comments_and_docstrings_are_no_change(changed: Changed) -> None:
    before = "def f(a, b):\n    return {'x': a, 'y': b}\n"
    after = (
        'def f(\n    a,\n    b,\n):\n    """Say."""\n    # why\n    return {\n        "x": a,\n        "y": b,\n    }\n'
    )
    change = changed("a.py", before, after)
    assert change.layout_only and change.symbols == ()
    assert change.lines_added > 0
    assert not changed("a.py", before, before.replace("'y': b", "'y': a")).layout_only


def test_code_that_changed_its_place_among_large_functions_is_not_layout(changed: Changed) -> None:
    functions = "".join(f"def f{number}(rows, limit):{BODY}\n\n" for number in range(60))
    assert not changed("a.py", "start()\n" + functions, functions + "start()\n").layout_only


def test_a_function_with_a_new_name_and_the_same_body_is_renamed(changed: Changed) -> None:
    symbols = changed("a.py", f"def count(rows, limit):{BODY}", f"def sum_of(rows, limit):{BODY}").symbols
    (change,) = symbols
    assert (change.change, change.name, change.name_before) == (RENAMED, "sum_of", "count")
    assert (change.signature_before, change.lines_changed) == ("", 0)


def test_a_renamed_function_may_change_a_little(changed: Changed) -> None:
    after = f"def sum_of(rows, limit, start=0):{BODY.replace('total = 0', 'total = start')}"
    (change,) = changed("a.py", f"def total(rows, limit):{BODY}", after).symbols
    assert (change.change, change.name_before) == (RENAMED, "total")
    assert change.signature_before == "def total(rows, limit)"
    assert change.lines_changed >= 1


def test_short_functions_that_look_alike_are_not_taken_for_each_other(changed: Changed) -> None:
    change = changed("a.py", "def get_name(self):\n    return self.x\n", "def get_age(self):\n    return self.x\n")
    assert named(change.symbols) == {"get_age": ADDED, "get_name": REMOVED}


def test_members_of_a_renamed_class_are_not_told_one_by_one(changed: Changed) -> None:
    methods = "".join(
        f"    def m{number}(self, rows, limit):{BODY.replace(chr(10), chr(10) + '    ')}\n" for number in (1, 2)
    )
    (change,) = changed("a.py", f"class Old:\n{methods}", f"class New:\n{methods}").symbols
    assert (change.name, change.name_before, change.change) == ("New", "Old", RENAMED)


def test_methods_of_a_renamed_go_type_follow_it(changed: Changed) -> None:
    before = (
        "package a\n\ntype Client struct {\n\tName string\n\tAge int\n\tPort int\n\tHost string\n\tPath string\n}\n\n"
        "func (c *Client) Send(a int) int {\n\treturn a + c.Age\n}\n"
    )
    symbols = changed("a.go", before, before.replace("Client", "Conn")).symbols
    assert named(symbols) == {"Conn": RENAMED}


def test_a_change_beside_a_type_is_not_one_of_the_type(changed: Changed) -> None:
    before = "pub struct S { a: u32 }\n\nfn free() -> u32 { 1 }\n\nimpl S {\n    pub fn get(&self) -> u32 { 2 }\n}\n"
    (change,) = changed("a.rs", before, before.replace("{ 1 }", "{ 3 }")).symbols
    assert change.name == "free"


def test_overloads_are_paired_by_what_they_are(changed: Changed) -> None:
    before = "public class A {\n  public A(A other) {\n    x = 1;\n  }\n}\n"
    after = (
        "public class A {\n  A(A other, int b) {\n    x = 2;\n  }\n  public A(A other) {\n    this(other, 0);\n  }\n}\n"
    )
    symbols = changed("A.java", before, after).symbols
    assert [(symbol.change, symbol.signature) for symbol in symbols] == [
        (ADDED, "A(A other, int b)"),
        (MODIFIED, "public A(A other)"),
    ]


def test_what_is_local_to_a_function_is_not_told(changed: Changed) -> None:
    after = "def outer():\n    def inner():\n        return 1\n    return inner\n"
    assert named(changed("a.py", None, after).symbols) == {"outer": ADDED}


def test_a_side_that_cannot_be_parsed_loses_no_definitions(changed: Changed) -> None:
    before = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"
    symbols = changed("a.py", before, before.replace("return 1", "return ((((")).symbols
    assert REMOVED not in {symbol.change for symbol in symbols}


def test_a_file_says_in_its_own_words_what_it_is_for(changed: Changed) -> None:
    assert changed("a.py", None, '"""Send mail to people."""\n\nx = 1\n').purpose == "Send mail to people."
    assert changed("a.py", None, "def f():\n    return 1\n").purpose == ""


def test_secrets_are_never_told(changed: Changed) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    change = changed(
        "a.py", None, f'"""Uses {token}."""\nTOKEN = "{token}"\n\n\ndef f(key="{token}"):\n    return key\n'
    )
    assert token not in repr(change)


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go", "A.java", "a.rs", "a.cs", "a.rb", "a.php", "a.c", "a.kt"])
def test_hostile_sources_do_no_harm(changed: Changed, path: str) -> None:
    nested = "".join(f"class C{depth} {{\n" for depth in range(300))
    texts = ("f" + "(" * 10_000 + ")" * 10_000, nested, "export {" * 5_000, "x = '" + "\\'" * 20_000, "\0\1")
    for text in texts:
        assert changed(path, text, text + "\nx = 2\n").path == path


@pytest.mark.slow
def test_many_definitions_of_one_name_and_deeply_nested_ones_are_read(changed: Changed) -> None:
    many = "def f(): pass\n" * 1_000
    assert len(changed("a.py", many, many.replace("pass", "return")).symbols) == 500
    nested = "".join("    " * depth + f"class C{depth}:\n" for depth in range(90)) + "    " * 90 + "x = 1\n"
    assert len(changed("a.py", None, nested).symbols) == 90


def test_code_that_only_follows_a_rename_is_not_told(changed: Changed) -> None:
    before = f"def count(rows, limit):{BODY}\n\ndef use(rows):\n    return count(rows, 1)\n"
    change = changed("a.py", before, before.replace("count(", "sum_of("))
    assert named(change.symbols) == {"sum_of": RENAMED}


def test_a_function_moved_to_another_file_is_renamed_there_and_not_removed_here(repo: Repo) -> None:
    repo.commit("First", {"a.py": f"import x\n\n\ndef total(rows, limit):{BODY}", "b.py": "import y\n"})
    repo.commit("Move", {"a.py": "import x\n", "b.py": f"import y\n\n\ndef total(rows, limit):{BODY}"})
    a, b = repo.last().files
    assert a.symbols == ()
    (change,) = b.symbols
    assert (change.change, change.name, change.path_before, change.name_before) == (RENAMED, "total", "a.py", "")


def test_a_class_that_moved_and_changed_a_little_takes_its_members_with_it(repo: Repo) -> None:
    indented = BODY.replace("\n", "\n    ")
    text = f"class Till:\n    def total(self, rows, limit):{indented}\n    def other(self, rows, limit):{indented}\n"
    repo.commit("First", {"a.py": f"import x\n\n\n{text}", "b.py": "import y\n"})
    later = text.replace("total = 0", "total = 10", 1)
    repo.commit("Move", {"a.py": "import x\n", "b.py": f"import y\n\n\n{later}"})
    a, b = repo.last().files
    assert a.symbols == ()
    assert {symbol.name: (symbol.change, symbol.path_before) for symbol in b.symbols} == {
        "Till": (RENAMED, "a.py"),
        "Till.total": (MODIFIED, ""),
    }


def test_a_commit_is_read_with_its_message_and_all_its_files(repo: Repo) -> None:
    repo.commit("First", {"a.py": "def f():\n    return 1\n"})
    commit = repo.commit("Use two\n\nOne was too few.", {"a.py": "def f():\n    return 2\n", "notes.md": "# Notes\n"})
    changes = repo.last()
    assert (changes.commit, changes.subject, changes.body) == (commit, "Use two", "One was too few.")
    assert {file.path: (file.change, file.role, file.language) for file in changes.files} == {
        "a.py": (MODIFIED, "source", "python"),
        "notes.md": (ADDED, "document", "markdown"),
    }
    assert (changes.files[0].lines_added, changes.files[0].lines_removed) == (1, 1)


def test_secrets_in_a_message_are_masked(repo: Repo) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    repo.commit(f"Use {token}\n\nIt is {token}.", {"a.py": "a = 1\n"})
    changes = repo.last()
    assert token not in changes.subject + changes.body and changes.subject.startswith("Use ")


def test_only_a_part_of_a_very_large_commit_is_parsed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.code.changes.read.MOST_FILES", 2)
    repo.commit("First", {f"f{number}.py": f"def f{number}():\n    return 1\n" for number in range(4)})
    assert [len(file.symbols) for file in repo.last().files] == [1, 1, 0, 0]


def test_a_renamed_file_tells_what_changed_in_it(repo: Repo) -> None:
    functions = "".join(f"def f{number}(rows, limit):{BODY}\n\n" for number in range(4))
    repo.commit("First", {"old.py": functions})
    repo.commit("Move", {"old.py": None, "new.py": functions.replace("def f1(rows", "def f1(lines")})
    (file,) = repo.last().files
    assert (file.change, file.path_before) == (RENAMED, "old.py")
    assert [symbol.name for symbol in file.symbols] == ["f1"]


@pytest.mark.slow
def test_layout_of_a_large_file_of_callbacks_is_told_from_a_change(changed: Changed) -> None:
    tests = "".join(
        f"it('does {number}', () => {{\n  expect(run({number})).toBe({number})\n}})\n" for number in range(500)
    )
    spaced = tests.replace("expect(run(7)).toBe(7)", "// seven\n  expect(\n    run(7),\n  ).toBe(7); /* so */")
    assert changed("src/a.test.ts", tests, spaced).layout_only
    assert not changed("src/a.test.ts", tests, tests.replace("toBe(7)", "toBe(8)")).layout_only
