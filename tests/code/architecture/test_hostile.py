import time

import pytest

from waypost.code.architecture import derive_architecture, find_evidence
from waypost.code.architecture.tokens import TokenList
from waypost.code.source import SourceFile

N = 3_000
HOSTILE = [
    ("a.py", "python", "from flask import Flask\n" + "(" * N),
    ("a.py", "python", "from fastapi import x\n" + "a.b()." * N + "include_router(x)"),
    ("a.py", "python", "urlpatterns = [\n" + 'path("a", ' * N),
    ("a.py", "python", 'urlpatterns = [path("' + "(?P<a>" * N + '", x)]'),
    ("a.py", "python", "View\n" + "class A(\n" * N),
    ("a.py", "python", "prefix" * N + ' = "/'),
    ("a.ts", "typescript", "'express' import" + " " * N + "x"),
    ("a.ts", "typescript", "'express' " + 'app.get("/x", ' * N),
    ("a.ts", "typescript", "vue-router " + '{path: "x", children: [' * N),
    ("a.php", "php", "<?php " + 'Route::prefix("a")->group(function () { ' * (N // 10)),
    ("a.php", "php", "<?php " + 'Route::get("a","b")->' * (N // 10)),
    ("config/routes.rb", "ruby", "routes.draw\n" + 'get "a",\n' * (N // 10)),
    ("config/routes.rb", "ruby", "routes.draw do\n" + "resources :a do\n" * (N // 10)),
    ("a.go", "go", '"net/http" ' + 'r.Group("/a").' * N),
    ("a.rs", "rust", "axum " + "fn a<" * N),
    ("A.java", "java", "@RestController class A { " + '@GetMapping("x") ' * N),
    ("A.cs", "csharp", "[HttpGet " + "[" * N),
    ("router.ex", "elixir", 'Router scope "/a" do\n' * N),
    ("package.json", "json", '{"a":' * N),
    ("pyproject.toml", "toml", "a=[" * N),
    ("pom.xml", "xml", "<groupId>" * N),
]


@pytest.mark.parametrize(("path", "language", "text"), HOSTILE)
def test_a_hostile_file_neither_fails_nor_takes_long(path: str, language: str, text: str) -> None:
    started = time.process_time()
    derive_architecture({path: find_evidence(SourceFile(path, language, text), None)}, [path])
    assert time.process_time() - started < 3  # far above what it takes, far below what a slow pattern would


@pytest.mark.parametrize("language", ["python", "javascript", "php", "ruby", "go", "rust", "java", "csharp", "elixir"])
@pytest.mark.parametrize(
    "text", ['"', "'", "`", '"\\', "/*", "/[", 'r#"', "(]})", "do end ", '"""', "${", "#[", "\0", "é"]
)
def test_any_text_becomes_tokens_with_matched_brackets(language: str, text: str) -> None:
    tokens = TokenList(text * 200, language)
    for at, other in enumerate(tokens.partner):
        assert other == -1 or tokens.partner[other] == at


def test_a_file_that_says_nothing_is_cheap() -> None:
    source = SourceFile("src/geometry.py", "python", "def area(width, height):\n    return width * height\n\n\n" * 200)
    assert find_evidence(source, None) == ()
    started = time.process_time()
    for _ in range(20):
        find_evidence(source, None)
    assert (time.process_time() - started) / 20 < 0.02
