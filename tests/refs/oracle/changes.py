"""Changes of single expressions. Each returns another expression, or None if it does not apply."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.refs.oracle.make import SIGNS
from tests.refs.oracle.model import Binary, Call, Expression, Name, Number, Text

Change = Callable[[Expression, Random], Expression | None]


def number(one: Expression, random: Random) -> Expression | None:
    return Number(one.value + random.choice((1, 10, 100))) if isinstance(one, Number) else None


def text(one: Expression, _: Random) -> Expression | None:
    return Text(f"{one.value} now") if isinstance(one, Text) else None


def name(one: Expression, _: Random) -> Expression | None:
    return Name((*one.parts[:-1], "another")) if isinstance(one, Name) else None


def called(one: Expression, _: Random) -> Expression | None:
    return replace(one, name=Name((*one.name.parts[:-1], "another"))) if isinstance(one, Call) else None


def sign(one: Expression, random: Random) -> Expression | None:
    if not isinstance(one, Binary):
        return None
    signs = SIGNS[3:] if one.sign in SIGNS[3:] else SIGNS[:3]
    return replace(one, sign=random.choice([sign for sign in signs if sign != one.sign]))


def operands(one: Expression, _: Random) -> Expression | None:
    return replace(one, left=one.right, right=one.left) if isinstance(one, Binary) else None


def arguments(one: Expression, _: Random) -> Expression | None:
    return replace(one, arguments=one.arguments[::-1]) if isinstance(one, Call) else None


def fewer(one: Expression, _: Random) -> Expression | None:
    return replace(one, arguments=one.arguments[1:]) if isinstance(one, Call) and one.arguments else None


def regrouped(one: Expression, _: Random) -> Expression | None:
    if not isinstance(one, Binary) or not isinstance(one.left, Binary) or one.sign in SIGNS[3:]:
        return None
    return Binary(one.left.sign, one.left.left, Binary(one.sign, one.left.right, one.right))


CHANGES: list[Change] = [number, text, name, called, sign, operands, arguments, fewer, regrouped]
