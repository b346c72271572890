"""Describe a class, interface, enum or module without documentation by name, bases and members."""

import re

from waypost.code.files.languages import is_test_path
from waypost.code.source import CONTAINERS, Symbol
from waypost.code.summary.decorators import mark_of, test_title
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.names import action, first_few, is_verb, listing, phrase, plain_words, raw_words, with_article
from waypost.code.summary.view import SummaryView

_MOST_METHODS = 6
_MOST_MEMBERS = 8
_MOST_TESTS = 4
_MOST_HOPS = 8  # from a class to its base in the same file, and on
_ERROR_BASES = ("exception", "error", "throwable")
_BASE_NAME = re.compile(r"[\w.\\:]+")


def container(symbol: Symbol, view: SummaryView) -> str:
    bases = [_base_name(base) for base in symbol.bases]
    lead = _lead(symbol, bases, view)
    decorator_notes = patterns().decorators
    notes = [decorator_notes[mark] for mark in map(mark_of, symbol.decorators) if mark in decorator_notes]
    families = _families(bases, lead)
    text = lead + (f", {' and '.join(families)}" if families else "")
    if notes:
        text += f" ({', '.join(dict.fromkeys(notes))})"
    text += _members(symbol, view)
    bare = text == phrase(symbol.name) and not text.endswith(symbol.kind)
    return f"{text} {symbol.kind}" if bare else text


def _base_name(base: str) -> str:
    """`models.Model[T]` is `Model`."""
    name = _BASE_NAME.match(base)
    return re.split(r"[.\\:]", name[0])[-1] if name else ""


def _families(bases: list[str], lead: str) -> list[str]:
    """What it is by its bases, if they are nouns: `Arrayable` and `SerializesModels` are not."""
    lead_words = set(lead.lower().replace(":", "").split())
    families: list[str] = []
    for base in bases:
        raw = raw_words(base)
        if not raw or base in words().dull_bases or raw[-1].endswith(("able", "ible", "aware")):
            continue
        if (
            raw[0] in words().beginnings
            or not words().prepositions.isdisjoint(raw[1:2])
            or is_verb(raw[0].removesuffix("s"))
            or is_verb(raw[0].removesuffix("es"))
        ):
            continue
        if not set(phrase(base).lower().split()) <= lead_words:
            families.append(with_article(phrase(base), new=True))
    return families[:2]


def _lead(symbol: Symbol, bases: list[str], view: SummaryView) -> str:
    raw, plain = raw_words(symbol.name), plain_words(symbol.name)
    if symbol.kind == "module":
        return " ".join(plain) or symbol.name
    if raw[:1] == ("test",) and len(raw) > 1 and symbol.name[0] == "T" and is_test_path(view.parsed.path):
        if raw[1] in words().prepositions:
            return " ".join(plain)
        return "Tests of " + " ".join(plain[1:])
    for count in (2, 1):  # `TestCase` ends with two words
        form = words().endings.get("".join(raw[-count:])) if len(raw) > count else None
        if form is not None:
            return form.replace("{rest}", " ".join(plain[:-count]))
    if _is_error(symbol, bases, view):
        return "Error: " + " ".join(plain)
    return " ".join(plain) or symbol.name


def _is_error(symbol: Symbol, bases: list[str], view: SummaryView) -> bool:
    """Whether it derives from an error, as far as this file shows."""
    for _ in range(_MOST_HOPS):
        if any(base.lower().endswith(_ERROR_BASES) for base in bases):
            return True
        above = next(
            (base_symbol for base in bases if (base_symbol := view.named(base)) and base_symbol is not symbol), None
        )
        if above is None:
            return False
        bases = [_base_name(base) for base in above.bases]
    return False


def _members(symbol: Symbol, view: SummaryView) -> str:
    """What it can do, or what it contains."""
    children = view.inside(symbol)
    if symbol.kind == "enum":
        values = [child.name for child in children if child.kind == "constant"]
        return f": {listing(first_few(values, _MOST_MEMBERS))}" if values else ""
    own = [child for child in children if child.kind == "method" and not child.name.startswith(("_", "~", "#"))]
    within = is_test_path(view.parsed.path) or "test" in raw_words(symbol.name)
    tests = list(filter(None, (test_title(child, within_tests=within) for child in own)))
    if tests:
        return f"; {listing(first_few(tests, _MOST_TESTS))}"
    doings = list(dict.fromkeys(filter(None, map(_doing, own))))
    if doings:
        return f"; can {listing(first_few(doings, _MOST_METHODS))}"
    inside = [child.name for child in children if child.kind in CONTAINERS or child.kind == "function"]
    if inside:
        return f"; holds {listing(first_few(inside, _MOST_MEMBERS))}"
    if symbol.parameters:  # of data classes
        return f"; with {listing(first_few([phrase(parameter) for parameter in symbol.parameters], _MOST_MEMBERS))}"
    used = list(dict.fromkeys(call.name for call in symbol.calls if call.name[:1].isupper())) if not own else []
    return f"; uses {listing(first_few(used, _MOST_MEMBERS))}" if used else ""


def _doing(method: Symbol) -> str:
    raw = raw_words(method.name)
    if method.name in words().special or (len(raw) == 1 and raw[0] in words().rather_nouns):
        return ""
    return action(method.name, finite=False)
