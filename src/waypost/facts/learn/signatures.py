"""Which parameters of a changed signature callers notice: new, removed or required ones, and changed types."""

import re
from dataclasses import dataclass

_MOST_READ = 2_000
_MOST_PARAMETERS = 40
_OPEN, _CLOSE = "([{<", ")]}>"
_ITSELF = frozenset(("self", "cls", "this", "&self", "&mut self", "mut self", "*", "/", "..."))
_NAME_FIRST = frozenset(("python", "typescript", "javascript", "tsx", "rust", "kotlin", "go", "swift", "ruby", "scala"))
_TYPED = frozenset(("typescript", "tsx", "rust", "kotlin", "go", "swift", "java", "csharp", "scala", "c", "cpp", "php"))
_VISIBILITY = re.compile(r"\bpub\([^()]{1,40}\)\s*")
_IDENTIFIER = re.compile(r"[*&.$@]*([^\W\d]\w*)\??")


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str = ""
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class SignatureDifference:
    parameters: tuple[str, ...] = ()  # names of added, removed and retyped ones
    breaks: bool = False  # existing calls break


def signature_difference(
    name: str, language: str, before: str, after: str, name_before: str = ""
) -> SignatureDifference:
    """Which parameters differ for callers. None if the signatures can't be read."""
    old, new = _parameters(name_before or name, language, before), _parameters(name, language, after)
    if old is None or new is None:
        return SignatureDifference()
    old_by_name = {parameter.name: parameter for parameter in old}
    new_by_name = {parameter.name: parameter for parameter in new}
    added = [parameter for parameter in new if parameter.name not in old_by_name]
    removed = [parameter for parameter in old if parameter.name not in new_by_name]
    if len(added) == len(removed) == 1 and added[0].type == removed[0].type and language in ("go", "rust"):
        return SignatureDifference()  # parameter names do not matter to callers there
    retyped = [
        parameter
        for parameter in new
        if language in _TYPED
        and parameter.type
        and (was := old_by_name.get(parameter.name)) is not None
        and was.type
        and was.type != parameter.type
    ]
    names = tuple(parameter.name for parameter in (*added, *removed, *retyped))
    return SignatureDifference(names, bool(removed) or any(not parameter.is_optional for parameter in added))


def _parameters(name: str, language: str, signature: str) -> list[Parameter] | None:
    """The parameters of a signature, or None if they cannot be read."""
    if "`" in signature or len(signature) > _MOST_READ:
        return None
    parameter_text = _inside(name.rpartition(".")[2].rpartition("::")[2], signature)
    if parameter_text is None:
        return None
    parts = _split_parameters(parameter_text)
    if len(parts) > _MOST_PARAMETERS:
        return None
    parsed = [_parameter(part, language) for part in parts]
    parameters = [parameter for parameter in parsed if parameter is not None]
    if language == "go":
        parameters = _go_parameters(parts)
    return parameters if len({parameter.name for parameter in parameters}) == len(parameters) else None


def _inside(name: str, signature: str) -> str | None:
    signature = _VISIBILITY.sub("pub ", signature)
    name_match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", signature)
    start = signature.find("(", name_match.end() if name_match else 0)
    if start < 0:
        return None
    depth = 0
    for position in range(start, len(signature)):
        sign = signature[position]
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return signature[start + 1 : position]
    return None


def _split_parameters(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    quote = ""
    for position, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE and not (sign == ">" and text[position - 1 : position] in ("-", "=")):
            depth = max(0, depth - 1)
        elif sign == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _parameter(part: str, language: str) -> Parameter | None:
    if part in _ITSELF or part.startswith(("self:", "this:")):
        return None
    head, equals, _ = part.partition("=")
    if equals and head.endswith(("=", "!", "<", ">")):
        head, equals = part, ""
    declaration, colon, kind = head.partition(":") if language in _NAME_FIRST else (head, "", "")
    optional = bool(equals) or declaration.rstrip().endswith("?") or part.startswith(("*", "...", "&"))
    words = declaration.split()
    if not words:
        return None
    name = words[0] if language in _NAME_FIRST and (colon or len(words) == 1) else words[-1]
    identifier = _IDENTIFIER.fullmatch(name.strip("&"))
    if identifier is None or identifier[1] in ("self", "cls", "this"):
        return None
    type_text = kind.strip() if colon else " ".join(words[:-1])
    return Parameter(identifier[1], " ".join(type_text.split()), optional)


def _go_parameters(parts: list[str]) -> list[Parameter]:
    """`a, b int` are two parameters of type `int`."""
    parameters: list[Parameter] = []
    kind = ""
    for part in reversed(parts):
        name, _, rest = part.partition(" ")
        kind = rest.strip().replace("interface{}", "any") or kind
        if not name.isidentifier():
            return []
        parameters.append(Parameter(name, kind, kind.startswith("...")))
    return parameters[::-1]
