"""One line about one symbol: its documentation's first sentence, else what its name, frame and code say.

Nothing is invented: where the name says nothing, its words stand alone.
"""

import re

from waypost.code.source import CONTAINERS, Parsed, Source, Symbol
from waypost.code.summary.body import Body, body_of
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.names import (
    action,
    listed,
    phrase,
    plain_words,
    raw_words,
    some,
    third_person,
    verb_of,
    with_article,
)
from waypost.code.summary.sentences import first_sentence, shortened
from waypost.code.summary.view import View

LONGEST = 240
_MOST_METHODS = 6
_MOST_PARAMETERS = 4
_MOST_MEMBERS = 8
_TESTS = frozenset({"test", "tests", "testing"})
_TEST_MARKS = frozenset({"test", "fact", "theory", "testcase", "parameterizedtest"})
_VIEW_ENDINGS = ("view", "viewset", "controller", "resource", "handler", "endpoint", "methodview", "page")
_HTTP = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_NO_PARAMETERS = frozenset({"args", "kwargs", "options", "self", "cls", "this", "ctx", "_"})
_NOTHING = frozenset({"none", "void", "unit", "()", "undefined", "never", "nil", "noreturn", "self", "static", "null"})
_UNSAID = frozenset({"any", "mixed", "object", "unknown", "error", "auto", "var", "t"})
_YES_NO = frozenset({"bool", "boolean"})
_PATH = re.compile(r"[\"'`]([^\"'`\s]{0,120})[\"'`]")
_METHODS = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_DECORATOR = re.compile(r"[\w.:\\]+")
_PLAIN_TYPE = re.compile(r"[\w.\\:*&?<>\[\], |]{1,60}")
_LITERAL = re.compile(
    r"=\s*(\"[^\"\n]{0,40}\"|'[^'\n]{0,40}'|-?\d[\w.]{0,20}|true|false|True|False|None|null|nil)\s*[;,]?\s*$"
)
_ERROR_BASES = ("exception", "error", "throwable", "warning")
_COMPONENT_LANGUAGES = frozenset({"javascript", "typescript", "tsx", "jsx"})


def describe(symbol: Symbol, parsed: Parsed, source: Source) -> str:
    """One line about the symbol in plain words, never empty."""
    return describe_in(_last_view(parsed, source), symbol)


def describe_in(view: View, symbol: Symbol) -> str:
    """As `describe`, within a file that is already looked at."""
    said = first_sentence(symbol.doc)
    if said:
        return said
    if symbol.kind in CONTAINERS:
        text = _container(symbol, view)
    elif symbol.kind in {"constant", "type"}:
        text = _constant(symbol, view)
    else:
        text = _function(symbol, view)
    text = shortened(text, LONGEST)
    return text[:1].upper() + text[1:] + ("" if text.endswith(("…", ".")) else ".")


_last: list[View] = []  # of the file described last: symbols are asked for one by one, a file after the other


def _last_view(parsed: Parsed, source: Source) -> View:
    view = next((view for view in _last if view.parsed is parsed and view.source is source), None)
    if view is None:
        view = View(source, parsed)
        _last[:] = [view]
    return view


def _function(symbol: Symbol, view: View) -> str:
    parsed, body = view.parsed, body_of(symbol, view)
    parent = parsed.symbols[symbol.parent] if symbol.parent is not None else None
    marks = [_mark(decorator) for decorator in symbol.decorators]
    lead = _test(symbol, parsed, marks)
    if lead:
        return lead
    lead = _route(symbol, parent, marks) or _lead(symbol, parsed, parent, marks, body)
    known = patterns().decorators
    notes = [known[mark] for mark in marks if mark in known]
    details = [*dict.fromkeys(notes), *body.actions]
    if body.errors:
        details.append("raises " + " or ".join(body.errors))
    returned = _returns(symbol, lead)
    if returned:
        details.append(f"returns {returned}")
    return lead + (f"; {', '.join(details)}" if details else "")


def _lead(symbol: Symbol, parsed: Parsed, parent: Symbol | None, marks: list[str], body: Body) -> str:
    """What the name says."""
    name = symbol.name
    special = _special(name, parent)
    if special:
        return special + _given(symbol, "")
    if name.endswith("?"):
        return _beginning(name, parent) or f"tells whether it is {phrase(name)}"
    if symbol.kind == "property" or "property" in marks or "cached_property" in marks:
        return _beginning(name, parent) or with_article(phrase(name)) or name
    if parsed.language in _COMPONENT_LANGUAGES and symbol.kind == "function":
        if name[:1].isupper() and body.gives:
            return f"Component: {phrase(name)}"
        if raw_words(name)[:1] == ("use",) and len(raw_words(name)) > 1:
            return f"Hook: {' '.join(plain_words(name)[1:])}"
    return _beginning(name, parent) or _acting(symbol, parent, body)


