"""The arguments of a call: how many, and what their text says about their types. For languages with overloads.

A kind is the name of a type, such as "int", "=name" for a variable, or ">" for a function. It is "" if the text says nothing.
Kinds are joined with commas, without unknown ones at the end.
"""

import re

LONGEST = 2_000  # bytes of arguments
FUNCTION, VARIABLE = ">", "="
MACRO = "!"  # instead of kinds: a Rust macro, which is no function of the same name
_OPENING = re.compile(rb"\s{0,20}(?:<[\w\s,.?<>\[\]]{0,200}>)?\s{0,20}\(")
_BRACKET = re.compile(rb"[()\[\]{},]|(?<!\\)\"(?:[^\"\\\n]|\\.)*+\"|(?<!\\)'(?:[^'\\\n]|\\.)*+'")
_BEFORE = 400  # bytes between a name and its arguments: types
_KINDS = (
    (re.compile(r'[$@]{0,2}"[^"]*"'), "String"),
    (re.compile(r"'(?:[^'\\]|\\.{1,6})'"), "char"),
    (re.compile(r"-?\d[\d_]*"), "int"),
    (re.compile(r"-?\d[\d_]*[lL]"), "long"),
    (re.compile(r"-?\d[\d_]*(?:\.\d+)?[fF]"), "float"),
    (re.compile(r"-?\d[\d_]*\.\d*(?:[eE]-?\d+)?[dD]?"), "double"),
    (re.compile(r"true|false"), "boolean"),
    (re.compile(r"null"), "null"),
    (re.compile(r"[\w.$\[\]]+\.class"), "Class"),
    (re.compile(r"typeof\(.*\)", re.DOTALL), "Type"),
    (re.compile(r"nameof\(.*\)", re.DOTALL), "String"),
)
_MADE = re.compile(r"(?:new\s+|\(\s*)(?:\w+\.)*(\w+)(?:<[^()]*>)?(?:\s*\)\s*[\w\"(]|\s*[({])")
_NAMED = re.compile(r"[a-z_]\w{0,60}")
_FUNCTION = re.compile(r"(?:\w+|\([\w\s,.<>]{0,100}\))\s*[-=]>|[\w.]{1,80}::\w+$")


def read_arguments(data: bytes, position: int) -> tuple[int, str]:
    """How many arguments the brackets after a called name have, and their kinds. -1 without brackets, or if too long."""
    opening = _OPENING.match(data, position, position + _BEFORE)
    if opening is None:
        return -1, ""
    depth, start = 0, opening.end()
    kinds: list[str] = []
    for match in _BRACKET.finditer(data, opening.end() - 1, opening.end() + LONGEST):
        mark = match[0]
        if mark in b"([{":
            depth += 1
        elif mark in b")]}":
            depth -= 1
        if depth == 0 or (mark == b"," and depth == 1):
            argument = data[start : match.start()].strip()
            start = match.end()
            if argument or kinds or depth:
                kinds.append(_kind(argument.decode("utf-8", "replace")))
            if depth == 0:
                return len(kinds), ",".join(kinds).rstrip(",")
    return -1, ""


def _kind(argument: str) -> str:
    for pattern, kind in _KINDS:
        if pattern.fullmatch(argument):
            return kind
    if _FUNCTION.match(argument):
        return FUNCTION
    if made := _MADE.match(argument):
        return made[1] if made[1] not in _NO_TYPES else ""
    return VARIABLE + argument if _NAMED.fullmatch(argument) and argument not in _NO_TYPES else ""


_NO_TYPES = frozenset({"this", "super", "base", "default", "await", "new"})
