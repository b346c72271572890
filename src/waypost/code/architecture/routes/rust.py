"""Endpoints of axum, actix-web (builder) and Rocket mounts, nested by function."""

from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.routes.base import ANY, METHODS, Functions, assignee, handler_name, join, mount, route
from waypost.code.architecture.tokens import NAME, Span, TokenList

_SCOPES = ("scope", "resource")
_VERBS = {method.lower(): method for method in METHODS} | {"any": ANY}


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    framework = next((name for word, name in (("axum", "axum"), ("actix_web", "actix-web")) if word in text), "")
    if "rocket" in text and not framework:
        framework = "Rocket"
    if not framework:
        return
    scopes = Functions(tokens, "fn")
    nested = _nested(tokens)
    for at in tokens.calls():
        name = tokens.texts[at]
        if name == "mount" and framework == "Rocket":
            yield from _rocket_mount(tokens, at)
        elif framework == "actix-web":
            yield from _actix(tokens, at, scopes)
        elif framework == "axum" and tokens.is_other(at - 1, "."):
            yield from _axum(tokens, at, scopes, nested)


def _owner(tokens: TokenList, at: int, scopes: Functions, nested: frozenset[str]) -> str:
    """Where the router of a chain goes: a variable of the function, or its return value."""
    function = scopes.name(at)
    variable = assignee(tokens, tokens.chain_start(at))
    return f"{function}.{variable}" if variable and variable in nested else f"{function}()"


def _nested(tokens: TokenList) -> frozenset[str]:
    """The variables that are nested into other routers."""
    variables = set()
    for at in tokens.calls():
        if tokens.texts[at] in ("nest", "merge", "nest_service") and (spans := tokens.arguments(at + 1)):
            variables.add(tokens.texts[spans[-1][0]])
    return frozenset(variables)


def _axum(tokens: TokenList, at: int, scopes: Functions, nested: frozenset[str]) -> Iterator[ArchitectureEvidence]:
    name = tokens.texts[at]
    spans = tokens.arguments(at + 1)
    line = tokens.lines[at]
    if name == "route" and len(spans) == 2 and (path := tokens.literal(spans[0])) is not None:
        owner = _owner(tokens, at, scopes, nested)
        for verb, handler in _methods(tokens, spans[1]):
            yield route(verb, path, handler, line, "axum", owner)
    elif name in ("nest", "merge", "nest_service") and spans:
        prefix = tokens.literal(spans[0]) if len(spans) == 2 else ""
        target = spans[-1]
        called = tokens.is_other(target[1] - 1, ")") and tokens.kinds[target[0]] == NAME
        opening = tokens.partner[target[1] - 1] if called else target[1]
        written = tokens.source((target[0], opening))
        if prefix is not None and written:
            inner = f"{written}()" if called else f"{scopes.name(at)}.{written}"
            yield mount(inner, prefix, line, _owner(tokens, at, scopes, nested), "axum")


def _methods(tokens: TokenList, span: Span) -> Iterator[tuple[str, str]]:
    """`get(show).post(create)`."""
    at = span[0]
    while at < span[1]:
        if tokens.kinds[at] == NAME and tokens.texts[at] in _VERBS and tokens.is_other(at + 1, "("):
            inner = tokens.arguments(at + 1)
            yield _VERBS[tokens.texts[at]], handler_name(tokens, inner[0]) if inner else ""
            at = max(at, tokens.partner[at + 1])
        at += 1


def _actix(tokens: TokenList, at: int, scopes: Functions) -> Iterator[ArchitectureEvidence]:
    name = tokens.texts[at]
    spans = tokens.arguments(at + 1)
    line = tokens.lines[at]
    owner = f"{scopes.name(at)}()"
    if name == "to" and spans and tokens.is_other(at - 1, "."):
        verb = next((_VERBS[tokens.texts[call]] for call in tokens.chain(at) if tokens.texts[call] in _VERBS), "")
        if not verb and not any(tokens.texts[call] == "resource" for call in tokens.chain(at)):
            return
        yield route(verb or ANY, _scope(tokens, at), handler_name(tokens, spans[0]), line, "actix-web", owner)
    elif name in ("configure", "service") and spans and tokens.is_other(at - 1, "."):
        target = handler_name(tokens, spans[0])
        if target and not target.startswith(("web::", "fs::", "Files", "actix_files")) and "(" not in target:
            prefix = join(_scope(tokens, at), tokens.chained_literal(at, *_SCOPES))
            # A handler with a macro is mounted by name, a configuring function by its routes.
            yield mount(f"{target}()" if name == "configure" else target, prefix, line, owner, "actix-web")


def _scope(tokens: TokenList, at: int) -> str:
    """The prefixes of the enclosing scopes and resources."""
    parts = [tokens.chained_literal(at, *_SCOPES)] if tokens.texts[at] == "to" else []
    for opening in tokens.around(at):
        if not tokens.is_other(opening, "(") or not tokens.is_name(opening - 1):
            continue
        if tokens.texts[opening - 1] in ("service", "route", "configure"):
            parts.insert(0, tokens.chained_literal(opening - 1, *_SCOPES))
            spans = tokens.arguments(opening)
            if tokens.texts[opening - 1] == "route" and len(spans) == 2:
                parts.insert(1, tokens.literal(spans[0]) or "")
    return join(*parts)


def _rocket_mount(tokens: TokenList, at: int) -> Iterator[ArchitectureEvidence]:
    """`.mount("/api", routes![users::create, tags::list])`."""
    spans = tokens.arguments(at + 1)
    prefix = tokens.literal(spans[0]) if len(spans) >= 2 else None
    if prefix is None:
        return
    for place in range(spans[1][0], min(spans[1][1], spans[1][0] + 20)):
        if tokens.is_name(place, "routes") and tokens.is_other(place + 1, "!"):
            for start, end in tokens.arguments(place + 2):
                yield mount(tokens.source((start, end)), prefix, tokens.lines[start], "", "Rocket")
