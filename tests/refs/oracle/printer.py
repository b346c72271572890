"""A program as text in a random layout. Every layout has the same meaning."""

from dataclasses import dataclass
from random import Random

from tests.refs.oracle.model import (
    DOCUMENTS,
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
    Tree,
    definitions,
)

_REMARK = "\x01"  # from here on, the line is a comment
_STRENGTH = {"==": 1, "<": 1, "+": 2, "-": 2, "*": 3}
_REMARKS = ("why this is so", "see the manual", "slow but right", "= x + 1", "return nothing", "load(7)")
_OPENING = {"python": "#", "yaml": "#"}
_NO_TRAILING_COMMA = "java"


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    owners: tuple[int, ...]  # the pieces it belongs to, outermost first
    speaks: bool  # whether it contains more than brackets and comments


@dataclass(frozen=True, slots=True)
class Printed:
    path: str
    language: str
    lines: tuple[Line, ...]
    text: str
    definitions: frozenset[int]

    def span(self, owner: int) -> tuple[int, int] | None:
        """The first and the last line of a definition or statement."""
        numbers = [number for number, line in enumerate(self.lines, start=1) if owner in line.owners]
        return (numbers[0], numbers[-1]) if numbers else None

    def spoken(self, owner: int) -> list[int]:
        """The lines that contain its words."""
        return [number for number, line in enumerate(self.lines, start=1) if owner in line.owners and line.speaks]


def printed(tree: Tree, random: Random, plain: bool = False, apart: frozenset[int] = frozenset()) -> list[Printed]:
    """Print every file in its own layout. `apart`: functions whose statements are on separate lines."""
    return [Printer(file, random, plain, apart).print() for file in tree]


