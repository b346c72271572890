"""What callers notice of a changed signature: parameters that came, went or must be given, and what is returned."""

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


def what_callers_see(name: str, language: str, before: str, after: str, name_before: str = "") -> tuple[str, bool]:
    """What follows "`name` " in a sentence, and whether existing calls break; "" where nothing can be told."""
    old, new = _parameters(name_before or name, language, before), _parameters(name, language, after)
    if old is None or new is None:
        return "", False
    known, wanted = {one.name: one for one in old}, {one.name: one for one in new}
    added = [one for one in new if one.name not in known]
    gone = [one for one in old if one.name not in wanted]
    parts: list[str] = []
    breaks = False
    if len(added) == len(gone) == 1 and (len(old) == 1 or added[0].type == gone[0].type):
        if language == "go" or (language == "rust" and added[0].type == gone[0].type):
            return "", False  # names of parameters are nobody's business there
        return f"takes `{added[0].name}` in place of `{gone[0].name}`", True
    must = [one.name for one in added if not one.is_optional]
    may = [one.name for one in added if one.is_optional]
    if must:
        parts.append(f"must now be given {_listed(must)}")
        breaks = True
    if may:
        parts.append(f"takes the new optional parameter{'s' if len(may) > 1 else ''} {_listed(may)}")
    if gone:
        parts.append(f"no longer takes {_listed([one.name for one in gone])}")
        breaks = True
    if not parts and language in _TYPED:
        parts = _retyped(known, new)
    return " and ".join(parts[:2]), breaks


def _retyped(known: dict[str, Parameter], new: list[Parameter]) -> list[str]:
    changed = [
        (known[one.name], one) for one in new if one.type and known[one.name].type and one.type != known[one.name].type
    ]
    if len(changed) != 1 or any("`" in one.type or len(one.type) > 60 for one in changed[0]):
        return []
    was, now = changed[0]
    return [f"takes `{now.name}` as `{now.type}` (was `{was.type}`)"]


def _listed(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:4]]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {more} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _parameters(name: str, language: str, signature: str) -> list[Parameter] | None:
    """The parameters of a signature, None where it has none that we can read."""
    if "`" in signature or len(signature) > _MOST_READ:
        return None
    inside = _inside(name.rpartition(".")[2].rpartition("::")[2], signature)
    if inside is None:
        return None
    parts = _divided(inside)
    if len(parts) > _MOST_PARAMETERS:
        return None
    read = [_parameter(part, language) for part in parts]
    found = [one for one in read if one is not None]
    if language == "go":
        found = _go(parts)
    return found if len({one.name for one in found}) == len(found) else None


def _inside(name: str, signature: str) -> str | None:
    """What stands between the parentheses behind the name."""
    signature = _VISIBILITY.sub("pub ", signature)
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", signature)
    start = signature.find("(", found.end() if found else 0)
    if start < 0:
        return None
    depth = 0
    for place in range(start, len(signature)):
        sign = signature[place]
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return signature[start + 1 : place]
    return None


def _divided(inside: str) -> list[str]:
    parts, depth, start = [], 0, 0
    quote = ""
    for place, sign in enumerate(inside):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE and not (sign == ">" and inside[place - 1 : place] in ("-", "=")):
            depth = max(0, depth - 1)
        elif sign == "," and depth == 0:
            parts.append(inside[start:place].strip())
            start = place + 1
    parts.append(inside[start:].strip())
    return [part for part in parts if part]


def _parameter(part: str, language: str) -> Parameter | None:
    if part in _ITSELF or part.startswith(("self:", "this:")):
        return None
    head, equals, _ = part.partition("=")
    if equals and head.endswith(("=", "!", "<", ">")):
        head, equals = part, ""
    declared, colon, kind = head.partition(":") if language in _NAME_FIRST else (head, "", "")
    optional = bool(equals) or declared.rstrip().endswith("?") or part.startswith(("*", "...", "&"))
    words = declared.split()
    if not words:
        return None
    name = words[0] if language in _NAME_FIRST and (colon or len(words) == 1) else words[-1]
    found = _IDENTIFIER.fullmatch(name.strip("&"))
    if found is None or found[1] in ("self", "cls", "this"):
        return None
    typed = kind.strip() if colon else " ".join(words[:-1])
    return Parameter(found[1], " ".join(typed.split()), optional)


def _go(parts: list[str]) -> list[Parameter]:
    """`a, b int` are two of type `int`."""
    found: list[Parameter] = []
    kind = ""
    for part in reversed(parts):
        name, _, rest = part.partition(" ")
        kind = rest.strip().replace("interface{}", "any") or kind
        if not name.isidentifier():
            return []
        found.append(Parameter(name, kind, kind.startswith("...")))
    return found[::-1]
