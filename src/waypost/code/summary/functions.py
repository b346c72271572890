"""A function, method or property without documentation: its name as a sentence, then what its frame and code show."""

import re

from waypost.code.languages import is_test_path
from waypost.code.source import Parsed, Symbol
from waypost.code.summary.body import Body, body_of
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.marks import mark_of
from waypost.code.summary.names import (
    action,
    is_verb,
    listed,
    phrase,
    plain_words,
    raw_words,
    some,
    third_person,
    verb_of,
    with_article,
)
from waypost.code.summary.view import View

_MOST_PARAMETERS = 4
_TEST_MARKS = frozenset({"test", "fact", "theory", "testcase", "parameterizedtest"})
_VIEW_ENDINGS = ("view", "viewset", "controller", "resource", "handler", "endpoint", "page")
_HTTP = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_NO_PARAMETERS = frozenset({"args", "kwargs", "options", "self", "cls", "this", "ctx"})
_NOTHING = frozenset({"none", "void", "unit", "()", "undefined", "never", "nil", "noreturn", "self", "static", "null"})
_YES_NO = frozenset({"bool", "boolean"})
_MAY_STAND_ALONE = frozenset(
    {"exists", "contains", "matches", "accepts", "includes", "supports", "allows", "needs", "has"}
)
_PATH = re.compile(r"[\"'`]([^\"'`\s]{0,120})[\"'`]")
_METHODS = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_PLAIN_TYPE = re.compile(r"[\w.\\:*&?<>\[\], |]{1,60}")
_COMPONENT_LANGUAGES = frozenset({"javascript", "typescript", "tsx", "jsx"})
_SIGNS = "*&$.#@"


def function(symbol: Symbol, view: View) -> str:
    parsed, body = view.parsed, body_of(symbol, view)
    parent = parsed.symbols[symbol.parent] if symbol.parent is not None else None
    marks = [mark_of(decorator) for decorator in symbol.decorators]
    test = _test(symbol, parsed, parent, marks)
    if test:
        return test
    lead = _route(symbol, parent, marks) or _lead(symbol, parsed, parent, marks, body)
    known = patterns().decorators
    details = [*dict.fromkeys(known[mark] for mark in marks if mark in known), *body.actions]
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
        return _beginning(symbol, name, parent) or f"tells whether it is {phrase(name)}"
    if symbol.kind == "property" or "property" in marks or "cached_property" in marks:
        return _beginning(symbol, name, parent) or with_article(phrase(name)) or name
    if symbol.signature.startswith("async ") and _without_a(name):  # `aget_user` beside `get_user`
        return (_beginning(symbol, name[1:], parent) or _acting(symbol, name[1:], parent, body)) + ", asynchronously"
    return _of_a_page(symbol, parsed, body) or _beginning(symbol, name, parent) or _acting(symbol, name, parent, body)


def _of_a_page(symbol: Symbol, parsed: Parsed, body: Body) -> str:
    """React and its kin: components have capitals, hooks begin with `use`."""
    if parsed.language not in _COMPONENT_LANGUAGES or symbol.kind != "function":
        return ""
    if symbol.name[:1].isupper() and body.gives:
        return f"Component: {phrase(symbol.name)}"
    hook = raw_words(symbol.name)[:1] == ("use",) and len(raw_words(symbol.name)) > 1
    return f"Hook: {' '.join(plain_words(symbol.name)[1:])}" if hook else ""


def _without_a(name: str) -> bool:
    """Whether a name is one that begins with a verb, with an `a` before it."""
    raw = raw_words(name[1:])
    known = bool(raw) and (is_verb(raw[0]) or raw[0] in words().beginnings)
    return name.startswith("a") and known and not verb_of(name)


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


def _acting(symbol: Symbol, name: str, parent: Symbol | None, body: Body) -> str:
    """From a name that begins with a verb, else from one that names a thing."""
    said = phrase(name)
    if not said:
        return name
    verb, alone = verb_of(name), len(plain_words(name)) == 1
    if not verb or (alone and verb in words().rather_nouns and not symbol.parameters):
        is_thing = (body.gives or _type_of(symbol) != "") and not said.endswith("ed")
        return (f"gives {with_article(said)}" if is_thing else said) + _given(symbol, said)
    if not alone:
        return action(name) + _given(symbol, said)
    if symbol.parameters and verb in words().takes_object:
        return _acting_on(symbol, verb)
    if not symbol.parameters and parent is not None and verb in words().acts_on_self and not _is_agent(parent.name):
        return f"{third_person(verb)} {with_article(phrase(parent.name))}"
    return action(name) + _given(symbol, said)


