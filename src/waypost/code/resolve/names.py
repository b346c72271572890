"""Names in scope: what an expression refers to, through imports, classes and variables."""

from abc import ABC, abstractmethod

from waypost.code.outline import OutlineImport
from waypost.code.resolve.bindings import DEFAULT
from waypost.code.resolve.expressions import CALL, UNKNOWN, steps
from waypost.code.resolve.families import lookup_rules
from waypost.code.resolve.members import BOUND, DEEPEST, Members
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value, is_container
from waypost.code.source import FUNCTIONS


class ModuleSystem(ABC):
    """How a family of languages finds files by import."""

    @abstractmethod
    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        """What the import refers to in this file. None if it is outside the repository."""

    def member(self, package: Value, name: str) -> Value | None:  # noqa: ARG002 - files contain no modules by default
        """What `name` is in a package."""
        return None

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - names need an import
        """What a plain name refers to in its own package, without an import, inside symbol `owner`."""
        return None


class NameScope(Members):
    """Looks up names in a repository. Results are cached: one object serves one state of it."""

    def __init__(self, tree: OutlineTree, systems: dict[str, ModuleSystem]) -> None:
        super().__init__(tree)
        self.systems = systems
        self._plain: dict[tuple[str, int, str], Value | None] = {}
        self._exported: dict[tuple[str, str], Value | None] = {}
        self._file_level: dict[tuple[str, int, str, bool], Value | None] = {}
        self._imported: dict[tuple[str, OutlineImport], Value | None] = {}
        self._depth = 0
        self.properties: list[Value] = []  # that the last expression reads on its way

    def evaluate(self, view: OutlineView, owner: int, expression: str) -> Value | None:
        """What an expression refers to inside symbol `owner`."""
        path = steps(expression)
        if not path or UNKNOWN in path or self._depth > DEEPEST:
            return None
        if self._depth == 0:
            self.properties = []
        self._depth += 1
        try:
            return self._follow(view, owner, path)
        finally:
            self._depth -= 1

    def _follow(self, view: OutlineView, owner: int, path: tuple[str, ...]) -> Value | None:
        value, rest = self._head(view, owner, path)
        rules = lookup_rules(view.family)
        same = rules.same_object
        holder: Value | None = None
        skip = 0
        for place, step in enumerate(rest):
            if skip or value is None:
                skip -= skip > 0
                continue
            if step == CALL and value.kind == "instance" and place and rest[place - 1] in rules.constructors:
                continue  # `Store.new` is the object already
            if step == CALL:
                entered = self.entered_result(value) if rest[place + 1 : place + 3] == ("__enter__", CALL) else None
                value, skip = (entered, 2) if entered is not None else (self.call_result(value, holder), 0)
                continue
            after, holder = self.step(value, step), value
            if after is None and step == "__enter__":
                after = self.step(value, "__aenter__")
            is_same = step in same or step == "__enter__"  # unknown, but most return the object itself
            if rest[place + 1 : place + 2] == (CALL,) and after is None and value.kind == "instance" and is_same:
                skip = 1
            else:
                value = self.property_value(after)
                if after is not value and after is not None and self._depth == 1:
                    self.properties.append(after)
        return value

    def _head(self, view: OutlineView, owner: int, path: tuple[str, ...]) -> tuple[Value | None, tuple[str, ...]]:
        rules = lookup_rules(view.family)
        first, rest = path[0], path[1:]
        if rest[:1] == (CALL,) and f"{first}()" in rules.above:
            return self.own_object("above", view, owner), rest[1:]
        if first in rules.above:
            return self.own_object("above", view, owner), rest
        if first in rules.own:
            return self.own_object("instance", view, owner), rest
        return self.lookup(view, owner, first), rest

    def own_object(self, kind: str, view: OutlineView, owner: int) -> Value | None:
        """The object that a method belongs to. `kind` is "instance" or "above"."""
        enclosing = enclosing_class(view, owner)
        if enclosing >= 0:
            return Value(kind, view.path, enclosing)
        # A method whose class is in another file: Go, Rust, C++.
        while owner >= 0 and view.outline.symbols[owner].parent >= 0:
            owner = view.outline.symbols[owner].parent
        qualified = view.outline.symbols[owner].qualified if owner >= 0 else ""
        above = qualified.rpartition(".")[0]
        owner_class = self._in_file(view, above.rpartition(".")[2], -1, exported=False) if above else None
        return owner_class._replace(kind=kind) if owner_class is not None and owner_class.kind == "symbol" else None

    def lookup(self, view: OutlineView, owner: int, name: str) -> Value | None:
        """What a plain name refers to inside symbol `owner`. None if unknown or external."""
        key = (view.path, owner, name)
        if key not in self._plain:
            self._plain[key] = None  # a name that depends on itself is unknown
            self._plain[key] = self._lookup(view, owner, name)
        return self._plain[key]

    def _lookup(self, view: OutlineView, owner: int, name: str) -> Value | None:
        scope, is_outer = owner, False
        for _ in range(DEEPEST):
            if scope < 0:
                break
            is_known, value = self._in_scope(view, owner, scope, name)
            if is_known and not (is_outer and self._is_method(value)):
                return value
            # Ruby looks up constants in all modules around a name, but methods only in the innermost.
            is_outer = is_outer or (view.family == "ruby" and is_container(view.outline.symbols[scope].kind))
            scope = view.outline.symbols[scope].parent
        return self._in_file(view, name, owner, exported=False)

    def _is_method(self, value: Value | None) -> bool:
        return value is not None and value.kind == "symbol" and self._symbol(value).kind in FUNCTIONS

    def _in_scope(self, view: OutlineView, owner: int, scope: int, name: str) -> tuple[bool, Value | None]:
        """Whether a scope around `owner` has the name, and what it refers to there."""
        symbol = view.outline.symbols[scope]
        is_function = symbol.kind in FUNCTIONS
        sees_class = scope == owner or lookup_rules(view.family).implied or symbol.kind == "module"
        if (scope, name) in view.bindings and (is_function or sees_class):
            return True, self.bound_value(view, scope, name)
        if is_function:
            if name in symbol.parameters:
                return True, None
            inner = view.members.get(scope, {}).get(name)
            if inner is not None:
                return True, Value("symbol", view.path, inner)
            statement = next((candidate for place, candidate in view.imports.get(name, ()) if place == scope), None)
            return statement is not None, self.imported(view, statement) if statement is not None else None
        member = self.member(Value("symbol", view.path, scope), name) if sees_class else None
        if member is None and symbol.name == name and is_container(symbol.kind):
            member = Value("symbol", view.path, scope)
        return member is not None, member

    def _in_file(self, view: OutlineView, name: str, owner: int, *, exported: bool) -> Value | None:
        """What a name refers to at file level. `owner` matters only where packages nest."""
        key = (view.path, owner if view.family == "ruby" else -1, name, exported)
        if key not in self._file_level:
            self._file_level[key] = None
            self._file_level[key] = self._find_in_file(view, name, owner, exported=exported)
        return self._file_level[key]

    def _find_in_file(self, view: OutlineView, name: str, owner: int, *, exported: bool) -> Value | None:
        own = view.top.get(name)
        holds = view.bindings.get((-1, name))
        if own is not None and not (holds and view.outline.symbols[own].kind == "constant"):
            return Value("symbol", view.path, own)
        if holds is not None:
            value = self.bound_value(view, -1, name)
            return value or (Value("symbol", view.path, own) if own is not None else None)
        for place, statement in view.imports.get(name, ()):
            if place < 0:
                return self.imported(view, statement)
        for statement in view.stars:
            module = self.module(view, statement)
            value = self.step(module, name) if module is not None and module.path != view.path else None
            if value is not None:
                return value
        system = self.systems.get(view.family)
        return system.same_package(view, name, owner) if system is not None and not exported else None

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        """The file or package that an import names."""
        system = self.systems.get(view.family)
        return system.module(view, statement) if system is not None else None

    def imported(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        """What an import binds: a module, or the symbol in it."""
        key = (view.path, statement)
        if key not in self._imported:
            self._imported[key] = None
            module = self.module(view, statement)
            if module is not None and statement.name and statement.name != "*":
                module = self.step(
                    module, statement.name if statement.name != "default" else f"default {statement.alias}"
                )
            self._imported[key] = module
        return self._imported[key]

    def step(self, value: Value, name: str) -> Value | None:
        """What `.name` is on a value."""
        if value.kind == "file":
            exported, default = self.exported(value.path, name), None
            if exported is None and (default := self.default_export(value)) is not None:
                return self.member(default, name)
            return exported
        if value.kind == "package":
            view_family = value.path.split(":", 1)[0]
            return self.systems[view_family].member(value, name) if view_family in self.systems else None
        return self.member(value, name)

    def constant(self, view: OutlineView, owner: int, receiver: str, name: str) -> Value | None:
        """The constant that a name means, where `lookup` and `step` give the object that it contains."""
        if receiver:
            before = self.evaluate(view, owner, receiver)
            return self._constant_in(before, name) if before is not None else None
        scope = owner
        while scope >= 0 and (scope, name) not in view.bindings:
            scope = view.outline.symbols[scope].parent
        if scope >= 0:
            symbol = view.members.get(scope, {}).get(name)
            return Value("symbol", view.path, symbol) if symbol is not None else None
        here = self._constant_in(Value("file", view.path), name)
        for place, statement in view.imports.get(name, ()) if here is None else ():
            module = self.module(view, statement) if place < 0 else None
            here = self._constant_in(module, statement.name) if module is not None else None
        return here

    def _constant_in(self, value: Value, name: str, depth: int = 0) -> Value | None:
        view = self.tree.view(value.path)
        if view is None or depth > DEEPEST:
            return None
        if value.kind != "file":
            for above in self.lineage(view, value.symbol) if value.symbol >= 0 else ():
                other = self.tree.view(above.path)
                member = other.members.get(above.symbol, {}).get(name) if other is not None else None
                if member is not None:
                    return Value("symbol", above.path, member, BOUND)
            return None
        if name in view.top:
            return Value("symbol", view.path, view.top[name])
        for _, statement in view.imports.get(name, ()):
            module = self.module(view, statement)
            return self._constant_in(module, statement.name, depth + 1) if module is not None else None
        return None

    def exported(self, path: str, name: str) -> Value | None:
        """What a file exports under a name: its own symbol, or one it imports."""
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

    def default_export(self, value: Value) -> Value | None:
        """What a JavaScript file is as a whole: `module.exports = Store`. None if it only has names in it."""
        view = self.tree.view(value.path)
        if view is None or not view.bindings.get((-1, DEFAULT)):
            return None
        default = self.bound_value(view, -1, DEFAULT)
        return default if default is not None and default.kind == "symbol" else None

    def _default(self, view: OutlineView, alias: str) -> Value | None:
        """The default export: the symbol named like the import or the file, else the file itself."""
        if (value := self.default_export(Value("file", view.path))) is not None:
            return value
        stem = view.path.rsplit("/", 1)[-1].split(".", 1)[0]
        for name in ("default", alias, stem):
            if name in view.top:
                return Value("symbol", view.path, view.top[name])
        return Value("file", view.path)


def enclosing_class(view: OutlineView, owner: int) -> int:
    """The nearest class around a symbol, itself included, or -1."""
    symbols = view.outline.symbols
    while owner >= 0 and (symbols[owner].kind in FUNCTIONS or symbols[owner].kind == "constant"):
        owner = symbols[owner].parent
    return owner
