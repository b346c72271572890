"""Names in scope: what an expression in a file stands for, through imports, classes and what variables hold."""

from collections.abc import Iterator
from typing import Protocol

from waypost.code.outline import Brought, Defined
from waypost.code.resolve.bindings import type_expression
from waypost.code.resolve.expressions import CALL, UNKNOWN, steps
from waypost.code.resolve.families import habits
from waypost.code.resolve.lineage import in_depth, merged
from waypost.code.resolve.tree import FUNCTIONS, Tree, Value, View, is_container

DEEPEST = 24  # steps from name to name, scopes around a name: nothing is nested deeper in earnest
INHERITED = 0.95  # how sure a method of the own class or a base is: a subclass may have its own
HELD = 0.9  # how sure it is that a variable still holds what it was given
DOUBTFUL = 0.9  # a base before the one that was found is unknown

_INCLUDED = {"trait": 0, "module": 0, "class": 1, "interface": 2}
_SAME_OBJECT = frozenset({"Self", "self", "static", "this", "$this"})


class ModuleSystem(Protocol):
    """How the languages of a family find files by import."""

    def module(self, view: View, brought: Brought) -> Value | None:
        """What `import brought.module` means in this file; None when it is not in the tree."""

    def member(self, package: Value, name: str) -> Value | None:
        """What `name` is in a package."""

    def together(self, view: View, name: str, owner: int) -> Value | None:
        """What a plain name means by being in the same package, without an import, inside of symbol `owner`."""