def _acting_on(symbol: Symbol, verb: str) -> str:
    """`write(row)` writes the row; `delete(user_id)` deletes by user id; `save(force)` just saves."""
    thing = symbol.parameters[0].strip(_SIGNS)
    raw = raw_words(thing)
    if not raw or thing in _NO_PARAMETERS or len(thing) == 1 or raw[0] in words().flags:
        return third_person(verb) + _given(symbol, "")
    spoken = _spoken(symbol, thing)
    place = f"by {spoken}" if raw[-1] in words().handles and verb != "set" else with_article(spoken)
    return f"{third_person(verb)} {place}" + _given(symbol, spoken, skip=1)


def _is_agent(name: str) -> bool:
    """Whether a class is named after what it does: a parser does not parse itself."""
    return raw_words(name)[-1:] != () and raw_words(name)[-1] in words().endings


def _beginning(symbol: Symbol, name: str, parent: Symbol | None) -> str:
    """From a name that begins with `is`, `to`, `on` and the like."""
    raw = raw_words(name)
    form = words().beginnings.get(raw[0]) if raw else None
    if form is None or (len(raw) == 1 and raw[0] not in _MAY_STAND_ALONE):
        return ""
    rest = " ".join(plain_words(name)[1:])
    if not rest and symbol.parameters:
        rest = _spoken(symbol, symbol.parameters[0])
    return _with_parent(form.replace("{rest}", rest), parent).strip()


def _with_parent(form: str, parent: Symbol | None) -> str:
    if "parent}" not in form:
        return form
    noun = phrase(parent.name) if parent is not None else ""
    form = form.replace("{a_parent}", with_article(noun, new=True) or "one")
    return form.replace("{the_parent}", with_article(noun) or "it")


def _given(symbol: Symbol, said: str, skip: int = 0) -> str:
    """Its parameters in words, without those that the sentence already says."""
    known = set(said.split())
    spoken: dict[str, None] = {}
    for parameter in symbol.parameters[skip:]:
        bare = parameter.strip(_SIGNS)
        in_words = _spoken(symbol, bare)
        if len(bare) > 1 and bare not in _NO_PARAMETERS and not set(in_words.split()) <= known:
            spoken[in_words] = None
    return ", given " + listed(some(list(spoken), _MOST_PARAMETERS)) if spoken else ""


def _spoken(symbol: Symbol, parameter: str) -> str:
    """In words; beside a request, `res` is the response."""
    bare = parameter.strip(_SIGNS)
    if bare == "res" and any(other.strip(_SIGNS) in {"req", "request"} for other in symbol.parameters):
        return "response"
    return phrase(bare)


def _returns(symbol: Symbol, lead: str) -> str:
    """What comes back, where the sentence does not say it."""
    kind = _type_of(symbol)
    bare = re.sub(r"<.*|\[.*?\]", "", kind).strip("?*&[] ").lower()
    if bare in _YES_NO and "whether" not in lead:
        return "yes or no"
    if not bare or bare in words().plain_types or lead.startswith("Creates "):
        return ""
    return kind


def _type_of(symbol: Symbol) -> str:
    """The return type as written, short, on one line; "" when there is none or nothing is returned."""
    kind = " ".join((symbol.returns or "").split()).removeprefix("->").strip(" :'\"")
    if not kind or kind.lower() in _NOTHING or not _PLAIN_TYPE.fullmatch(kind):
        return ""
    return kind


def _test(symbol: Symbol, parsed: Parsed, parent: Symbol | None, marks: list[str]) -> str:
    raw = raw_words(symbol.name)
    within = is_test_path(parsed.path) or (parent is not None and "test" in raw_words(parent.name))
    named = len(raw) > 1 and raw[0] == "test" and within
    if named or not _TEST_MARKS.isdisjoint(marks):
        return "Test: " + " ".join(plain_words(symbol.name)[1 if named else 0 :])
    if parsed.language == "go" and symbol.name.startswith("Benchmark") and len(raw) > 1:
        return "Measures " + " ".join(plain_words(symbol.name)[1:])
    return ""


def _route(symbol: Symbol, parent: Symbol | None, marks: list[str]) -> str:
    """Of a function that answers requests, by its decorator or by its place in a view."""
    routes = patterns().routes
    for mark, decorator in zip(marks, symbol.decorators, strict=True):
        named, _, given = decorator.partition("(")
        if mark in routes and given and ("." in named or mark not in _HTTP):
            path = _PATH.search(given[:300])
            methods = routes[mark] or "/".join(_METHODS.findall(given[:300]))
            target = " ".join(part for part in (methods, path[1] if path else "") if part)
            return f"Answers {target or 'requests'}: {action(symbol.name) or phrase(symbol.name)}"
    family = (parent.name, *parent.bases) if parent is not None and symbol.name.lower() in _HTTP else ()
    answers = any(name.lower().endswith(_VIEW_ENDINGS) for name in family)
    return f"Answers {symbol.name.upper()} requests" if answers else ""
