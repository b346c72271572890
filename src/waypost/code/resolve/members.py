"""Members of classes: inherited, in other files, and the values of fields."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from waypost.code.outline import OutlineSymbol
from waypost.code.resolve.bindings import EACH, MANY, RETURN, element_expression, type_expression
from waypost.code.resolve.expressions import CALL, UNKNOWN, steps
from waypost.code.resolve.families import lookup_rules
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value, is_container
from waypost.code.source import FUNCTIONS

DEEPEST = 24  # steps between names, scopes around a name, bases above a class: real code is not nested deeper
INHERITED = 0.95  # confidence in a method of its own class or a base: a subclass may override it
BOUND = 0.9  # confidence that a variable still has its assigned value
DOUBTFUL = 0.9  # an earlier base is unknown

_MOST_ANCESTORS = 200
_INCLUDED = {"trait": 0, "module": 0, "class": 1, "interface": 2}
_OWN_FIELD = ("self.", "cls.", "this.", "$this->")
_SAME_OBJECT = frozenset({"Self", "self", "static", "this", "$this"})


class Members(ABC):
    """Class lookups for `NameScope`."""

    def __init__(self, tree: OutlineTree) -> None:
        self.tree = tree
        self._members: dict[tuple[str, int, str, str], Value | None] = {}
        self._lineages: dict[tuple[str, int], tuple[Value, ...]] = {}
        self._bases: dict[tuple[str, int], tuple[Value | None, ...]] = {}

    @abstractmethod
    def evaluate(self, view: OutlineView, owner: int, expression: str) -> Value | None:
        """What an expression refers to inside symbol `owner`."""

    @abstractmethod
    def default_export(self, value: Value) -> Value | None:
        """What a file is as a whole."""

    @abstractmethod
    def own_object(self, kind: str, view: OutlineView, owner: int) -> Value | None:
        """The object that a method belongs to."""

    def member(self, value: Value, name: str) -> Value | None:
        """A member of a class or its instance, including inherited ones."""
        key = (value.path, value.symbol, name, value.kind)
        if key not in self._members:
            self._members[key] = None
            self._members[key] = self._member(value, name)
        cached = self._members[key]
        return cached._replace(strength=min(cached.strength, value.strength)) if cached is not None else None

    def _member(self, value: Value, name: str) -> Value | None:
        view = self.tree.view(value.path)
        if view is None or value.symbol < 0:
            return None
        if view.outline.symbols[value.symbol].kind in FUNCTIONS:
            return self._prototype_member(view, value, name)
        own, *above = self.lineage(view, value.symbol)
        member = self._own_member(view, own._replace(kind=value.kind), name) if value.kind != "above" else None
        if member is not None:
            return member
        for ancestor in above:
            other = self.tree.view(ancestor.path)
            member = self._own_member(other, ancestor, name) if other is not None else None
            if member is not None:
                return member._replace(strength=min(member.strength, ancestor.strength))
        return None

    def _prototype_member(self, view: OutlineView, value: Value, name: str) -> Value | None:
        """What JavaScript adds to the prototype of a function that makes objects."""
        if view.family != "ecmascript":
            return None
        qualified = f"{view.outline.symbols[value.symbol].qualified}.{name}"
        for path, number in self.tree.qualified(view.family, name, qualified):
            if path == view.path:
                return Value("symbol", path, number, INHERITED)
        return None

    def lineage(self, view: OutlineView, symbol: int, depth: int = 0) -> tuple[Value, ...]:
        """A class and its ancestors, in the order of member lookup."""
        key = (view.path, symbol)
        if key not in self._lineages:
            own = Value("instance", view.path, symbol, INHERITED)
            self._lineages[key] = (own,)  # a class that derives from itself has no further bases
            bases = self.bases(view, symbol) if depth < DEEPEST else ()
            lines = [
                self.lineage(other, base.symbol, depth + 1)
                for base in bases
                if base is not None and (other := self.tree.view(base.path)) is not None
            ]
            doubt = DOUBTFUL if None in bases else INHERITED
            above = _c3_order(lines) if view.family == "python" else _depth_first(lines)
            self._lineages[key] = (
                own,
                *(ancestor._replace(strength=min(ancestor.strength, doubt)) for ancestor in above),
            )
        return self._lineages[key]

    def _own_member(self, view: OutlineView, value: Value, name: str) -> Value | None:
        strength = 1.0 if value.kind == "symbol" else INHERITED
        symbols = view.outline.symbols
        inner = view.members.get(value.symbol, {}).get(name)
        is_field = inner is None or symbols[inner].kind == "constant"
        if is_field and view.bindings.get((value.symbol, name)):
            return self.bound_value(view, value.symbol, name)
        if inner is not None:
            return Value("symbol", view.path, inner, strength)
        spread = self._detached_member(view, symbols[value.symbol], name)
        if spread is not None:
            return spread._replace(strength=strength)
        return Value("instance", view.path, value.symbol) if name in lookup_rules(view.family).constructors else None

    def _detached_member(self, view: OutlineView, symbol: OutlineSymbol, name: str) -> Value | None:
        """A member defined outside its class: in another file or block."""
        if view.family in {"python", "ecmascript", "php"}:
            return None
        folder = view.path.rpartition("/")[0]
        for path, number in self.tree.qualified(view.family, name, f"{symbol.qualified}.{name}"):
            other = self.tree.view(path)
            if view.family == "go" and path.rpartition("/")[0] != folder:
                continue
            if view.family in {"jvm", "dotnet"} and (other is None or other.outline.package != view.outline.package):
                continue
            return Value("symbol", path, number)
        return None

    def bases(self, view: OutlineView, symbol: int) -> tuple[Value | None, ...]:
        """The base classes in order; None for those outside the repository."""
        key = (view.path, symbol)
        if key not in self._bases:
            self._bases[key] = ()
            base_values = [value for _, value in self.named_bases(view, symbol)]
            if view.family in {"php", "ruby"}:  # included modules come before the superclass
                base_values.sort(
                    key=lambda value: _INCLUDED.get(self._symbol(value).kind, 1) if value is not None else 1
                )
            self._bases[key] = tuple(base_values)
        return self._bases[key]

    def named_bases(self, view: OutlineView, symbol: int) -> Iterator[tuple[str, Value | None]]:
        """Every base as written, and its class."""
        own = view.outline.symbols[symbol]
        for written in own.bases:
            named = type_expression(written)
            value = self.evaluate(view, own.parent, named[:-2]) if named else None
            if value is not None and value.kind == "symbol":
                value = self.class_of_constructor(value)
            if value is not None and value.kind == "symbol" and (value.path, value.symbol) == (view.path, symbol):
                value = None  # `class Store(other.Store)` cannot derive from itself
            is_class = value is not None and value.kind == "symbol" and self._symbol(value).kind not in FUNCTIONS
            yield written, value if is_class else None

    def call_result(self, value: Value, holder: Value | None = None) -> Value | None:
        """The result of calling a value: an instance of a class, or a function's result. `holder` is its object."""
        if value.kind == "instance":  # Python's objects that are called
            method = self.member(value, "__call__")
            return self.call_result(method) if method is not None and method.kind == "symbol" else None
        if value.kind == "file":
            value = self.default_export(value) or value
        if value.kind != "symbol":
            return None
        value = self.class_of_constructor(value)
        symbol = self._symbol(value)
        if symbol.kind not in FUNCTIONS:
            return value._replace(kind="instance") if is_container(symbol.kind) else None
        view = self.tree.view(value.path)
        return self._function_result(view, value, symbol, holder) if view is not None else None

    def _function_result(
        self, view: OutlineView, value: Value, symbol: OutlineSymbol, holder: Value | None
    ) -> Value | None:
        """What a function returns, by its declared type or else by what it is seen to return."""
        if symbol.returns:
            returns = _inside_result(symbol.returns) if view.family == "rust" else _first_result(symbol.returns)
            named = type_expression(returns)
        else:
            named = view.bindings.get((value.symbol, RETURN), "")
        if not named:
            return None
        if named.removesuffix(CALL) in _SAME_OBJECT or view.bindings.get((value.symbol, "self")) == named:
            is_object = holder is not None and holder.kind == "instance"
            return holder if is_object else self.own_object("instance", view, value.symbol)
        if not symbol.returns:
            return self.bound_value(view, value.symbol, RETURN)
        result = self.evaluate(view, value.symbol, named)
        return result._replace(strength=min(result.strength, BOUND)) if result is not None else None

    def entered_result(self, value: Value) -> Value | None:
        """What `with` gets from a function that makes a context manager of a generator, by its declared type."""
        view = self.tree.view(value.path)
        if view is None or value.kind != "symbol" or self._symbol(value).kind not in FUNCTIONS:
            return None
        managed = _MANAGED.fullmatch(self._symbol(value).returns)
        named = type_expression(managed[1].split(",")[0]) if managed else ""
        return self.evaluate(view, value.symbol, named) if named else None

    def class_of_constructor(self, value: Value) -> Value:
        """The class of a constructor, which has the same name: in a class, its name refers to both."""
        view, symbol = self.tree.view(value.path), self._symbol(value)
        if view is None or symbol.kind not in FUNCTIONS or symbol.parent < 0:
            return value
        above = view.outline.symbols[symbol.parent]
        return value._replace(symbol=symbol.parent) if above.name == symbol.name and is_container(above.kind) else value

    def property_value(self, value: Value | None) -> Value | None:
        """What a property contains, by its declared type; any other value as it is."""
        is_property = value is not None and value.kind == "symbol" and self._symbol(value).kind == "property"
        return self.call_result(value) if value is not None and is_property else value

    def _element(self, view: OutlineView, owner: int, expression: str) -> Value | None:
        """What a value of a list is: a variable, a field, or the result of a call, by their declared types."""
        path = steps(expression)
        while path[-1:] == (CALL,) and len(path) > 2 and path[-2] in _SAME_ELEMENTS:
            path = path[:-2]
        if not path or UNKNOWN in path:
            return None
        if len(path) == 1:
            return self._element_of_variable(view, owner, path[0])
        before = self.evaluate(view, owner, ".".join(path[:-1]).replace(f".{CALL}", CALL))
        other = self.tree.view(before.path) if before is not None else None
        if before is None or other is None:
            return None
        if path[-1] == CALL:
            named = element_expression(self._symbol(before).returns) if before.kind == "symbol" else ""
            return self.evaluate(other, before.symbol, named) if named else None
        for ancestor in self.lineage(other, before.symbol) if before.kind == "instance" else ():
            above = self.tree.view(ancestor.path)
            if above is not None and (ancestor.symbol, path[-1]) in above.bindings:
                return self._element_of_variable(above, ancestor.symbol, path[-1])
        return None

    def _element_of_variable(self, view: OutlineView, owner: int, name: str) -> Value | None:
        scope = owner
        while scope >= 0 and (scope, name) not in view.bindings:
            scope = view.outline.symbols[scope].parent
        holds = view.bindings.get((scope, name), "")
        return self.evaluate(view, scope, holds.removeprefix(MANY)) if holds.startswith(MANY) else None

    def _symbol(self, value: Value) -> OutlineSymbol:
        view = self.tree.view(value.path)
        assert view is not None  # a value of kind symbol comes from a view
        return view.outline.symbols[value.symbol]

    def bound_value(self, view: OutlineView, owner: int, name: str) -> Value | None:
        """What a variable, parameter or field contains."""
        holds = view.bindings[owner, name]
        if not holds:
            return None
        scope = owner
        if owner >= 0 and view.outline.symbols[owner].kind not in FUNCTIONS and not holds.startswith(_OWN_FIELD):
            # A field is assigned in a method or the class body: names resolve around the class.
            scope = view.outline.symbols[owner].parent
        values = [
            self._element(view, owner, expression.removeprefix(EACH))
            if expression.startswith(EACH)
            else self.evaluate(view, scope, expression)
            for expression in holds.split("|")
        ]
        first = values[0]
        if first is None or any(value is None or value[:3] != first[:3] for value in values):
            return None
        return first._replace(strength=min(first.strength, BOUND))


