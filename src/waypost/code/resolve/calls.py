"""Calls: which symbol each of them reaches."""

from waypost.code.outline import Use
from waypost.code.resolve.expressions import CALL, steps
from waypost.code.resolve.families import habits
from waypost.code.resolve.names import NameScope, enclosing_class
from waypost.code.resolve.tree import FUNCTIONS, OutlineView, Value, is_container
from waypost.text.identifiers import identifier_parts

MOST_PLACES = 12  # definitions of a name, tests included, of which one could still be the only one meant
UNIQUE = 0.6  # how sure a name is that only one symbol of the tree has


class CallResolver:
    """Resolves calls by scope, imports and classes; by a unique name only where nothing speaks against it."""

    def __init__(self, names: NameScope) -> None:
        self.names = names
        self._unique: dict[tuple[str, str, bool], Value | None] = {}

    def resolve(self, view: OutlineView, use: Use) -> Value | None:
        """The symbol that a call reaches; None when that is unknown or outside of the tree."""
        value = self._named(view, use)
        if value is not None:
            return value if value.symbol >= 0 and value.kind in {"symbol", "instance"} else None
        return self._by_unique_name(view, use)

    def _named(self, view: OutlineView, use: Use) -> Value | None:
        if not use.receiver:
            if use.name in habits(view.family).above:  # Java's `super(…)`
                return None
            value = self.names.lookup(view, use.owner, use.name)
            # A variable that holds an object is not the class of it.
            return None if value is not None and value.kind == "instance" else value
        before = self.names.evaluate(view, use.owner, use.receiver)
        if before is None:
            return None
        value = self.names.step(before, use.name)
        if value is not None and value.kind == "instance":
            return value if use.name in habits(view.family).constructors else None
        return value

    def _by_unique_name(self, view: OutlineView, use: Use) -> Value | None:
        if use.name in habits(view.family).built_in or len(identifier_parts(use.name.strip("_"))) < 2:
            return None
        if not self._may_be_ours(view, use):
            return None
        key = (view.family, use.name, view.is_test)
        if key not in self._unique:
            self._unique[key] = self._only_one(view, use.name)
        found = self._unique[key]
        if found is None:
            return None
        # A method that calls its own name on something else wraps a thing from outside; tests do not use one another.
        is_wrapper = (found.path, found.symbol) == (view.path, use.owner)
        other = self.names.tree.view(found.path)
        is_strange = other is not None and other.is_test and found.path != view.path
        return None if is_wrapper or is_strange else found

    def _may_be_ours(self, view: OutlineView, use: Use) -> bool:
        """Whether the object of a call could be of the tree: a variable or a field of which nothing else is known."""
        path = steps(use.receiver)
        habit = habits(view.family)
        if len(path) == 2 and path[0] in habit.own:
            return path[1] != CALL and not view.bindings.get((enclosing_class(view, use.owner), path[1]))
        if len(path) != 1 or path[0] in view.imports or path[0] in habit.built_in | habit.own | habit.above:
            return False
        if path[0][0].isupper():
            return False  # a class that is not known here: `Object`, `JSON`
        scope = use.owner
        while scope >= 0:
            if view.bindings.get((scope, path[0])):
                return False  # it holds something from outside
            scope = view.outline.symbols[scope].parent
        return not view.bindings.get((-1, path[0])) and path[0] not in view.top

    def _only_one(self, view: OutlineView, name: str) -> Value | None:
        if len(self.names.tree.places(name)) > MOST_PLACES:
            return None
        found: list[Value] = []
        for path, number in self.names.tree.defined(name):
            other = self.names.tree.view(path)
            if other is None or other.family != view.family or (other.is_test and not view.is_test):
                continue
            symbols = other.outline.symbols
            symbol = symbols[number]
            is_method = symbol.qualified != symbol.name and (
                symbol.parent < 0 or is_container(symbols[symbol.parent].kind)
            )
            if symbol.kind in FUNCTIONS and is_method:
                found.append(Value("symbol", path, number, UNIQUE))
        return found[0] if len(found) == 1 else None
