"""Which symbol each call reaches."""

from functools import partial

from waypost.code.outline import Use
from waypost.code.resolve.bindings import EACH, MANY
from waypost.code.resolve.expressions import CALL, steps
from waypost.code.resolve.families import lookup_rules
from waypost.code.resolve.names import NameScope, enclosing_class
from waypost.code.resolve.overloads import best_overload, takes
from waypost.code.resolve.tree import OutlineView, Value, is_container
from waypost.code.source import FUNCTIONS
from waypost.code.syntax.arguments import MACRO, VARIABLE
from waypost.text.identifiers import identifier_parts

MOST_PLACES = 12  # definitions of a name, tests included, among which one could be unique
_MOST_ORIGINS = 4  # variables that are followed to where an object comes from
TYPED = 0.85  # confidence in an overload that fits the types of the arguments best
OVERLOADED = 0.5  # confidence in one of several overloads with as many parameters
ONLY_MACRO = 0.9  # confidence in the only macro with a name
_LITERALS = frozenset("\"'`[{:%/0123456789")  # a value begins with one of these
_INDIRECT = frozenset({"call", "apply"})  # `save.call(this)` calls `save`
_BLOCKS = frozenset({"ecmascript", "ruby"})  # blocks without a name repeat definitions, as in tests
UNIQUE = 0.6  # confidence in a name that only one symbol has


