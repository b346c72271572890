"""What is read out of one file. Values only: they travel between processes and into JSON."""

from dataclasses import dataclass

from waypost.model.reference import LineRange

# Kinds of symbols. Those that hold others are in CONTAINERS.
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
    "property",  # with code of its own: getters, setters, computed ones
    "constant",  # at the level of a file or class, with a name worth looking up
    "macro",
)
CONTAINERS = frozenset({"class", "interface", "trait", "struct", "enum", "module"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a tree, decoded, its secrets already masked. Lines are counted as in the file on disk."""

    path: str  # relative to the root of the checkout, with `/`
    language: str  # as languages.toml names it: "python", "typescript", …; "" when unknown
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A use of a function, method or class: `self.store.write()` is name `write`, receiver `self.store`."""

    name: str
    receiver: str  # what stands before the name, as written; "" for a plain call
    line: int


@dataclass(frozen=True, slots=True)
class Import:
    """`from a.b import c as d` is module `a.b`, name `c`, alias `d`; `import a.b` has no name; `*` imports everything."""

    module: str  # as written: "a.b", "..x" (relative), "./button", "github.com/x/y", "<stdio.h>", "App\\Models\\User"
    name: str  # "" when the module itself is imported
    alias: str  # the name it has in this file; "" when it has none of its own
    line: int


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    qualified: str  # inside the file, with dots: "Store.write", "outer.inner"
    kind: str  # one of SYMBOL_KINDS
    lines: LineRange  # from the line of the definition itself (Python's `def`, not its decorators) to its last line
    first_line: int  # including decorators, attributes and the comment that belongs to it
    signature: str  # on one line, without the body: "def write(self, row: Row) -> int"
    parameters: tuple[str, ...] = ()  # names, as written, without `self`, `this`, types and defaults
    returns: str | None = None
    doc: str = ""  # docstring or leading comment, without its marks, dedented
    parent: int | None = None  # place of the enclosing symbol in `Parsed.symbols`; always an earlier one
    bases: tuple[str, ...] = ()  # superclasses, interfaces, traits, as written
    decorators: tuple[str, ...] = ()  # decorators, annotations, attributes, as written, without `@`
    calls: tuple[Call, ...] = ()  # made by its own code, not by symbols inside it
    scip: str = ""  # SCIP symbol id


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A part of a document: Markdown under one heading, the block of a top-level key in YAML, TOML or JSON."""

    title: str  # with those above it: "Usage > Installation", "services.web"
    lines: LineRange


@dataclass(frozen=True, slots=True)
class Parsed:
    path: str
    language: str
    line_count: int
    symbols: tuple[Symbol, ...] = ()  # in the order of their first lines; a parent before its children
    imports: tuple[Import, ...] = ()
    calls: tuple[Call, ...] = ()  # made outside of every symbol
    sections: tuple[DocumentSection, ...] = ()  # of documents only; they cover the whole text, in order
    doc: str = ""  # what the file says of itself: module docstring, leading comment, first paragraph
    package: str = ""  # what the file declares: "com.example.shop", "App\\Http", Go package name
    parser: str = "tree-sitter"  # or "patterns", "document", "none"
    broken: bool = False  # syntax errors: what could be read is here all the same
