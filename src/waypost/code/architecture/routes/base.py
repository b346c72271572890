"""Common parts of all route readers: evidence for routes, routers and mounts, and handler names."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.tokens import NAME, OTHER, STRING, Span, TokenList

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
ANY = "ANY"  # all methods, or decided at run time
PAGE = "PAGE"  # shown in a browser by a front-end router
_MAX_PATH = 300
_MAX_SPAN = 200
_TEMPLATE = re.compile(r"\$\{([^{}]{0,60})\}")


def route(
    method: str, path: str, handler: str, line: int, framework: str, owner: str = "", **detail: str
) -> ArchitectureEvidence:
    path = _TEMPLATE.sub(r"{\1}", path)[:_MAX_PATH]
    return evidence("route", path, handler[:120], line, method=method, framework=framework, owner=owner, **detail)


def router(name: str, prefix: str, line: int, framework: str) -> ArchitectureEvidence:
    return evidence("router", name, prefix[:_MAX_PATH], line, framework=framework)


def mount(target: str, prefix: str, line: int, owner: str, framework: str = "", **detail: str) -> ArchitectureEvidence:
    prefix = _TEMPLATE.sub(r"{\1}", prefix)[:_MAX_PATH]
    return evidence("mount", target[:200], prefix, line, owner=owner, framework=framework, **detail)


def join(*parts: str) -> str:
    """Join paths with one `/` between them and one in front."""
    whole = "/".join(part.strip("/") for part in parts if part.strip("/"))
    ends = next((part.endswith("/") for part in reversed(parts) if part), False)
    return "/" + whole + ("/" if ends and whole else "")


def handler_name(tokens: TokenList, span: Span) -> str:
    """The handler's name in a span: `users.create`, or `create` for `h(create)`. "" for a closure."""
    start, end = span
    for _ in range(5):
        if tokens.is_name(start, "new") or tokens.is_other(start, "&"):
            start += 1
        if start >= end or tokens.kinds[start] != NAME or tokens.texts[start] in ("async", "function", "func", "fn"):
            return _function_name(tokens, start, end)
        at = start
        while at + 2 < end and tokens.kinds[at + 1] == OTHER and tokens.texts[at + 1] in (".", "::", "->"):
            at += 2
        if at + 1 == end:
            return tokens.source((start, end))
        if not tokens.is_other(at + 1, "("):
            return ""
        inner = tokens.arguments(at + 1)
        after = tokens.partner[at + 1]
        if tokens.texts[at] in ("as_view", "bind", "call"):
            return tokens.source((start, at - 1))
        if not inner or after + 1 < end:
            return tokens.source((start, at + 1))
        start, end = inner[-1]
    return ""


def _function_name(tokens: TokenList, start: int, end: int) -> str:
    """The name of `function list(req, res) {…}` as an argument."""
    for at in range(start, min(end, start + 3)):
        if tokens.is_name(at, "function") and tokens.is_name(at + 1) and tokens.is_other(at + 2, "("):
            return tokens.texts[at + 1]
    return ""


def assignee(tokens: TokenList, at: int) -> str:
    """The variable to which the expression at `at` is assigned, or ""."""
    before = at - 1
    while before > 0 and tokens.kinds[before] == NAME and tokens.texts[before] in ("new", "await", "mut"):
        before -= 1
    if before < 1 or tokens.texts[before] not in ("=", ":=") or tokens.kinds[before] != OTHER:
        return ""
    name = before - 1
    # A declared type may be in between: `const app: Express = express()`, `app: FastAPI = FastAPI()`.
    while name >= 1 and tokens.kinds[name - 1] == OTHER and tokens.texts[name - 1] in (".", ":", "<", "::"):
        if tokens.texts[name - 1] == ":":
            return tokens.texts[name - 2] if tokens.kinds[name - 2] == NAME else ""
        name -= 2
    if tokens.is_other(name, ">") or tokens.kinds[name] != NAME:
        return ""
    return tokens.source((name, before))


def indices(span: Span) -> range:
    """The indices of a span, limited because a closure may contain the rest of the file."""
    return range(span[0], min(span[1], span[0] + _MAX_SPAN))


def strings(tokens: TokenList, span: Span) -> list[str]:
    return [tokens.texts[at] for at in indices(span) if tokens.kinds[at] == STRING]


def methods(tokens: TokenList, span: Span | None) -> list[str]:
    """The HTTP methods in a span: `["GET", "post"]`, `RequestMethod.GET`, `Request::METHOD_PUT`."""
    if span is None:
        return []
    words = (tokens.texts[at].rpartition("_")[2].upper() for at in indices(span) if tokens.kinds[at] != OTHER)
    return [word for word in dict.fromkeys(words) if word in METHODS]


class Functions:
    """The functions of a file, by position."""

    __slots__ = ("_found", "_starts", "_tokens")

    def __init__(self, tokens: TokenList, word: str) -> None:
        self._tokens = tokens
        self._found = list(_functions(tokens, word))
        self._starts = [body for _, _, body in self._found]

    def around(self, at: int) -> tuple[str, int, int] | None:
        """The innermost function: its name, its parameter bracket and its body bracket."""
        place = bisect_left(self._starts, at) - 1
        for _ in range(20):
            if place < 0:
                return None
            if at < self._tokens.partner[self._starts[place]]:
                return self._found[place]
            place -= 1
        return None

    def name(self, at: int) -> str:
        function = self.around(at)
        return function[0] if function else ""


def _functions(tokens: TokenList, word: str) -> Iterator[tuple[str, int, int]]:
    """Functions declared by `word` (`func`, `fn`, `function`): name, parameter bracket, body bracket."""
    for at in range(len(tokens) - 2):
        if not tokens.is_name(at, word):
            continue
        name = at + 1
        if tokens.is_other(name, "(") and word == "func":  # a receiver: `func (h *Handler) Register(…)`
            name = tokens.partner[name] + 1
        if name <= 0 or not tokens.is_name(name):
            continue
        opening = name + 1
        if tokens.is_other(opening, "<"):
            while opening < min(len(tokens), name + 40) and not tokens.is_other(opening, "("):
                opening += 1
        if not tokens.is_other(opening, "(") or tokens.partner[opening] < 0:
            continue
        body = tokens.partner[opening]
        while body < min(len(tokens), tokens.partner[opening] + 60) and not tokens.is_other(body, "{"):
            if tokens.is_other(body, ";"):
                break
            body += 1
        if tokens.is_other(body, "{") and tokens.partner[body] > body:
            yield tokens.texts[name], opening, body
