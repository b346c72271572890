"""Endpoints declared by annotations: Spring, JAX-RS, Micronaut, Nest, ASP.NET controllers, Symfony, Rocket, actix-web.

A table says which annotation means what; this module combines class and method.
"""

from collections.abc import Iterator
from typing import Any

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.routes.annotations import Annotation, Declaration, declarations
from waypost.code.architecture.routes.base import ANY, join, methods, route, strings
from waypost.code.architecture.tokens import NAME, STRING, TokenList

_PATH_KEYS = ("value", "path", "Template", "template", "uri")


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    """Routes of all frameworks of this language whose mark is in the text."""
    styles = [style for style in table("annotations.toml")["style"] if tokens.family in style["languages"]]
    styles = [style for style in styles if any(mark in text for mark in style["marks"])]
    if not styles:
        return
    declared_items = declarations(tokens)
    for style in styles[:1]:
        for declared in declared_items:
            if not declared.is_class:
                yield from _endpoints(tokens, style, declared)


def _endpoints(tokens: TokenList, style: dict[str, Any], declared: Declaration) -> Iterator[ArchitectureEvidence]:
    owner = declared.owner
    if style.get("clients") and owner is not None and owner.find_annotation(*style["clients"]):
        return
    verbs, paths = _verbs_and_paths(tokens, style, declared)
    if not verbs and not (paths and style.get("path_is_enough") and owner is not None):
        return
    bases = _class_paths(tokens, style, owner) if owner is not None else [""]
    if style.get("conventional") and owner is not None and not paths and bases == [""]:
        bases = [f"{owner.name.removesuffix('Controller')}/{declared.name}"]
    handler = f"{owner.name}.{declared.name}" if owner is not None else declared.name
    detail = {"guard": guard} if (guard := _guard(style, declared)) else {}
    for base in bases or [""]:
        for path in paths or [""]:
            whole = path if style.get("absolute") and path.startswith(("/", "~/")) else join(base, path)
            if style.get("query"):
                whole = whole.partition("?")[0]
            whole = _replace_names(whole.removeprefix("~"), owner.name if owner else "", declared.name)
            for verb in verbs or [ANY]:
                line = tokens.lines[declared.annotations[0].at]
                owner_name = "" if owner is not None else declared.name
                name = style["framework"]
                yield route(verb, whole, handler, line, name, owner_name if style.get("by_name") else "", **detail)


def _verbs_and_paths(tokens: TokenList, style: dict[str, Any], declared: Declaration) -> tuple[list[str], list[str]]:
    verbs: list[str] = []
    paths: list[str] = []
    for annotation in declared.annotations:
        name = annotation.last_name
        if name in style["verbs"]:
            verb = style["verbs"][name]
            if verb == "*":
                keys = tuple(style.get("method_keys", ()))
                verbs += methods(tokens, tokens.keyword(annotation.opening, *keys)) if annotation.opening > 0 else []
                verbs = verbs or [ANY]
            else:
                verbs.append(verb)
            paths += _paths(tokens, annotation)
        elif name in style.get("paths", ()):
            paths += _paths(tokens, annotation)
    return list(dict.fromkeys(verbs)), list(dict.fromkeys(paths))


def _class_paths(tokens: TokenList, style: dict[str, Any], owner: Declaration) -> list[str]:
    for name in style["prefixes"]:
        annotation = owner.find_annotation(name)
        if annotation is not None and (paths := _paths(tokens, annotation)):
            return paths
    return [""]


def _paths(tokens: TokenList, annotation: Annotation) -> list[str]:
    """The paths in the arguments: the first unnamed one, or the one named value, path, …"""
    if annotation.opening < 0:
        return []
    for span in tokens.arguments(annotation.opening):
        name, value = tokens.split_keyword(span)
        if tokens.kinds[span[0]] == STRING or name in _PATH_KEYS or tokens.texts[span[0]] in "{[":
            if tokens.is_other(value[0], "{") and tokens.family == "javascript":  # Nest: @Controller({path: 'x'})
                inner = tokens.keyword(value[0], "path")
                return strings(tokens, inner) if inner else []
            literal = tokens.literal(value)
            if literal is not None:
                return [literal]
            if literals := strings(tokens, value):
                return literals[:6]
        if not name and tokens.kinds[span[0]] == NAME:
            return ["{" + tokens.source(span) + "}"]
    return []


def _guard(style: dict[str, Any], declared: Declaration) -> str:
    for holder in (declared, declared.owner):
        if holder is None:
            continue
        for annotation in holder.annotations:
            if annotation.last_name in style.get("guards", ()):
                return annotation.last_name
    return ""


def _replace_names(path: str, class_name: str, method_name: str) -> str:
    """Replace ASP.NET's `[controller]` and `[action]` with the names."""
    if "[" not in path:
        return path
    path = path.replace("[controller]", class_name.removesuffix("Controller"))
    return path.replace("[action]", method_name)


def global_prefix(tokens: TokenList) -> Iterator[ArchitectureEvidence]:
    """Nest: `app.setGlobalPrefix('api')` in the file that starts the program."""
    for at in tokens.calls():
        if tokens.texts[at] == "setGlobalPrefix":
            spans = tokens.arguments(at + 1)
            literal = tokens.literal(spans[0]) if spans else None
            if literal:
                yield evidence("prefix", "Nest", literal, tokens.lines[at])
