"""The words and marks of a file with a grammar: one iterative walk over its syntax tree, in linear time."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.shape.plan import (
    ALONE,
    BAR,
    CLEAR,
    COMMA,
    CONTENT,
    DROP,
    JOINED,
    LOOSE,
    LOWER,
    MACRO,
    NOTE,
    NUMBER,
    PLAIN,
    PREFIX,
    SIGN,
    STATEMENT,
    STRING,
    WORDS,
    ShapePlan,
    plan_for,
)
from waypost.code.shape.sheet import ShapeSheet
from waypost.model.reference import LineRange
from waypost.model.shape import LIST

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_QUOTED = re.compile(rb"""([A-Za-z@$#]{0,4})("{1,3}|'{1,3}|`)(.*)\2\Z""", re.DOTALL)
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE = {bytes([sign]): bytes([meant]) for sign, meant in zip(b"\\'\"ntrbfv", b"\\'\"\n\t\r\b\f\v", strict=True)}
_SIMPLE[b"\n"] = b""
_CODED = re.compile(rb"[\\$#]")  # in a string where ' and " differ
_CUT = re.compile(rb"(?<![\w\x80-\xff])[\w\x80-\xff]++\Z")
_PIECE = re.compile(rb"[\w\x80-\xff]+|\n|[^\S\n]+|.", re.DOTALL)
_COMMENTED = re.compile(rb"""((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|/(?!/)|[^"'/])*)//""", re.DOTALL)
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")
_SPACE = b" \t\r\n\f\v\\;\xef\xbb\xbf"  # between nodes; some grammars have no node for an optional semicolon
_NO_MARK = -1
_OPTIONAL = frozenset({DROP, COMMA, SIGN, BAR, STATEMENT})  # a child with one of these may not count
_NOTHING: frozenset[int] = frozenset()


def read_tree(
    language: str, tree: "Tree", data: bytes, typed: bool = False, lines: LineRange | None = None
) -> ShapeSheet:
    """The words and marks of the file, or of these lines and what is partly on them."""
    begin, end = (0, len(data)) if lines is None else _bytes_of(data, lines)
    sheet = ShapeSheet(data, lines.start if lines is not None else 1, begin)
    _Walk(plan_for(language, typed), sheet, begin, end).walk(tree.root_node)
    return sheet


class _Walk:
    def __init__(self, plan: ShapePlan, sheet: ShapeSheet, begin: int, end: int) -> None:
        self.plan, self.sheet, self.data = plan, sheet, sheet.data
        self.begin, self.end = begin, end  # what lies outside is left out
        self.position = 0  # everything before it is processed
        self.key = -1  # where the key of a pair begins

    def walk(self, root: "Node") -> None:
        sheet = self.sheet
        frames: list[tuple[Iterator[Node], int, int]] = [
            (self._relevant_children(root, PLAIN, _NO_MARK), _NO_MARK, PLAIN)
        ]
        while frames:
            children, mark, around = frames[-1]
            for child in children:
                action = self._process(child, around)
                if action is None:
                    continue
                marked = action not in (CLEAR, LOOSE) and child.is_named
                own = sheet.open(self.plan.codes[child.kind_id], mark) if marked else mark
                frames.append((self._relevant_children(child, action, own if marked else _NO_MARK), own, action))
                break
            else:
                frames.pop()
                above = frames[-1][1] if frames else _NO_MARK
                if mark != above:
                    sheet.closes[mark] = len(sheet.words)

    def _process(self, node: "Node", around: int) -> int | None:
        """Process a node without relevant children, or return what to do with its children."""
        kind = node.kind_id
        action = self.plan.actions.get(kind, CLEAR)
        start, end = node.start_byte, node.end_byte
        if start > self.position:
            self._gap(start, around)
        if action == NOTE:
            self.sheet.note(start, end)
        elif not node.child_count:
            if start < end:
                self._leaf(self.data[start:end], start, action)
        elif action == STRING and around == JOINED:
            return LOOSE
        elif not self._whole(node, action):
            return self._inner(node, action)
        self.position = max(self.position, end)
        return None

    def _whole(self, node: "Node", action: int) -> bool:
        start, end = node.start_byte, node.end_byte
        if action == CONTENT:
            self._leaf(self.data[start:end], start, CONTENT)
        elif action == STRING and self._is_plain(node):
            self._string(self.data[start:end], start)
        elif action == STATEMENT and node.child_count == 1 and self._is_doc(node):
            self.sheet.note(start, end)
        else:
            return action == JOINED and self._join_strings(node)
        return True

    def _inner(self, node: "Node", action: int) -> int:
        only = self.plan.only.get(node.kind_id)
        if action == ALONE or only:
            omitted = self._annotations(node)
            inside = [
                child for child in node.named_children if not self._is_note(child) and child.kind_id not in omitted
            ]
            if len(inside) == 1 and (not only or inside[0].kind_id in only):
                return CLEAR
        return action if action in (CLEAR, STRING, JOINED) else PLAIN

    def _gap(self, until: int, around: int) -> None:
        """Process text outside all nodes. It counts, unless it is white space outside strings."""
        gap, start = self.data[self.position : until], self.position
        self.position = until
        if gap == b" " and around not in (STRING, LOOSE):
            return
        if around in (STRING, LOOSE):
            self.sheet.word(gap, start)
        elif not gap.isspace() and (text := gap.strip(_SPACE)):
            self.sheet.word(text, until - len(gap.lstrip()))

    def _leaf(self, text: bytes, start: int, action: int) -> None:
        if action in (PLAIN, CLEAR):
            if text[0] not in b"\"'" and (b" " in text or b"\n" in text or b"\t" in text):
                text = b" ".join(text.replace(b"\\\n", b" ").split()) or text
            self.sheet.word(text, start)
        elif action == STRING:
            self._string(text, start)
        elif action == CONTENT:
            self._pieces(text, start)
        elif action == PREFIX:
            # An `f` prefix adds nothing: the code in the string shows it.
            if prefix := _prefix(text.rstrip(b"\"'")).replace(b"f", b""):
                self.sheet.word(prefix + b'"', start)
        elif action == NUMBER:
            self.sheet.word(text.lower().replace(b"_", b""), start)
        elif action == LOWER:
            self.sheet.word(text.lower(), start)
        elif action == MACRO:
            self._macro(text, start)
        elif action == WORDS:
            for match in re.finditer(rb"\S+", text):
                self.sheet.word(match[0], start + match.start())
        else:
            self.sheet.word(text, start)

    def _macro(self, text: bytes, start: int) -> None:
        commented = _COMMENTED.match(text)
        value = commented[1] if commented is not None else text
        if value.strip():
            self._leaf(value.rstrip(), start, PLAIN)
        self.sheet.note(start + len(value), start + len(text))

    def _string(self, text: bytes, start: int) -> None:
        """Add a string without code: its prefix, then its content."""
        parts = _QUOTED.match(text)
        if parts is None:
            self._pieces(text, start, raw=True)
            return
        prefix, quote, content = _prefix(parts[1]), parts[2], parts[3]
        if start == self.key and _NAME.fullmatch(content):
            self.sheet.word(content, start)
            return
        if quote != b"`" and (self.plan.quotes or not _CODED.search(content)):
            quote = b'"'
        raw = b"r" in prefix
        self.sheet.word((prefix.replace(b"r", b"") if self.plan.quotes else prefix) + quote[:1], start)
        self._pieces(content, start + parts.start(3), raw)

    def _pieces(self, content: bytes, start: int, raw: bool = False) -> None:
        """Add the words of a string, line by line. Splitting a string into several does not change them."""
        for line in content.splitlines(keepends=True):
            for match in _PIECE.finditer(line if raw else self._unescaped(line)):
                self.sheet.word(b'"' + match[0], start)
            start += len(line)

    def _unescaped(self, text: bytes) -> bytes:
        if not self.plan.quotes or b"\\" not in text:
            return text
        return _ESCAPE.sub(lambda match: _escape(match, self.plan.docs), text)

    def _join_strings(self, node: "Node") -> bool:
        """Treat adjacent strings as one, if all are plain and of one type."""
        strings = []
        for child in node.children:
            if self._is_note(child):
                continue
            text = self.data[child.start_byte : child.end_byte]
            parts = _QUOTED.match(text) if self.plan.actions.get(child.kind_id) == STRING else None
            if parts is None or not self._is_plain(child):
                return False
            strings.append((_prefix(parts[1]), parts[3], child.start_byte + parts.start(3)))
        if not strings or len({prefix.replace(b"r", b"") for prefix, _, _ in strings}) != 1:
            return False
        self.sheet.word(strings[0][0].replace(b"r", b"") + b'"', node.start_byte)
        cut = b""  # the start of a word that continues in the next string
        for number, (prefix, content, start) in enumerate(strings, start=1):
            end = _CUT.search(content) if number < len(strings) else None
            self._pieces(cut + content[: end.start() if end else None], start, b"r" in prefix)
            cut = end[0] if end else b""
        return True

    def _is_plain(self, node: "Node") -> bool:
        """Whether a string contains no code."""
        return all(not child.child_count or self.plan.actions.get(child.kind_id) == CONTENT for child in node.children)

    def _is_doc(self, node: "Node") -> bool:
        inner = node.children[0]
        action = self.plan.actions.get(inner.kind_id)
        if action == STRING:
            return self._is_plain(inner)
        return action == JOINED and all(self._is_plain(child) for child in inner.named_children)

    def _is_note(self, node: "Node") -> bool:
        return self.plan.actions.get(node.kind_id) == NOTE

    def _annotations(self, node: "Node") -> frozenset[int]:
        """The kinds of children that only annotate the type of this node."""
        plan = self.plan
        kinds = plan.annotations.get(node.kind_id, _NOTHING)
        if not kinds or (node.kind_id in plan.valued and not _has_value(node)):
            return _NOTHING
        around = node.parent.parent if plan.signatures and node.parent is not None else None
        return _NOTHING if around is not None and around.kind_id in plan.signatures else kinds

    def _is_bare_declaration(self, node: "Node") -> bool:
        """Whether a statement only declares the type of a local variable."""
        plan = self.plan
        inner = node.children[0] if node.child_count == 1 else None
        if inner is None or inner.kind_id not in plan.valued or _has_value(inner):
            return False
        around = node.parent
        while around is not None and around.kind_id not in plan.functions:
            if around.type == "class_definition":
                return False
            around = around.parent
        return around is not None

    def _relevant_children(self, node: "Node", own_action: int, mark: int) -> "Iterator[Node]":
        """The children that count: without brackets, optional commas or semicolons, and type annotations.

        Plain tokens are processed here, since most children are such.
        """
        plan, own = self.plan, node.kind_id
        annotations = self._annotations(node) if own in plan.annotations else _NOTHING
        omit = plan.omit.get(own, _NOTHING)
        if own in plan.pairs:
            self.key = node.start_byte
        before, last = DROP, -1
        for child in node.children:
            kind = child.kind_id
            action = plan.actions.get(kind, CLEAR)
            start, end = child.start_byte, child.end_byte
            is_here = self.begin <= end and start <= self.end
            dropped = kind in annotations or (
                (action in _OPTIONAL or kind in omit) and self._is_dropped(node, child, action, before, last)
            )
            before, last = action, kind
            if is_here and not dropped and (child.child_count or action not in (PLAIN, CLEAR)):
                yield child
                continue
            if is_here and start > self.position:
                self._gap(start, own_action)
            if is_here and not dropped and start < end:
                self._leaf(self.data[start:end], start, action)
            elif dropped and action == DROP and mark != _NO_MARK:
                self.sheet.kinds[mark] |= LIST
            self.position = max(self.position, end)

    def _is_dropped(self, node: "Node", child: "Node", action: int, before: int, last: int) -> bool:
        """Whether a child does not count: an optional sign, a bracket, an empty clause or a bare declaration."""
        plan, own, kind = self.plan, node.kind_id, child.kind_id
        if action == STATEMENT and plan.valued and self._is_bare_declaration(child):
            return True
        if kind in plan.omit.get(own, _NOTHING):
            return not any(inner.is_named and not self._is_note(inner) for inner in child.children)
        is_kept = kind in plan.keep.get(own, _NOTHING)
        if action == COMMA:
            return not is_kept and before not in (DROP, COMMA)
        if action == SIGN:
            return not is_kept or last in plan.final
        if action == BAR:
            return child.start_byte == node.start_byte
        return action == DROP and not is_kept


def _bytes_of(data: bytes, lines: LineRange) -> tuple[int, int]:
    """Where the first of these lines begins and the last one ends."""
    texts = data.split(b"\n", lines.end)[: lines.end]
    begin = sum(map(len, texts[: lines.start - 1])) + lines.start - 1
    return begin, begin + sum(map(len, texts[lines.start - 1 :])) + lines.end - lines.start + 1


def _has_value(node: "Node") -> bool:
    return any(child.type == "=" for child in node.children)


def _prefix(text: bytes) -> bytes:
    return text.lower().replace(b"u", b"")


def _escape(match: "re.Match[bytes]", keeps_unknown: bool) -> bytes:
    """What an escape sequence stands for. Python keeps an unknown one; others drop its backslash."""
    text = match[1]
    if text in _SIMPLE:
        return _SIMPLE[text]
    if text[:1] in b"xuU" and len(text) > 1:
        code = int(text[1:].strip(b"{}"), 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else match[0]
    return match[0] if keeps_unknown else text
