"""Endpoints of Django: url patterns with includes, views with their methods, REST framework routers."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.routes.base import ANY, METHODS, assignee, handler_name, indices, mount, route, strings
from waypost.code.architecture.tokens import Span, TokenList

_PATTERN_CALLS = ("path", "re_path", "url")
_GROUPS = re.compile(r"\(\?P<(\w+)>")
VIEWSET_METHODS = {"list": "GET", "create": "POST", "retrieve": "GET", "update": "PUT", "partial_update": "PATCH"}
VIEWSET_METHODS |= {"destroy": "DELETE"}
ON_COLLECTION = ("list", "create")
_VIEW_CLASS = re.compile(r"^class[ \t]+(\w+)[ \t]*\(([^)\n]{0,400}(?:\n[^)\n]{0,200}){0,8})\)[ \t]*:", re.MULTILINE)
_METHOD = re.compile(r"^[ \t]{1,8}(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_ACTION = re.compile(
    r"^[ \t]{1,8}@action\(([^\n]{0,200}(?:\n[^)\n]{0,200}){0,6})\)[ \t]*\n(?:[ \t]*+@[^\n]*+\n){0,20}+[ \t]*+def[ \t]+(\w+)",
    re.MULTILINE,
)
_LOOKUP = re.compile(r"^[ \t]+lookup_(?:url_kwarg|field)[ \t]*=[ \t]*['\"](\w+)['\"]", re.MULTILINE)
_DECORATED = re.compile(
    r"^@(?:api_view|require_http_methods|require_(GET|POST|safe))(?:\(([^)\n]{0,120})\))?[ \t]*\n"
    r"(?:@[^\n]*\n){0,9}(?:async[ \t]+)?def[ \t]+(\w+)",
    re.MULTILINE,
)


def read(tokens: TokenList, _text: str) -> Iterator[ArchitectureEvidence]:
    """Url patterns of a file. `views` reads what its views answer."""
    for at in tokens.calls():
        name = tokens.texts[at]
        if name in _PATTERN_CALLS and not tokens.is_other(at - 1, "."):
            yield from _pattern(tokens, at)
        elif name == "register" and tokens.is_other(at - 1, "."):
            yield from _register_call(tokens, at)


def _pattern(tokens: TokenList, at: int) -> Iterator[ArchitectureEvidence]:
    spans = tokens.arguments(at + 1)
    if len(spans) < 2 or (written := tokens.literal(tokens.split_keyword(spans[0])[1])) is None:
        return
    path = readable_path(written) if tokens.texts[at] != "path" else written
    owner, prefix = _place(tokens, at)
    path = prefix + path
    target = tokens.split_keyword(spans[1])[1]
    line = tokens.lines[at]
    if tokens.is_name(target[0], "include"):
        inner = tokens.arguments(target[0] + 1)
        if not inner or tokens.is_other(inner[0][0], "["):
            return  # the patterns in the list are read separately
        start = inner[0][0] + 1 if tokens.is_other(inner[0][0], "(") else inner[0][0]
        module = tokens.texts[start] if tokens.kinds[start] == "s" else _included_target(tokens, inner[0])
        yield mount(module, path, line, owner, "Django")
    else:
        handler = handler_name(tokens, target)
        if (mapping := _mapping(tokens, target)) is None:
            yield route(ANY, path, handler, line, "Django", owner)
        for method, action in mapping or ():
            yield route(method, path, f"{handler}.{action}", line, "Django", owner)


def _included_target(tokens: TokenList, span: Span) -> str:
    """`router.urls` refers to the router, a tuple `(patterns, "name")` to its first element."""
    start, end = span
    if tokens.is_other(start, "("):
        first = tokens.arguments(start)
        start, end = first[0] if first else span
    return tokens.source((start, end)).removesuffix(".urls")


def _mapping(tokens: TokenList, span: Span) -> list[tuple[str, str]] | None:
    """`ArticleViewSet.as_view({"get": "list"})`."""
    for at in indices(span):
        if tokens.is_name(at, "as_view") and tokens.is_other(at + 2, "{"):
            words = strings(tokens, (at + 2, max(at + 2, tokens.partner[at + 2])))
            pairs = zip(words[::2], words[1::2], strict=False)
            return [(method.upper(), action) for method, action in pairs if method.upper() in METHODS]
    return None


def _place(tokens: TokenList, at: int) -> tuple[str, str]:
    """The list that contains a pattern, and the prefix of the patterns around it."""
    owner, prefix = "urlpatterns", ""
    for opening in tokens.around(at):
        if tokens.is_other(opening, "["):
            before = opening
            if tokens.is_other(before - 1, "=") and tokens.is_other(before - 2, "+"):
                before -= 1
                owner = tokens.text(before - 2)
            elif name := assignee(tokens, opening):
                owner = name
        elif tokens.is_call(opening, *_PATTERN_CALLS):
            outer = tokens.arguments(opening)
            written = tokens.literal(outer[0]) if outer else None
            if written is not None and at > outer[0][1]:
                prefix = (readable_path(written) if tokens.texts[opening - 1] != "path" else written) + prefix
    return owner, prefix


def _register_call(tokens: TokenList, at: int) -> Iterator[ArchitectureEvidence]:
    """`router.register(r"articles", ArticleViewSet)`: expanded to its actions once the class is known."""
    spans = tokens.arguments(at + 1)
    if len(spans) < 2:
        return
    start = tokens.chain_start(at)
    prefix = tokens.literal(tokens.split_keyword(spans[0])[1])
    handler = handler_name(tokens, tokens.split_keyword(spans[1])[1])
    if prefix is None or not handler or "router" not in tokens.texts[start].lower():
        return
    owner = tokens.source((start, at - 1))
    yield route("VIEWSET", prefix.strip("^/"), handler, tokens.lines[at], "Django REST framework", owner)


def readable_path(pattern: str) -> str:
    """A path regex in readable form: `^a/(?P<id>\\d+)/?$` is `a/<id>/`."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        group = _GROUPS.match(pattern, at)
        if group or pattern[at] == "(":
            end = _group_end(pattern, at)
            name = group[1] if group else ""
            parts.append(f"<{name}>" if name else ("" if pattern.startswith("(?:", at) else "<value>"))
            at = end
        elif pattern[at] in "^$?":
            at += 1
        elif pattern[at] == "\\" and at + 1 < len(pattern):
            if pattern[at + 1] not in "ZAzb":
                parts.append(pattern[at + 1])
            at += 2
        else:
            parts.append(pattern[at])
            at += 1
    return "".join(parts)


