"""Endpoints of ASP.NET: minimal APIs, Razor pages and Blazor components."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.routes.base import METHODS, PAGE, assignee, handler_name, join, mount, route
from waypost.code.architecture.tokens import TokenList

_MAPS = {f"Map{method.capitalize()}": method for method in METHODS}
_RAZOR_PAGE = re.compile(r"^\ufeff?@page(?:[ \t]+\"([^\"\n]{0,200})\")?", re.MULTILINE)


def read_minimal_apis(tokens: TokenList, _text: str) -> Iterator[ArchitectureEvidence]:
    """`app.MapGet("/x", Handler)`, `var group = app.MapGroup("/x")`."""
    for at in tokens.calls():
        name = tokens.texts[at]
        spans = tokens.arguments(at + 1)
        if not spans or not tokens.is_other(at - 1, "."):
            continue
        start = tokens.chain_start(at)
        owner = tokens.texts[start]
        if name in _MAPS and len(spans) >= 2 and (path := tokens.literal(spans[0])) is not None:
            prefix = tokens.chained_literal(at, "MapGroup")
            handler = handler_name(tokens, spans[1])
            yield route(_MAPS[name], join(prefix, path), handler, tokens.lines[at], "ASP.NET Core", owner)
        elif name == "MapGroup" and (variable := assignee(tokens, start)):
            yield mount(variable, tokens.literal(spans[0]) or "", tokens.lines[at], owner, "ASP.NET Core")


def read_razor(path: str, text: str) -> Iterator[ArchitectureEvidence]:
    """Razor pages and Blazor components: `@page "/x"`, or the path below `Pages`."""
    match = _RAZOR_PAGE.search(text)
    if match is None:
        return
    parts = path.split("/")
    own = match[1] or ""
    if not own.startswith("/"):
        place = len(parts) - parts[::-1].index("Pages") if "Pages" in parts else len(parts) - 1
        inner = [part for part in (*parts[place:-1], parts[-1].split(".")[0]) if part != "Index"]
        area = parts[parts.index("Areas") + 1] if "Areas" in parts[:-2] else ""
        own = join(area, *inner, own)
    yield route(PAGE, own, parts[-1], text.count("\n", 0, match.start()) + 1, "ASP.NET Core")