_SAME_ELEMENTS = frozenset({"iter", "iter_mut", "into_iter", "rev", "values"})  # of Rust: lists with the same values

_AWAITED = re.compile(r"(?:\w{1,60}\.){0,4}(?:Promise|Task|ValueTask|CompletableFuture|Future)<(.*)>", re.DOTALL)


_MANAGED = re.compile(
    r"(?:\w{1,60}\.){0,4}(?:Abstract)?(?:Async)?(?:Iterator|Iterable|Generator|ContextManager)\[(.*)\]", re.DOTALL
)
_RESULT = re.compile(r"(?:\w{1,60}::){0,4}\w{0,60}Result<(.*)>", re.DOTALL)


def _inside_result(returns: str) -> str:
    """What a Rust result contains. Crates give `Result` names of their own: `io::Result<T>`, `ClapResult<T>`."""
    result = _RESULT.fullmatch(returns.strip())
    return result[1].split(",")[0] if result else returns


def _first_result(returns: str) -> str:
    """The type of the first of several results: Go's `(c *Context, err error)`. Of a promise, what it becomes."""
    if awaited := _AWAITED.fullmatch(returns):
        return awaited[1]
    if not returns.startswith("("):
        return returns
    words = returns.strip("()").split(",")[0].split()
    return words[-1] if words else ""


def _depth_first(lines: Sequence[Sequence[Value]]) -> list[Value]:
    """Each base with all its ancestors, one after the other."""
    ancestors: dict[tuple[str, int], Value] = {}
    for line in lines:
        for ancestor in line:
            ancestors.setdefault((ancestor.path, ancestor.symbol), ancestor)
    return list(ancestors.values())[:_MOST_ANCESTORS]


def _c3_order(lines: Sequence[Sequence[Value]]) -> list[Value]:
    """Python's order (C3): a class before its bases, bases as written. Depth first if inconsistent."""
    if len(lines) < 2:
        return _depth_first(lines)
    waiting = [[(ancestor.path, ancestor.symbol) for ancestor in line] for line in lines if line]
    waiting.append([line[0] for line in waiting])
    values = {(ancestor.path, ancestor.symbol): ancestor for line in lines for ancestor in line}
    order: list[Value] = []
    while waiting:
        later = {place for line in waiting for place in line[1:]}
        following = next((line[0] for line in waiting if line[0] not in later), None)
        if following is None or len(order) > _MOST_ANCESTORS:
            return _depth_first(lines)
        order.append(values[following])
        waiting = [rest for line in waiting if (rest := line[1:] if line[0] == following else line)]
    return order
