"""Describe a function, method or property without documentation by its name, signature and code."""

import re

from waypost.code.files.languages import is_test_path
from waypost.code.source import Symbol
from waypost.code.summary.body import FunctionBody, body_of
from waypost.code.summary.decorators import mark_of, test_title
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.names import (
    action,
    first_few,
    is_verb,
    listing,
    phrase,
    plain_words,
    raw_words,
    third_person,
    verb_of,
    with_article,
)
from waypost.code.summary.view import SummaryView, stem_of

_MOST_PARAMETERS = 4
_VIEW_ENDINGS = ("view", "viewset", "controller", "resource", "handler", "endpoint", "page")
_HTTP = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_NO_PARAMETERS = frozenset({"args", "kwargs", "options", "self", "cls", "this", "ctx"})
_REQUESTS = frozenset({"req", "request", "res", "response"})
_ON_REQUESTS = frozenset(
    {"authenticate", "dispatch", "handle", "log", "parse", "process", "read", "send", "serve", "validate"}
)
_NOTHING = frozenset({"none", "void", "unit", "()", "undefined", "never", "nil", "noreturn", "self", "static", "null"})
_YES_NO = frozenset({"bool", "boolean"})
_MAY_STAND_ALONE = frozenset(
    {"exists", "contains", "matches", "accepts", "includes", "supports", "allows", "needs", "has"}
)
_WORD = re.compile(r"\w+")
_PATH = re.compile(r"[\"'`]([^\"'`\s]{0,120})[\"'`]")
_METHODS = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b")
_PLAIN_TYPE = re.compile(r"[\w.\\:*&?<>\[\], |]{1,60}")
_COMPONENT_LANGUAGES = frozenset({"javascript", "typescript", "tsx", "jsx"})
_OBJECT_FIRST = frozenset({"c", "cpp", "php", "shell"})  # languages whose functions are often `object_verb`
_SIGNS = "*&$.#@"


def function(symbol: Symbol, view: SummaryView) -> str:
    body, context = body_of(symbol, view), _FunctionContext(symbol, view)
    test = _test(context)
    if test:
        return test
    lead = _route(context) or _lead(context, body)
    if lead.isalpha() and context.parent is not None:  # a single verb needs its object
        lead += f" ({phrase(context.parent.name)})"
    decorator_notes = patterns().decorators
    details = [
        *dict.fromkeys(decorator_notes[mark] for mark in context.marks if mark in decorator_notes),
        *body.actions,
    ]
    if _answers_requests(symbol):
        details.insert(0, "answers a request")
    if body.errors:
        details.append("raises " + " or ".join(body.errors))
    returned = _returns(symbol, lead)
    if returned:
        details.append(f"returns {returned}")
    return lead + (f"; {', '.join(details)}" if details else "")


class _FunctionContext:
    def __init__(self, symbol: Symbol, view: SummaryView) -> None:
        self.symbol = symbol
        self.view = view
        self.parsed = view.parsed
        self.parent = view.parsed.symbols[symbol.parent] if symbol.parent is not None else None
        self.marks = [mark_of(decorator) for decorator in symbol.decorators]

    @property
    def is_property(self) -> bool:
        return self.symbol.kind == "property" or not {"property", "cached_property"}.isdisjoint(self.marks)


def _lead(context: _FunctionContext, body: FunctionBody) -> str:
    symbol, name, parent = context.symbol, context.symbol.name, context.parent
    special = _special(name, parent)
    if special:
        return special + (_given_parameters(symbol, "") if special.startswith("Creates") or name.isupper() else "")
    if name.endswith("?"):
        return _beginning(symbol, name, parent) or f"tells whether {'to' if verb_of(name) else 'it is'} {phrase(name)}"
    if "setter" in context.marks:
        return f"sets {with_article(phrase(name))}"
    if context.is_property:
        return _beginning(symbol, name, parent) or with_article(phrase(name)) or name
    if name == "default":  # a module's only function: use the file's name
        name = stem_of(context.parsed.path)
    name = _without_prefix(name, context.view)
    if raw_words(name)[:1] == ("async",) and len(raw_words(name)) > 1:
        name = "_".join(raw_words(name)[1:])
    bare = name.lstrip("_")
    if symbol.signature.startswith("async ") and _is_async_twin(bare, context.view):
        return (_beginning(symbol, bare[1:], parent) or _verb_phrase(context, bare[1:], body)) + ", asynchronously"
    return _component_or_hook(context, body) or _beginning(symbol, name, parent) or _verb_phrase(context, name, body)


