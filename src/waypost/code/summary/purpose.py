"""What a file is for: in its own words where it has any, else told by its place, its names and what it brings in."""

import re
import sys

from waypost.code.languages import display_name, is_test_path
from waypost.code.source import CONTAINERS, Parsed, Symbol
from waypost.code.summary.describe import describe_in
from waypost.code.summary.lexicon import patterns, words
from waypost.code.summary.names import action, listed, phrase, plain_words, raw_words, some
from waypost.code.summary.sentences import first_sentence, first_sentences, shortened
from waypost.code.summary.view import View

LONGEST = 320
_MOST_CLASSES = 5
_MOST_FUNCTIONS = 5
_MOST_NAMES = 6
_MOST_MODULES = 4
_TEST_WORDS = frozenset({"test", "tests", "spec", "specs"})
_WORD = re.compile(r"[^\W_]+")


def purpose(view: View) -> str:
    """One or two plain sentences, never empty."""
    parsed = view.parsed
    own = first_sentences(parsed.doc, LONGEST)
    if own and not _is_only_the_name(own, parsed.path):
        return own
    if parsed.sections:
        return _of_document(parsed)
    main = _main_symbol(view)
    if main is not None:
        return shortened(_with_role(first_sentences(main.doc, LONGEST) or describe_in(view, main), parsed), LONGEST)
    return shortened(f"{_role(parsed)}{_definitions(view)}{_used(parsed)}", LONGEST)


def _is_only_the_name(said: str, path: str) -> bool:
    """Many files begin with a comment that is their own name."""
    stem = path.rsplit("/", 1)[-1].lower()
    return said.rstrip(".").lower() in {stem, stem.rsplit(".", 1)[0], path.lower()}


def _of_document(parsed: Parsed) -> str:
    titles = list(dict.fromkeys(section.title.split(" > ")[-1] for section in parsed.sections if section.title.strip()))
    if not titles:
        return f"{display_name(parsed.language) or 'Text'} file about {_subject(parsed)}."
    return shortened(f"{_role(parsed)}: {listed(some(titles, _MOST_NAMES))}.", LONGEST)


def _main_symbol(view: View) -> Symbol | None:
    """The class or function that the file is there for: the only one, or a documented one with the file's name."""
    top = [symbol for symbol in view.top if not is_private(symbol, view.parsed)]
    classes = [symbol for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol for symbol in top if symbol.kind == "function"]
    if len(classes) == 1 and len(functions) <= 2:
        return classes[0]
    if not classes and len(functions) == 1:
        return functions[0]
    stem = "".join(raw_words(_stem(view.parsed.path)))
    named = [one for one in (*classes, *functions) if "".join(raw_words(one.name)) == stem and first_sentence(one.doc)]
    return named[0] if named else None


def is_private(symbol: Symbol, parsed: Parsed) -> bool:
    """By the habits of the language: an underscore, or in Go a small letter."""
    return symbol.name.startswith(("_", "#")) or (parsed.language == "go" and symbol.name[:1].islower())


def _with_role(said: str, parsed: Parsed) -> str:
    """What a test or a migration says of itself does not tell that it is one."""
    role = _known_role(parsed.path)
    if not role or role.split()[0].lower().rstrip("s") in said.lower():
        return said
    return f"{role}: {said}"


def _role(parsed: Parsed) -> str:
    """What sort of file it is, and about what."""
    known, subject = _known_role(parsed.path), _subject(parsed)
    if known == "Tests":
        return f"Tests of {subject}" if subject else "Tests"
    if known:
        about = _folder(parsed) if _is_general(parsed.path) else subject
        return f"{known} of {about}" if about and about not in known.lower() else known
    if _is_general(parsed.path):
        subject = " ".join(dict.fromkeys(f"{_folder(parsed)} {subject}".split()))
    return f"{subject[:1].upper()}{subject[1:]}" if subject else f"{display_name(parsed.language) or 'Text'} file"


