"""Split SQL of any dialect into statements and tokens. Data (INSERT, COPY) is skipped."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_STATEMENT = 400_000  # longer statements are data

# Spans that may hide a semicolon. Each ends by itself or at the end of the text: no backtracking.
_ESCAPED_STRING = r"'[^'\\]*(?:\\.[^'\\]*)*(?:'|\Z)"
_PLAIN_STRING = r"'[^']*(?:'|\Z)"
_SPANS = (
    r"|\"[^\"]*(?:\"|\Z)|`[^`]*(?:`|\Z)"
    r"|--[^\n]*|(?m:^[ \t]*\#[^\n]*)|/\*.*?(?:\*/|\Z)"
    r"|\$(?P<tag>[A-Za-z_]\w{0,60}|)\$.*?(?:\$(?P=tag)\$|\Z)"
    r"|(?mi:^COPY [^;\n]*FROM stdin;).*?(?:\n\\\.|\Z)"
    r"|(?mi:^[ \t]*DELIMITER[ \t]+(?!;)\S+).*?(?:\n[ \t]*DELIMITER[ \t]+;|\Z)"
    r"|(?P<end>;|(?mi:^[ \t]*GO[ \t]*\r?$))"
)
_ESCAPING = re.compile(_ESCAPED_STRING + _SPANS, re.S | re.I)
_STANDARD = re.compile(_PLAIN_STRING + _SPANS, re.S | re.I)
_LEAD = re.compile(r"(?:\s+|--[^\n]*|\#[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*", re.S)
_FIRST_WORD = re.compile(r"[A-Za-z]+")
_READ = frozenset({"CREATE", "ALTER", "DROP", "COMMENT", "RENAME", "EXEC", "EXECUTE", "IF", "BEGIN", "DO"})

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<string>[eEnN]?'(?:[^'\\]|\\.|'')*(?:'|\Z))
    |(?P<quoted>"[^"]*(?:"|\Z)|`[^`]*(?:`|\Z)|\[[A-Za-z_][^\]\[\n]{0,200}\])
    |(?P<dollar>\$(?P<tag>[A-Za-z_]\w{0,60}|)\$.*?(?:\$(?P=tag)\$|\Z))
    |(?P<word>[^\W\d][\w$]*|[@\#][\w@$\#]+)
    |(?P<number>\d[\w.]*)
    |(?P<mark>::|.)""",
    re.S | re.X,
)


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # word, quoted, string, number, mark
    text: str  # without quotes
    line: int

    @property
    def upper(self) -> str:
        """For comparison with keywords. Quoted text is never a keyword."""
        return self.text.upper() if self.kind in ("word", "mark") else ""


@dataclass(frozen=True, slots=True)
class SqlStatement:
    tokens: tuple[Token, ...]
    comment: str  # the comment before it


def statements(text: str) -> Iterator[SqlStatement]:
    """The statements that may define or change tables, in order."""
    escaping = "`" in text or "ENGINE=" in text or "AUTO_INCREMENT" in text
    start, line, counted = 0, 1, 0
    for match in (_ESCAPING if escaping else _STANDARD).finditer(text):
        if match["end"]:
            line += text.count("\n", counted, start)
            counted = start
            yield from _statement(text, start, match.start(), line)
            start = match.end()
        elif match[0][:4].upper() == "COPY":
            start = match.end()
    line += text.count("\n", counted, start)
    yield from _statement(text, start, len(text), line)


def _statement(text: str, start: int, end: int, line: int) -> Iterator[SqlStatement]:
    lead = _LEAD.match(text, start, end)
    begin = lead.end() if lead else start
    word = _FIRST_WORD.match(text, begin, end)
    if word is None or word[0].upper() not in _READ or end - begin > MAX_STATEMENT:
        return
    first = line + text.count("\n", start, begin)
    tokens = tuple(tokenize(text[begin:end], first))
    yield SqlStatement(tokens, _comment(text[start:begin]))


def tokenize(text: str, line: int = 1) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, text_found = match.lastgroup or "mark", match[0]
        if kind == "tag":
            kind = "dollar"
        if kind in ("string", "dollar"):
            yield Token("string", _unquoted_string(text_found), line)
        elif kind == "quoted":
            yield Token("quoted", text_found[1:-1], line)
        elif kind != "space":
            yield Token(kind, text_found, line)
        line += text_found.count("\n")


def _unquoted_string(literal: str) -> str:
    body = literal[literal.index("'") + 1 :] if "'" in literal[:2] else literal
    return body.removesuffix("'").replace("''", "'")


# Lines that tools write before a table.
_NOISE = re.compile(
    r"Name: .{0,300}Type: |Table structure|Dumping|Generated|TOC entry|Dependencies:|CreateTable|AlterTable|AddForeignKey"
    r"|CreateIndex|Host:|Server version|Database:|Definition of table|\wing indexes|statement-breakpoint|migrate:|\+goose"
    r"|Object:|Copyright|License|DROP |SET |^[-=*#\s]*$",
    re.I,
)


def _comment(lead: str) -> str:
    """The comment right before a statement, without markers and headings of tools."""
    block = re.split(r"\n[ \t]*\r?\n", lead.rstrip(" \t\n\r") if lead.strip() else "")[-1]
    lines = []
    for line in block.splitlines():
        content = line.strip().removeprefix("--").removeprefix("/*").removesuffix("*/").lstrip("#*- ").rstrip("-*= ")
        if content and not _NOISE.search(content):
            lines.append(content)
    return " ".join(lines)[:500]


class TokenReader:
    """A cursor over the tokens of a statement."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> Token:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else _END

    def next(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    @property
    def done(self) -> bool:
        return self.at >= len(self.tokens)

    def accept(self, *words: str) -> bool:
        """Skip these words if they come next."""
        if all(self.peek(place).upper == word for place, word in enumerate(words)):
            self.at += len(words)
            return True
        return False

    def accept_any(self, *words: str) -> str:
        if self.peek().upper in words and self.peek().upper:
            return self.next().upper
        return ""

    def names(self) -> list[str]:
        """The parts of a name without quotes. A quoted part may contain dots."""
        parts = []
        while self.peek().kind in ("word", "quoted", "string"):
            parts.append(self.next().text)
            if not self.accept("."):
                break
        return parts

    def bare_name(self) -> str:
        """A name without its schema."""
        parts = self.names()
        return parts[-1] if parts else ""

    def name(self) -> str:
        """A name with its schema, unless that is the default one."""
        parts = self.names()
        kept = [part for part in parts if part.lower() not in DEFAULT_SCHEMAS] if len(parts) > 1 else parts
        return ".".join(kept[-2:])

    def group(self) -> list[list[Token]]:
        """The content of the next parentheses, split at commas."""
        if not self.accept("("):
            return []
        depth, items, item = 1, [], list[Token]()
        while not self.done:
            token = self.next()
            depth += {"(": 1, ")": -1}.get(token.text if token.kind == "mark" else "", 0)
            if depth == 0:
                break
            if depth == 1 and token.upper == ",":
                items.append(item)
                item = []
            else:
                item.append(token)
        items.append(item)
        return [item for item in items if item]


_END = Token("end", "", 0)
DEFAULT_SCHEMAS = frozenset({"public", "dbo", "main"})
