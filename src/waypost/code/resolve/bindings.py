"""What variables, parameters and fields contain, read from signatures and single lines.

A name that is assigned values of different types in one scope is unknown.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.code.resolve.expressions import steps
from waypost.code.resolve.families import family
from waypost.code.source import FUNCTIONS, Parsed, Symbol

LINE_LENGTH = 300
CALL_LENGTH = 3000  # characters searched for the closing bracket of a call
MOST_BRACKETS = 200_000  # brackets per file examined to find the ends of calls
_DATA = Path(__file__).with_name("bindings.toml")
_CALLED = re.compile(r"(?:new[ \t]+|&[ \t]*)?((?:[\w$@\\]|\.|::|->|\?\.)+)(?:<[\w$., \t]{0,60}>)?[ \t]?([({])")
# Values that say nothing about a variable: none at all, and modules, which are read as imports.
_NOTHING = re.compile(
    r"(?:None|null|nil|undefined|void 0)\b|require\([\"'][^\"'\n]{1,200}[\"']\)(?:\.[\w$]{1,100})?[ \t]*[;,\r]?[ \t]*$",
    re.MULTILINE,
)
# Types whose value is used like the one inside, after `await`, `?` or `unwrap()` at most.
_WRAPPER = re.compile(
    r"(?:\w{1,60}(?:\.|::)){0,4}(?:Optional|ClassVar|Final|Annotated|Readonly|Partial|Awaitable|Option|Result|Box|Rc|Arc|Cow"
    r"|Lazy|WeakReference|NonNullable|Required)[\[<](.*)[\]>]",
    re.DOTALL,
)
_MOST_WRAPPERS = 4
DEFAULT = "default"  # the name of what a JavaScript file is, if it is imported as a whole
RETURN = "return"  # the name under which a function's result is kept, if no type declares it
MANY_ARGUMENTS, OPTIONAL = "...", "="  # after the type of a parameter
MANY = "[]"  # before what each value of a list is
EACH = "each "  # before a list whose values a variable has, one after the other
_MANY = re.compile(
    r"(?:\w{1,60}(?:\.|::)){0,4}(?:list|List|set|Set|frozenset|tuple|Tuple|Sequence|Iterable|Iterator|Collection|Array|ReadonlyArray"
    r"|Vec|VecDeque|HashSet|BTreeSet|Iter|IterMut|ArrayList|IEnumerable|IList|IReadOnlyList)[\[<](.*)[\]>]"
    r"|(?:impl|dyn)\s+(?:\w{1,60}::){0,4}\w{0,40}Iterator<\s*+Item\s*+=\s*+(.*?)>(?:\s*+\+.*)?"
    r"|\[(.*)\]",
    re.DOTALL,
)
_BEFORE_TYPE = re.compile(r"^(?:[*&?\s]|(?:'\w+|mut|dyn|const|ref|readonly|out|in)\s)+")
_STEP = re.compile(
    r"(?:\s|//[^\n]*\n){0,200}(?:\?\.|!\.|\.|::|->)\s*([\w$#]+)(?:(?:::)?<[\w$., \t:&']{0,60}>)?[ \t]?(\()?"
)
_AWAIT = re.compile(r"\s*\.await\b\??")  # Rust's, after a call
_AS = re.compile(r"(?:\s*\bas\s+(\w+))?[ \t]*(,\s*)?")
_BOUND_TYPE = re.compile(r"(?:\w{1,60}\.){0,2}TypeVar\([^()=]{1,100}bound=[\"']?([\w.]{1,100})")
_OWN_OBJECT = re.compile(r"(?:self|this|\$this)(?=[ \t]*(?:$|[\n;\r#}]|//))")
_NEW = re.compile(
    r"(?:(?:[A-Z]\w{0,80})?::){0,8}[A-Z]\w{0,80}\.new\b(?!\s*[.(\[])"
)  # Ruby's `Cart.new` needs no brackets
_MOST_STEPS = 40  # calls in a chain
_MOST_ENTERED = 8  # objects in one `with`
_MOST_COMMENTS = 20  # lines of comments inside of a statement
_MOST_VALUES = 4  # assigned to one variable
_NAME = re.compile(r"[\w$.:\\]+")
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_CLASS = re.compile(r"(?:[a-z_]\w*\.){0,4}[A-Z]\w*[a-z]\w*")
_BRACKETS = {"(": re.compile(r"[()]"), "{": re.compile(r"[{}]")}
_AFTER_CALL = re.compile(r"\??[ \t]*(?:$|[\n#;,\r}{]|//)")
_EXPORTED = re.compile(
    r"^(?:export[ \t]*\{([^{}]{1,4000})\}(?!\s{0,20}from\b)"
    r"|(?:export[ \t]+default[ \t]|module\.exports[ \t]*=)[ \t]*([\w$]{1,100});?\s*?$"
    r"|module\.exports[ \t]*=[ \t]*(?:async[ \t]+)?(?:function|class)\b[ \t*]*([\w$]{1,100}))",
    re.MULTILINE,
)
_RENAMED = re.compile(r"\b([\w$]{1,100})\s{1,20}as\s{1,20}([\w$]{1,100})")
_CONSTRUCTORS = frozenset({"constructor", "__construct"})
_IS_FIELD = re.compile(r"\b(?:private|public|protected|readonly)[ \t]+[?\w$]")  # parameters that become fields
_SELF = ("self.", "cls.", "this.", "$this->", "@")


@dataclass(frozen=True, slots=True)
class _Rules:
    parameters: str
    lines: tuple[re.Pattern[str], ...]
    forget: tuple[re.Pattern[str], ...]
    callbacks: tuple[re.Pattern[str], ...]
    callback_mark: str  # in every line with a callback
    marks: re.Pattern[str]  # lines without one of these are skipped
    unfinished: str  # characters after which a statement goes on in the next line: there `name=` is an argument


def bindings_of(parsed: Parsed, text: str, used_names: frozenset[str]) -> Iterator[tuple[int, str, str]]:
    """(owner, name, value) for a file. The value is "" if unknown and the name is in `used_names`."""
    rules = _rules(parsed.language)
    if rules is None:
        return
    bound = _Bound()
    for place, symbol in enumerate(parsed.symbols):
        for name, written in _parameters(rules.parameters, symbol.signature, symbol.kind):
            expression = content_expression(written.rstrip(f"{MANY_ARGUMENTS}{OPTIONAL}"))
            # A declared type holds after another value is assigned, too.
            (bound.declare if expression and symbol.kind in FUNCTIONS else bound.add)(place, name, expression)
            if symbol.name in _CONSTRUCTORS and symbol.parent is not None and _IS_FIELD.search(symbol.signature):
                bound.add(symbol.parent, name.lstrip("$"), expression)
    if text:
        _scan(rules, parsed.symbols, text, bound)
        if family(parsed.language) == "ecmascript":
            for name, exported in _exports(text):
                bound.add(-1, exported, name)
    lists = [e.removeprefix(EACH) for values in bound.values.values() for e in values if e.startswith(EACH)]
    used_names |= {step for expression in lists for step in steps(expression)}
    for (owner, name), expressions in bound.values.items():
        holds = _one_of(name, expressions)
        is_field = owner < 0 or parsed.symbols[owner].kind not in FUNCTIONS
        if name == RETURN:
            if holds and not is_field and not parsed.symbols[owner].returns:
                yield owner, name, holds
        elif name in used_names or (holds and (is_field or name == "self")):
            yield owner, name, holds


class _Bound:
    """What each name is assigned. A declared type counts more than assigned values."""

    def __init__(self) -> None:
        self.values: dict[tuple[int, str], set[str]] = {}
        self._declared: set[tuple[int, str]] = set()

    def add(self, owner: int, name: str, expression: str) -> None:
        if (owner, name) not in self._declared:
            self.values.setdefault((owner, name), set()).add(expression)

    def declare(self, owner: int, name: str, expression: str) -> None:
        if (owner, name) not in self._declared:
            self.values[owner, name] = set()
        self._declared.add((owner, name))
        self.values[owner, name].add(expression)


def _one_of(name: str, expressions: set[str]) -> str:
    """What a variable contains: `a()`, or `a()|b()` if it is one of these. "" if unknown."""
    others = {expression for expression in expressions if not expression.startswith((f"{name}.", f"self.{name}."))}
    others = others or expressions  # `query = query.filter()` does not change what it is
    return "|".join(sorted(others)) if "" not in others and len(others) <= _MOST_VALUES else ""


def _scan(rules: _Rules, symbols: Sequence[Symbol], text: str, bound: _Bound) -> None:
    owners = _owners(symbols)
    patience = [MOST_BRACKETS]
    owner, following = -1, 0
    position = 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        start, position = position, position + len(line) + 1
        while following < len(owners) and owners[following][0] <= number:
            owner = owners[following][1]
            following += 1
        if not rules.marks.search(line, 0, LINE_LENGTH) or (rules.unfinished and _goes_on(rules, lines, number - 2)):
            continue
        bare = line[:LINE_LENGTH].lstrip()
        indent = len(line[:LINE_LENGTH]) - len(bare)
        for pattern in rules.callbacks if rules.callback_mark in bare else ():
            if match := pattern.search(bare):
                _bind(match, symbols, owner, text, start + indent, bound, patience)
        for pattern in rules.lines:
            match = pattern.match(bare)
            if match and _bind(match, symbols, owner, text, start + indent, bound, patience):
                break
        else:
            for pattern in rules.forget:
                if match := pattern.match(bare):
                    for name in match["name"].split(","):
                        bound.add(owner, name.strip(), "")


def _goes_on(rules: _Rules, lines: Sequence[str], last: int) -> bool:
    """Whether the statement of a line goes on in the next one. Comments and empty lines say nothing."""
    for place in range(last, max(last - _MOST_COMMENTS, -1), -1):
        code = lines[place].partition("#")[0].rstrip()
        if code:
            return code[-1] in rules.unfinished
    return False


def _exports(text: str) -> Iterator[tuple[str, str]]:
    """Names that a file exports under another name: `export { Base as Store }`, `module.exports = Store`."""
    for match in _EXPORTED.finditer(text):
        yield from _RENAMED.findall(match[1]) if match[1] else [(match[2] or match[3], DEFAULT)]


def _bind(
    match: re.Match[str],
    symbols: Sequence[Symbol],
    owner: int,
    text: str,
    offset: int,
    bound: _Bound,
    patience: list[int],
) -> bool:
    """Bind the name of a line. False if the line gives its name nothing that can be followed."""
    groups = match.groupdict()
    if groups.get("entered") is not None:
        entered = list(_entered(text, match.start("entered") + offset, patience))
        for name, holds in entered:
            bound.add(owner, name, holds)
        return bool(entered)
    name = match["name"]
    if groups.get("each") is not None:
        holds = f"{EACH}{match['each']}"
    elif groups.get("type") is not None:
        holds = content_expression(groups["type"])
        if not holds:
            return True
    else:
        value = match.start("value") + offset
        if _NOTHING.match(text, value):
            return True
        values = bound.values.get((owner, match["value"].strip(" \t\r;,")))  # self.store = store
        holds = _assigned(text, value, patience, is_result=name == RETURN)
        if not holds and values and len(values) == 1:
            holds = next(iter(values))
    prefix = next((prefix for prefix in _SELF if name.startswith(prefix)), "")
    if prefix:
        owner, name = _enclosing_class(symbols, owner), name.removeprefix(prefix) if prefix != "@" else name
    if owner >= 0 and symbols[owner].kind not in FUNCTIONS:
        name = name.lstrip("$")
    if groups.get("type") is not None:
        bound.declare(owner, name, holds)
    else:
        bound.add(owner, name, holds)
    return True


def _assigned(text: str, value: int, patience: list[int], *, is_result: bool) -> str:
    """What the right side of an assignment, or a returned value, is. "" if unknown."""
    if limit := _BOUND_TYPE.match(text, value, value + LINE_LENGTH):
        return limit[1]
    if made := _NEW.match(text, value, value + LINE_LENGTH):
        return f"{made[0]}()"
    own = _OWN_OBJECT.match(text, value) if is_result else None
    return own[0] if own else _call_expression(text, value, patience) or _class_name(text, value)


def _entered(text: str, position: int, patience: list[int]) -> Iterator[tuple[str, str]]:
    """The names that a `with` gives to what its objects return: `with Store() as a, b.open() as c:`."""
    for _ in range(_MOST_ENTERED):
        expression, end = _chain(text, position, patience)
        named = _AS.match(text, end, end + LINE_LENGTH) if end > position else None
        if named is not None and named[1]:
            yield named[1], f"{expression}.__enter__()"
        if named is None or not named[2]:
            return
        position = named.end()


def _call_expression(text: str, start: int, patience: list[int]) -> str:
    """`Store().rows()` if the right side of an assignment is a chain of calls and nothing more."""
    expression, end = _chain(text, start, patience)
    return expression if expression.endswith("()") and _AFTER_CALL.match(text, end) else ""


def _chain(text: str, start: int, patience: list[int]) -> tuple[str, int]:
    """A chain of names and calls without its arguments, and where it ends: `Store().rows` of `Store(a).rows`.

    `patience` is the number of brackets that may still be examined, so that unclosed brackets stay cheap.
    """
    match = _CALLED.match(text, start)
    if match is None:
        plain = _PLAIN.match(text, start, start + LINE_LENGTH)
        return (plain[0], plain.end()) if plain else ("", start)
    expression = [match[1]]
    opening: re.Match[str] | None = match
    position = match.end()
    for _ in range(_MOST_STEPS):
        if opening is not None:
            position = _call_end(text, opening, patience)
            if position < 0:
                return "", start
            expression.append("()")
        if awaited := _AWAIT.match(text, position, position + LINE_LENGTH):
            position = awaited.end()
        step = _STEP.match(text, position, position + LINE_LENGTH)
        if step is None:
            return "".join(expression), position
        expression.append(f".{step[1]}")
        position, opening = step.end(), step if step[2] else None
    return "", start


def _call_end(text: str, opening: re.Match[str], patience: list[int]) -> int:
    """The position after the bracket that closes the one at the end of a match, or -1."""
    depth, bracket = 0, opening[2]
    for match in _BRACKETS[bracket].finditer(text, opening.end() - 1, opening.end() + CALL_LENGTH):
        depth += 1 if match[0] == bracket else -1
        patience[0] -= 1
        if depth == 0:
            return match.end()
        if patience[0] <= 0:
            break
    return -1


def _class_name(text: str, start: int) -> str:
    """The right side of an assignment if it is only a class name: `client_class = Client`."""
    match = _CLASS.match(text, start)
    return match[0] if match and _AFTER_CALL.match(text, match.end()) else ""


def content_expression(written: str) -> str:
    """`Store()` for a type, `[]Store()` for a list of them, "" if unknown."""
    element = element_expression(written)
    return f"{MANY}{element}" if element else type_expression(written)


def element_expression(written: str) -> str:
    """`Store()` for a type whose values are several stores; "" for anything else."""
    kind = _BEFORE_TYPE.sub("", written.strip().strip("\"'"), count=1)
    if optional := _WRAPPER.fullmatch(kind):
        kind = _BEFORE_TYPE.sub("", optional[1].strip(), count=1)
    if kind.endswith("[]"):
        return type_expression(kind[:-2])
    match = _MANY.fullmatch(kind)
    if match is None:
        return ""
    inner = [part.strip() for part in (match[1] or match[2] or match[3]).split(",")]
    inner = [part for part in inner if part != "..." and not part.startswith("'")]
    return type_expression(inner[0]) if len(inner) == 1 else ""


def type_expression(written: str) -> str:
    """`Store()` for a type that is one class, possibly wrapped; "" for anything else."""
    kind = written
    for _ in range(_MOST_WRAPPERS):
        kind = _BEFORE_TYPE.sub("", kind.strip().strip("\"'"), count=1)
        wrapped = _WRAPPER.fullmatch(kind)
        if wrapped is None:
            options = (part.strip() for part in kind.split("|"))
            kinds = [option for option in options if option not in {"None", "null", "undefined", ""}]
            if len(kinds) != 1:
                return ""
            if kinds[0] == kind:
                break
            kind = kinds[0]
        else:
            kind = wrapped[1].split(",")[0]
    kind = kind.rstrip("?*&! ")
    name = _NAME.match(kind)
    if name is None:
        return ""
    rest = kind[name.end() :].strip()
    if rest and (rest[0] not in "<[" or rest.startswith("[]") or name[0].rsplit(".")[-1] in _CONTAINERS):
        return ""
    return f"{name[0]}()"


# The value of these is not an instance of the class in brackets.
_CONTAINERS = frozenset(
    {"list", "dict", "set", "tuple", "List", "Dict", "Set", "Tuple", "Sequence", "Iterable", "Iterator", "Mapping"}
    | {"type", "Type", "Callable", "Literal", "Union", "Promise", "Array", "Record", "Map", "Generator"}
)


def parameter_types(language: str, symbol: Symbol) -> tuple[str, ...]:
    """The last names of the types of a function's parameters, if the language writes them before names.

    "=" follows the type of an optional parameter, "..." that of one for any number of arguments.
    """
    rules = _rules(language)
    if rules is None or rules.parameters != "before":
        return ()
    written = (kind for _, kind in _parameters(rules.parameters, symbol.signature, symbol.kind))
    return tuple(_SURROUNDINGS.sub("", kind) for kind in written)


_SURROUNDINGS = re.compile(r"<.{0,200}>|(?:\w{1,60}\.){1,9}(?=\w)|[?*& ]")


def _parameters(style: str, signature: str, kind: str) -> Iterator[tuple[str, str]]:
    if style == "none" or (kind not in FUNCTIONS and kind != "class"):
        return
    opening = signature.find("(")
    if style == "after" and signature.startswith("func ("):  # a Go receiver is a parameter like the others
        closing = signature.find(")")
        yield from _one_parameter(style, signature[opening + 1 : closing])
        opening = signature.find("(", closing)
    if opening < 0:
        return
    pieces: list[str] = []
    depth, begin = 0, opening + 1
    for position in range(opening, len(signature)):
        character = signature[position]
        depth += (character in "([{<") - (character in ")]}>" and signature[position - 1] not in "-=")
        if (character == "," and depth == 1) or depth == 0:
            pieces.append(signature[begin:position])
            begin = position + 1
        if depth == 0:
            break
    for piece in pieces:
        yield from _one_parameter(style, piece)


def _one_parameter(style: str, piece: str) -> Iterator[tuple[str, str]]:
    piece, has_default, _ = piece.partition("=")
    piece = piece.strip()
    if style == "after-colon":
        name, colon, kind = piece.partition(":")
        words = re.findall(r"[\w$]+", name)
        if colon and words:
            yield words[-1], "" if name.startswith(("*", "...")) else kind
    elif style == "after":
        name, _, kind = piece.partition(" ")
        if kind:
            yield name, kind.removeprefix("...") if not kind.startswith("...") else ""
    else:
        match = re.fullmatch(r"(.*[^ \t]|)[ \t]+[*&]{0,2}(\$?\w+)", piece, re.DOTALL)
        if match:
            words = match[1].split()
            mark = MANY_ARGUMENTS if "params" in words else OPTIONAL if has_default else ""
            yield match[2], f"{words[-1]}{mark}" if words else ""


def _owners(symbols: Sequence[Symbol]) -> list[tuple[int, int]]:
    """(line, symbol) where the innermost symbol changes. The first line of a constant binds it in what contains it."""
    events: list[tuple[int, int]] = []
    waiting: list[int] = []
    for place, symbol in enumerate(symbols):
        start = symbol.lines.start
        if symbol.kind == "constant":
            following = symbols[place + 1].lines.start if place + 1 < len(symbols) else 0
            if start in (symbol.lines.end, following):
                continue
            start += 1
        while waiting and symbols[waiting[-1]].lines.end < symbol.lines.start:
            ended = waiting.pop()
            events.append((symbols[ended].lines.end + 1, waiting[-1] if waiting else -1))
        events.append((start, place))
        waiting.append(place)
    while waiting:
        ended = waiting.pop()
        events.append((symbols[ended].lines.end + 1, waiting[-1] if waiting else -1))
    return sorted(events, key=lambda event: event[0])


def _enclosing_class(symbols: Sequence[Symbol], owner: int) -> int:
    while owner >= 0 and symbols[owner].kind in FUNCTIONS:
        parent = symbols[owner].parent
        owner = -1 if parent is None else parent
    return owner


@cache
def _rules(language: str) -> _Rules | None:
    table = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    entry = table.get(language) or table.get(family(language))
    if entry is None:
        return None
    return _Rules(
        entry["parameters"],
        tuple(re.compile(pattern) for pattern in entry["lines"]),
        tuple(re.compile(pattern) for pattern in entry["forget"]),
        tuple(re.compile(pattern) for pattern in entry.get("callbacks", ())),
        entry.get("callback_mark", ""),
        re.compile(entry["marks"]),
        entry.get("unfinished", ""),
    )
