"""Endpoints of Rails (resources, namespaces, scopes, concerns) and of Sinatra."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.routes.base import ANY, METHODS, join, route
from waypost.code.architecture.routes.ruby_statements import RubyStatement, first_word, statement_at, words_in
from waypost.code.architecture.tokens import NAME, STRING, Span, TokenList

_VERBS = {method.lower(): method for method in METHODS}
_OPENS = frozenset(
    ["resources", "resource", "namespace", "scope", "member", "collection", "controller", "concern", "constraints"]
)
_MAX_PATH = 600
_MAX_CONCERNS = 3  # nested concerns
_OPENS |= frozenset(("authenticate", "authenticated", "defaults", "nested", "with_options", "shallow"))


@dataclass(frozen=True, slots=True)
class _Scope:
    """The context of a route: path, module and controller of its handler, enclosing resource."""

    path: str = ""
    module: str = ""
    controller: str = ""
    item: str = ""  # path of one element of the resource: posts/:post_id
    kind: str = ""  # "plural", "singular", "member", "collection", ""
    end: int = 0
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    parameter: str = "id"
    options: tuple[tuple[str, ...], ...] | None = None  # `only`, `except` and `concerns` from `with_options`


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    if "routes.draw" in text or "Rails.application" in text:
        yield from _rails(tokens)
    elif "sinatra" in text.lower():
        yield from _sinatra(tokens)
    else:
        yield from _rails(tokens)


def _sinatra(tokens: TokenList) -> Iterator[ArchitectureEvidence]:
    for at in range(len(tokens) - 1):
        first = at == 0 or tokens.lines[at - 1] < tokens.lines[at]
        if not first or tokens.kinds[at] != NAME or tokens.texts[at] not in _VERBS:
            continue
        place = at + 2 if tokens.is_other(at + 1, "(") else at + 1
        if tokens.kinds[place] == STRING and tokens.texts[place].startswith(("/", "*")):
            yield route(_VERBS[tokens.texts[at]], tokens.texts[place], "", tokens.lines[at], "Sinatra")


def _rails(tokens: TokenList) -> Iterator[ArchitectureEvidence]:
    concerns = {}
    for at in range(len(tokens)):
        if (
            tokens.is_name(at, "concern")
            and (block := statement_at(tokens, at).block) > 0
            and tokens.partner[block] > 0
        ):
            name = first_word(tokens, (at + 1, block))
            if name is not None:
                concerns[name] = (block + 1, tokens.partner[block])
    yield from _block(tokens, (0, len(tokens)), _Scope(), concerns, 0)


def _block(
    tokens: TokenList, span: Span, outermost: _Scope, concerns: dict[str, Span], depth: int
) -> Iterator[ArchitectureEvidence]:
    """The routes of a block. A concern is read where it is used, in its user's scope."""
    scopes = [replace(outermost, end=span[1])]
    at = span[0]
    while at < span[1]:
        while at > scopes[-1].end and len(scopes) > 1:
            scopes.pop()
        first = at == 0 or tokens.lines[at - 1] < tokens.lines[at] or tokens.texts[at - 1] in ("do", "{", ";", "|")
        if first and tokens.kinds[at] == NAME and _is_route_word(tokens.texts[at]) and not _is_assigned(tokens, at):
            statement = statement_at(tokens, at)
            has_block = statement.block > 0 and tokens.partner[statement.block] > 0
            if statement.name == "concern" and has_block:
                at = tokens.partner[statement.block]
                continue
            yield from _endpoints(tokens, statement, scopes[-1])
            inner = _inner(tokens, statement, scopes[-1])
            for name in _used_concerns(tokens, statement, scopes[-1]):
                if name in concerns and depth < _MAX_CONCERNS:
                    yield from _block(tokens, concerns[name], inner, concerns, depth + 1)
            if has_block:
                scopes.append(replace(inner, end=tokens.partner[statement.block]))
                at = statement.block
        at += 1


def _used_concerns(tokens: TokenList, statement: RubyStatement, scope: _Scope) -> tuple[str, ...]:
    """`concerns :batch`, `resources :links, concerns: :batch`, and those of the enclosing `with_options`."""
    if statement.name == "concerns":
        return tuple(word for span in statement.unnamed for word in words_in(tokens, span))
    if statement.name not in ("resources", "resource"):
        return ()
    own = words_in(tokens, statement.named.get("concerns"))
    return own or (scope.options[2] if scope.options is not None else ())


