"""Programs without layout: every definition and statement has an identity.

Two pieces are equal if their tokens are. Brackets in the tokens represent structure, not text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

OWN = "·"  # a definition's own name, in its tokens
CODE = ("python", "typescript", "go", "java")
DOCUMENTS = ("markdown", "yaml")
LANGUAGES = (*CODE, *DOCUMENTS)
SUFFIX = {"python": "py", "typescript": "ts", "go": "go", "java": "java", "markdown": "md", "yaml": "yaml"}


@dataclass(frozen=True, slots=True)
class Name:
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    value: int


@dataclass(frozen=True, slots=True)
class Text:
    value: str


@dataclass(frozen=True, slots=True)
class Binary:
    sign: str
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    name: Name
    arguments: "tuple[Expression, ...]"


Expression = Name | Number | Text | Binary | Call


@dataclass(frozen=True, slots=True)
class Statement:
    """`set` a name, `do` a call, `give` back a value, `if`, `while`; `say` a paragraph or an entry of a document."""

    id: int
    kind: str
    value: Expression
    name: str = ""
    body: "tuple[Statement, ...]" = ()
    otherwise: "tuple[Statement, ...]" = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A definition; in a document: a section."""

    id: int
    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    marks: tuple[str, ...] = ()  # decorators, annotations


@dataclass(frozen=True, slots=True)
class Class:
    id: int
    name: str
    fields: tuple[tuple[str, int], ...]
    methods: tuple[Function, ...]


Item = Function | Class


@dataclass(frozen=True, slots=True)
class File:
    id: int
    path: str
    language: str
    items: tuple[Item, ...]


