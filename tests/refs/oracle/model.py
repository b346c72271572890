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
        for one in block:
            waiting += [inner for inner in (one.body, one.otherwise) if inner]


# -- what is said -------------------------------------------------------------------------------------------


def definition_tokens(node: Item, language: str, around: Class | None = None) -> list[str]:
    if isinstance(node, Class):
        found = ["class", node.name, "("]
        for name, number in node.fields:
            found += [name, str(number), ";"]
        for method in node.methods if language != "go" else ():
            found += definition_tokens(method, language)
        found.append(")")
    else:
        receiver = [around.name] if around and language == "go" else []
        found = ["function", *node.marks, *receiver, node.name, "(", *node.parameters, ")", *block_tokens(node.body)]
    return found


def block_tokens(body: tuple[Statement, ...]) -> list[str]:
    found = ["("]
    for one in body:
        found += statement_tokens(one)
    return [*found, ")"]


def statement_tokens(one: Statement) -> list[str]:
    found = ["(", one.kind, *([one.name] if one.name else []), *expression_tokens(one.value)]
    for block in (one.body, one.otherwise):
        found += block_tokens(block) if block else []
    return [*found, ")"]


def expression_tokens(one: Expression) -> list[str]:
    if isinstance(one, Name):
        return list(one.parts)
    if isinstance(one, Number):
        return [str(one.value)]
    if isinstance(one, Text):
        return ['"', *one.value.split(" "), '"']
    if isinstance(one, Binary):
        return ["(", *expression_tokens(one.left), one.sign, *expression_tokens(one.right), ")"]
    found = ["(", *one.name.parts, "("]
    for argument in one.arguments:
        found += [*expression_tokens(argument), ","]
    return [*found, ")", ")"]


def file_tokens(file: File) -> list[str]:
    found = []
    for item in file.items:
        found += definition_tokens(item, file.language)
        if isinstance(item, Class) and file.language == "go":
            for method in item.methods:
                found += definition_tokens(method, "go", item)
    return found


def size(tokens: list[str]) -> int:
    """How many of them would be words of a text."""
    return sum(map(is_word, tokens))


def is_word(token: str) -> bool:
    return token not in ("(", ")", ",", ";")


def common(one: list[str], other: list[str]) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


# -- putting something in another's place --------------------------------------------------------------------


def with_definition(tree: Tree, wanted: int, *new: Item) -> Tree:
    """The tree with a definition replaced by these; without any, it is removed."""
    return tuple(replace(file, items=_in_items(file.items, wanted, new)) for file in tree)


def _in_items(items: tuple[Item, ...], wanted: int, new: tuple[Item, ...]) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        if item.id == wanted:
            found += new
        elif isinstance(item, Class):
            methods = [
                one
                for method in item.methods
                for one in (new if method.id == wanted else (method,))
                if isinstance(one, Function)
            ]
            found.append(replace(item, methods=tuple(methods)))
        else:
            found.append(item)
    return tuple(found)


def with_file(tree: Tree, wanted: int, *new: File) -> Tree:
    return tuple(one for file in tree for one in (new if file.id == wanted else (file,)))


def with_block(function: Function, old: tuple[Statement, ...], new: tuple[Statement, ...]) -> Function:
    """The function with one of its lists of statements replaced."""
    return replace(function, body=_in_block(function.body, old, new))


def _in_block(
    body: tuple[Statement, ...], old: tuple[Statement, ...], new: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    if body is old:
        return new
    return tuple(
        replace(one, body=_in_block(one.body, old, new), otherwise=_in_block(one.otherwise, old, new)) for one in body
    )


def with_statement(function: Function, new: Statement) -> Function:
    """The function with the statement of the same identity replaced."""
    return replace(function, body=tuple(_in_statement(one, new) for one in function.body))


def _in_statement(one: Statement, new: Statement) -> Statement:
    if one.id == new.id:
        return new
    body, otherwise = (tuple(_in_statement(inner, new) for inner in block) for block in (one.body, one.otherwise))
    return replace(one, body=body, otherwise=otherwise)


def parts_of(one: Expression) -> Iterator[Expression]:
    yield one
    inner = one.arguments if isinstance(one, Call) else (one.left, one.right) if isinstance(one, Binary) else ()
    for part in inner:
        yield from parts_of(part)


def put_in(one: Expression, old: Expression, new: Expression) -> Expression:
    if one is old:
        return new
    if isinstance(one, Call):
        return replace(one, arguments=tuple(put_in(part, old, new) for part in one.arguments))
    if isinstance(one, Binary):
        return replace(one, left=put_in(one.left, old, new), right=put_in(one.right, old, new))
    return one


def renamed(item: Item, name: str) -> Item:
    """Rename it. A function that calls itself does so by its new name; calls of other methods stay."""
    if isinstance(item, Class):
        return replace(item, name=name)
    return replace(item, name=name, body=tuple(_calling(one, item.name, name) for one in item.body))


def _calling(one: Statement, old: str, new: str) -> Statement:
    return replace(
        one,
        value=_called(one.value, old, new),
        body=tuple(_calling(inner, old, new) for inner in one.body),
        otherwise=tuple(_calling(inner, old, new) for inner in one.otherwise),
    )


def _called(one: Expression, old: str, new: str) -> Expression:
    if isinstance(one, Call):
        name = Name((new,)) if one.name.parts == (old,) else one.name
        return Call(name, tuple(_called(argument, old, new) for argument in one.arguments))
    if isinstance(one, Binary):
        return Binary(one.sign, _called(one.left, old, new), _called(one.right, old, new))
    return one
