"""Find what one file says about the architecture of its project."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import framework_of_import
from waypost.code.architecture.manifests import read_manifest
from waypost.code.architecture.marks import read_marks
from waypost.code.architecture.roles import role_of
from waypost.code.architecture.routes import (
    annotated,
    django,
    dotnet,
    elixir,
    file_based,
    golang,
    grpc,
    javascript,
    php,
    python,
    ruby,
    rust,
)
from waypost.code.architecture.structure import read_structure
from waypost.code.architecture.tokens import FAMILY, MAX_CHARACTERS, TokenList
from waypost.code.source import Parsed, SourceFile

_Reader = Callable[[TokenList, str], Iterator[ArchitectureEvidence]]
_PYTHON_WORDS = (
    *("@", "include_router(", "register_blueprint(", "add_url_rule(", "add_resource(", "Route(", "router.add_"),
    "tornado",
)
# A file is tokenized only if it contains one of these words.
_ROUTE_WORDS: dict[str, tuple[tuple[tuple[str, ...], _Reader], ...]] = {
    "python": ((_PYTHON_WORDS, python.read), (("urlpatterns", "outer.register(", " path(", "patterns"), django.read)),
    "javascript": (
        (("@nestjs/common",), annotated.read),
        (("outer", "express", "fastify", "hono", "app.", "koa", "Hono"), javascript.read),
        (("vue-router", "@angular/router", "react-router", "@solidjs/router"), javascript.pages),
        (("setGlobalPrefix(",), lambda tokens, _text: annotated.global_prefix(tokens)),
    ),
    "php": (
        (("Route",), annotated.read),
        (("Route::", "$router->", "$routes->", "$app->", "$group->", "register_rest_route"), php.read),
    ),
    "java": ((("Mapping", "@Path", "@Get", "@Post", "@Controller"), annotated.read),),
    "kotlin": ((("Mapping", "@Path", "@Get", "@Post", "@Controller"), annotated.read),),
    "csharp": (
        (("[Http", "[Route"), annotated.read),
        ((".MapGet(", ".MapPost(", ".MapPut(", ".MapDelete(", ".MapPatch(", ".MapGroup("), dotnet.read_minimal_apis),
    ),
    "rust": (
        (("#[get", "#[post", "#[put", "#[delete", "#[patch", "#[head", "#[options"), annotated.read),
        (("axum", "actix_web", "rocket"), rust.read),
    ),
    "go": (((*golang.PACKAGES, "net/http", "httprouter", *golang.MARKS), golang.read),),
    "elixir": ((("scope ", "Router"), elixir.read),),
}
_PYTHON_ROUTES = (
    *("flask", "fastapi", "starlette", "aiohttp", "tornado", "sanic", "quart", "APIRouter", "litestar"),
    "router.add_",
)
_PREFIX_CONSTANT = re.compile(
    r"^[ \t]{0,40}+(?:export[ \t]++)?(?:const[ \t]++)?(\w{1,60}+)(?:[ \t]{0,9}+:[ \t]{0,9}+\w{1,60}+)?"
    r"[ \t]{0,9}+=[ \t]{0,9}+[\"'](/[\w/\-.]{0,80}+)[\"']",
    re.MULTILINE,
)
_PREFIX_WORDS = ("prefix", "PREFIX", "API_V", "API_STR", "base_path", "BASE_PATH", "apiPath")
_MAX_ROUTES = 3000  # per file; with more, a program wrote it
_MAX_LINE = 20_000  # a longer line is not written by hand


def find_evidence(source: SourceFile, parsed: Parsed | None) -> tuple[ArchitectureEvidence, ...]:
    """Everything that `source` says: dependencies, frameworks, endpoints, authentication, settings, parts.

    `parsed` adds imports, parts and design patterns. Files without evidence cost only a few searches for fixed words.
    """
    collected = list(read_manifest(source.path, source.text))
    if len(source.text) > MAX_CHARACTERS:
        return tuple(collected)
    collected += read_marks(source)
    if role_of(source.path) != "test":  # routes in tests are not part of the project
        collected += file_based.read(source.path, source.text)
        collected += islice(_routes(source), _MAX_ROUTES)
    if source.language in ("python", "javascript", "typescript") and any(word in source.text for word in _PREFIX_WORDS):
        collected += _constants(source.text)
    if parsed is not None:
        collected += _imports(parsed)
        collected += read_structure(source, parsed)
    return tuple(dict.fromkeys(collected))


def _constants(text: str) -> Iterator[ArchitectureEvidence]:
    """Named route prefixes: `API_V1_STR: str = "/api/v1"`."""
    for match in _PREFIX_CONSTANT.finditer(text):
        if not any(word in match[1] for word in _PREFIX_WORDS):
            continue
        yield evidence("prefix", f"constant {match[1]}", match[2], text.count("\n", 0, match.start(1)) + 1)


def _routes(source: SourceFile) -> Iterator[ArchitectureEvidence]:
    family = FAMILY.get(source.language, source.language)
    text = source.text
    if source.path.endswith(".proto"):
        yield from grpc.read(text)
    elif source.path.endswith((".cshtml", ".razor")):
        yield from dotnet.read_razor(source.path, text)
    elif source.path.endswith(
        ("config/routes.yaml", "config/routes/annotations.yaml", "config/routes/attributes.yaml")
    ):
        yield from php.read_symfony_prefix(text)
    elif family == "ruby":
        if _is_ruby_routes(source):
            yield from ruby.read(TokenList(text, "ruby"), text)
    elif source.path.endswith((".ex", ".exs")) and "Router" in text:
        yield from elixir.read(TokenList(text, "elixir"), text)
    elif family in _ROUTE_WORDS:
        readers = [read for words, read in _ROUTE_WORDS[family] if any(word in text for word in words)]
        if family == "python":
            yield from _python(source, readers)
        elif readers and (family != "javascript" or not _is_minified(text)):
            tokens = TokenList(text, family)
            for read in readers:
                yield from read(tokens, text)


def _python(source: SourceFile, readers: list[_Reader]) -> Iterator[ArchitectureEvidence]:
    text = source.text
    if python.read in readers and not any(word in text for word in _PYTHON_ROUTES):
        readers = [read for read in readers if read is not python.read]
    if django.read in readers and "django" not in text and "urlpatterns" not in text:
        readers = [read for read in readers if read is not django.read]
    if readers:
        tokens = TokenList(text, "python")
        routes = [item for read in readers for item in read(tokens, text)]
        yield from routes
        if any(item.kind == "mount" or item.get("framework").startswith("Django") for item in routes):
            yield from python.links(text)
    if "View" in text or "Mixin" in text or "@api_view" in text or "@require_" in text:
        yield from django.views(text)


def _is_ruby_routes(source: SourceFile) -> bool:
    if "routes.draw" in source.text or "/config/routes/" in f"/{source.path}":
        return True
    return "sinatra" in source.text.lower()


def _is_minified(text: str) -> bool:
    return len(text) > _MAX_LINE and text.count("\n") < len(text) // _MAX_LINE


def _imports(parsed: Parsed) -> Iterator[ArchitectureEvidence]:
    """The first import of each framework and library."""
    seen = set()
    for imported in parsed.imports:
        module = (
            imported.module if not imported.name or "\\" in imported.module else f"{imported.module}.{imported.name}"
        )
        framework = framework_of_import(module) or framework_of_import(imported.module)
        if framework is not None and framework.name not in seen:
            seen.add(framework.name)
            yield evidence("import", framework.name, imported.module, imported.line)