def _special(name: str, parent: Symbol | None) -> str:
    """Of names that the language gives a meaning: constructors, operators, setters."""
    form = words().special.get(name)
    if form is None and parent is not None and name == parent.name:
        form = "Creates {a_parent}"  # Java, C#, C++, Kotlin
    if form is None and name.startswith("~"):
        form = "Cleans up when {the_parent} is destroyed"
    if form is not None:
        return _with_parent(form, parent)
    if name.startswith("operator") and not name.isidentifier():
        return f"Operator {name.removeprefix('operator').strip()}"
    if name.endswith("=") and name[:-1].isidentifier():
        return f"sets {with_article(phrase(name))}"
    return ""


def _acting(symbol: Symbol, parent: Symbol | None, body: Body) -> str:
    """From a name that begins with a verb, else from one that names a thing."""
    name, said = symbol.name, phrase(symbol.name)
    if not said:
        return name
    verb = verb_of(name)
    alone = len(plain_words(name)) == 1
    if not verb or (alone and verb in words().rather_nouns and not symbol.parameters and parent is None):
        gives = body.gives or _type_of(symbol) != ""
        return (f"gives {with_article(said)}" if gives else said) + _given(symbol, said)
    if alone and symbol.parameters and verb in words().takes_object:
        thing = phrase(symbol.parameters[0])
        if thing and symbol.parameters[0].strip("*&$") not in _NO_PARAMETERS:
            return f"{third_person(verb)} {with_article(thing)}" + _given(symbol, thing, skip=1)
    return action(name) + _given(symbol, said)


def _beginning(name: str, parent: Symbol | None) -> str:
    """From a name that begins with `is`, `to`, `on` and the like."""
    raw = raw_words(name)
    form = words().beginnings.get(raw[0]) if raw else None
    if form is None or (len(raw) == 1 and raw[0] not in {"exists", "contains", "matches", "accepts", "includes"}):
        return ""
    rest = " ".join(plain_words(name)[1:])
    return _with_parent(form.replace("{rest}", rest), parent).strip()


def _with_parent(form: str, parent: Symbol | None) -> str:
    if "parent}" not in form:
        return form
    noun = phrase(parent.name) if parent is not None else ""
    known = {"{a_parent}": with_article(noun, new=True) or "one", "{the_parent}": with_article(noun) or "it"}
    for place, value in known.items():
        form = form.replace(place, value)
    return form


def _given(symbol: Symbol, said: str, skip: int = 0) -> str:
    """Its parameters in words, without those that the sentence already says."""
    known = set(said.split())
    parameters: list[str] = []
    for parameter in symbol.parameters[skip:]:
        spoken = phrase(parameter)
        if spoken and parameter.strip("*&$.") not in _NO_PARAMETERS and not set(spoken.split()) <= known:
            parameters.append(spoken)
    if not parameters:
        return ""
    more = len(parameters) - _MOST_PARAMETERS
    if more > 0:
        parameters = [*parameters[:_MOST_PARAMETERS], f"{more} more"]
    return ", given " + listed(list(dict.fromkeys(parameters)))


def _returns(symbol: Symbol, lead: str) -> str:
    kind = _type_of(symbol)
    bare = kind.strip("?*&").lower()
    if not kind or bare in _UNSAID or (bare in _YES_NO and "whether" in lead):
        return ""
    if bare in _YES_NO:
        return "yes or no"
    return "" if lead.startswith("Creates ") else kind


def _type_of(symbol: Symbol) -> str:
    """The return type as written, short, on one line; "" when there is none or nothing is returned."""
    kind = " ".join((symbol.returns or "").split()).removeprefix("->").strip(" :'\"")
    if not kind or kind.lower() in _NOTHING or not _PLAIN_TYPE.fullmatch(kind):
        return ""
    return kind


def _test(symbol: Symbol, parsed: Parsed, marks: list[str]) -> str:
    raw = raw_words(symbol.name)
    named = len(raw) > 1 and raw[0] in _TESTS and symbol.kind in {"function", "method"}
    if not named and _TEST_MARKS.isdisjoint(marks):
        if parsed.language == "go" and symbol.name.startswith("Benchmark") and len(raw) > 1:
            return "Measures " + " ".join(plain_words(symbol.name)[1:])
        return ""
    return "Test: " + " ".join(plain_words(symbol.name)[1 if named else 0 :])