def _without_prefix(name: str, view: SummaryView) -> str:
    """The name without a C library prefix: `uv__io_poll`, `git_blob_free`."""
    prefix = view.prefix
    if not prefix and view.parsed.language == "c" and "__" in name.strip("_"):
        return name.strip("_").partition("__")[2].lstrip("_")
    if not prefix or raw_words(name)[:1] != (prefix,):
        return name
    return name.lstrip("_")[len(prefix) :].lstrip("_") or name


def _is_async_twin(name: str, view: SummaryView) -> bool:
    """Whether this is `aget_user` beside `get_user`: an `a` before an existing name or a verb."""
    if not name.startswith("a") or len(name) < 3:
        return False
    raw = raw_words(name[1:])
    begins = bool(raw) and (is_verb(raw[0]) or raw[0] in words().beginnings) and not verb_of(name)
    return begins or view.named(name[1:]) is not None


def _component_or_hook(context: _FunctionContext, body: FunctionBody) -> str:
    """React components have capital letters; hooks begin with `use`."""
    symbol = context.symbol
    if context.parsed.language not in _COMPONENT_LANGUAGES or symbol.kind != "function":
        return ""
    if symbol.name[:1].isupper() and body.gives:
        return f"Component: {phrase(symbol.name)}"
    hook = raw_words(symbol.name)[:1] == ("use",) and len(raw_words(symbol.name)) > 1
    return f"Hook: {' '.join(plain_words(symbol.name)[1:])}" if hook else ""


def _special(name: str, parent: Symbol | None) -> str:
    """Names with a meaning in the language: constructors, operators, setters."""
    form = words().special.get(name)
    if form is None and parent is not None and name == parent.name:
        form = "Creates {a_parent}"  # Java, C#, C++, Kotlin
    if form is None and name.startswith("~"):
        form = "Cleans up when {the_parent} is destroyed"
    if form is not None:
        return _with_parent(form, parent)
    if name.isupper() and name.lower() in _HTTP:
        return f"HTTP {name}"
    if name.startswith("operator") and not name.isidentifier():
        return f"Operator {name.removeprefix('operator').strip()}"
    if name.endswith("=") and name[:-1].isidentifier():
        return f"sets {with_article(phrase(name))}"
    return ""


def _verb_phrase(context: _FunctionContext, name: str, body: FunctionBody) -> str:
    """From a name that begins with a verb, else from one that names a thing."""
    symbol, parent = context.symbol, context.parent
    spoken_name = phrase(name)
    if not spoken_name:
        return name
    verb, alone = verb_of(name), len(plain_words(name)) == 1
    noun = alone and verb in words().rather_nouns and not symbol.parameters
    if not verb or (noun and _type_of(symbol).lower() not in _YES_NO):
        return _noun_phrase(context, name, body)
    if alone and symbol.parameters and verb in words().takes_object:
        return _verb_with_object(symbol, verb)
    if alone and not symbol.parameters and verb in words().acts_on_self and parent and not _is_agent(parent.name):
        return f"{third_person(verb)} {with_article(phrase(parent.name))}"
    return action(name) + _given_parameters(symbol, spoken_name)


def _noun_phrase(context: _FunctionContext, name: str, body: FunctionBody) -> str:
    """From a name without a leading verb: it names its result, or has the verb inside (`buffer_free`)."""
    symbol, spoken_name = context.symbol, phrase(name)
    inside = _verb_inside(name) if context.parsed.language in _OBJECT_FIRST else ""
    if inside:
        return inside + _given_parameters(symbol, spoken_name)
    names_a_thing = (
        with_article(spoken_name) != spoken_name or spoken_name.endswith("s")
    ) and not spoken_name.endswith("ed")
    gives = names_a_thing and (body.gives or _type_of(symbol) != "")
    return (f"gives {with_article(spoken_name)}" if gives else spoken_name) + _given_parameters(symbol, spoken_name)


def _verb_inside(name: str) -> str:
    """`timer_stop` stops the timer, `timer_set_repeat` sets the repeat of the timer. "" if no verb is certain."""
    raw, plain = raw_words(name), plain_words(name)
    lexicon = words()
    for place, word in enumerate(raw):
        verb = lexicon.abbreviations.get(word, word)
        last = place == len(raw) - 1 and is_verb(verb)
        if place and (
            word in lexicon.inner_verbs or (last and verb not in lexicon.rather_nouns - lexicon.acts_on_self)
        ):
            thing, rest = with_article(" ".join(plain[:place])), " ".join(plain[place + 1 :])
            return f"{third_person(verb)} {with_article(rest)} of {thing}" if rest else f"{third_person(verb)} {thing}"
    return ""


