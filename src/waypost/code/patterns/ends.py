"""Where a definition ends, judged by lines: at its closing brace, or where the indentation returns."""

import re
from collections.abc import Sequence

LINE_LENGTH = 2000  # characters of a line searched for braces
REACH = 12  # lines after a definition in which its body must open

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+(?:"|$)'
    r"|'(?:[^'\\]|\\.){0,200}+'"
    r"|`[^`]*+(?:`|$)"
    r"|//.*|/\*(?:[^*]|\*(?!/))*+(?:\*/|$)|(?<![\w$#])#[ \t!].*"
    r"|[{};]"
)
_CLOSING = re.compile(r"[ \t]*(?:end\b|[})\]]|fi\b|done\b|esac\b|endfunction\b|endif\b|endmacro\b)", re.IGNORECASE)


def ends_by_braces(lines: Sequence[str], starts: Sequence[tuple[int, int]]) -> list[int]:
    """The last line of each definition `(line, indentation)`. Lines count from 0; one pass over the text."""
    open_braces: list[tuple[int, int]] = []  # (line of a brace, its index in `closed`)
    closed: list[tuple[int, int]] = []  # (line, line of its closing brace) in the order of opening
    semicolons: list[int] = []
    for place, line in enumerate(lines):
        if "{" not in line and "}" not in line and ";" not in line:
            continue
        for token in _TOKEN.finditer(line[:LINE_LENGTH]):
            sign = token[0]
            if sign == "{":
                open_braces.append((place, len(closed)))
                closed.append((place, len(lines) - 1))
            elif sign == "}" and open_braces:
                line_of_opening, order = open_braces.pop()
                closed[order] = (line_of_opening, place)
            elif sign == ";" and (not semicolons or semicolons[-1] != place):
                semicolons.append(place)
    by_indent = ends_by_indent(lines, starts)
    ends: list[int] = []
    brace = semicolon = 0
    for order, (start, _) in enumerate(starts):
        limit = starts[order + 1][0] if order + 1 < len(starts) else len(lines)
        while brace < len(closed) and closed[brace][0] < start:
            brace += 1
        while semicolon < len(semicolons) and semicolons[semicolon] < start:
            semicolon += 1
        opening = closed[brace][0] if brace < len(closed) else len(lines)
        stop = semicolons[semicolon] if semicolon < len(semicolons) else len(lines)
        if opening <= min(stop, start + REACH) and (opening < limit or opening == start):
            ends.append(closed[brace][1])
        elif stop < min(limit, start + REACH):
            ends.append(stop)
        else:
            ends.append(by_indent[order])
    return ends


def ends_by_indent(lines: Sequence[str], starts: Sequence[tuple[int, int]]) -> list[int]:
    """The last line of each definition, including its `end` or brace, by indentation."""
    ends = [start for start, _ in starts]
    waiting: list[int] = []
    following = 0
    last_text = 0
    for place, line in enumerate(lines):
        bare = line.lstrip()
        if bare and not bare.isspace():
            indent = len(line) - len(bare)
            if bare[0] in ")]}" and bare.rstrip().endswith((":", "{", "=>", " do", "(")):
                last_text = place  # the end of a parameter list: the body follows
                continue
            is_closing = _CLOSING.match(bare) is not None
            while waiting and indent <= starts[waiting[-1]][1]:
                order = waiting.pop()
                own = is_closing and indent == starts[order][1]
                ends[order] = place if own else last_text
                if own:
                    break  # one closing word ends one definition
            last_text = place
        while following < len(starts) and starts[following][0] == place:
            waiting.append(following)
            following += 1
    for order in waiting:
        ends[order] = last_text
    return ends
