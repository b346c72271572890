"""Reads Python by its own parser: one file name a line on standard input, one JSON object a line on standard output:
{file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}

Tokens are those of the file without comments, docstrings and type annotations, except those of fields without a value.
Strings count by their value.
"""

import ast
import io
import json
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

Span = tuple[tuple[int, int], tuple[int, int]]
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def _span(node: ast.AST, lines: list[bytes]) -> Span:
    def at(line: int, column: int) -> tuple[int, int]:
        return line, len(lines[line - 1][:column].decode("utf-8", "replace"))

    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _ignored(tree: ast.Module, lines: list[bytes]) -> tuple[list[Span], list[Span]]:
    """Docstrings and local declarations without a value; annotations, each with a sign before it."""
    spans, annotations = [], []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            spans += [
                _span(part, lines)
                for part in body
                if isinstance(part, ast.Expr)
                and isinstance(part.value, ast.Constant)
                and isinstance(part.value.value, str)
            ]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            annotations += [_span(node.returns, lines)] if node.returns else []
            spans += [
                _span(part, lines) for part in ast.walk(node) if isinstance(part, ast.AnnAssign) and part.value is None
            ]
        is_valued = not isinstance(node, ast.AnnAssign) or node.value is not None  # of a bare field the type is all
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation and is_valued:
            annotations.append(_span(node.annotation, lines))
    return spans, annotations


def _tokens(text: str, ignored: list[Span], annotations: list[Span]) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in _LAYOUT:
            continue
        if any(start <= token.start < end for start, end in ignored):
            continue
        if any(start <= token.start < end for start, end in annotations):
            if out and out[-1][0] in (":", "->"):
                out.pop()
            continue
        word = token.string
        if token.type == tokenize.STRING and not word[:3].lower().strip("rbu").startswith("f"):
            word = repr(ast.literal_eval(word))
        if word not in ("(", ")"):  # brackets that a formatter adds
            out.append((word, token.start[0]))
    return out


def _definitions(node: ast.AST, outer: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...], str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield child, (*outer, child.name), "type"
            yield from _definitions(child, (*outer, child.name))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, (*outer, child.name), "method" if isinstance(node, ast.ClassDef) else "function"
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _definitions(child, outer)


def _read(path: str) -> dict[str, object]:
    raw = Path(path).read_bytes()
    text = raw.decode("utf-8-sig")
    tree = ast.parse(text)
    tokens = _tokens(text, *_ignored(tree, raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")))
    rows = [row for _, row in tokens]
    found = []
    for node, names, kind in _definitions(tree, ()):
        start = min([node.lineno, *(part.lineno for part in node.decorator_list)])  # type: ignore[attr-defined]
        end = node.end_lineno  # type: ignore[attr-defined]
        inside = [place for place, row in enumerate(rows) if start <= row <= end]
        if inside:
            name = names[-1]
            row = {"name": name, "qualname": ".".join(names), "sig": "", "kind": kind, "start": start, "end": end}
            found.append({**row, "first": inside[0], "last": inside[-1]})
    return {"file": path, "ok": True, "tokens": [word for word, _ in tokens], "rows": rows, "defs": found}


def main() -> None:
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            row = _read(path)
        except (SyntaxError, ValueError, RecursionError, tokenize.TokenError):
            row = {"file": path, "ok": False, "tokens": [], "rows": [], "defs": []}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