class Printer:
    def __init__(self, file: File, random: Random, plain: bool, apart: frozenset[int]) -> None:
        self.file, self.language, self.random, self.plain, self.apart = file, file.language, random, plain, apart
        self.lines: list[Line] = []
        self.step = "\t" if self.language == "go" or self.chance(0.1) else " " * random.choice((2, 4, 4, 8))
        if self.language == "yaml":
            self.step = " " * random.choice((2, 4))
        self.quote = "'" if self.chance(0.5) and self.language in ("python", "typescript") else '"'
        self.semicolon = "" if self.language == "typescript" and self.chance(0.4) else ";"
        self.next_line_brace = self.language in ("java", "typescript") and self.chance(0.3)
        self.ending = "\r\n" if self.chance(0.1) else "\n"

    def chance(self, part: float) -> bool:
        return not self.plain and self.random.random() < part

    def print(self) -> Printed:
        if self.language == "go":
            self.put("package main", 0, ())
        self.remarks(0, often=0.2)
        for number, item in enumerate(self.file.items):
            if number:
                self.blank(2)
            self.item(item)
        if not self.file.items:
            self.put(self.comment("nothing is left"), 0, ())
        self.remarks(0, often=0.1)
        text = self.ending.join(line.text for line in self.lines) + ("" if self.chance(0.15) else self.ending)
        defined = frozenset(spot.node.id for spot in definitions((self.file,)))
        return Printed(self.file.path, self.language, tuple(self.lines), text, defined)

    # -- lines -----------------------------------------------------------------------------------------

    def put(self, text: str, depth: int, owners: tuple[int, ...], speaks: bool | None = None) -> None:
        """Lines of text; those after the first are indented."""
        deeper = depth + (self.random.randint(1, 3) if self.chance(0.5) else 1)
        for number, line in enumerate(text.split("\n")):
            said = line.partition(_REMARK)[0]
            indent = self.step * (deeper if number else depth)
            if number and said.strip() in (")", "),", ");"):
                indent = self.step * depth
            is_said = any(letter.isalnum() for letter in said) if speaks is None else speaks
            self.lines.append(Line(indent + line.replace(_REMARK, ""), owners, is_said))

    def blank(self, most: int = 1) -> None:
        for _ in range(1 if self.plain else self.random.randint(0, most)):
            self.lines.append(Line("   " if self.chance(0.1) else "", (), False))

    def comment(self, words: str) -> str:
        if self.language == "markdown":
            return f"{_REMARK}<!-- {words} -->"
        return f"{_REMARK}{_OPENING.get(self.language, '//')} {words}"

    def remarks(self, depth: int, often: float = 0.12) -> None:
        """Perhaps a comment on its own lines that belongs to nothing."""
        if self.language == "markdown" or not self.chance(often):
            return
        words = self.random.choice(_REMARKS)
        if self.language in ("go", "java", "typescript") and self.chance(0.4):
            self.put(f"{_REMARK}/* {words}\n{_REMARK}   {words} */", depth, (), speaks=False)
        else:
            self.put(self.comment(words), depth, (), speaks=False)

    def trailing(self) -> str:
        return f"  {self.comment(self.random.choice(_REMARKS))}" if self.chance(0.08) else ""

    # -- definitions -----------------------------------------------------------------------------------

    def item(self, item: Item) -> None:
        if self.language in DOCUMENTS:
            self.section(item)
        elif isinstance(item, Class):
            self.class_(item)
        else:
            self.function(item, None)

    def section(self, item: Item) -> None:
        assert isinstance(item, Function)
        if self.language == "markdown":
            if self.lines and self.lines[-1].text.strip():
                self.lines.append(Line("", (), False))
            self.put(f"## {item.name}", 0, (item.id,))
            for statement in item.body:
                self.lines.append(Line("", (), False))
                self.blank()
                self.put(self.paragraph(statement), 0, (item.id, statement.id))
            return
        self.put(f"{item.name}:", 0, (item.id,))
        for statement in item.body:
            self.remarks(1)
            words = " ".join(getattr(statement.value, "value", "").split(" "))
            self.put(f"{statement.name}: {words}", 1, (item.id, statement.id))

    def paragraph(self, statement: Statement) -> str:
        words = f"{statement.name} {getattr(statement.value, 'value', '')}".split(" ")
        text = words[0]
        for word in words[1:]:
            text += ("\n" if self.chance(0.12) else " ") + word
        return "\n".join(line.strip() for line in text.split("\n"))

    def class_(self, item: Class) -> None:
        owners = (item.id,)
        self.remarks(0, often=0.3)
        if self.language == "go":
            self.put(f"type {item.name} struct {{", 0, owners)
            for name, number in item.fields:
                self.put(f"{name} [{number}]int{self.trailing()}", 1, owners)
            self.put("}", 0, owners)
            for method in item.methods:
                self.blank(2)
                self.function(method, item)
            return
        self.open(f"class {item.name}", 0, owners)
        if self.language == "python" and self.chance(0.3):
            self.put(f'"""{self.random.choice(_REMARKS)}"""', 1, owners, speaks=False)
        kind = "int " if self.language == "java" else ""
        for name, number in item.fields:
            end = self.semicolon if self.language != "python" else ""
            end = ";" if self.language == "typescript" else end
            self.remarks(1)
            self.put(f"{kind}{name} = {number}{end}{self.trailing()}", 1, owners)
        for method in item.methods:
            self.blank(2)
            self.function(method, item)
        if self.language != "python":
            self.put("}", 0, owners)

    def function(self, item: Function, around: Class | None) -> None:
        depth = 1 if around and self.language != "go" else 0
        owners = (around.id, item.id) if around and self.language != "go" else (item.id,)
        self.remarks(depth, often=0.3)
        before = ""
        for mark in item.marks:
            if self.language == "java" and self.chance(0.5):
                before += f"@{mark} "
            else:
                self.put(f"@{mark}", depth, owners)
        head = before + self.head(item, around)
        simple = len(item.body) == 1 and item.body[0].kind in ("do", "give") and item.id not in self.apart
        if simple and self.language != "python" and self.chance(0.4):
            self.put(f"{head} {{ {self.simple(item.body[0])} }}".replace(_REMARK, ""), depth, owners)
            return
        self.open(head, depth, owners)
        if self.language == "python" and self.chance(0.3):
            words = self.random.choice(_REMARKS)
            self.put(f'"""{words}\n{words}"""' if self.chance(0.5) else f"'{words}'", depth + 1, owners, speaks=False)
        self.block(item.body, depth + 1, owners)
        if self.language != "python":
            self.remarks(depth + 1, often=0.05)
            self.put("}", depth, owners)

    def head(self, item: Function, around: Class | None) -> str:
        if self.language == "python":
            return f"def {item.name}{self.bracketed(list(item.parameters))}"
        if self.language == "go":
            typed = [f"{name} int" for name in item.parameters]
            receiver = f"(self *{around.name}) " if around else ""
            return f"func {receiver}{item.name}{self.bracketed(typed)} int"
        if self.language == "java":
            return f"int {item.name}{self.bracketed([f'int {name}' for name in item.parameters])}"
        return f"{'' if around else 'function '}{item.name}{self.bracketed(list(item.parameters))}"

    def open(self, head: str, depth: int, owners: tuple[int, ...]) -> None:
        if self.language == "python":
            self.put(f"{head}:{self.trailing()}", depth, owners)
        elif self.next_line_brace:
            self.put(head + self.trailing(), depth, owners)
            self.put("{", depth, owners)
        else:
            self.put(f"{head} {{{self.trailing()}", depth, owners)

    # -- statements ------------------------------------------------------------------------------------

    def block(self, body: tuple[Statement, ...], depth: int, owners: tuple[int, ...]) -> None:
        for statement in body:
            self.remarks(depth)
            if self.chance(0.2):
                self.blank()
            self.statement(statement, depth, (*owners, statement.id))
        if not body:
            self.put("pass" if self.language == "python" else "", depth, owners, speaks=False)

    def statement(self, statement: Statement, depth: int, owners: tuple[int, ...]) -> None:
        if statement.kind not in ("if", "while"):
            self.put(self.simple(statement) + self.trailing(), depth, owners)
            return
        word = "for" if statement.kind == "while" and self.language == "go" else statement.kind
        condition = self.expression(statement.value, inside=self.language in ("typescript", "java"))
        if self.language in ("typescript", "java") or self.chance(0.2):
            condition = f"({condition})"
        if not self.inner(f"{word} {condition}", statement.body, depth, owners, last=not statement.otherwise):
            self.closed(statement, depth, owners)

    def closed(self, statement: Statement, depth: int, owners: tuple[int, ...]) -> None:
        """What follows the first block of a statement, with its bracket."""
        brace = "" if self.language == "python" else "}"
        if not statement.otherwise:
            if brace:
                self.put(brace, depth, owners)
        elif self.language == "python" or (self.language != "go" and self.chance(0.3)):
            if brace:
                self.put(brace, depth, owners)
            if not self.inner("else", statement.otherwise, depth, owners, last=True) and brace:
                self.put(brace, depth, owners)
        else:
            self.put("} else {", depth, owners)
            self.block(statement.otherwise, depth + 1, owners)
            self.put("}", depth, owners)

    def inner(self, head: str, body: tuple[Statement, ...], depth: int, owners: tuple[int, ...], last: bool) -> bool:
        """A head and its block. Returns whether it is complete without a closing bracket."""
        simple = len(body) == 1 and body[0].kind in ("do", "give") and not self.apart & set(owners)
        if simple and last and self.language != "go" and self.chance(0.3):
            colon = ":" if self.language == "python" else ""
            self.put(f"{head}{colon} {self.simple(body[0])}", depth, (*owners, body[0].id))
            return True
        self.open(head, depth, owners)
        self.block(body, depth + 1, owners)
        return False

    def simple(self, statement: Statement) -> str:
        value = self.expression(statement.value)
        if statement.kind != "do" and self.chance(0.15):
            value = f"({self.expression(statement.value, inside=True)})"
        end = "" if self.language in ("python", "go") else self.semicolon
        if statement.kind == "set":
            begin = {"python": "{} =", "go": "{} :=", "java": "var {} =", "typescript": "let {} ="}[self.language]
            return f"{begin.format(statement.name)} {value}{end}"
        return f"{'return ' if statement.kind == 'give' else ''}{value}{end}"

    # -- expressions -----------------------------------------------------------------------------------

    def expression(self, expression: Expression, inside: bool = False) -> str:
        """`inside` brackets, a line may end anywhere."""
        if isinstance(expression, Name):
            return ".".join(expression.parts)
        if isinstance(expression, Number):
            return (
                f"{expression.value:_}"
                if self.language in ("python", "java") and self.chance(0.1)
                else str(expression.value)
            )
        if isinstance(expression, Call):
            return ".".join(expression.name.parts) + self.bracketed(
                [self.expression(argument, inside=True) for argument in expression.arguments]
            )
        if isinstance(expression, Binary):
            space = "\n" if (inside or self.language != "python") and self.chance(0.1) else " "
            left, right = (
                self.operand(expression, expression.left, inside),
                self.operand(expression, expression.right, inside),
            )
            return f"{left} {expression.sign}{space}{right}"
        return f"{self.quote}{expression.value}{self.quote}"

    def operand(self, around: Binary, operand_expression: Expression, inside: bool) -> str:
        is_needed = isinstance(operand_expression, Binary) and (
            _STRENGTH[operand_expression.sign] < _STRENGTH[around.sign]
            or _STRENGTH[operand_expression.sign] == _STRENGTH[around.sign] == 1
            or (operand_expression is around.right and _STRENGTH[operand_expression.sign] == _STRENGTH[around.sign])
        )
        is_cast = self.language == "java" and isinstance(operand_expression, Name)  # `(a) - b` reads like one
        if is_needed or (self.chance(0.08) and not is_cast):
            return f"({self.expression(operand_expression, inside=True)})"
        return self.expression(operand_expression, inside)

    def bracketed(self, items: list[str]) -> str:
        if not items or not self.chance(0.2):
            return f"({', '.join(items)})"
        text = "(\n" if self.language == "go" or self.chance(0.7) else "("
        for number, item in enumerate(items):
            is_last = number == len(items) - 1
            breaks = self.chance(0.6)
            comma = "" if is_last else ","
            remark = self.trailing() if breaks else ""
            if is_last and self.language == "go":
                comma = "," if breaks else ""
            elif is_last and breaks and self.language != _NO_TRAILING_COMMA and self.chance(0.5):
                comma = ","
            text += f"{item}{comma}{remark}{_gap(breaks, is_last)}"
        return f"{text})"


def _gap(breaks: bool, is_last: bool) -> str:
    if breaks:
        return "\n"
    return "" if is_last else " "