class CallResolver:
    """Resolves calls by scope, imports and classes, and by unique names if nothing contradicts."""

    def __init__(self, names: NameScope) -> None:
        self.names = names
        self.properties: list[
            Value
        ] = []  # that the receiver of the last use reads: `config.loader` of `config.loader.load()`
        self._unique: dict[tuple[str, str, bool], Value | None] = {}
        self._defined: dict[tuple[str, str], bool] = {}
        self._repeated: dict[tuple[str, int], tuple[int, ...]] = {}

    def resolve(self, view: OutlineView, use: Use) -> Value | None:
        """The symbol that a call reaches. None if it is unknown or outside the repository."""
        value = self._named(view, use)
        is_unknown_constant = value is None and use.name[:1].isupper()  # it may contain something external
        if not use.is_call and (is_unknown_constant or (value is not None and value.kind == "instance")):
            value = self.names.constant(view, use.owner, use.receiver, use.name)
        if value is not None and (value.symbol < 0 or value.kind not in {"symbol", "instance"}):
            return None
        if not use.is_call:
            return None if value is None else self._mentioned(value, use.name)
        return value if value is not None else self._by_unique_name(view, use)

    def overload(self, value: Value, use: Use, caller: OutlineView) -> Value:
        """The overload or constructor that a call reaches: by the number of its arguments, then by their types."""
        view = self.names.tree.view(value.path)
        if use.arguments < 0 or view is None or value.symbol < 0:
            return value
        symbols = view.outline.symbols
        symbol = symbols[value.symbol]
        constructor = view.members.get(value.symbol, {}).get(symbol.name)
        if use.is_call and constructor is not None and is_container(symbol.kind):  # `new Store()`
            value, symbol = value._replace(symbol=constructor), symbols[constructor]
        if symbol.kind not in FUNCTIONS:
            return value
        places = self.names.tree.qualified(view.family, symbol.name, symbol.qualified)
        same = [number for path, number in places if path == value.path]
        fitting = [n for n in same if takes(symbols[n].parameters, symbols[n].types, use.arguments)]
        if len(same) < 2:
            return value
        if len(fitting) == 1:
            return value._replace(symbol=fitting[0])
        kinds = [self._argument_type(caller, use.owner, kind) for kind in use.kinds.split(",")]
        overloads = [(number, symbols[number].types) for number in fitting]
        best = best_overload(kinds, overloads, partial(self._has_base, caller)) if overloads else None
        if best is not None:
            return value._replace(symbol=best, strength=min(value.strength, TYPED))
        exact = [number for number in fitting if len(symbols[number].parameters) == use.arguments]
        strength = min(value.strength, TYPED if len(exact) == 1 else OVERLOADED)
        return value._replace(symbol=(exact or fitting or [value.symbol])[0], strength=strength)

    def _argument_type(self, view: OutlineView, owner: int, kind: str) -> str:
        """The type of an argument: of a variable, what it is bound to."""
        if not kind.startswith(VARIABLE):
            return kind
        scope = owner
        while scope >= 0 and (scope, kind[1:]) not in view.bindings:
            scope = view.outline.symbols[scope].parent
        holds = view.bindings.get((scope, kind[1:]), "")
        is_type = holds.endswith(CALL) and holds.count(CALL) == 1 and "|" not in holds
        return holds.removesuffix(CALL).rpartition(".")[2] if is_type else ""

    def _has_base(self, view: OutlineView, name: str, base: str) -> bool:
        """Whether a type that the file knows under a name has a base with this name."""
        value = self.names.lookup(view, -1, name)
        other = self.names.tree.view(value.path) if value is not None and value.kind == "symbol" else None
        if value is None or other is None or not is_container(other.outline.symbols[value.symbol].kind):
            return False
        for ancestor in self.names.lineage(other, value.symbol):
            above = self.names.tree.view(ancestor.path)
            symbol = above.outline.symbols[ancestor.symbol] if above is not None else None
            if symbol is not None and (
                symbol.name == base or any(written.partition("<")[0] == base for written in symbol.bases)
            ):
                return True
        return False

    def repeated(self, view: OutlineView, value: Value) -> tuple[int, ...]:
        """The first lines of all definitions of this name in the file; none if it has only one."""
        if value.path != view.path or value.symbol < 0 or view.family not in _BLOCKS:
            return ()
        key = (view.path, value.symbol)
        if key not in self._repeated:
            own = view.outline.symbols[value.symbol]
            same = [s.start for s in view.outline.symbols if s.qualified == own.qualified and s.kind == own.kind]
            self._repeated[key] = tuple(same) if len(same) > 1 else ()
        return self._repeated[key]

    def _mentioned(self, value: Value, name: str) -> Value | None:
        """A type that is named inside of itself is not its constructor. An object is not its class."""
        view = self.names.tree.view(value.path)
        if view is None or value.kind != "symbol":
            return None
        symbols = view.outline.symbols
        symbol = symbols[value.symbol]
        if symbol.kind in FUNCTIONS and symbol.parent >= 0 and symbols[symbol.parent].name == name:
            return value._replace(symbol=symbol.parent)
        return value

    def _named(self, view: OutlineView, use: Use) -> Value | None:
        if not use.receiver:
            self.properties = []
            return self._plain(view, use)
        before = self.names.evaluate(view, use.owner, use.receiver)
        self.properties = self.names.properties
        if before is None:
            return None
        if before.kind == "symbol" and view.family == "ecmascript" and use.name in _INDIRECT:
            return before
        value = self.names.step(before, use.name)
        if value is None and view.family == "ruby" and use.name.endswith("="):
            value = self._accessor(before, use.name[:-1])
        if value is not None and value.kind == "instance" and use.is_call:
            return value if use.name in lookup_rules(view.family).constructors else None
        return value

    def _accessor(self, value: Value, name: str) -> Value | None:
        """What `attr_accessor` defines, which is both the getter and the setter."""
        member = self.names.step(value, name)
        view = self.names.tree.view(member.path) if member is not None and member.kind == "symbol" else None
        return member if member and view and view.outline.symbols[member.symbol].kind == "property" else None

    def _plain(self, view: OutlineView, use: Use) -> Value | None:
        if use.name in lookup_rules(view.family).above:  # Java's `super(…)`
            return None
        value = self.names.lookup(view, use.owner, use.name)
        if value is not None and self._is_defined_later(view, use, value):
            value = self.names.lookup(view, view.outline.symbols[use.owner].parent, use.name)
        if value is not None and value.kind == "file":
            return self.names.default_export(value)
        if (
            value is not None
            and view.family == "rust"
            and use.is_call
            and self._is_macro(value) != (use.kinds == MACRO)
        ):
            return None
        # A variable that contains an object is not its class.
        return None if value is not None and value.kind == "instance" and use.is_call else value

    def _is_defined_later(self, view: OutlineView, use: Use, value: Value) -> bool:
        """Whether the body of a Python class uses a name before the class has it: `@save` above `def save`."""
        symbols = view.outline.symbols
        if view.family != "python" or value.path != view.path or value.symbol < 0 or use.owner < 0:
            return False
        is_own = symbols[value.symbol].parent == use.owner and is_container(symbols[use.owner].kind)
        return is_own and use.lines[-1] < symbols[value.symbol].start

    def _by_unique_name(self, view: OutlineView, use: Use) -> Value | None:
        if view.family == "rust" and use.kinds == MACRO:
            return self._macro(use.name)
        if use.name in lookup_rules(view.family).built_in or len(identifier_parts(use.name.strip("_"))) < 2:
            return None
        if not self.may_be_ours(view, use):
            return None
        key = (view.family, use.name, view.is_test)
        if key not in self._unique:
            self._unique[key] = self._only_one(view, use.name)
        unique = self._unique[key]
        if unique is None:
            return None
        # A method that calls its own name on another object wraps something external. Tests do not use each other.
        is_wrapper = (unique.path, unique.symbol) == (view.path, use.owner)
        other = self.names.tree.view(unique.path)
        is_strange = other is not None and other.is_test and unique.path != view.path
        return None if is_wrapper or is_strange else unique

    def _macro(self, name: str) -> Value | None:
        """The only macro with this name: Rust exports macros from the root of a crate, wherever they are."""
        key = ("macro", name, False)
        if key not in self._unique:
            places = self.names.tree.definitions(name)
            values = (Value("symbol", path, number, ONLY_MACRO) for path, number in places)
            macros = [value for value in values if self._is_macro(value)]
            # A macro can be defined twice in a file, for two sets of features.
            self._unique[key] = macros[0] if len({macro.path for macro in macros}) == 1 else None
        return self._unique[key]

    def _is_macro(self, value: Value) -> bool:
        view = self.names.tree.view(value.path)
        return view is not None and value.symbol >= 0 and view.outline.symbols[value.symbol].kind == "macro"

    def may_be_ours(self, view: OutlineView, use: Use) -> bool:
        """Whether the receiver could belong to the repository: a variable or field of unknown content."""
        path = steps(use.receiver)
        rules = lookup_rules(view.family)
        if len(path) == 2 and path[0] in rules.own:
            return path[1] != CALL and not view.bindings.get((enclosing_class(view, use.owner), path[1]))
        if len(path) != 1 or path[0] in view.imports or path[0] in rules.built_in | rules.own | rules.above:
            return False
        if path[0][0].isupper():
            return False  # a class unknown here: `Object`, `JSON`
        scope = use.owner
        while scope >= 0:
            if (holds := view.bindings.get((scope, path[0]))) and not holds.startswith(EACH):
                return False  # it contains something external; elements of an unknown list are unknown
            scope = view.outline.symbols[scope].parent
        return not view.bindings.get((-1, path[0])) and path[0] not in view.top

    def may_reach(self, view: OutlineView, use: Use) -> bool:
        """Whether a call that was not resolved could reach a symbol of the repository, so that it is counted.

        A method can be called on every object, unless that is known to come from outside.
        """
        key = (view.family, use.name)
        if key not in self._defined:
            self._defined[key] = self._is_defined(view.family, use.name)
        if not self._defined[key]:
            return False
        if use.receiver:
            return not self._is_external(view, use.owner, use.receiver)
        rules = lookup_rules(view.family)
        return rules.implied and use.name not in rules.above

    def _is_defined(self, language_family: str, name: str) -> bool:
        """Whether a language family has a function of this name."""
        if len(self.names.tree.definitions(name)) > MOST_PLACES:
            return True
        for path, number in self.names.tree.definitions(name):
            view = self.names.tree.view(path)
            if view is not None and view.family == language_family and view.outline.symbols[number].kind in FUNCTIONS:
                return True
        return False

    def _is_external(self, view: OutlineView, owner: int, expression: str, depth: int = 0) -> bool:
        """Whether an object comes from outside of the repository: a literal, an import, or made by these."""
        path = steps(expression)
        if not path or depth > _MOST_ORIGINS:
            return expression[:1] in _LITERALS
        head, rules, scope = path[0], lookup_rules(view.family), owner
        if head in rules.above or f"{head}()" in rules.above:
            return True  # no base that is known has it
        if head in rules.own:
            scope, head = enclosing_class(view, owner), path[1] if len(path) > 1 else ""
            holds: str | None = view.bindings.get((scope, head), "")
        else:
            while scope >= 0 and (scope, head) not in view.bindings:
                scope = view.outline.symbols[scope].parent
            holds = view.bindings.get((scope, head))
        if holds is None:
            return self._is_foreign_name(view, head)
        origins = [origin.removeprefix(EACH).removeprefix(MANY) for origin in holds.split("|") if origin]
        return bool(origins) and all(self._is_external(view, scope, origin, depth + 1) for origin in origins)

    def _is_foreign_name(self, view: OutlineView, name: str) -> bool:
        """Whether a name that is no variable is imported from outside, or one of the language."""
        if name in view.top:
            return False
        for _, statement in view.imports.get(name, ()):
            return self.names.module(view, statement) is None
        is_unknown_type = name[:1].isupper() and not self.names.tree.definitions(name)
        return name in lookup_rules(view.family).built_in or is_unknown_type

    def _only_one(self, view: OutlineView, name: str) -> Value | None:
        if len(self.names.tree.definitions(name)) > MOST_PLACES:
            return None
        methods: dict[tuple[str, str], Value] = {}  # overloads are one method
        for path, number in self.names.tree.definitions(name):
            other = self.names.tree.view(path)
            if other is None or other.family != view.family or (other.is_test and not view.is_test):
                continue
            symbols = other.outline.symbols
            symbol = symbols[number]
            is_method = symbol.qualified != symbol.name and (
                symbol.parent < 0 or is_container(symbols[symbol.parent].kind)
            )
            if symbol.kind in FUNCTIONS and is_method:
                methods.setdefault((path, symbol.qualified), Value("symbol", path, number, UNIQUE))
        return next(iter(methods.values())) if len(methods) == 1 else None
