"""Ruby: files by `require`, constants by nesting."""

import posixpath
import re
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value, is_container

GUESSED = 0.9  # several files open a class, but none is named after it
DEEPEST_NESTING = 12  # classes and modules around a name
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class RubyModules(ModuleSystem):
    """Finds constants as autoloaders do, preferring the file named after a class."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._constants: dict[str, Value | None] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        name = statement.module if statement.module.endswith(".rb") else f"{statement.module}.rb"
        near = posixpath.normpath(posixpath.join(posixpath.dirname(view.path), name))
        for path in (near, f"lib/{name}"):
            if path in self._tree.paths:
                return Value("file", path)
        if name.startswith("."):
            return None
        files = self._libraries.get(name, ())
        return Value("file", files[0]) if len(files) == 1 else None

    @cached_property
    def _libraries(self) -> dict[str, list[str]]:
        """Files by their `require` name: the path below a `lib` folder."""
        libraries: dict[str, list[str]] = {}
        for path in self._tree.paths:
            _, inside, name = path.rpartition("/lib/")
            if inside:
                libraries.setdefault(name, []).append(path)
        return libraries

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:
        if not name[:1].isupper():
            return None
        nesting = view.outline.symbols[owner].qualified.split(".")[:DEEPEST_NESTING] if owner >= 0 else []
        for depth in range(len(nesting), -1, -1):
            wanted = ".".join([*nesting[:depth], name])
            if wanted not in self._constants:
                definitions = self._tree.qualified("ruby", name, wanted)
                fitting = [definition for definition in definitions if self._is_constant(*definition)]
                self._constants[wanted] = _named_after(fitting, wanted) if fitting else None
            if (constant := self._constants[wanted]) is not None:
                return constant
        return None

    def _is_constant(self, path: str, number: int) -> bool:
        view = self._tree.view(path)
        kind = view.outline.symbols[number].kind if view is not None else ""
        return is_container(kind) or kind == "constant"


def _named_after(fitting: list[tuple[str, int]], qualified: str) -> Value:
    """Of all files that open a class, the one named after it."""
    ending = "/".join(_WORD.sub("_", part).lower() for part in qualified.split(".")) + ".rb"
    named = [definition for definition in fitting if definition[0] == ending or definition[0].endswith(f"/{ending}")]
    path, number = min(named or fitting)
    return Value("symbol", path, number, 1.0 if named or len(fitting) == 1 else GUESSED)