def _is_route_word(word: str) -> bool:
    return (
        word in _VERBS or word in _OPENS or word in ("match", "root", "devise_for", "mount", "devise_scope", "concerns")
    )


def _is_assigned(tokens: TokenList, at: int) -> bool:
    return tokens.is_other(at + 1, "=") or tokens.is_other(at + 1, ".")


def _inner(tokens: TokenList, statement: RubyStatement, scope: _Scope) -> _Scope:
    name = statement.name
    first = first_word(tokens, statement.unnamed[0]) if statement.unnamed else None
    if name in ("resources", "resource") and first:
        return _resource_scope(tokens, statement, scope, first)
    if name == "member":
        return replace(scope, path=_item(scope, True), kind="member")
    if name == "collection":
        return replace(scope, kind=name)
    if name == "concerns":
        return scope
    if name == "controller" and first:
        return replace(scope, controller=first)
    return _plain_scope(tokens, statement, scope, first)


def _plain_scope(tokens: TokenList, statement: RubyStatement, scope: _Scope, first: str | None) -> _Scope:
    """Namespaces, scopes, and blocks that only set options."""
    name = statement.name
    if name == "with_options":
        only, without = words_in(tokens, statement.named.get("only")), words_in(tokens, statement.named.get("except"))
        return replace(scope, options=(only, without, words_in(tokens, statement.named.get("concerns"))))
    path = first_word(tokens, statement.named.get("path"))
    module = first_word(tokens, statement.named.get("module"))
    controller = first_word(tokens, statement.named.get("controller"))
    if name == "namespace" and first:
        part = path if path is not None else first
        module_part = module if module is not None else first
        return _Scope(_base(scope, part), _module(scope.module, module_part))
    if name == "scope":
        part = path if path is not None else (first or "")
        inner = _Scope(_base(scope, part), _module(scope.module, module or ""), controller or scope.controller)
        return replace(inner, item=scope.item and inner.path, kind=scope.kind)
    return replace(scope, controller=controller or scope.controller, module=_module(scope.module, module or ""))


def _resource_scope(tokens: TokenList, statement: RubyStatement, scope: _Scope, first: str) -> _Scope:
    path = first_word(tokens, statement.named.get("path"))
    whole = _base(scope, path if path is not None else first)
    plural = statement.name == "resources"
    parameter = first_word(tokens, statement.named.get("param")) or "id"
    controller = first_word(tokens, statement.named.get("controller")) or (first if plural else _plural(first))
    module = first_word(tokens, statement.named.get("module"))
    parameter_name = f"{_singular(first)}_{parameter}" if plural else ""
    item = f"{whole}/:{parameter_name}" if plural else whole
    return _Scope(
        whole,
        _module(scope.module, module or ""),
        controller,
        item,
        "plural" if plural else "singular",
        only=words_in(tokens, statement.named.get("only")),
        without=words_in(tokens, statement.named.get("except")),
        parameter=parameter,
    )


def _base(scope: _Scope, part: str) -> str:
    """The base path of a route or resource. Inside a resource it belongs to one element."""
    outer = scope.item if scope.kind in ("plural", "singular") and scope.item else scope.path
    return join(outer, part).rstrip("/")[:_MAX_PATH]


def _item(scope: _Scope, member: bool) -> str:
    return f"{scope.path}/:{scope.parameter}" if member and scope.kind == "plural" else scope.path


def _endpoints(tokens: TokenList, statement: RubyStatement, scope: _Scope) -> Iterator[ArchitectureEvidence]:
    name = statement.name
    line = tokens.lines[statement.at]
    if name in ("resources", "resource"):
        for span in statement.unnamed:
            for first in words_in(tokens, span):
                yield from _resource(tokens, statement, scope, first, line)
    elif name == "root":
        target = first_word(tokens, statement.named.get("to")) or first_word(tokens, _after_arrow(tokens, statement))
        if target is None and statement.unnamed:
            target = first_word(tokens, statement.unnamed[0])
        yield route("GET", scope.path or "/", _handler(scope, target, None, None), line, "Rails")
    elif name == "mount" and statement.unnamed:
        yield from _mounts(tokens, statement, scope, line)
    elif name == "devise_for" and statement.unnamed:
        for word in words_in(tokens, statement.unnamed[0]):
            own = first_word(tokens, statement.named.get("path"))
            yield route(ANY, join(scope.path, own if own is not None else word), "Devise", line, "Rails")
    elif name in _VERBS or name == "match":
        yield from _single(tokens, statement, scope, line)


