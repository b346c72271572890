"""What a file is for: its own documentation, else its location, names and imports."""

import re
import sys

from waypost.code.files.languages import display_name, is_test_path
from waypost.code.source import CONTAINERS, Parsed, Symbol
from waypost.code.summary.describe import describe_in
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.names import action, first_few, listing, phrase, plain_words, raw_words
from waypost.code.summary.sentences import first_sentence, first_sentences, shortened
from waypost.code.summary.view import SummaryView, stem_of

LONGEST = 320
_MOST_CLASSES = 5
_MOST_FUNCTIONS = 5
_MOST_NAMES = 6
_MOST_MODULES = 4
_READ = 20_000  # characters of a test file searched for titles
_TEST_WORDS = frozenset({"test", "tests", "spec", "specs"})
_CAMEL = re.compile(r"[a-z]+[A-Z]\w*")
_TITLE = re.compile(r"\b(describe|context|it|test|specify)\b[\s(]{1,9}([\"'`])([^\"'`\n]{3,80})\2")
_NUMBER = re.compile(r"\d{3}")
_WORD = re.compile(r"[^\W_]+")


def purpose(view: SummaryView) -> str:
    """One or two plain sentences, never empty."""
    parsed = view.parsed
    own = first_sentences(parsed.doc, LONGEST)
    if own and not _is_only_the_name(own, parsed.path) and not _is_about_a_part(own, view):
        return own
    if parsed.sections:
        return _document_purpose(parsed)
    main = _main_symbol(view)
    if main is not None:
        documented = first_sentences(main.doc, LONGEST)
        return shortened(documented or _with_role(describe_in(view, main), main, parsed), LONGEST)
    role, definitions = _role(parsed), _definitions(view)
    between = ("; " if ":" in role else ": ") if definitions else "."
    return shortened(f"{role}{between}{definitions}{_used_modules(parsed)}", LONGEST)


def _is_only_the_name(sentence: str, path: str) -> bool:
    """Whether the sentence is only the file's own name."""
    stem = path.rsplit("/", 1)[-1].lower()
    return sentence.rstrip(".").lower() in {stem, stem.rsplit(".", 1)[0], path.lower()}


def _is_about_a_part(sentence: str, view: SummaryView) -> bool:
    """Whether it is the comment of the first import or variable: starts with its name, or follows an import."""
    first = sentence.partition(" ")[0]
    symbol = view.named(first)
    if (symbol is not None and symbol.kind not in CONTAINERS) or _CAMEL.fullmatch(first):
        return True
    imports = view.parsed.imports
    if not imports or view.parsed.sections:
        return False
    opening = view.parsed.doc.strip().partition("\n")[0].strip()
    at = view.source.text.find(opening)
    line = view.source.text.count("\n", 0, at) + 1 if at >= 0 else 0
    return line > min(imported.line for imported in imports) or first in {imported.name for imported in imports}


def _document_purpose(parsed: Parsed) -> str:
    titles = list(dict.fromkeys(section.title.split(" > ")[-1] for section in parsed.sections if section.title.strip()))
    if not titles:
        return f"{display_name(parsed.language) or 'Text'} file about {_subject(parsed)}."
    return shortened(f"{_role(parsed)}: {listing(first_few(titles, _MOST_NAMES))}.", LONGEST)


def _main_symbol(view: SummaryView) -> Symbol | None:
    """The main class or function: the only one, or a documented one with the file's name."""
    top = [symbol for symbol in view.top if not is_private(symbol, view.parsed)]
    classes = [symbol for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol for symbol in top if symbol.kind in {"function", "method"}]
    if len(classes) == 1 and len(functions) <= 2:
        return classes[0]
    if not classes and len(functions) == 1:
        return functions[0]
    stem = "".join(raw_words(stem_of(view.parsed.path)))
    named = [
        symbol
        for symbol in (*classes, *functions)
        if "".join(raw_words(symbol.name)) == stem and first_sentence(symbol.doc)
    ]
    return named[0] if named else None


def is_private(symbol: Symbol, parsed: Parsed) -> bool:
    """By the conventions of the language: an underscore, or in Go a lower-case letter."""
    if symbol.name.startswith(("_", "#")):
        return True
    return parsed.language == "go" and symbol.name[:1].islower() and symbol.name != "main"


def _with_role(description: str, main: Symbol, parsed: Parsed) -> str:
    """The description with the kind of thing that its folder contains: an event, a migration."""
    name = phrase(main.name)
    rest = description[len(name) :] if description.lower().startswith(name.lower()) else None
    rest = "." if rest == f" {main.kind}." else rest
    role = _known_role(parsed.path)
    if role and rest is not None and raw_words(main.name)[-1:] == raw_words(role.partition(":")[0])[-1:]:
        return _role(parsed) + rest
    label = patterns().folders.get(parsed.path.lower().rpartition("/")[0].rpartition("/")[2], "")
    if not label or rest is None or label.lower() in description.lower():
        return description
    return f"{label}: {name}{rest}"


