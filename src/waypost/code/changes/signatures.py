"""Whether callers notice a changed signature. Layout and details of the body do not count."""

import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"\w+|->|=>|::|\*\*|\.\.\.|[^\w\s]")
_STRING = re.compile(r"'([^'\\\"\n]{0,200})'")
_OPEN, _CLOSE = frozenset("([{<"), frozenset(")]}>")
_OPTIONAL_TYPES = frozenset({"python", "ruby", "javascript", "php", "shell"})  # adding a type breaks no caller
_BY_PLACE = frozenset({"go", "java", "rust", "c", "cpp"})  # arguments have no names there
_INITIALISERS = frozenset({"csharp", "cpp"})
_NO_CALLER = frozenset({"final", "mut", "unused"})
_MOST_TOKENS = 600

Part = tuple[str, ...]


def callers_notice(language: str, before: str, after: str) -> bool:
    """Whether two signatures of one definition differ for its users. Names do not count."""
    if before == after:
        return False
    old, new = _tokens(before), _tokens(after)
    if old == new:
        return False
    old_parts, new_parts = _split_signature(old), _split_signature(new)
    if old_parts is None or new_parts is None:
        return old != new
    if language in _INITIALISERS:
        old_parts, new_parts = ((*parts[:2], _without_initialiser(parts[2])) for parts in (old_parts, new_parts))
    if language in _OPTIONAL_TYPES:
        return _differ_untyped(old_parts, new_parts)
    if language in _BY_PLACE:
        return _positional(language, old_parts) != _positional(language, new_parts)
    return old_parts != new_parts


def _without_initialiser(behind: Part) -> Part:
    """Drop a constructor's initialiser, such as `: base(other)`."""
    return () if behind[:1] == (":",) else behind


def _tokens(signature: str) -> list[str]:
    """Without white space, redundant commas and the choice of quotes."""
    signature = _STRING.sub(r'"\1"', signature)
    tokens: list[str] = []
    for word in _TOKEN.findall(signature)[:_MOST_TOKENS]:
        if word in _CLOSE and tokens and tokens[-1] == ",":
            tokens.pop()
        tokens.append(word)
    return tokens


def _split_signature(tokens: Sequence[str]) -> tuple[Part, tuple[Part, ...], Part] | None:
    """The part before the parameters (without the name), each parameter, and the part after them."""
    first = _parameters_at(tokens)
    if first < 0:
        return None
    depth = 0
    parts: list[Part] = []
    start = first + 1
    for place in range(first, len(tokens)):
        word = tokens[place]
        if word in _OPEN:
            depth += 1
        elif word in _CLOSE and not (word == ">" and place and tokens[place - 1] in "=-"):
            depth -= 1
            if depth == 0:
                parts.append(tuple(tokens[start:place]))
                kept = tuple(part for part in parts if part)
                return tuple(tokens[: max(0, first - 1)]), kept, tuple(tokens[place + 1 :])
        elif word == "," and depth == 1:
            parts.append(tuple(tokens[start:place]))
            start = place + 1
    return None


def _parameters_at(tokens: Sequence[str]) -> int:
    """Where the parameter list opens: after the name, not at a Go receiver."""
    for place, word in enumerate(tokens):
        if word == "(" and place and tokens[place - 1] != "func" and tokens[place - 1] not in ("pub", "@"):
            return place
    return -1


def _differ_untyped(old: tuple[Part, tuple[Part, ...], Part], new: tuple[Part, tuple[Part, ...], Part]) -> bool:
    """Compare names, defaults and order; types only where both have one."""
    if old[0] != new[0] or len(old[1]) != len(new[1]):
        return True
    for before, after in zip(old[1], new[1], strict=True):
        (name, kind, default), (name_now, kind_now, default_now) = _split_parameter(before), _split_parameter(after)
        if name != name_now or default != default_now or (kind and kind_now and kind != kind_now):
            return True
    return bool(old[2] and new[2] and old[2] != new[2])


def _split_parameter(part: Part) -> tuple[Part, Part, Part]:
    """Split `a: int = 1` into name, type and default."""
    declared, default = part, Part()
    depth = 0
    for place, word in enumerate(part):
        depth += (word in _OPEN) - (word in _CLOSE)
        if word == "=" and depth <= 0:
            declared, default = part[:place], part[place + 1 :]
            break
    at = declared.index(":") if ":" in declared else len(declared)
    return declared[:at], declared[at + 1 :], default


def _positional(language: str, parts: tuple[Part, tuple[Part, ...], Part]) -> tuple[Part, tuple[Part, ...], Part]:
    """The types of the parameters, without names."""
    before, inside, behind = parts
    if language == "go":
        return before[:1], tuple(_go_types(inside)), behind
    return tuple(word for word in before if word not in _NO_CALLER), tuple(_types(language, inside)), behind


def _go_types(inside: Sequence[Part]) -> Iterator[Part]:
    """`a, b int` are two of type `int`. A list of bare types has no names."""
    has_names = any(len(part) > 1 and part[0].isidentifier() and part[1] not in (".", "(") for part in inside)
    kind: Part = ()
    types: list[Part] = []
    for part in reversed(inside):
        if has_names and len(part) > 1:
            kind = part[1:]
        types.append(kind if has_names else part)
    return reversed(types)


def _types(language: str, inside: Sequence[Part]) -> Iterator[Part]:
    for part in inside:
        words = tuple(word for word in part if word not in _NO_CALLER)
        if language == "rust" and ":" in words:
            yield words[words.index(":") + 1 :]
        elif language != "rust" and len(words) > 1 and words[-1].isidentifier() and words[-2] not in (".", "::"):
            yield words[:-1]
        else:
            yield words
