"""What parsing reads from one file: plain values that can cross processes and become JSON."""

from dataclasses import dataclass
from typing import NamedTuple

from waypost.model.reference import LineRange

# Kinds of symbols. CONTAINERS are those that contain others.
SYMBOL_KINDS = (
    "class",
    "interface",
    "trait",
    "struct",
    "enum",
    "type",  # alias, typedef
    "module",  # namespace, package object, Rust `mod`, Ruby `module`
    "function",
    "method",  # constructors too
    "property",  # with code: getters, setters, computed ones
    "constant",  # at file or class level, with a name worth looking up
    "macro",
)
COMPONENT_LANGUAGES = frozenset({"vue", "svelte", "astro"})
FUNCTIONS = frozenset({"function", "method", "property", "macro"})
CONTAINERS = frozenset({"class", "interface", "trait", "struct", "enum", "module"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A decoded file with secrets already masked. Line numbers match the file on disk."""

    path: str  # relative to the checkout's root, with `/`
    language: str  # as languages.toml names it: "python", "typescript", …; "" when unknown
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A use of a function, method or class: `self.store.write()` is name `write`, receiver `self.store`."""

    name: str
    receiver: str  # the text before the name; "" for a plain call
    line: int
    arguments: int = -1  # how many, in languages with overloads; -1 if unknown
    kinds: str = ""  # what they are, as far as their text says: see `waypost.code.syntax.arguments`


class Implementation(NamedTuple):
    """A base that a type gets outside of its definition: Rust's `impl Trait for Type`."""

    type: str
    base: str
    line: int
    end_line: int


class Mention(NamedTuple):
    """A name in code that is not called: a type, a function passed as a value, a constant."""

    owner: int  # index of the innermost symbol in `Parsed.symbols`, or -1
    receiver: str
    name: str
    line: int
    on_object: bool = False  # of a variable or field: a symbol only if the type of that is known


@dataclass(frozen=True, slots=True)
class Import:
    """An import: `from a.b import c as d` is module `a.b`, name `c`, alias `d`. Name `*` imports everything."""

    module: str  # as written: "a.b", "..x" (relative), "./button", "github.com/x/y", "<stdio.h>", "App\\Models\\User"
    name: str  # "" when the module itself is imported
    alias: str  # its name in this file, or "" if unchanged
    line: int


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    qualified: str  # within the file, with dots: "Store.write", "outer.inner"
    kind: str  # one of SYMBOL_KINDS
    lines: LineRange  # from the definition (Python's `def`, not its decorators) to its last line
    first_line: int  # including decorators, attributes and its comment
    signature: str = ""  # on one line, without the body: "def write(self, row: Row) -> int"
    parameters: tuple[str, ...] = ()  # names, as written, without `self`, `this`, types and defaults
    returns: str | None = None
    doc: str = ""  # docstring or leading comment, without markers, dedented
    parent: int | None = None  # index of the enclosing symbol in `Parsed.symbols`; always an earlier one
    bases: tuple[str, ...] = ()  # superclasses, interfaces, traits, as written
    decorators: tuple[str, ...] = ()  # decorators, annotations, attributes, as written, without `@`
    calls: tuple[Call, ...] = ()  # in its own code, not in nested symbols
    scip: str = ""  # SCIP symbol id


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """Part of a document: Markdown under one heading, or a top-level key in YAML, TOML or JSON."""

    title: str  # with parent titles: "Usage > Installation", "services.web"
    lines: LineRange


@dataclass(frozen=True, slots=True)
class Parsed:
    path: str
    language: str
    line_count: int
    symbols: tuple[Symbol, ...] = ()  # by first line; a parent before its children
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()  # outside all symbols
    implementations: tuple[Implementation, ...] = ()
    mentions: tuple[Mention, ...] = ()  # of names that may be symbols of the repository
    sections: tuple[DocumentSection, ...] = ()  # of documents only; they cover the whole text, in order
    doc: str = ""  # module docstring, leading comment or first paragraph
    package: str = ""  # as declared: "com.example.shop", "App\\Http", Go package name
    parser: str = "tree-sitter"  # or "patterns", "document", "none"
    broken: bool = False  # has syntax errors; whatever could be read is included
