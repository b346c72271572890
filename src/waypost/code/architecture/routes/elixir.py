"""Endpoints of Phoenix."""

from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.routes.base import METHODS, join, route
from waypost.code.architecture.tokens import NAME, STRING, SYMBOL, Span, TokenList

_VERBS = {method.lower(): method for method in METHODS} | {"live": "LIVE"}


def read(tokens: TokenList, _text: str) -> Iterator[ArchitectureEvidence]:
    """Phoenix: `scope "/api", Web do … get "/x", Controller, :action … resources "/y", Controller`."""
    for at in range(len(tokens) - 2):
        word = tokens.texts[at]
        first = at == 0 or tokens.lines[at - 1] < tokens.lines[at]
        if tokens.kinds[at] != NAME or not first or not (word in _VERBS or word == "resources"):
            continue
        start = at + 2 if tokens.is_other(at + 1, "(") else at + 1
        if tokens.kinds[start] != STRING:
            continue
        line = tokens.lines[at]
        end = start
        while end < len(tokens) and (tokens.lines[end] == line or tokens.is_other(end - 1, ",")):
            if tokens.is_name(end, "do"):
                break
            end += 1
        prefix = _scope_prefix(tokens, at)
        names = [at for at in range(start, end) if tokens.kinds[at] == NAME and tokens.texts[at][0].isupper()]
        controller = ""
        if names:
            last = names[0]
            while tokens.is_other(last + 1, ".") and last + 2 in names:
                last += 2
            controller = tokens.source((names[0], last + 1))
        path = tokens.texts[start]
        if word == "resources":
            yield from _resource_routes(tokens, (start, end), join(prefix, path).rstrip("/"), controller, line)
        else:
            actions = [tokens.texts[place] for place in range(start, end) if tokens.kinds[place] == SYMBOL]
            handler = f"{controller}.{actions[0]}" if actions else controller
            yield route(_VERBS[word], join(prefix, path), handler, line, "Phoenix")


def _resource_routes(
    tokens: TokenList, span: Span, path: str, controller: str, line: int
) -> Iterator[ArchitectureEvidence]:
    limits: dict[str, list[str]] = {}
    for at in range(*span):
        if tokens.texts[at] in ("only", "except") and tokens.is_other(at + 1, ":") and tokens.is_other(at + 2, "["):
            inside = range(at + 2, max(at + 2, tokens.partner[at + 2]))
            limits[tokens.texts[at]] = [tokens.texts[place] for place in inside if tokens.kinds[place] == SYMBOL]
    for action, verb, tail in table("conventions.toml")["resources"]["phoenix"]:
        if ("only" in limits and action not in limits["only"]) or action in limits.get("except", ()):
            continue
        yield route(verb, path + tail, f"{controller}.{action}", line, "Phoenix")


def _scope_prefix(tokens: TokenList, at: int) -> str:
    parts: list[str] = []
    for opening in tokens.around(at):
        if not tokens.is_name(opening, "do"):
            continue
        line = tokens.lines[opening]
        start = opening
        while start > 0 and tokens.lines[start - 1] == line and start > opening - 40:
            start -= 1
        literal = next((place for place in range(start, opening) if tokens.kinds[place] == STRING), None)
        if tokens.texts[start] == "scope" and literal is not None:
            parts.insert(0, tokens.texts[literal])
        elif tokens.texts[start] == "resources" and literal is not None:
            singular = tokens.texts[literal].strip("/").rpartition("/")[2].removesuffix("s")
            parts.insert(0, f"{tokens.texts[literal]}/:{singular}_id")
    return join(*parts) if parts else ""
