"""Changes of single expressions. Each returns another expression, or None if it does not apply."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from tests.refs.oracle.make import SIGNS
from tests.refs.oracle.model import Binary, Call, Expression, Name, Number, Text

Change = Callable[[Expression, Random], Expression | None]


def number(expression: Expression, random: Random) -> Expression | None:
    return Number(expression.value + random.choice((1, 10, 100))) if isinstance(expression, Number) else None


def text(expression: Expression, _: Random) -> Expression | None:
    return Text(f"{expression.value} now") if isinstance(expression, Text) else None


def name(expression: Expression, _: Random) -> Expression | None:
    return Name((*expression.parts[:-1], "another")) if isinstance(expression, Name) else None


def called(expression: Expression, _: Random) -> Expression | None:
    return (
        replace(expression, name=Name((*expression.name.parts[:-1], "another")))
        if isinstance(expression, Call)
        else None
    )


def sign(expression: Expression, random: Random) -> Expression | None:
    if not isinstance(expression, Binary):
        return None
    signs = SIGNS[3:] if expression.sign in SIGNS[3:] else SIGNS[:3]
    return replace(expression, sign=random.choice([sign for sign in signs if sign != expression.sign]))


def operands(expression: Expression, _: Random) -> Expression | None:
    return replace(expression, left=expression.right, right=expression.left) if isinstance(expression, Binary) else None


def arguments(expression: Expression, _: Random) -> Expression | None:
    return replace(expression, arguments=expression.arguments[::-1]) if isinstance(expression, Call) else None


def fewer(expression: Expression, _: Random) -> Expression | None:
    return (
        replace(expression, arguments=expression.arguments[1:])
        if isinstance(expression, Call) and expression.arguments
        else None
    )


def regrouped(expression: Expression, _: Random) -> Expression | None:
    if not isinstance(expression, Binary) or not isinstance(expression.left, Binary) or expression.sign in SIGNS[3:]:
        return None
    return Binary(
        expression.left.sign, expression.left.left, Binary(expression.sign, expression.left.right, expression.right)
    )


CHANGES: list[Change] = [number, text, name, called, sign, operands, arguments, fewer, regrouped]
