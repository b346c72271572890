"""Find definitions by line patterns, for languages without a grammar and as a fallback.

The patterns are data (patterns.toml). Each matches one line of bounded length, so the time is linear.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from waypost.code.documents.parse import lines_of
from waypost.code.patterns.comments import comment_above, file_comment
from waypost.code.patterns.ends import ends_by_braces, ends_by_indent
from waypost.code.patterns.rules import PatternRules, rules_for
from waypost.code.source import CONTAINERS, Call, Import, Parsed, SourceFile, Symbol
from waypost.model.reference import LineRange

LINE_LENGTH = 400  # characters of a line that patterns read
MOST_SYMBOLS = 20_000  # per file; more is not source that people wrote
MOST_CALLS = 200  # per symbol
SIGNATURE_LINES = 10
SIGNATURE_LENGTH = 300

_CALL = re.compile(
    r"(?:([A-Za-z_$@][\w$]{0,60}(?:(?:\.|::|->|\\)[A-Za-z_$][\w$]{0,60}){0,4})(?:\.|::|->|:))?([A-Za-z_$][\w$]{1,60})[!?]?\("
)
_CLOSING_WORD = re.compile(r"@?end\b", re.IGNORECASE)
_PARAMETER = re.compile(r"[\w$]+")
_IMPLICIT = frozenset({"self", "this", "cls", "mut", "const", "var", "let", "val", "inout"})
_BETWEEN_BASES = re.compile(
    r"(?<!\s)\s++(?:,|&|\bwith\b|\bimplements\b|\bextends\b)\s*+|(?:,|&|\bwith\b|\bimplements\b|\bextends\b)\s*+"
)
_OPENING_END = re.compile(r"(?<![ \t])[ \t]*+(?:\{|\bdo\b|\bbegin\b|=|:|;|\bis\b|\bwhere\b)[ \t]*+$", re.IGNORECASE)
_RETURNS = re.compile(r"\)[ \t]*(?:->|:)[ \t]*([^{=;]{1,80})")


@dataclass(frozen=True, slots=True)
class _Definition:
    line: int  # from 0
    kind: str
    name: str
    bases: tuple[str, ...]


def parse_by_patterns(source: SourceFile) -> Parsed:
    """What line patterns find in a file of any language. Never fails."""
    rules = rules_for(source.language)
    lines = lines_of(source.text)
    definitions, imports, package = _scan(rules, lines)
    starts = [(definition.line, _indent(lines[definition.line])) for definition in definitions]
    ends = ends_by_braces(lines, starts) if rules.ends == "braces" else ends_by_indent(lines, starts)
    if rules.until:
        ends = _extend_ends(definitions, ends, rules, lines)
    symbols = _with_calls(_arrange(definitions, ends, rules, lines), rules, lines)
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=len(lines),
        symbols=tuple(symbols),
        imports=tuple(imports),
        doc=file_comment(lines, rules),
        package=package,
        parser="patterns",
    )


def _scan(rules: PatternRules, lines: Sequence[str]) -> tuple[list[_Definition], list[Import], str]:
    definitions: list[_Definition] = []
    imports: list[Import] = []
    package = ""
    for place, closing in _code_lines(rules, lines):
        text = lines[place][closing : closing + LINE_LENGTH].strip()
        if not text or text.startswith(rules.comments):
            continue
        if rules.package and not package and (declared := rules.package.match(text)):
            package = declared["name"]
            continue
        statement = next((match for pattern in rules.imports if (match := pattern.match(text))), None)
        if statement:
            groups = statement.groupdict()
            imports.append(Import(statement["module"], groups.get("name") or "", groups.get("alias") or "", place + 1))
            continue
        for kind, pattern in rules.symbols:
            if match := pattern.match(text):
                definitions.append(_definition(place, kind, match))
                break
        if len(definitions) >= MOST_SYMBOLS:
            break
    return definitions, imports, package


def _code_lines(rules: PatternRules, lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Lines outside block comments, and where on the line the code begins."""
    closer = ""
    for place, line in enumerate(lines):
        head = line[:LINE_LENGTH]
        if closer:
            if closer in head:
                closer = ""
            continue
        start = head.lstrip()
        block = next((pair for pair in rules.blocks if start.startswith(pair[0])), None)
        if block:
            if block[1] not in start[len(block[0]) :]:
                closer = block[1]
            continue
        yield place, 0


def _definition(place: int, kind: str, match: re.Match[str]) -> _Definition:
    groups = match.groupdict()
    name = match["name"] if "first" not in groups else f"{groups['first']}.{match['name']}"
    bases = re.split(_BETWEEN_BASES, (groups.get("bases") or "").strip())
    return _Definition(place, kind, name, tuple(base.strip() for base in bases if base.strip())[:20])