Tree = tuple[File, ...]
Node = File | Class | Function | Statement


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a definition is."""

    file: File
    around: Class | None
    node: Item

    @property
    def qualified(self) -> str:
        return f"{self.around.name}.{self.node.name}" if self.around else self.node.name

    @property
    def family(self) -> str:
        return "class" if isinstance(self.node, Class) else "function"

    @property
    def key(self) -> tuple[str, str, str]:
        return self.file.path, self.qualified, self.family

    @property
    def tokens(self) -> list[str]:
        """Its tokens, independent of its name."""
        return definition_tokens(renamed(self.node, OWN), self.file.language, self.around)


def definitions(tree: Tree) -> Iterator[Spot]:
    for file in tree:
        for item in file.items:
            yield Spot(file, None, item)
            if isinstance(item, Class):
                for method in item.methods:
                    yield Spot(file, item, method)


def find(tree: Tree, wanted: int) -> Spot | None:
    return next((spot for spot in definitions(tree) if spot.node.id == wanted), None)


def blocks(function: Function) -> Iterator[tuple[Statement, ...]]:
    """The lists of statements in a function, outer ones first."""
    waiting = [function.body]
    while waiting:
        block = waiting.pop(0)
        yield block
        for statement in block:
            waiting += [inner for inner in (statement.body, statement.otherwise) if inner]


# -- what is said -------------------------------------------------------------------------------------------


def definition_tokens(node: Item, language: str, around: Class | None = None) -> list[str]:
    if isinstance(node, Class):
        tokens = ["class", node.name, "("]
        for name, number in node.fields:
            tokens += [name, str(number), ";"]
        for method in node.methods if language != "go" else ():
            tokens += definition_tokens(method, language)
        tokens.append(")")
    else:
        receiver = [around.name] if around and language == "go" else []
        tokens = ["function", *node.marks, *receiver, node.name, "(", *node.parameters, ")", *block_tokens(node.body)]
    return tokens


def block_tokens(body: tuple[Statement, ...]) -> list[str]:
    tokens = ["("]
    for statement in body:
        tokens += statement_tokens(statement)
    return [*tokens, ")"]


def statement_tokens(statement: Statement) -> list[str]:
    tokens = ["(", statement.kind, *([statement.name] if statement.name else []), *expression_tokens(statement.value)]
    for block in (statement.body, statement.otherwise):
        tokens += block_tokens(block) if block else []
    return [*tokens, ")"]


def expression_tokens(expression: Expression) -> list[str]:
    if isinstance(expression, Name):
        return list(expression.parts)
    if isinstance(expression, Number):
        return [str(expression.value)]
    if isinstance(expression, Text):
        return ['"', *expression.value.split(" "), '"']
    if isinstance(expression, Binary):
        return ["(", *expression_tokens(expression.left), expression.sign, *expression_tokens(expression.right), ")"]
    tokens = ["(", *expression.name.parts, "("]
    for argument in expression.arguments:
        tokens += [*expression_tokens(argument), ","]
    return [*tokens, ")", ")"]


def file_tokens(file: File) -> list[str]:
    tokens = []
    for item in file.items:
        tokens += definition_tokens(item, file.language)
        if isinstance(item, Class) and file.language == "go":
            for method in item.methods:
                tokens += definition_tokens(method, "go", item)
    return tokens


def size(tokens: list[str]) -> int:
    """How many of them would be words of a text."""
    return sum(map(is_word, tokens))


def is_word(token: str) -> bool:
    return token not in ("(", ")", ",", ";")


def common(left: list[str], right: list[str]) -> float:
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


# -- putting something in another's place --------------------------------------------------------------------


def with_definition(tree: Tree, wanted: int, *new: Item) -> Tree:
    """The tree with a definition replaced by these; without any, it is removed."""
    return tuple(replace(file, items=_in_items(file.items, wanted, new)) for file in tree)


def _in_items(items: tuple[Item, ...], wanted: int, new: tuple[Item, ...]) -> tuple[Item, ...]:
    items_found: list[Item] = []
    for item in items:
        if item.id == wanted:
            items_found += new
        elif isinstance(item, Class):
            methods = [
                kept_method
                for method in item.methods
                for kept_method in (new if method.id == wanted else (method,))
                if isinstance(kept_method, Function)
            ]
            items_found.append(replace(item, methods=tuple(methods)))
        else:
            items_found.append(item)
    return tuple(items_found)


def with_file(tree: Tree, wanted: int, *new: File) -> Tree:
    return tuple(kept_file for file in tree for kept_file in (new if file.id == wanted else (file,)))


def with_block(function: Function, old: tuple[Statement, ...], new: tuple[Statement, ...]) -> Function:
    """The function with one of its lists of statements replaced."""
    return replace(function, body=_in_block(function.body, old, new))


def _in_block(
    body: tuple[Statement, ...], old: tuple[Statement, ...], new: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    if body is old:
        return new
    return tuple(
        replace(statement, body=_in_block(statement.body, old, new), otherwise=_in_block(statement.otherwise, old, new))
        for statement in body
    )


def with_statement(function: Function, new: Statement) -> Function:
    """The function with the statement of the same identity replaced."""
    return replace(function, body=tuple(_in_statement(statement, new) for statement in function.body))


def _in_statement(statement: Statement, new: Statement) -> Statement:
    if statement.id == new.id:
        return new
    body, otherwise = (
        tuple(_in_statement(inner, new) for inner in block) for block in (statement.body, statement.otherwise)
    )
    return replace(statement, body=body, otherwise=otherwise)


def parts_of(expression: Expression) -> Iterator[Expression]:
    yield expression
    inner = (
        expression.arguments
        if isinstance(expression, Call)
        else (expression.left, expression.right)
        if isinstance(expression, Binary)
        else ()
    )
    for part in inner:
        yield from parts_of(part)


def put_in(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression is old:
        return new
    if isinstance(expression, Call):
        return replace(expression, arguments=tuple(put_in(part, old, new) for part in expression.arguments))
    if isinstance(expression, Binary):
        return replace(expression, left=put_in(expression.left, old, new), right=put_in(expression.right, old, new))
    return expression


def renamed(item: Item, name: str) -> Item:
    """Rename it. A function that calls itself does so by its new name; calls of other methods stay."""
    if isinstance(item, Class):
        return replace(item, name=name)
    return replace(item, name=name, body=tuple(_calling(statement, item.name, name) for statement in item.body))


def _calling(statement: Statement, old: str, new: str) -> Statement:
    return replace(
        statement,
        value=_called(statement.value, old, new),
        body=tuple(_calling(inner, old, new) for inner in statement.body),
        otherwise=tuple(_calling(inner, old, new) for inner in statement.otherwise),
    )


def _called(expression: Expression, old: str, new: str) -> Expression:
    if isinstance(expression, Call):
        name = Name((new,)) if expression.name.parts == (old,) else expression.name
        return Call(name, tuple(_called(argument, old, new) for argument in expression.arguments))
    if isinstance(expression, Binary):
        return Binary(expression.sign, _called(expression.left, old, new), _called(expression.right, old, new))
    return expression
