"""What the query of a language finds in a file, sorted into definitions, imports, calls and comments.

The names of captures, the same in all languages (queries/*.scm):

    @definition.KIND  a symbol; KIND is one of SYMBOL_KINDS or a word that the dialect of the language turns into one;
                      `scope` gives its name to what is inside without being a symbol
    @definition       no symbol by itself: the other captures of the pattern are added to the definition at this node
    @name             its name
    @owner            the type it belongs to when that is written elsewhere: Go receivers, C++ `Type::method`
    @parameters       the list of its parameters;  @parameter  a single one
    @returns          the type of its result
    @body             what the signature does not contain
    @base             a superclass, interface or trait
    @decorator        a decorator, annotation or attribute, without its `@`
    @doc              its documentation when that is part of the code; without a definition: that of the file
    @head             where its signature and lines begin when that is before the node: `const f = …`
    @outer            what encloses it and what a comment above belongs to: `export …`, decorated definitions
    @function, @target …  nodes that only the dialect of the language reads

    @import           the statement;  @import.module, @import.name, @import.alias  its parts as in `Import`
    @call             the expression that is called: `self.store.write`;
                      or @call.name and @call.receiver where the grammar has no such node
    @comment          a comment;  @attribute  an attribute that stands before its definition, @attribute.text its text
    @package          the package or namespace that the file declares

One definition may be found by several patterns: their captures are put together, the first pattern's kind counts.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.code.source import Call
from waypost.code.syntax.calls import read_call
from waypost.code.syntax.grammars import Grammar
from waypost.code.syntax.text import Captures, Text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


@dataclass(slots=True)
class Definition:
    """A symbol in the making. The dialect of the language may change any of it."""

    node: "Node"
    kind: str
    rank: int  # of the pattern that gave the kind
    start: int
    end: int
    captures: Captures = field(default_factory=dict)
    name: str = ""
    owner: tuple[str, ...] = ()  # types it belongs to that do not enclose it
    parameters: list[str] | None = None  # None: to be read from @parameters
    returns: str | None = None
    doc: str | None = None
    signature: str = ""  # when it cannot be read from start to body
    body: int | None = None  # where the signature ends at the latest
    minor: bool = False  # inside a function it is a symbol only when it has some length

    def first(self, name: str) -> "Node | None":
        nodes = self.captures.get(name)
        return nodes[0] if nodes else None


@dataclass(slots=True)
class SyntaxCaptures:
    """All that the query found in a file."""

    root: "Node"
    text: Text
    definitions: list[Definition]
    imports: list[Captures]
    calls: list[tuple[int, Call]]  # with the byte where each is
    leading: list["Node"]  # comments and attributes
    attributes: dict[int, "Node"]  # by the start of an attribute: its text
    others: dict[str, list[Captures]]  # by role: "package", "doc"
    comment_starts: dict[int, int]  # of comments, by their ends


def capture(grammar: Grammar, tree: "Tree", text: Text) -> SyntaxCaptures:
    from tree_sitter import QueryCursor

    by_node: dict[int, Definition] = {}
    found = SyntaxCaptures(tree.root_node, text, [], [], [], [], {}, {}, {})
    for index, captures in QueryCursor(grammar.query).matches(found.root):
        pattern = grammar.patterns[index]
        match pattern.role:
            case "call":
                # Read at once: kept nodes make work for the garbage collector.
                call = read_call(captures, text)
                if call is not None:
                    found.calls.append(call)
            case "comment":
                node = captures["comment"][0]
                found.leading.append(node)
                found.comment_starts[node.end_byte] = node.start_byte
            case "definition":
                _add(by_node, captures, pattern.definition, pattern.kind, index)
            case "import":
                found.imports.append(captures)
            case "attribute":
                node = captures["attribute"][0]
                found.leading.append(node)
                found.attributes[node.start_byte] = captures.get("attribute.text", [node])[0]
            case role:
                found.others.setdefault(role, []).append(captures)
    found.definitions = [definition for definition in by_node.values() if definition.kind]
    return found


def _add(by_node: dict[int, Definition], captures: Captures, key: str, kind: str, index: int) -> None:
    node = captures.pop(key)[0]
    definition = by_node.get(node.id)
    if definition is None:
        by_node[node.id] = Definition(node, kind, index, node.start_byte, node.end_byte, captures)
        return
    if kind and (not definition.kind or index < definition.rank):
        definition.kind, definition.rank = kind, index
    known = definition.captures
    for name, nodes in captures.items():
        kept = known.setdefault(name, [])
        if kept is not nodes:
            ids = {one.id for one in kept}
            kept.extend(one for one in nodes if one.id not in ids)