def _route(symbol: Symbol, parent: Symbol | None, marks: list[str]) -> str:
    """Of a function that answers requests, by its decorator or by its place in a view."""
    routes = patterns().routes
    for mark, decorator in zip(marks, symbol.decorators, strict=True):
        if (
            mark in routes
            and "(" in decorator
            and ("." in decorator.split("(")[0] or routes[mark] == "" or len(mark) > 6)
        ):
            path = _PATH.search(decorator)
            methods = routes[mark] or "/".join(_METHODS.findall(decorator))
            target = " ".join(part for part in (methods, path[1] if path else "") if part)
            said = action(symbol.name) or phrase(symbol.name)
            return f"Answers {target or 'requests'}: {said}"
    if parent is not None and symbol.name.lower() in _HTTP and symbol.kind == "method":
        family = (parent.name, *parent.bases)
        if any(name.lower().endswith(_VIEW_ENDINGS) for name in family):
            return f"Answers {symbol.name.upper()} requests"
    return ""


def _container(symbol: Symbol, view: View) -> str:
    bases = [re.split(r"[.\\:]", base.split("[")[0].split("<")[0].split("(")[0])[-1] for base in symbol.bases]
    lead = _class_lead(symbol, bases)
    known = patterns().decorators
    notes = [known[mark] for mark in map(_mark, symbol.decorators) if mark in known]
    families = [with_article(phrase(base), new=True) for base in bases if phrase(base) and base not in _DULL_BASES]
    said = set(lead.lower().split())
    families = [family for family in families if not set(family.lower().split()[1:]) <= said]
    text = lead + (f", {' and '.join(families[:2])}" if families else "")
    if notes:
        text += f" ({', '.join(dict.fromkeys(notes))})"
    return text + _members(symbol, view)


_DULL_BASES = frozenset({"object", "Object", "ABC", "Protocol", "Generic", "Base", "Serializable", "Any", "type"})


def _class_lead(symbol: Symbol, bases: list[str]) -> str:
    raw, plain = raw_words(symbol.name), plain_words(symbol.name)
    form = words().endings.get(raw[-1]) if len(raw) > 1 else None
    if form is None and raw and raw[0] in _TESTS and len(raw) > 1:
        return "Tests of " + " ".join(plain[1:])
    if form is None and any(base.lower().endswith(_ERROR_BASES) for base in bases):
        return "Error: " + " ".join(plain)
    if form is None:
        return " ".join(plain) or symbol.name
    return form.replace("{rest}", " ".join(plain[:-1]))


def _members(symbol: Symbol, view: View) -> str:
    """What can be done with it, or what it holds."""
    children = view.inside(symbol)
    if symbol.kind == "enum":
        values = [child.name for child in children if child.kind == "constant"]
        return f": {listed(some(values, _MOST_MEMBERS))}" if values else ""
    own = [child for child in children if child.kind == "method" and not child.name.startswith(("_", "~", "#"))]
    doings = [action(child.name, finite=False) for child in own if child.name not in words().special]
    doings = list(dict.fromkeys(doing for doing in doings if doing and not doing.startswith("test ")))
    if doings:
        return f"; can {listed(some(doings, _MOST_METHODS))}"
    tests = [" ".join(plain_words(child.name)[1:]) for child in own if raw_words(child.name)[:1] == ("test",)]
    if tests:
        return f"; {listed(some([test for test in tests if test], 4))}"
    inside = [child.name for child in children if child.kind in CONTAINERS or child.kind == "function"]
    return f"; holds {listed(some(inside, _MOST_MEMBERS))}" if inside else ""


def _constant(symbol: Symbol, view: View) -> str:
    said = phrase(symbol.name) or symbol.name
    if symbol.kind == "type":
        return f"Type: {said}"
    value = _LITERAL.search(view.text_of(symbol).split("\n", 1)[0][:300])
    return f"{said}: {value[1]}" if value else f"Constant: {said}"


def _mark(decorator: str) -> str:
    """The last name of a decorator in lower case: `app.route("/x")` is `route`."""
    name = _DECORATOR.match(decorator.lstrip("@#[ "))
    return re.split(r"[.:\\]", name[0])[-1].lower() if name else ""