def _verb_with_object(symbol: Symbol, verb: str) -> str:
    """`write(row)` writes the row; `delete(user_id)` deletes by user id; `save(force)` just saves."""
    thing = symbol.parameters[0].strip(_SIGNS)
    raw = raw_words(thing)
    beside = thing in _NO_PARAMETERS or len(thing) == 1 or (thing in _REQUESTS and verb not in _ON_REQUESTS)
    if not raw or beside or raw[0] in words().flags or _answers_requests(symbol):
        return third_person(verb) + _given_parameters(symbol, "")
    spoken = _in_words(symbol, thing)
    place = f"by {spoken}" if raw[-1] in words().handles and verb != "set" else with_article(spoken)
    return f"{third_person(verb)} {place}" + _given_parameters(symbol, spoken, skip=1)


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
        rest = _in_words(symbol, symbol.parameters[0])
    rest = rest or ("it" if raw[0] == "exists" else "")
    if form.startswith("{rest}"):
        rest = action("_".join(raw[1:])) or rest
    return _with_parent(form.replace("{rest}", rest), parent).strip()


def _with_parent(form: str, parent: Symbol | None) -> str:
    if "parent}" not in form:
        return form
    noun = phrase(parent.name) if parent is not None else ""
    form = form.replace("{a_parent}", with_article(noun, new=True) or "one")
    return form.replace("{the_parent}", with_article(noun) or "it")


def _given_parameters(symbol: Symbol, lead: str, skip: int = 0) -> str:
    """Its parameters in words, without those already in the sentence."""
    lead_words = set(lead.split())
    spoken: dict[str, None] = {}
    parameters = symbol.parameters[skip:] if not _answers_requests(symbol) else ()
    for parameter in (part for given in parameters for part in (_WORD.findall(given) if "{" in given else [given])):
        bare = parameter.strip(_SIGNS)
        in_words = _in_words(symbol, bare)
        if len(bare) > 1 and bare not in _NO_PARAMETERS and not set(in_words.split()) <= lead_words:
            spoken[in_words] = None
    return ", given " + listing(first_few(list(spoken), _MOST_PARAMETERS)) if spoken else ""


def _in_words(symbol: Symbol, parameter: str) -> str:
    """In words. Next to a request, `res` is the response."""
    bare = parameter.strip(_SIGNS)
    if bare == "res" and any(other.strip(_SIGNS) in {"req", "request"} for other in symbol.parameters):
        return "response"
    return phrase(bare)


def _answers_requests(symbol: Symbol) -> bool:
    """By its parameters: `(req, res)`, or Go's writer and request."""
    first = tuple(parameter.strip(_SIGNS) for parameter in symbol.parameters[:2])
    return first in {("req", "res"), ("request", "response")} or "http.ResponseWriter" in symbol.signature


def _returns(symbol: Symbol, lead: str) -> str:
    """The return type, if the sentence does not say it."""
    kind = _type_of(symbol)
    bare = re.sub(r"<.*|\[[^\]\n]{0,200}\]", "", kind).strip("?*&[] ").rsplit(".", 1)[-1].lower()
    if bare in _YES_NO and "whether" not in lead:
        return "yes or no"
    if not bare or bare in words().plain_types or bare in _NOTHING or lead.startswith(("Creates ", "returns ")):
        return ""
    return kind


def _type_of(symbol: Symbol) -> str:
    """The return type as written, on one line. "" if it returns nothing or has no type."""
    kind = " ".join((symbol.returns or "").split()).removeprefix("->").strip(" :'\"")
    if not kind or kind.lower() in _NOTHING or not _PLAIN_TYPE.fullmatch(kind):
        return ""
    return kind


def _test(context: _FunctionContext) -> str:
    name, parent = context.symbol.name, context.parent
    within = is_test_path(context.parsed.path) or (parent is not None and "test" in raw_words(parent.name))
    title = test_title(context.symbol, within_tests=within)
    if title:
        return f"Test: {title}"
    measures = context.parsed.language == "go" and name.startswith("Benchmark") and len(raw_words(name)) > 1
    return f"Measures {' '.join(plain_words(name)[1:])}" if measures else ""


def _route(context: _FunctionContext) -> str:
    """For a request handler, by its decorator or its view class."""
    symbol, parent = context.symbol, context.parent
    routes = patterns().routes
    for mark, decorator in zip(context.marks, symbol.decorators, strict=True):
        named, _, given = decorator.partition("(")
        if mark in routes and given and ("." in named or mark not in _HTTP):
            path = _PATH.search(given[:300])
            methods = routes[mark] or "/".join(_METHODS.findall(given[:300]))
            target = " ".join(part for part in (methods, path[1] if path else "") if part)
            return f"Answers {target or 'requests'}: {action(symbol.name) or phrase(symbol.name)}"
    family = (parent.name, *parent.bases) if parent is not None and symbol.name.lower() in _HTTP else ()
    answers = any(name.lower().endswith(_VIEW_ENDINGS) for name in family)
    return f"Answers {symbol.name.upper()} requests" if answers else ""