def _group_end(pattern: str, at: int) -> int:
    depth, in_set = 0, False
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            at += 1
        elif in_set:
            in_set = letter != "]"
        elif letter == "[":
            in_set = True
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return at


def views(text: str) -> Iterator[ArchitectureEvidence]:
    """What the views of a file answer: classes by methods and bases, functions by decorators."""
    places = list(_VIEW_CLASS.finditer(text))
    for match, end in zip(places, [*(m.start() for m in places[1:]), len(text)], strict=False):
        bases = match[2]
        if "View" not in bases and "Mixin" not in bases and "Resource" not in bases:
            continue
        line = text.count("\n", 0, match.start()) + 1
        own = [name[1] for name in _METHOD.finditer(text, match.end(), end)]
        answers = [name for name in own if name in VIEWSET_METHODS or name.upper() in METHODS]
        if not any(name.upper() in METHODS for name in own):
            made_of = set(re.findall(r"\w+", bases))
            for base, words in table("conventions.toml")["django_views"].items():
                if base in made_of:
                    answers += words.split()
        for action in _ACTION.finditer(text, match.end(), end):
            answers.append(_extra_action(action[1], action[2]))
        if answers:
            lookup = _LOOKUP.search(text, match.end(), end)
            by = lookup[1] if lookup else ""
            yield evidence("viewset", match[1], " ".join(dict.fromkeys(answers)), line, lookup=by)
    for match in _DECORATED.finditer(text):
        line = text.count("\n", 0, match.start(3)) + 1
        verbs = re.findall(r"[A-Z]{3,7}", match[2] or "") or [{"safe": "GET"}.get(match[1], match[1] or "GET")]
        yield evidence("viewset", match[3], " ".join(verb.lower() for verb in verbs), line)


def _extra_action(arguments: str, name: str) -> str:
    """An extra action, as `+name|path|detail|method,method`."""
    path = re.search(r"url_path\s*=\s*r?[\"']([^\"']{1,100})[\"']", arguments)
    verbs = re.search(r"methods\s*=\s*[\[(]([^\])]{0,100})", arguments)
    stated = re.findall(r"[a-z]{3,7}", verbs[1].lower()) if verbs else ["get"]
    on_one = "detail" if re.search(r"detail\s*=\s*True", arguments) else "list"
    return f"+{name}|{path[1] if path else name}|{on_one}|{','.join(stated)}".replace(" ", "")