class Names:
    """Looks names up in a tree. Results are kept: one object is for one state of the tree."""

    def __init__(self, tree: Tree, systems: dict[str, ModuleSystem]) -> None:
        self.tree = tree
        self.systems = systems
        self._plain: dict[tuple[str, int, str], Value | None] = {}
        self._exported: dict[tuple[str, str], Value | None] = {}
        self._file_level: dict[tuple[str, int, str, bool], Value | None] = {}
        self._members: dict[tuple[str, int, str, str], Value | None] = {}
        self._lineages: dict[tuple[str, int], tuple[Value, ...]] = {}
        self._bases: dict[tuple[str, int], tuple[Value | None, ...]] = {}
        self._imported: dict[tuple[str, Brought], Value | None] = {}
        self._depth = 0

    def evaluate(self, view: View, owner: int, expression: str) -> Value | None:
        """What an expression stands for inside of symbol `owner`."""
        path = steps(expression)
        if not path or UNKNOWN in path or self._depth > DEEPEST:
            return None
        self._depth += 1
        try:
            return self._follow(view, owner, path)
        finally:
            self._depth -= 1

    def _follow(self, view: View, owner: int, path: tuple[str, ...]) -> Value | None:
        value, rest = self._head(view, owner, path)
        for step in rest:
            if value is None:
                return None
            value = self.called(value) if step == CALL else self.step(value, step)
        return value

    def _head(self, view: View, owner: int, path: tuple[str, ...]) -> tuple[Value | None, tuple[str, ...]]:
        habit = habits(view.family)
        first, rest = path[0], path[1:]
        if rest[:1] == (CALL,) and f"{first}()" in habit.above:
            return self._own("above", view, owner), rest[1:]
        if first in habit.above:
            return self._own("above", view, owner), rest
        if first in habit.own:
            return self._own("instance", view, owner), rest
        return self.lookup(view, owner, first), rest

    def _own(self, kind: str, view: View, owner: int) -> Value | None:
        enclosing = enclosing_class(view, owner)
        if enclosing >= 0:
            return Value(kind, view.path, enclosing)
        # A method whose class is in another file: Go, Rust, C++.
        while owner >= 0 and view.outline.symbols[owner].parent >= 0:
            owner = view.outline.symbols[owner].parent
        qualified = view.outline.symbols[owner].qualified if owner >= 0 else ""
        above = qualified.rpartition(".")[0]
        found = self._in_file(view, above.rpartition(".")[2], -1, exported=False) if above else None
        return found._replace(kind=kind) if found is not None and found.kind == "symbol" else None

    def lookup(self, view: View, owner: int, name: str) -> Value | None:
        """What a plain name means inside of symbol `owner`; None when that is unknown or outside of the tree."""
        key = (view.path, owner, name)
        if key not in self._plain:
            self._plain[key] = None  # a name that depends on itself is unknown
            self._plain[key] = self._lookup(view, owner, name)
        return self._plain[key]

    def _lookup(self, view: View, owner: int, name: str) -> Value | None:
        scope = owner
        for _ in range(DEEPEST):
            if scope < 0:
                break
            is_known, value = self._in_scope(view, owner, scope, name)
            if is_known:
                return value
            scope = view.outline.symbols[scope].parent
        return self._in_file(view, name, owner, exported=False)

    def _in_scope(self, view: View, owner: int, scope: int, name: str) -> tuple[bool, Value | None]:
        """Whether one scope around `owner` has the name, and what it means there."""
        symbol = view.outline.symbols[scope]
        is_function = symbol.kind in FUNCTIONS
        sees_class = scope == owner or habits(view.family).implied
        if (scope, name) in view.bindings and (is_function or sees_class):
            return True, self._held(view, scope, name)
        if is_function:
            if name in symbol.parameters:
                return True, None
            inner = view.members.get(scope, {}).get(name)
            if inner is not None:
                return True, Value("symbol", view.path, inner)
            brought = next((one for place, one in view.imports.get(name, ()) if place == scope), None)
            return brought is not None, self.imported(view, brought) if brought is not None else None
        member = self.member(Value("symbol", view.path, scope), name) if sees_class else None
        if member is None and symbol.name == name and is_container(symbol.kind):
            member = Value("symbol", view.path, scope)
        return member is not None, member

    def _in_file(self, view: View, name: str, owner: int, *, exported: bool) -> Value | None:
        """What a name means in a file outside of every symbol; `owner` matters only where packages are nested."""
        key = (view.path, owner if view.family == "ruby" else -1, name, exported)
        if key not in self._file_level:
            self._file_level[key] = None
            self._file_level[key] = self._find_in_file(view, name, owner, exported=exported)
        return self._file_level[key]

    def _find_in_file(self, view: View, name: str, owner: int, *, exported: bool) -> Value | None:
        own = view.top.get(name)
        holds = view.bindings.get((-1, name))
        if own is not None and not (holds and view.outline.symbols[own].kind == "constant"):
            return Value("symbol", view.path, own)
        if holds is not None:
            value = self._held(view, -1, name)
            return value or (Value("symbol", view.path, own) if own is not None else None)
        for place, brought in view.imports.get(name, ()):
            if place < 0:
                return self.imported(view, brought)
        for brought in view.stars:
            module = self.module(view, brought)
            value = self.step(module, name) if module is not None and module.path != view.path else None
            if value is not None:
                return value
        system = self.systems.get(view.family)
        return system.together(view, name, owner) if system is not None and not exported else None

    def _held(self, view: View, owner: int, name: str) -> Value | None:
        holds = view.bindings[owner, name]
        if not holds:
            return None
        symbol = view.outline.symbols[owner] if owner >= 0 else None
        # What a class field holds was said in a method or in the body: names are those of the file.
        value = self.evaluate(view, owner if symbol is None or symbol.kind in FUNCTIONS else symbol.parent, holds)
        return value._replace(strength=min(value.strength, HELD)) if value is not None else None

    def module(self, view: View, brought: Brought) -> Value | None:
        """The file or package that an import names."""
        system = self.systems.get(view.family)
        return system.module(view, brought) if system is not None else None

    def imported(self, view: View, brought: Brought) -> Value | None:
        """What an import binds: a module, or the symbol in it."""
        key = (view.path, brought)
        if key not in self._imported:
            self._imported[key] = None
            module = self.module(view, brought)
            if module is not None and brought.name and brought.name != "*":
                module = self.step(module, brought.name if brought.name != "default" else f"default {brought.alias}")
            self._imported[key] = module
        return self._imported[key]

    def step(self, value: Value, name: str) -> Value | None:
        """What `.name` is on a value."""
        if value.kind == "file":
            return self.exported(value.path, name)
        if value.kind == "package":
            view_family = value.path.split(":", 1)[0]
            return self.systems[view_family].member(value, name) if view_family in self.systems else None
        return self.member(value, name)

    def exported(self, path: str, name: str) -> Value | None:
        """What a file gives to others under a name: its own symbol, or one it imports itself."""
        key = (path, name)
        if key not in self._exported and self._depth <= DEEPEST:
            self._exported[key] = None
            self._depth += 1
            try:
                self._exported[key] = self._export(path, name)
            finally:
                self._depth -= 1
        return self._exported.get(key)

    def _export(self, path: str, name: str) -> Value | None:
        view = self.tree.view(path)
        if view is None:
            return None
        value = self._default(view, name[8:]) if name.startswith("default ") else None
        value = value or self._in_file(view, name, -1, exported=True)
        if value is None and view.family in self.systems:
            value = self.systems[view.family].member(Value("file", path), name)
        return value

    def _default(self, view: View, alias: str) -> Value | None:
        """The default export: the symbol that has the name of the import or of the file, else the file itself."""
        stem = view.path.rsplit("/", 1)[-1].split(".", 1)[0]
        for name in ("default", alias, stem):
            if name in view.top:
                return Value("symbol", view.path, view.top[name])
        return Value("file", view.path)

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

    def lineage(self, view: View, symbol: int, depth: int = 0) -> tuple[Value, ...]:
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

    def _own_member(self, view: View, value: Value, name: str) -> Value | None:
        """A member that a class has itself."""
        strength = 1.0 if value.kind == "symbol" else INHERITED
        symbols = view.outline.symbols
        inner = view.members.get(value.symbol, {}).get(name)
        is_field = inner is None or symbols[inner].kind == "constant"
        if is_field and view.bindings.get((value.symbol, name)):
            return self._held(view, value.symbol, name)
        if inner is not None:
            return Value("symbol", view.path, inner, strength)
        spread = self._spread(view, symbols[value.symbol], name)
        if spread is not None:
            return spread._replace(strength=strength)
        return Value("instance", view.path, value.symbol) if name in habits(view.family).constructors else None

    def _spread(self, view: View, symbol: Defined, name: str) -> Value | None:
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

    def bases(self, view: View, symbol: int) -> tuple[Value | None, ...]:
        """The classes that a class derives from, in order; None for those outside of the tree."""
        key = (view.path, symbol)
        if key not in self._bases:
            self._bases[key] = ()
            found = [value for _, value in self.named_bases(view, symbol)]
            if view.family in {"php", "ruby"}:  # what a class includes comes before what it extends
                found.sort(key=lambda value: _INCLUDED.get(self._symbol(value).kind, 1) if value is not None else 1)
            self._bases[key] = tuple(found)
        return self._bases[key]

    def named_bases(self, view: View, symbol: int) -> Iterator[tuple[str, Value | None]]:
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
        returned = (
            symbol.returns.strip().lstrip("(").split(",")[0] if symbol.returns.startswith("(") else symbol.returns
        )
        named = type_expression(returned)
        if view is None or not named:
            return None
        if named[:-2] in _SAME_OBJECT:
            return self._own("instance", view, value.symbol)
        found = self.evaluate(view, value.symbol, named)
        return found._replace(strength=min(found.strength, HELD)) if found is not None else None

    def _symbol(self, value: Value) -> Defined:
        view = self.tree.view(value.path)
        assert view is not None  # a value of kind symbol is made from a view
        return view.outline.symbols[value.symbol]


def _first_result(returns: str) -> str:
    """The type of the first of several results: Go's `(c *Context, err error)`."""
    if not returns.startswith("("):
        return returns
    words = returns.strip("()").split(",")[0].split()
    return words[-1] if words else ""


def enclosing_class(view: View, owner: int) -> int:
    """The nearest class around a symbol, itself included; -1 for none."""
    symbols = view.outline.symbols
    while owner >= 0 and (symbols[owner].kind in FUNCTIONS or symbols[owner].kind == "constant"):
        owner = symbols[owner].parent
    return owner