def _extend_ends(
    definitions: Sequence[_Definition], ends: list[int], rules: PatternRules, lines: Sequence[str]
) -> list[int]:
    """The ends, corrected for symbols whose members have the same indentation."""
    closers = {
        kind: [place for place, line in enumerate(lines) if pattern.match(line[:LINE_LENGTH])]
        for kind, pattern in rules.until.items()
    }
    wide: list[int] = []
    for definition, end in zip(definitions, ends, strict=True):
        if definition.kind in closers and not _indent(lines[definition.line]):
            places = closers[definition.kind]
            order = bisect_right(places, definition.line)
            closing = places[order] if order < len(places) else len(lines) - 1
            own = _CLOSING_WORD.match(lines[closing]) is not None
            wide.append(max(closing if own or order == len(places) else closing - 1, definition.line))
        else:
            wide.append(end)
    return wide


def _arrange(
    definitions: Sequence[_Definition], ends: Sequence[int], rules: PatternRules, lines: Sequence[str]
) -> list[Symbol]:
    """Symbols with their parents: the innermost open container."""
    symbols: list[Symbol] = []
    open_symbols: list[int] = []
    previous = -1
    for definition, end in zip(definitions, ends, strict=True):
        while open_symbols and symbols[open_symbols[-1]].lines.end <= definition.line:
            open_symbols.pop()
        parent = open_symbols[-1] if open_symbols else None
        holder = symbols[parent] if parent is not None else None
        if definition.kind == "constant" and holder is not None and holder.kind not in CONTAINERS:
            continue
        kind = definition.kind
        if kind == "function" and holder is not None and holder.kind in CONTAINERS - {"module"}:
            kind = "method"
        first, doc = comment_above(lines, definition.line, previous, rules)
        signature = _signature(lines, definition.line)
        returned = _RETURNS.search(signature)
        symbols.append(
            Symbol(
                name=definition.name,
                qualified=f"{holder.qualified}.{definition.name}" if holder is not None else definition.name,
                kind=kind,
                lines=LineRange(definition.line + 1, max(end, definition.line) + 1),
                first_line=first + 1,
                signature=signature,
                parameters=_parameters(signature, rules.parameters) if kind in {"function", "method"} else (),
                returns=returned[1].strip() if returned and kind in {"function", "method"} else None,
                doc=doc,
                parent=parent,
                bases=definition.bases,
            )
        )
        if end > definition.line:
            open_symbols.append(len(symbols) - 1)
        previous = definition.line
    return symbols


def _signature(lines: Sequence[str], place: int) -> str:
    """The definition on one line, without its body."""
    text = ""
    for line in lines[place : place + SIGNATURE_LINES]:
        text += " " + line[:LINE_LENGTH].strip()
        if text.count("(") <= text.count(")") or "{" in line:
            break
    text = " ".join(text.split())
    brace = text.find("{", 1)
    if brace > 0 and text.count("(", 0, brace) <= text.count(")", 0, brace):
        text = text[:brace]
    return _OPENING_END.sub("", text[:SIGNATURE_LENGTH].rstrip())


def _parameters(signature: str, style: str) -> tuple[str, ...]:
    opening = signature.find("(")
    if style == "none" or opening < 0:
        return ()
    names: list[str] = []
    depth, begin = 0, opening + 1
    for place in range(opening, len(signature)):
        character = signature[place]
        depth += (character in "([{<") - (character in ")]}>" and signature[place - 1] not in "-=")
        if (character == "," and depth == 1) or depth == 0:
            names.append(_parameter(signature[begin:place], style))
            begin = place + 1
        if depth == 0:
            break
    return tuple(name for name in names if name)


def _parameter(text: str, style: str) -> str:
    text = text.split("=", 1)[0]
    if style == "name-first":
        text = text.split(":", 1)[0]
    words = [word for word in _PARAMETER.findall(text) if word not in _IMPLICIT and not word.isdecimal()]
    return words[-1] if words else ""


def _with_calls(symbols: list[Symbol], rules: PatternRules, lines: Sequence[str]) -> list[Symbol]:
    calls: list[list[Call]] = [[] for _ in symbols]
    open_symbols: list[int] = []
    following = 0
    for place, _ in _code_lines(rules, lines) if symbols else ():
        while following < len(symbols) and symbols[following].lines.start <= place + 1:
            open_symbols.append(following)
            following += 1
        while open_symbols and symbols[open_symbols[-1]].lines.end <= place:
            open_symbols.pop()
        if not open_symbols or "(" not in lines[place]:
            continue
        holder = symbols[open_symbols[-1]]
        text = lines[place][:LINE_LENGTH]
        if text.lstrip().startswith(rules.comments) or len(calls[open_symbols[-1]]) >= MOST_CALLS:
            continue
        for match in _CALL.finditer(text):
            is_definition = place + 1 == holder.lines.start and match[2] == holder.name
            if match[2] not in rules.words and not is_definition:
                calls[open_symbols[-1]].append(Call(match[2], match[1] or "", place + 1))
    return [
        replace(symbol, calls=tuple(made)) if made and rules.parameters != "none" else symbol
        for symbol, made in zip(symbols, calls, strict=True)
    ]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
