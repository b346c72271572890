"""Source text as a flat token list with matched brackets: enough to read calls, annotations and routes.

One pass of one pattern that matches everywhere and never backtracks (possessive quantifiers, optional ends). So the
time is linear for any text, and nothing recurses.
"""

import re
from collections.abc import Iterator
from functools import cache

MAX_CHARACTERS = 2_000_000
_MAX_CHAIN = 64  # calls in one expression that are followed back
_MAX_DEPTH = 40  # enclosing brackets that are examined
Span = tuple[int, int]  # first index and the index after the last
NAME, STRING, NUMBER, SYMBOL, OTHER = "n", "s", "d", "y", "p"

_LINE_COMMENT = {
    "python": r"\#[^\n]*+",
    "ruby": r"\#[^\n]*+",
    "elixir": r"\#[^\n]*+",
    "php": r"//[^\n]*+|\#(?!\[)[^\n]*+",
}
_BLOCK_COMMENT = {"python": None, "ruby": None, "elixir": None}
_DOUBLE = r'"(?:[^"\\]|\\.)*+"?'
_SINGLE = r"'(?:[^'\\]|\\.)*+'?"
_DOUBLE_LINE = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE_LINE = r"'(?:[^'\\\n]|\\.)*+'?"
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
_TEMPLATE = r"`(?:[^`\\]|\\.)*+`?"
_STRINGS = {
    "python": rf"[rRbBuUfF]{{0,2}}(?:{_TRIPLE}|{_TRIPLE_SINGLE}|{_DOUBLE_LINE}|{_SINGLE_LINE})",
    "javascript": rf"{_DOUBLE_LINE}|{_SINGLE_LINE}|{_TEMPLATE}",
    "php": rf"{_DOUBLE}|{_SINGLE}",
    "ruby": rf"{_DOUBLE}|{_SINGLE}",
    "elixir": rf"(?:~[a-zA-Z](?=\"))?(?:{_TRIPLE}|{_DOUBLE})|{_SINGLE}",
    "go": rf"{_DOUBLE_LINE}|`[^`]*+`?|'(?:[^'\\\n]|\\.){{0,8}}+'",
    # In Rust a single `'` begins a lifetime.
    "rust": r'(?:b|c)?"(?:[^"\\]|\\.)*+"?|r\#"(?:[^"]|"(?!\#))*+(?:"\#)?|r"[^"]*+"?|' + r"'(?:[^'\\\n]|\\[^\n]{1,9}?)'",
    "java": rf"{_TRIPLE}|{_DOUBLE_LINE}|{_SINGLE_LINE}",
    "kotlin": rf"{_TRIPLE}|{_DOUBLE_LINE}|{_SINGLE_LINE}",
    "csharp": rf'{_TRIPLE}|\$?@\$?"(?:[^"]|"")*+"?|\$?{_DOUBLE_LINE}|{_SINGLE_LINE}',
}
FAMILY = {"typescript": "javascript", "tsx": "javascript", "jsx": "javascript", "vue": "javascript"}
FAMILY |= {"svelte": "javascript", "scala": "java", "groovy": "java", "dart": "javascript"}
_NAMES = {
    "ruby": r"[A-Za-z_]\w*+[?!]?",
    "elixir": r"[A-Za-z_]\w*+[?!]?",
    "php": r"\\?\$?[A-Za-z_][\w\\]*+",
    "javascript": r"[A-Za-z_$\#][\w$]*+",
}
_PLAIN_NAME = r"[A-Za-z_$][\w$]*+"
_SYMBOLS = {"ruby": r":(?:[A-Za-z_]\w*+[?!=]?|\"[^\"\n]*+\"?)", "elixir": r":[A-Za-z_]\w*+[?!]?"}
_WORDS = r"%[wiWI](?:\[[^\]]*+\]?|\([^)]*+\)?|\{[^}]*+\}?)"
# A `/` after one of these begins a regular expression, not a division.
_REGEX_LITERAL = r"(?<=[(,=:\[!&|?{};])\s*+/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*+\]?)++/?[a-z]{0,8}+"
_OPEN, _CLOSE = "([{", ")]}"
_PAIR = {")": "(", "]": "[", "}": "{"}
_PREFIXES = re.compile(r"^[A-Za-z@$~]{0,3}(?=[\"'`#])")


