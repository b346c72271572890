"""Random programs and documents, and random pieces to put into them."""

from dataclasses import replace
from itertools import count
from random import Random

from tests.refs.oracle.model import (
    CODE,
    DOCUMENTS,
    SUFFIX,
    Binary,
    Call,
    Class,
    Expression,
    File,
    Function,
    Item,
    Name,
    Number,
    Statement,
    Text,
    Tree,
    renamed,
)

_VARIABLES = [
    "row",
    "rate",
    "total",
    "limit",
    "offset",
    "width",
    "depth",
    "price",
    "weight",
    "score",
    "level",
    "margin",
    "ratio",
    "budget",
    "index",
]
_OBJECTS = ["store", "cache", "queue", "parser", "router", "client", "session", "ledger"]
_CALLED = [
    "fetch",
    "merge",
    "split",
    "drain",
    "close",
    "reset",
    "apply",
    "gather",
    "measure",
    "rotate",
    "commit",
    "reject",
]
_WORDS = [
    "when",
    "the",
    "cache",
    "is",
    "full",
    "an",
    "older",
    "entry",
    "makes",
    "room",
    "for",
    "a",
    "new",
    "one",
    "so",
    "that",
    "nobody",
    "waits",
    "for",
    "the",
    "disk",
    "while",
    "the",
    "ledger",
    "is",
    "closed",
    "every",
    "evening",
    "each",
    "invoice",
    "gets",
    "its",
    "number",
    "from",
    "a",
    "counter",
    "that",
    "never",
    "goes",
    "back",
]
_FUNCTIONS = [
    "load",
    "save",
    "check",
    "build",
    "render",
    "resolve",
    "collect",
    "notify",
    "compute",
    "arrange",
    "convert",
    "export",
]
_CLASSES = ["Store", "Order", "Invoice", "Parser", "Worker", "Router", "Ledger", "Planner", "Account", "Basket"]
SIGNS = ("+", "-", "*", "<", "==")


class Maker:
    """Makes pieces. Each has its own identity, counted from the first."""

    def __init__(self, random: Random, first: int = 1) -> None:
        self.random = random
        self._ids = count(first)
        self._names = count(first)

    def id(self) -> int:
        return next(self._ids)

    def tree(self, language: str, size: int = 4) -> Tree:
        """One to three files of up to `size` definitions each."""
        return tuple(
            File(
                self.id(),
                f"{self.random.choice(('src', 'lib', 'app'))}/part{number}.{SUFFIX[language]}",
                language,
                tuple(self.item(language) for _ in range(self.random.randint(1, size))),
            )
            for number in range(self.random.randint(1, 3))
        )

    def item(self, language: str) -> Item:
        is_class = language == "java" or (language in CODE and self.random.random() < 0.4)
        return self.class_(language) if is_class else self.function(language)

    def class_(self, language: str) -> Class:
        random = self.random
        fields = tuple((self.variable(), random.randint(2, 99)) for _ in range(random.randint(1, 3)))
        methods = tuple(self.function(language) for _ in range(random.randint(1, 3)))
        return Class(self.id(), self.name(_CLASSES), fields, methods)

    def function(self, language: str, length: int | None = None) -> Function:
        random = self.random
        if language in DOCUMENTS:
            said = tuple(self.statement(language) for _ in range(length or random.randint(2, 5)))
            return Function(self.id(), self.name(_FUNCTIONS), (), said)
        length = length or (1 if random.random() < 0.08 else random.randint(4, 9))
        name = self.name(_FUNCTIONS)
        parameters = tuple(dict.fromkeys(random.choices(_VARIABLES, k=random.randint(0, 4))))
        marked = language in ("python", "java") and random.random() < 0.15
        body = [self.statement(language) for _ in range(length)]
        if random.random() < 0.15:
            own = Name((name,)) if random.random() < 0.5 else Name((random.choice(_OBJECTS), name))
            body[random.randrange(length)] = Statement(self.id(), "do", Call(own, (self.expression(),)))
        if random.random() < 0.15:  # the same twice
            body.insert(random.randint(0, length), self.again(random.choice(body)))
        marks = (random.choice(("Cached", "Traced")),) if marked else ()
        return Function(self.id(), name, parameters, tuple(body), marks)

    def statement(self, language: str, depth: int = 0) -> Statement:
        random = self.random
        if language in DOCUMENTS:
            words = " ".join(random.choices(_WORDS, k=random.randint(6, 25)))
            return Statement(self.id(), "say", Text(words), name=self.name(_VARIABLES))
        kind = random.choices(("set", "do", "give", "if", "while"), (4, 3, 1, 1.5 - depth / 2, 0.7 - depth / 3))[0]
        if kind == "set":
            return Statement(self.id(), kind, self.expression(), name=self.variable())
        if kind == "do":
            return Statement(self.id(), kind, self.call())
        if kind == "give":
            return Statement(self.id(), kind, self.expression())
        inner = tuple(self.statement(language, depth + 1) for _ in range(random.randint(1, 3)))
        statement = Statement(self.id(), kind, self.condition(), body=inner)
        if kind == "if" and random.random() < 0.4:
            statement = replace(statement, otherwise=(self.statement(language, depth + 1),))
        return statement

    def expression(self, depth: int = 0) -> Expression:
        chosen = self.random.random()
        if depth > 2 or chosen < 0.3:
            return Name((self.variable(),))
        if chosen < 0.5:
            return Number(self.random.randint(2, 2000))
        if chosen < 0.6:
            return Text(" ".join(self.random.choices(_WORDS, k=self.random.randint(1, 4))))
        if chosen < 0.8:
            sign = self.random.choice(SIGNS[:3])
            return Binary(sign, self.expression(depth + 1), self.expression(depth + 1))
        return self.call(depth + 1)

    def condition(self) -> Expression:
        return Binary(self.random.choice(SIGNS[3:]), self.expression(2), self.expression(1))

    def call(self, depth: int = 0) -> Call:
        called = self.random.choice(_CALLED)
        name = Name((self.random.choice(_OBJECTS), called) if self.random.random() < 0.6 else (called,))
        return Call(name, tuple(self.expression(depth + 1) for _ in range(self.random.randint(0, 4))))

    def variable(self) -> str:
        return self.random.choice(_VARIABLES)

    def name(self, pool: list[str]) -> str:
        """A unique name."""
        word = self.random.choice(pool)
        return f"{word}{'V' if word[0].isupper() else '_v'}{next(self._names)}"

    # -- the same again --------------------------------------------------------------------------------

    def copy(self, item: Item, name: str = "") -> Item:
        """A copy with new identities and, if given, a new name."""
        if isinstance(item, Class):
            methods = tuple(self._copied(method) for method in item.methods)
            return replace(item, id=self.id(), methods=methods, name=name or item.name)
        copied = self._copied(item)
        return renamed(copied, name) if name else copied

    def _copied(self, function: Function) -> Function:
        return replace(function, id=self.id(), body=tuple(self.again(statement) for statement in function.body))

    def again(self, statement: Statement) -> Statement:
        body, otherwise = tuple(map(self.again, statement.body)), tuple(map(self.again, statement.otherwise))
        return replace(statement, id=self.id(), body=body, otherwise=otherwise)