def _mounts(tokens: TokenList, statement: RubyStatement, scope: _Scope, line: int) -> Iterator[ArchitectureEvidence]:
    """`mount Sidekiq::Web => "/sidekiq"`, `mount Engine, at: "/x"`."""
    start, end = statement.unnamed[0]
    arrow = next((at for at in range(start, end) if tokens.is_other(at, "=>")), end)
    path = first_word(tokens, statement.named.get("at")) or first_word(tokens, (arrow, end))
    if path is not None:
        yield route(ANY, join(scope.path, path), tokens.source((start, arrow)).split("(")[0], line, "Rails")


def _resource(
    tokens: TokenList, statement: RubyStatement, scope: _Scope, first: str, line: int
) -> Iterator[ArchitectureEvidence]:
    inner = _resource_scope(tokens, statement, scope, first)
    if scope.options is not None and "only" not in statement.named and "except" not in statement.named:
        inner = replace(inner, only=scope.options[0], without=scope.options[1])
    conventions = table("conventions.toml")["resources"]
    for action, verb, tail in conventions["rails" if inner.kind == "plural" else "rails_singular"]:
        limited = ("only" in statement.named or bool(inner.only)) and action not in inner.only
        if limited or action in inner.without:
            continue
        handler = _module(inner.module, inner.controller) + "#" + action
        path = inner.path + tail.replace(":id", ":" + inner.parameter)
        yield route(verb, path, handler, line, "Rails")


def _after_arrow(tokens: TokenList, statement: RubyStatement) -> Span | None:
    """The target in `get "x" => "y#z"`."""
    for start, end in statement.unnamed:
        for at in range(start, end):
            if tokens.is_other(at, "=>"):
                return at + 1, end
    return None


def _single(tokens: TokenList, statement: RubyStatement, scope: _Scope, line: int) -> Iterator[ArchitectureEvidence]:
    paths: list[str] = []
    for start, end in statement.unnamed:
        arrow = next((at for at in range(start, end) if tokens.is_other(at, "=>")), end)
        paths += words_in(tokens, (start, arrow))
    target = first_word(tokens, statement.named.get("to")) or first_word(tokens, _after_arrow(tokens, statement))
    action = first_word(tokens, statement.named.get("action"))
    on = first_word(tokens, statement.named.get("on"))
    own = first_word(tokens, statement.named.get("controller"))
    module = first_word(tokens, statement.named.get("module"))
    scope = replace(scope, module=_module(scope.module, module or ""), controller=own or scope.controller)
    if on == "member" or (on == "collection" and scope.kind == "plural"):
        base = _item(scope, on == "member")
    elif scope.kind in ("plural", "singular"):
        base = scope.item
    else:
        base = scope.path
    verbs = [_VERBS.get(statement.name, "")]
    if statement.name == "match":
        words = [word.upper() for word in words_in(tokens, statement.named.get("via"))]
        verbs = [word if word in METHODS else ANY for word in words] or [ANY]
    for path in paths:
        handler = _handler(scope, target, action, path)
        for verb in verbs:
            yield route(verb, join(base, path.removesuffix("(.:format)")), handler, line, "Rails")


def _handler(scope: _Scope, target: str | None, action: str | None, path: str | None) -> str:
    if target is not None and "#" in target:
        controller, _, last = target.partition("#")
        return _module(scope.module, controller.lstrip("/") or scope.controller) + "#" + last
    last = target or action or (path or "").strip("/").replace("/", "#" if not scope.controller else "_")
    if not scope.controller:
        return _module(scope.module, last) if "#" in last else ""
    return _module(scope.module, scope.controller) + "#" + last.replace("-", "_")


def _module(outer: str, inner: str) -> str:
    return "/".join(part for part in (outer, inner.lstrip("/")) if part)


def _singular(word: str) -> str:
    word = word.rpartition("/")[2]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "uses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith("s"):
        return word if not word.endswith(("ss", "us")) else word + "es"
    return word + ("es" if word.endswith(("x", "ch", "sh")) else "s")
