"""Languages whose files declare a package: Java, Kotlin, Scala, PHP, C#. Looks up by package and name."""

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value


class PackageModules(ModuleSystem):
    """Finds classes and functions by the package that their file declares."""

    def __init__(self, tree: OutlineTree, family: str, separator: str, *, parts: bool, outer: bool) -> None:
        """`parts`: a class may span several files. `outer`: names of outer packages are visible."""
        self._tree = tree
        self._family = family
        self._separator = separator
        self._parts = parts
        self._outer = outer
        self._has_paths = (
            separator == "\\"
        )  # PHP: `Cart\Item` is in a namespace below this one, or below an imported one
        self._found: dict[tuple[str, str], Value | None] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:  # noqa: ARG002
        written = statement.module.strip(self._separator)
        package, _, name = written.rpartition(self._separator)
        value = self._find(package, name)
        if value is None and package:
            above, _, outer = package.rpartition(self._separator)
            holder = self._find(above, outer)
            value = self._inner(holder, name) if holder is not None else None
        opens = statement.name == "*" or ((self._outer or self._has_paths) and not statement.name)
        return value or (Value("package", f"{self._family}:{written}") if opens else None)

    def member(self, package: Value, name: str) -> Value | None:
        if package.kind != "package":
            return None
        packages = package.path.split(":", 1)[1].split("|")
        symbol = next((value for outer in packages if (value := self._find(outer, name)) is not None), None)
        return symbol or (self._package(*(f"{outer}\\{name}" for outer in packages)) if self._has_paths else None)

    def _package(self, *names: str) -> Value:
        """The package with the first of these names that turns out to have what is looked up."""
        return Value("package", f"{self._family}:{'|'.join(names)}")

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - only packages nest
        package = view.outline.package
        while True:
            value = self._find(package, name)
            if value is not None or not package or not self._outer:
                break
            package = package.rpartition(self._separator)[0]
        if not self._has_paths or value is not None:
            return value
        if package:
            value = self._find("", name)  # PHP falls back to global functions
            if value is not None and self._kind(value) == "function":
                return value
        return self._package(*([f"{package}\\{name}"] if package else []), name) if name.isidentifier() else None

    def _find(self, package: str, name: str) -> Value | None:
        key = (package, name)
        if key not in self._found:
            self._found[key] = self._search(package, name)
        return self._found[key]

    def _search(self, package: str, name: str) -> Value | None:
        matches: dict[str, Value] = {}
        for path, number in self._tree.definitions(name):
            view = self._tree.view(path)
            if view is None or view.family != self._family or view.outline.package != package:
                continue
            symbol = view.outline.symbols[number]
            if symbol.parent < 0 or view.outline.symbols[symbol.parent].kind == "module":
                matches.setdefault(path, Value("symbol", path, number))
        if len(matches) > 1 and not self._parts:
            matches = {path: value for path, value in matches.items() if not self._is_test(path)}
        return next(iter(sorted(matches.values()))) if len(matches) == 1 or (matches and self._parts) else None

    def _inner(self, holder: Value, name: str) -> Value | None:
        view = self._tree.view(holder.path)
        inner = view.members.get(holder.symbol, {}).get(name) if view is not None else None
        return Value("symbol", holder.path, inner) if inner is not None else None

    def _is_test(self, path: str) -> bool:
        view = self._tree.view(path)
        return view is not None and view.is_test

    def _kind(self, value: Value) -> str:
        view = self._tree.view(value.path)
        return view.outline.symbols[value.symbol].kind if view is not None else ""
