import time
import tomllib
from pathlib import Path

import pytest

import waypost.code
from waypost.code.files.languages import display_name, is_document, is_test_path, language_of_path


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("src/app.py", "python"),
        ("typings/x.pyi", "python"),
        ("a/b.mjs", "javascript"),
        ("a/Button.jsx", "javascript"),
        ("a/b.ts", "typescript"),
        ("types/index.d.ts", "typescript"),
        ("a/Button.tsx", "tsx"),
        ("App.vue", "vue"),
        ("App.svelte", "svelte"),
        ("routes/web.php", "php"),
        ("views/home.blade.php", "blade"),
        ("app/views/users/index.html.erb", "erb"),
        ("templates/nginx.conf.j2", "ini"),
        ("templates/deploy.yml.j2", "yaml"),
        ("templates/page.html.jinja", "jinja"),
        ("main.go", "go"),
        ("lib.rs", "rust"),
        ("Shop.java", "java"),
        ("build.gradle.kts", "kotlin"),
        ("build.gradle", "groovy"),
        ("Shop.cs", "csharp"),
        ("Rakefile", "ruby"),
        ("config.ru", "ruby"),
        ("x.C", "c"),
        ("x.hpp", "cpp"),
        ("schema.SQL", "sql"),
        ("run.sh", "shell"),
        ("README.md", "markdown"),
        ("README", "markdown"),
        ("docs/index.rst", "rst"),
        ("notes.txt", "text"),
        ("LICENSE", "text"),
        ("compose.yml", "yaml"),
        ("pyproject.toml", "toml"),
        ("Cargo.lock", "toml"),
        ("package.json", "json"),
        ("tox.ini", "ini"),
        ("pom.xml", "xml"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("web.dockerfile", "dockerfile"),
        ("GNUmakefile", "makefile"),
        ("CMakeLists.txt", "cmake"),
        ("api/v1/shop.proto", "proto"),
        ("schema.graphql", "graphql"),
        ("main.tf", "hcl"),
        ("Main.swift", "swift"),
        ("init.lua", "lua"),
        ("lib/app.ex", "elixir"),
        ("main.dart", "dart"),
        ("analysis.R", "r"),
        ("Main.hs", "haskell"),
        ("photo.png", ""),
        ("nothing", ""),
        ("", ""),
        (".hidden", ""),
    ],
)
def test_a_name_tells_the_language(path: str, language: str) -> None:
    assert language_of_path(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        ("#!/usr/bin/env python3\n", "python"),
        ("#!/usr/bin/python3.11 -u\n", "python"),
        ("#! /bin/sh\n", "shell"),
        ("#!/usr/bin/env -S node --harmony\n", "javascript"),
        ("#!/usr/bin/env LANG=C perl\n", "perl"),
        ("<?php\necho 1;", "php"),
        ("#!/usr/bin/env\n", ""),
        ("no shebang", ""),
    ],
)
def test_a_file_without_an_extension_is_told_by_its_first_line(head: str, language: str) -> None:
    assert language_of_path("bin/run", head) == language


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("x.h", "#include <stdio.h>\nint add(int a, int b);\n", "c"),
        ("x.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint add(int);\n', "c"),
        ("x.h", "namespace shop {\nclass Cart;\n}\n", "cpp"),
        ("x.h", "#include <vector>\n", "cpp"),
        ("x.h", "// -*- C++ -*-\n#define X\n", "cpp"),
        ("x.h", "@interface Cart : NSObject\n@end\n", "objectivec"),
        ("x.m", "#import <Foundation/Foundation.h>\n", "objectivec"),
        ("x.m", "function y = f(x)\n  y = x;\nend\n", "matlab"),
        ("translations/de.ts", "<?xml version='1.0'?>\n<TS/>", "xml"),
        ("app.ts", "export const a = 1", "typescript"),
        ("t/basic.t", "use strict;\nuse Test::More;\n", "perl"),
        ("tests/merge.t", "  $ hg init\n", ""),
    ],
)
def test_a_shared_extension_is_settled_by_the_content(path: str, head: str, language: str) -> None:
    assert language_of_path(path, head) == language


@pytest.mark.parametrize(
    "path",
    [
        "test_store.py", "pkg/store_test.go", "src/button.spec.ts", "src/button.test.tsx", "src/__tests__/button.tsx",
        "tests/unit/a.py", "spec/models/user_spec.rb", "src/test/java/a/Shop.java", "a/ShopTest.java", "ShopTests.cs",
        "Shop.Tests/Cart.cs", "UserIT.java", "conftest.py", "cart_test.exs", "CartSpec.scala", "cypress/login.cy.js",
    ],
)  # fmt: skip
def test_tests_are_recognised(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "latest.py",
        "src/contest.js",
        "attestation.go",
        "specification.md",
        "src/Tester.java",
        "inspect.rb",
        "a/protest.ts",
    ],
)
def test_other_files_are_no_tests(path: str) -> None:
    assert not is_test_path(path)


def test_documents_are_apart_from_code() -> None:
    assert all(is_document(name) for name in ("markdown", "yaml", "toml", "json", "text", "rst", "dockerfile", "html"))
    assert not any(is_document(name) for name in ("python", "vue", "sql", "css", "", "nonsense"))


def test_languages_have_names_for_people() -> None:
    assert (display_name("csharp"), display_name("cpp"), display_name("nonsense")) == ("C#", "C++", "nonsense")
    assert (display_name("python"), display_name("sql"), display_name("svelte")) == ("Python", "SQL", "Svelte")


def test_no_extension_is_claimed_twice() -> None:
    table = tomllib.loads((Path(waypost.code.__file__).parent / "files" / "languages.toml").read_text(encoding="utf-8"))
    for field in ("extensions", "files", "prefixes", "interpreters"):
        claimed = [value for entry in table.values() for value in entry.get(field, ())]
        assert sorted(claimed) == sorted(set(claimed))
        assert all(value == value.lower() for value in claimed)


@pytest.mark.parametrize("unit", ["#ifdef __cplusplus ", "-*-", "\t", "class ", "a.", "test_", "#! env a=b "])
def test_hostile_names_and_heads_are_read_in_no_time(unit: str) -> None:
    started = time.process_time()
    language_of_path(unit * 50_000, unit * 50_000)
    language_of_path("x.h", unit * 50_000)
    is_test_path(unit * 50_000)
    assert time.process_time() - started < 0.5


def test_a_scoped_enumeration_tells_a_header_of_cpp() -> None:
    assert language_of_path("color.h", "enum class color : unsigned { red };\n") == "cpp"
    assert language_of_path("color.h", "enum color { red };\n") == "c"