def _known_role(path: str) -> str:
    lower = f"/{path.lower()}"
    name = lower.rsplit("/", 1)[-1]
    if is_test_path(path):
        return "Tests"
    for place, role in patterns().roles.items():
        if name == place or (place.endswith("/") and f"/{place}" in lower):
            return role
    return ""


def _subject(parsed: Parsed) -> str:
    """What the file's name is about; a name that says nothing gives way to the folder's."""
    return _telling(_stem(parsed.path)) or _folder(parsed) or phrase(_stem(parsed.path))


def _is_general(path: str) -> bool:
    return "_".join(raw_words(_stem(path))) in words().general_stems


def _folder(parsed: Parsed) -> str:
    """The words of the nearest folder whose name says something."""
    return next(filter(None, map(_telling, reversed(parsed.path.split("/")[:-1]))), "")


def _telling(name: str) -> str:
    """The words of a name, without those that only say that it is a test; "" when they say nothing."""
    raw = [word for word in raw_words(name) if word not in _TEST_WORDS and not word.isdecimal()]
    if not raw or set(raw) <= words().empty_stems:
        return ""
    return " ".join(word for word in plain_words(name) if word not in _TEST_WORDS and not word.isdecimal())


def _stem(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return name.split(".", 1)[0] if not name.startswith(".") else name[1:]


def _definitions(view: View) -> str:
    """Its classes and what its functions do; the public ones where there are any."""
    top = [symbol for symbol in view.top if not is_private(symbol, view.parsed)] or view.top
    classes = [symbol.name for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol for symbol in top if symbol.kind in {"function", "method", "macro"}]
    tests = [" ".join(plain_words(one.name)[1:]) for one in functions if raw_words(one.name)[:1] == ("test",)]
    tests = [test for test in tests if test]
    others = [one for one in functions if raw_words(one.name)[:1] != ("test",)]
    doings = list(dict.fromkeys(filter(None, (action(one.name, finite=False) for one in others))))
    parts: list[str] = []
    if classes:
        parts.append(f"defines {listed(some(classes, _MOST_CLASSES))}")
    if tests:
        parts.append(f"checks {listed(some(tests, _MOST_FUNCTIONS))}")
    elif doings and 2 * len(doings) >= len(others):
        parts.append(f"functions to {listed(some(doings, _MOST_FUNCTIONS))}")
    elif others:
        parts.append(f"functions {listed(some([one.name for one in others], _MOST_FUNCTIONS))}")
    return f": {'; '.join(parts)}." if parts else _small_things(view)


def _small_things(view: View) -> str:
    """Of a file without classes and functions."""
    constants = [symbol.name for symbol in view.top if symbol.kind in {"constant", "type", "module"}]
    if constants:
        return f": defines {listed(some(constants, _MOST_NAMES))}."
    brought = list(dict.fromkeys(one.alias or one.name for one in view.parsed.imports if one.name not in {"", "*"}))
    if brought:
        return f": brings together {listed(some(brought, _MOST_NAMES))}."
    called = list(dict.fromkeys(call.name for call in view.parsed.calls if _WORD.match(call.name)))
    return f": calls {listed(some(called, _MOST_NAMES))}." if called else "."


def _used(parsed: Parsed) -> str:
    """The modules of others that it uses, not those that come with the language."""
    modules = dict.fromkeys(one.module for one in parsed.imports if one.module and not one.module.startswith("."))
    plain = [module.strip("<>\"'") for module in modules if not _is_standard(module, parsed.language)]
    return f" Uses {listed(some(plain, _MOST_MODULES))}." if plain else ""


def _is_standard(module: str, language: str) -> bool:
    if language == "python":
        return module.partition(".")[0] in sys.stdlib_module_names
    if language == "go":
        return "." not in module.partition("/")[0]
    return module.startswith(patterns().standard.get(language, ("\0",)))
