"""Which of several overloads a call reaches, by what its arguments are."""

from collections.abc import Callable, Sequence

from waypost.code.resolve.bindings import MANY_ARGUMENTS, OPTIONAL
from waypost.code.syntax.arguments import FUNCTION

_EXACT, _WIDER, _ANY = 4, 2, 1  # how well an argument fits; 0 says nothing
_NEVER = -1_000
_SAME = {
    **dict.fromkeys(("string", "String", "CharSequence"), "String"),
    **dict.fromkeys(("bool", "boolean", "Boolean"), "boolean"),
    **dict.fromkeys(("int", "Integer", "Int", "Int32"), "int"),
    **dict.fromkeys(("long", "Long", "Int64"), "long"),
    **dict.fromkeys(("double", "Double"), "double"),
    **dict.fromkeys(("float", "Float", "Single"), "float"),
    **dict.fromkeys(("char", "Character", "Char"), "char"),
    **dict.fromkeys(("short", "Short", "Int16"), "short"),
    **dict.fromkeys(("byte", "Byte"), "byte"),
}
_PLAIN = frozenset(_SAME.values()) - {"String"}
_WIDENED = {
    "int": frozenset({"long", "float", "double", "short", "byte", "Number", "decimal", "Decimal", "BigDecimal"}),
    "long": frozenset({"float", "double", "Number", "decimal"}),
    "float": frozenset({"double", "Number"}),
    "double": frozenset({"Number"}),
    "char": frozenset({"int", "long"}),
    "Class": frozenset({"Type"}),
}
_FUNCTIONS = (
    *("Action", "Callable", "Callback", "Comparator", "Consumer", "Expression", "Func", "Function", "Handler"),
    *("Listener", "Operator", "Predicate", "Runnable", "Supplier"),
)  # ends of the names of types that a function in brackets can have
_OBJECTS = frozenset({"Object", "object", "Any", "dynamic"})


def best_overload(
    kinds: Sequence[str], overloads: Sequence[tuple[int, Sequence[str]]], is_base: Callable[[str, str], bool]
) -> int | None:
    """The overload whose parameter types fit best. None if no argument decides.

    `overloads` are numbers with their parameter types. `is_base` says whether a type is known to have another as a base.
    """
    rated = []
    for number, types in overloads:
        fits = [_fit(kind, wanted, is_base) for kind, wanted in zip(kinds, types, strict=False)]
        rated.append((sum(fits), number))
    rated.sort(key=lambda pair: -pair[0])
    is_clear = rated[0][0] > max(0, rated[1][0]) if len(rated) > 1 else bool(rated)
    return rated[0][1] if is_clear else None


def takes(parameters: Sequence[str], types: Sequence[str], arguments: int) -> bool:
    """Whether a function can be called with so many arguments."""
    least = sum(not kind.endswith((OPTIONAL, MANY_ARGUMENTS)) for kind in types)
    most = 1_000 if types and types[-1].endswith(MANY_ARGUMENTS) else len(types)
    return least <= arguments <= most if types else len(parameters) == arguments


def _fit(kind: str, wanted: str, is_base: Callable[[str, str], bool]) -> int:
    wanted = wanted.rstrip(f"{MANY_ARGUMENTS}{OPTIONAL}")
    if not kind or not wanted:
        return 0
    given, taken = _SAME.get(kind, kind), _SAME.get(wanted, wanted)
    if given == taken:
        return _EXACT
    if taken in _OBJECTS or len(taken) <= 2:  # T: a type parameter
        return _ANY
    is_wider = taken in _WIDENED.get(given, ()) or is_base(given, taken)
    if is_wider or (given == FUNCTION and taken.endswith(_FUNCTIONS)):
        return _WIDER
    if given in (FUNCTION, "null"):
        return _NEVER if taken in (_PLAIN if given == "null" else _SAME.values()) else _ANY
    is_known = given in _SAME.values() or given == "Class" or taken in _SAME.values()
    return _NEVER if is_known else 0
