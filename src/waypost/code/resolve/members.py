"""Members of classes: through bases, in other files, and what fields hold."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

from waypost.code.outline import OutlineSymbol
from waypost.code.resolve.bindings import type_expression
from waypost.code.resolve.families import habits
from waypost.code.resolve.lineage import in_depth, merged
from waypost.code.resolve.tree import FUNCTIONS, OutlineTree, OutlineView, Value, is_container

DEEPEST = 24  # steps from name to name, scopes around a name, bases above a class: nothing is nested deeper in earnest
INHERITED = 0.95  # how sure a method of the own class or a base is: a subclass may have its own
HELD = 0.9  # how sure it is that a variable still holds what it was given
DOUBTFUL = 0.9  # a base before the one that was found is unknown

_INCLUDED = {"trait": 0, "module": 0, "class": 1, "interface": 2}
_OWN_FIELD = ("self.", "cls.", "this.", "$this->")
_SAME_OBJECT = frozenset({"Self", "self", "static", "this", "$this"})


class Members(ABC):
    """The part of `Names` that knows classes."""

    def __init__(self, tree: OutlineTree) -> None:
        self.tree = tree
        self._members: dict[tuple[str, int, str, str], Value | None] = {}
        self._lineages: dict[tuple[str, int], tuple[Value, ...]] = {}
        self._bases: dict[tuple[str, int], tuple[Value | None, ...]] = {}

    @abstractmethod
    def evaluate(self, view: OutlineView, owner: int, expression: str) -> Value | None:
        """What an expression stands for inside of symbol `owner`."""

    @abstractmethod
    def own_object(self, kind: str, view: OutlineView, owner: int) -> Value | None:
        """The object that a method belongs to."""

    def member(self, value: Value, name: str) -> Value | None:
        """A member of a class or of an object of it, through its bases."""
        key = (value.path, value.symbol, name, value.kind)
        if key not in self._members:
            self._members[key] = None
            self._members[key] = self._member(value, name)
        found = self._members[key]
        return found._replace(strength=min(found.strength, value.strength)) if found is not None else None

    def _member(self, value: Value, name: str) -> Value | None:
        view = self.tree.view(value.path)
        if view is None or value.symbol < 0 or view.outline.symbols[value.symbol].kind in FUNCTIONS:
            return None
        own, *above = self.lineage(view, value.symbol)
        found = self._own_member(view, own._replace(kind=value.kind), name) if value.kind != "above" else None
        if found is not None:
            return found
        for one in above:
            other = self.tree.view(one.path)
            found = self._own_member(other, one, name) if other is not None else None
            if found is not None:
                return found._replace(strength=min(found.strength, one.strength))
        return None

    def lineage(self, view: OutlineView, symbol: int, depth: int = 0) -> tuple[Value, ...]:
        """A class and all it derives from, in the order in which members are looked up."""
        key = (view.path, symbol)
        if key not in self._lineages:
            own = Value("instance", view.path, symbol, INHERITED)
            self._lineages[key] = (own,)  # whoever derives from itself has no further bases
            bases = self.bases(view, symbol) if depth < DEEPEST else ()
            lines = [
                self.lineage(other, base.symbol, depth + 1)
                for base in bases
                if base is not None and (other := self.tree.view(base.path)) is not None
            ]
            doubt = DOUBTFUL if None in bases else INHERITED
            above = merged(lines) if view.family == "python" else in_depth(lines)
            self._lineages[key] = (own, *(one._replace(strength=min(one.strength, doubt)) for one in above))
        return self._lineages[key]

    def _own_member(self, view: OutlineView, value: Value, name: str) -> Value | None:
        """A member that a class has itself."""
        strength = 1.0 if value.kind == "symbol" else INHERITED
        symbols = view.outline.symbols
        inner = view.members.get(value.symbol, {}).get(name)
        is_field = inner is None or symbols[inner].kind == "constant"
        if is_field and view.bindings.get((value.symbol, name)):
            return self.held(view, value.symbol, name)
        if inner is not None:
            return Value("symbol", view.path, inner, strength)
        spread = self._spread(view, symbols[value.symbol], name)
        if spread is not None:
            return spread._replace(strength=strength)
        return Value("instance", view.path, value.symbol) if name in habits(view.family).constructors else None

    def _spread(self, view: OutlineView, symbol: OutlineSymbol, name: str) -> Value | None:
        """A member that stands apart from its class: another file, another block of it."""
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
        """The classes that a class derives from, in order; None for those outside of the tree."""
        key = (view.path, symbol)
        if key not in self._bases:
            self._bases[key] = ()
            found = [value for _, value in self.named_bases(view, symbol)]
            if view.family in {"php", "ruby"}:  # what a class includes comes before what it extends
                found.sort(key=lambda value: _INCLUDED.get(self._symbol(value).kind, 1) if value is not None else 1)
            self._bases[key] = tuple(found)
        return self._bases[key]

    def named_bases(self, view: OutlineView, symbol: int) -> Iterator[tuple[str, Value | None]]:
        """Every base as written, and the class that it is."""
        own = view.outline.symbols[symbol]
        for written in own.bases:
            named = type_expression(written)
            value = self.evaluate(view, own.parent, named[:-2]) if named else None
            if value is not None and value.kind == "symbol" and (value.path, value.symbol) == (view.path, symbol):
                value = None  # `class Store(other.Store)` cannot derive from itself
            is_class = value is not None and value.kind == "symbol" and self._symbol(value).kind not in FUNCTIONS
            yield written, value if is_class else None

    def called(self, value: Value) -> Value | None:
        """What a call of a value gives: an object of a class, or what a function says it returns."""
        if value.kind != "symbol":
            return None
        symbol = self._symbol(value)
        if symbol.kind not in FUNCTIONS:
            return value._replace(kind="instance") if is_container(symbol.kind) else None
        view = self.tree.view(value.path)
        named = type_expression(_first_result(symbol.returns))
        if view is None or not named:
            return None
        if named[:-2] in _SAME_OBJECT:
            return self.own_object("instance", view, value.symbol)
        found = self.evaluate(view, value.symbol, named)
        return found._replace(strength=min(found.strength, HELD)) if found is not None else None

    def _symbol(self, value: Value) -> OutlineSymbol:
        view = self.tree.view(value.path)
        assert view is not None  # a value of kind symbol is made from a view
        return view.outline.symbols[value.symbol]

    def held(self, view: OutlineView, owner: int, name: str) -> Value | None:
        """What a variable, parameter or field holds."""
        holds = view.bindings[owner, name]
        if not holds:
            return None
        scope = owner
        if owner >= 0 and view.outline.symbols[owner].kind not in FUNCTIONS and not holds.startswith(_OWN_FIELD):
            # What a field holds was said in a method or in the body: names are those around the class.
            scope = view.outline.symbols[owner].parent
        value = self.evaluate(view, scope, holds)
        return value._replace(strength=min(value.strength, HELD)) if value is not None else None


def _first_result(returns: str) -> str:
    """The type of the first of several results: Go's `(c *Context, err error)`."""
    if not returns.startswith("("):
        return returns
    words = returns.strip("()").split(",")[0].split()
    return words[-1] if words else ""