def _role(parsed: Parsed) -> str:
    """What kind of file it is, and about what."""
    known_role, subject = _known_role(parsed.path), _subject(parsed)
    folder = _folder(parsed) if _is_general(parsed.path) else ""
    if known_role:
        about = folder or subject
        return known_role.replace("{about}", about) if about else re.split(r":| of ", known_role)[0]
    title = " ".join(dict.fromkeys(f"{folder} {subject}".split()))
    return f"{title[:1].upper()}{title[1:]}" if title else f"{display_name(parsed.language) or 'Text'} file"


def _known_role(path: str) -> str:
    if is_test_path(path):
        return "Tests of {about}"
    lower = f"/{path.lower()}"
    name = lower.rpartition("/")[2]
    for place, role in patterns().roles.items():
        folder, numbered = place.rstrip("#"), place.endswith("#")
        if name == place or (folder.endswith("/") and f"/{folder}" in lower and (not numbered or _NUMBER.search(name))):
            return role
    return ""


def _subject(parsed: Parsed) -> str:
    """What the file's name is about, or its folder's if the name says nothing."""
    return _informative_words(stem_of(parsed.path)) or _folder(parsed) or phrase(stem_of(parsed.path))


def _is_general(path: str) -> bool:
    return "_".join(raw_words(stem_of(path))) in words().general_stems


def _folder(parsed: Parsed) -> str:
    """The words of the nearest folder with an informative name."""
    return next(filter(None, map(_informative_words, reversed(parsed.path.split("/")[:-1]))), "")


def _informative_words(name: str) -> str:
    """The words of a name without test words. "" if they say nothing."""
    pairs = [
        (raw, plain) for raw, plain in zip(raw_words(name), plain_words(name), strict=True) if raw not in _TEST_WORDS
    ]
    pairs = [(raw, plain) for raw, plain in pairs if not raw.isdecimal()]
    if {raw for raw, _ in pairs} <= words().empty_stems:
        return ""
    return " ".join(plain for _, plain in pairs)


def _definitions(view: SummaryView) -> str:
    """Its classes and what its functions do, preferring public ones."""
    public = [symbol for symbol in view.top if not is_private(symbol, view.parsed)]
    top = public if any(symbol.kind not in {"constant", "type"} for symbol in public) else view.top
    classes = [symbol.name for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol for symbol in top if symbol.kind in {"function", "method", "macro"}]
    tests = [" ".join(plain_words(symbol.name)[1:]) for symbol in functions if raw_words(symbol.name)[:1] == ("test",)]
    tests = [test for test in tests if test] or _titles(view)
    others = [symbol for symbol in functions if raw_words(symbol.name)[:1] != ("test",)]
    doings = list(dict.fromkeys(filter(None, (action(symbol.name, finite=False) for symbol in others))))
    parts: list[str] = []
    if classes:
        parts.append(f"defines {listing(first_few(classes, _MOST_CLASSES))}")
    if tests:
        parts.append(f"checks {listing(first_few(tests, _MOST_FUNCTIONS))}")
    elif doings and 2 * len(doings) >= len(others):
        parts.append(f"functions to {listing(first_few(doings, _MOST_FUNCTIONS))}")
    elif others:
        parts.append(f"functions {listing(first_few([symbol.name for symbol in others], _MOST_FUNCTIONS))}")
    return f"{'; '.join(parts)}." if parts else _minor_definitions(view)


def _titles(view: SummaryView) -> list[str]:
    """Titles of tests written as calls: `it("answers 404", …)`."""
    if not is_test_path(view.parsed.path):
        return []
    titles = [
        (title[1], title[3]) for title in _TITLE.finditer(view.source.text[:_READ]) if title[3] == title[3].strip()
    ]
    cases = [title for kind, title in titles if kind not in {"describe", "context"}]
    return list(dict.fromkeys(cases or [title for _, title in titles]))


def _minor_definitions(view: SummaryView) -> str:
    """For a file without classes and functions."""
    constants = [symbol.name for symbol in view.top if symbol.kind in {"constant", "type", "module"}]
    if constants:
        return f"defines {listing(first_few(constants, _MOST_NAMES))}."
    named = (imported for imported in view.parsed.imports if imported.name not in {"", "*"})
    imported_names = list(dict.fromkeys(imported.alias or imported.name for imported in named))
    if imported_names:
        return f"brings together {listing(first_few(imported_names, _MOST_NAMES))}."
    called = list(dict.fromkeys(call.name for call in view.parsed.calls if _WORD.match(call.name)))
    return f"calls {listing(first_few(called, _MOST_NAMES))}." if called else ""


def _used_modules(parsed: Parsed) -> str:
    """External modules that it uses, without the standard library."""
    modules = dict.fromkeys(
        imported.module for imported in parsed.imports if imported.module and not imported.module.startswith(".")
    )
    plain = [module.strip("<>\"'") for module in modules if not _is_standard(module, parsed.language)]
    return f" Uses {listing(first_few(plain, _MOST_MODULES))}." if plain else ""


def _is_standard(module: str, language: str) -> bool:
    if language == "python":
        return module.partition(".")[0] in sys.stdlib_module_names
    if language == "go":
        return "." not in module.partition("/")[0]
    return module.startswith(patterns().standard.get(language, ("\0",)))