@cache
def _pattern(family: str) -> re.Pattern[str]:
    comments = [_LINE_COMMENT.get(family, r"//[^\n]*+")]
    if family not in _BLOCK_COMMENT:
        comments.append(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
    parts = [f"(?P<c>{'|'.join(comments)})"]
    if family in ("javascript", "ruby"):
        parts.append(f"(?P<x>{_REGEX_LITERAL})")
    if family == "ruby":
        parts.append(f"(?P<w>{_WORDS})")
    parts.append(f"(?P<s>{_STRINGS.get(family, _STRINGS['java'])})")
    if family in _SYMBOLS:
        parts.append(r"(?P<o>::)")
        parts.append(f"(?P<y>{_SYMBOLS[family]})")
    parts.append(f"(?P<n>{_NAMES.get(family, _PLAIN_NAME)})")
    parts.append(r"(?P<d>\d[\w.]*+)")
    parts.append(r"(?P<p>=>|->|\?->|\?\.|::|\|>|&&|\|\||==|:=|[^\s\w])")
    return re.compile("|".join(parts), re.DOTALL)


class TokenList:
    """The tokens of a text. `kinds`, `texts` and `lines` are parallel; strings have no quotes.

    `partner[i]` is the index of the bracket matching `i`, or -1. `above[i]` is the innermost bracket around `i`, or -1.
    In Ruby and Elixir, `do` and its `end` are brackets too.
    """

    __slots__ = ("_starts", "above", "family", "kinds", "lines", "partner", "texts")

    def __init__(self, text: str, language: str) -> None:
        self.family = FAMILY.get(language, language)
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.lines: list[int] = []
        self._starts: dict[int, int] = {}
        self._read(text[:MAX_CHARACTERS])
        self.partner = [-1] * len(self.texts)
        self.above = [-1] * len(self.texts)
        self._match()

    def __len__(self) -> int:
        return len(self.texts)

    def _read(self, text: str) -> None:
        line, last = 1, 0
        for match in _pattern(self.family).finditer(text):
            kind = match.lastgroup or OTHER
            if kind == "c":
                continue
            value = match.group()
            line += text.count("\n", last, match.start())
            last = match.start()
            if kind == "s":
                value = _unquote(value)
            elif kind == "y":
                value = value[1:].strip('"')
            elif kind == "w":
                value = value[3:-1]
            elif kind == "o":
                kind = OTHER
            elif kind == "x":
                value = value.strip()
            self.kinds.append(kind)
            self.texts.append(value)
            self.lines.append(line)

    def _match(self) -> None:
        words = self.family in ("ruby", "elixir")
        stack: list[int] = []
        begins = 0
        for at, text in enumerate(self.texts):
            kind = self.kinds[at]
            if self.lines[at] != self.lines[begins]:
                begins = at
            closes = kind == OTHER and text in _CLOSE
            if closes:
                self._close(stack, at, _PAIR[text])
            elif words and kind == NAME and text == "end" and not self._is_key(at):
                self._close(stack, at, "do")
            self.above[at] = stack[-1] if stack else -1
            if (kind == OTHER and text in _OPEN) or (words and kind == NAME and self._opens(at, begins)):
                stack.append(at)

    def _close(self, stack: list[int], at: int, opener: str) -> None:
        """Match `at` with the last fitting opener. Openers inside it stay without a partner."""
        for depth in range(len(stack) - 1, max(-1, len(stack) - 1 - 50), -1):
            opener_text = self.texts[stack[depth]]
            if (opener_text if opener_text in _OPEN else "do") == opener:
                self.partner[at] = stack[depth]
                self.partner[stack[depth]] = at
                del stack[depth:]
                return

    def _opens(self, at: int, begins: int) -> bool:
        """Whether a Ruby or Elixir word opens a block closed by `end`. Its line begins at `begins`."""
        text = self.texts[at]
        if self._is_key(at) or (at and self.texts[at - 1] in (".", "&.")):
            return False
        if text == "do":
            # `while x do` has one `end` for both words.
            return not (self.family == "ruby" and self.texts[begins] in ("while", "until", "for"))
        if self.family == "elixir":
            return text == "fn"
        if text in ("if", "unless", "while", "until", "for"):
            return at == 0 or self.lines[at - 1] < self.lines[at] or self.texts[at - 1] in ("=", "then", "else")
        return text in ("class", "module", "def", "begin", "case")

    def _is_key(self, at: int) -> bool:
        following = at + 1 < len(self) and self.texts[at + 1] == ":" and self.kinds[at + 1] == OTHER
        return following and self.lines[at + 1] == self.lines[at]

    # Queries

    def is_name(self, at: int, text: str | None = None) -> bool:
        return 0 <= at < len(self) and self.kinds[at] == NAME and (text is None or self.texts[at] == text)

    def is_call(self, opening: int, *names: str) -> bool:
        """Whether a bracket opens the arguments of a call with one of these names."""
        return self.is_other(opening, "(") and self.is_name(opening - 1) and self.texts[opening - 1] in names

    def is_other(self, at: int, text: str) -> bool:
        return 0 <= at < len(self) and self.kinds[at] == OTHER and self.texts[at] == text

    def text(self, at: int) -> str:
        return self.texts[at] if 0 <= at < len(self) else ""

    def calls(self) -> Iterator[int]:
        """The indices of names followed by `(`."""
        for at, kind in enumerate(self.kinds):
            if kind == NAME and self.is_other(at + 1, "("):
                yield at

    def arguments(self, opening: int) -> list[Span]:
        """The ranges (start, end) between the commas in a bracket, without empty ones."""
        end = self.partner[opening]
        if end < 0:
            return []
        spans = []
        start = at = opening + 1
        while at < end:
            if self.kinds[at] == OTHER:
                if self.texts[at] in _OPEN and self.partner[at] > at:
                    at = self.partner[at]
                elif self.texts[at] == ",":
                    spans.append((start, at))
                    start = at + 1
            elif self.texts[at] in ("do", "fn") and self.kinds[at] == NAME and self.partner[at] > at:
                at = self.partner[at]
            at += 1
        spans.append((start, end))
        return [(first, last) for first, last in spans if first < last]

    def split_keyword(self, span: Span) -> tuple[str, Span]:
        """An argument's keyword and the span of its value: `prefix="/x"`, `path: "/x"`, `'prefix' => '/x'`."""
        start, end = span
        is_key = end - start >= 3 and self.kinds[start] in (NAME, STRING, SYMBOL) and self.kinds[start + 1] == OTHER
        if is_key and self.texts[start + 1] in ("=", ":", "=>"):
            return self.texts[start], (start + 2, end)
        return "", span

    def keyword(self, opening: int, *names: str) -> Span | None:
        """The span of the argument with one of these names."""
        for span in self.arguments(opening):
            name, value = self.split_keyword(span)
            if name in names:
                return value
        return None

    def literal(self, span: Span | None) -> str | None:
        """The text of a span that is one string or symbol. Joined parts (`+`, `.`) may contain `{name}`."""
        if span is None:
            return None
        start, end = span
        if start >= end or self.kinds[start] not in (STRING, SYMBOL, "x"):
            return None
        if end - start == 1:
            return self.texts[start]
        parts = []
        for at in range(start, min(end, start + 20)):
            if self.kinds[at] == STRING:
                parts.append(self.texts[at])
            elif self.kinds[at] == NAME and not self.is_other(at + 1, "."):
                parts.append("{" + self.texts[at] + "}")
            elif self.texts[at] not in ("+", "."):
                return None
        return "".join(parts)

    def source(self, span: Span, limit: int = 60) -> str:
        """A span as written, without spaces."""
        return "".join(self.texts[span[0] : min(span[1], span[0] + limit)])

    def chain_start(self, at: int) -> int:
        """The first token of the expression that ends at `at`: `a` for the `d` of `a.b(c).d`."""
        passed = []
        while at not in self._starts:
            passed.append(at)
            before = self._before(at)
            if before < 0 or self.kinds[before] not in (NAME, STRING):
                break
            at = before
        start = self._starts.get(at, at)
        for place in passed:
            self._starts[place] = start
        return start

    def _before(self, at: int) -> int:
        """The name before the one at `at` in its expression, skipping calls, or -1."""
        if at < 2 or self.kinds[at - 1] != OTHER or self.texts[at - 1] not in (".", "->", "::", "?.", "?->"):
            return -1
        before = at - 2
        while before > 0 and self.kinds[before] == OTHER and self.texts[before] in _CLOSE and self.partner[before] > 0:
            before = self.partner[before] - 1
        return before

    def chain(self, at: int) -> Iterator[int]:
        """The names of the calls in the expression that ends at `at`, last first, without `at` itself."""
        for _ in range(_MAX_CHAIN):
            at = self._before(at)
            if at < 0 or self.kinds[at] != NAME:
                return
            yield at

    def chained_literal(self, at: int, *names: str) -> str:
        """The first argument of the nearest call with one of these names in the expression before `at`, or ""."""
        for call in self.chain(at):
            if self.texts[call] in names and (spans := self.arguments(call + 1)):
                return self.literal(spans[0]) or ""
        return ""

    def around(self, at: int) -> Iterator[int]:
        """The opening brackets around a place, innermost first."""
        for _ in range(_MAX_DEPTH):
            at = self.above[at]
            if at < 0:
                return
            yield at


def _unquote(value: str) -> str:
    value = value[_PREFIXES.match(value).end() :] if _PREFIXES.match(value) else value  # type: ignore[union-attr]
    value = value.strip("#")
    for quote in ('"""', "'''"):
        if value.startswith(quote):
            return value[3:].removesuffix(quote)
    if len(value) >= 2 and value[0] == value[-1]:
        return value[1:-1]
    return value[1:]
