"""What a language's query finds in a file: definitions, imports, calls and comments.

The names of captures, the same in all languages (queries/*.scm):

    @definition.KIND  a symbol; KIND is one of SYMBOL_KINDS or a word that the dialect turns into one;
                      `scope` gives its name to nested symbols without being one
    @definition       no symbol: the pattern's other captures are added to the definition at this node
    @name             its name
    @owner            the type it belongs to if that is written elsewhere: Go receivers, C++ `Type::method`
    @parameters       its parameter list;  @parameter  a single one
    @returns          its return type
    @body             what the signature does not contain
    @base             a superclass, interface or trait
    @decorator        a decorator, annotation or attribute, without its `@`
    @doc              its documentation if that is part of the code; without a definition: the file's
    @head             where its signature and lines begin if that is before the node: `const f = …`
    @outer            the enclosing node to which a comment above belongs: `export …`, decorated definitions
    @function, @target …  nodes that only the dialect reads

    @import           the statement;  @import.module, @import.name, @import.alias  its parts as in `Import`
    @call             the called expression: `self.store.write`;
                      or @call.name and @call.receiver where the grammar has no such node;
                      or @call.token, a name before brackets where the grammar has only tokens
    @string           text in quotes, in which no names are read
    @comment          a comment;  @attribute  an attribute before its definition, @attribute.text its text
    @package          the package or namespace that the file declares

Several patterns can match one definition: their captures are merged, and the first pattern's kind counts.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.code.source import Call, Implementation
from waypost.code.syntax.calls import LongCall, read_call, read_long_calls
from waypost.code.syntax.grammars import Grammar
from waypost.code.syntax.text import Captures, Text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


@dataclass(slots=True)
class Definition:
    """A symbol under construction. The dialect may change any field."""

    node: "Node"
    kind: str
    rank: int  # index of the pattern that gave the kind
    start: int
    end: int
    captures: Captures = field(default_factory=dict)
    name: str = ""
    owner: tuple[str, ...] = ()  # types it belongs to that do not enclose it
    parameters: list[str] | None = None  # None: read it from @parameters
    returns: str | None = None
    doc: str | None = None
    signature: str = ""  # if it cannot be read from start to body
    body: int | None = None  # the latest end of the signature
    minor: bool = False  # inside a function it is a symbol only if it is long enough

    def first(self, name: str) -> "Node | None":
        nodes = self.captures.get(name)
        return nodes[0] if nodes else None


@dataclass(slots=True)
class SyntaxCaptures:
    """Everything that the query found in a file."""

    root: "Node"
    text: Text
    definitions: list[Definition]
    imports: list[Captures]
    calls: list[tuple[int, Call]]  # with the byte offset of each
    leading: list["Node"]  # comments and attributes
    attributes: dict[int, "Node"]  # by the start of an attribute: its text
    others: dict[str, list[Captures]]  # by role: "package", "doc"
    comment_starts: dict[int, int]  # of comments, by their ends
    strings: list[tuple[int, int]]  # bytes of text in quotes
    implementations: list[Implementation] = field(default_factory=list)  # set by the dialect


def capture(grammar: Grammar, tree: "Tree", text: Text, *, overloads: bool = False) -> SyntaxCaptures:
    """Everything the query matches. `overloads`: the language has some, so the arguments of calls are counted."""
    from tree_sitter import QueryCursor

    by_node: dict[int, Definition] = {}
    syntax = SyntaxCaptures(tree.root_node, text, [], [], [], [], {}, {}, {}, [])
    long_calls: list[LongCall] = []
    for index, captures in QueryCursor(grammar.query).matches(syntax.root):
        pattern = grammar.patterns[index]
        match pattern.role:
            case "call":
                # Read it now: kept nodes burden the garbage collector.
                call = read_call(captures, text, count=overloads)
                if isinstance(call, LongCall):
                    long_calls.append(call)
                elif call is not None:
                    syntax.calls.append(call)
            case "comment":
                node = captures["comment"][0]
                syntax.leading.append(node)
                syntax.comment_starts[node.end_byte] = node.start_byte
            case "string":
                node = captures["string"][0]
                syntax.strings.append((node.start_byte, node.end_byte))
            case "definition":
                _add(by_node, captures, pattern.definition, pattern.kind, index)
            case "import":
                syntax.imports.append(captures)
            case "attribute":
                node = captures["attribute"][0]
                written = captures.get("attribute.text", [node])[0]
                if not written.is_extra:  # a comment behind it matches too
                    syntax.leading.append(node)
                    syntax.attributes[node.start_byte] = written
            case role:
                syntax.others.setdefault(role, []).append(captures)
    syntax.calls += read_long_calls(long_calls, text, count=overloads)
    syntax.definitions = [definition for definition in by_node.values() if definition.kind]
    return syntax


def _add(by_node: dict[int, Definition], captures: Captures, key: str, kind: str, index: int) -> None:
    node = captures.pop(key)[0]
    definition = by_node.get(node.id)
    if definition is None:
        by_node[node.id] = Definition(node, kind, index, node.start_byte, node.end_byte, captures)
        return
    if kind and (not definition.kind or index < definition.rank):
        definition.kind, definition.rank = kind, index
    collected = definition.captures
    for name, nodes in captures.items():
        kept = collected.setdefault(name, [])
        if kept is not nodes:
            ids = {node.id for node in kept}
            kept.extend(node for node in nodes if node.id not in ids)
