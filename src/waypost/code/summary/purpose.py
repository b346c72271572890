"""What a file is for: its own documentation, else what it defines and uses."""

import re
import sys

from waypost.code.files.languages import display_name, is_test_path
from waypost.code.source import CONTAINERS, Parsed, Symbol
from waypost.code.summary.line import listing
from waypost.code.summary.sentences import first_sentence, first_sentences
from waypost.code.summary.view import SummaryView, stem_of
from waypost.code.summary.words import words
from waypost.text.identifiers import identifier_parts

LONGEST = 320
_MOST_NAMES = 8
_MOST_MODULES = 4
_READ = 20_000  # characters of a test file searched for titles
_CAMEL = re.compile(r"[a-z]+[A-Z]\w*")
_TITLE = re.compile(r"\b(describe|context|it|test|specify)\b[\s(]{1,9}([\"'`])([^\"'`\n]{3,80})\2")


def purpose(view: SummaryView) -> str:
    """The file's own description, else a list of its contents. Never empty."""
    return own_description(view) or _contents(view)


def own_description(view: SummaryView) -> str:
    """What the author says about the file or its main symbol, or ""."""
    parsed = view.parsed
    own = first_sentences(parsed.doc, LONGEST)
    if own and not _is_only_the_name(own, parsed.path) and not _is_about_a_part(own, view):
        return own
    main = None if parsed.sections else _main_symbol(view)
    return first_sentences(main.doc, LONGEST) if main is not None else ""


def _contents(view: SummaryView) -> str:
    parsed = view.parsed
    if parsed.sections:
        titles = dict.fromkeys(section.title.split(" > ")[-1] for section in parsed.sections if section.title.strip())
        text = _named("sections", list(titles))
    else:
        text = "; ".join(filter(None, (*_definitions(view), _named("uses", _used_modules(parsed), _MOST_MODULES))))
    text = text or f"{display_name(parsed.language) or 'text'} file"
    return f"{text[:1].upper()}{text[1:]}."


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


def _main_symbol(view: SummaryView) -> Symbol | None:
    """The main class or function: the only one, or a documented one with the file's name."""
    top = [symbol for symbol in view.top if not _is_private(symbol, view.parsed)]
    classes = [symbol for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol for symbol in top if symbol.kind in {"function", "method"}]
    if len(classes) == 1 and len(functions) <= 2:
        return classes[0]
    if not classes and len(functions) == 1:
        return functions[0]
    stem = _letters(stem_of(view.parsed.path))
    return next(
        (symbol for symbol in (*classes, *functions) if _letters(symbol.name) == stem and first_sentence(symbol.doc)),
        None,
    )


def _letters(name: str) -> str:
    return "".join(identifier_parts(name)).lower()


def _is_private(symbol: Symbol, parsed: Parsed) -> bool:
    """By the conventions of the language: an underscore, or in Go a lower-case letter."""
    if symbol.name.startswith(("_", "#")):
        return True
    return parsed.language == "go" and symbol.name[:1].islower() and symbol.name != "main"


def _definitions(view: SummaryView) -> list[str]:
    """Its classes and functions by name, preferring public ones; of tests, their titles."""
    public = [symbol for symbol in view.top if not _is_private(symbol, view.parsed)]
    top = public if any(symbol.kind not in {"constant", "type"} for symbol in public) else view.top
    classes = [symbol.name for symbol in top if symbol.kind in CONTAINERS and symbol.kind != "module"]
    functions = [symbol.name for symbol in top if symbol.kind in {"function", "method", "macro"}]
    parts = [
        _named("defines", classes),
        _named("functions", functions),
        _named("tests", _titles(view) if not functions else []),
    ]
    if not any(parts):
        others = [symbol.name for symbol in view.top if symbol.kind in {"constant", "type", "module"}]
        parts = [_named("defines", others) or _named("brings together", _imported_names(view.parsed))]
    return parts


def _titles(view: SummaryView) -> list[str]:
    """Titles of tests written as calls: `it("answers 404", …)`."""
    if not is_test_path(view.parsed.path):
        return []
    titles = [
        (title[1], title[3]) for title in _TITLE.finditer(view.source.text[:_READ]) if title[3] == title[3].strip()
    ]
    cases = [title for kind, title in titles if kind not in {"describe", "context"}]
    return list(dict.fromkeys(cases or [title for _, title in titles]))


def _imported_names(parsed: Parsed) -> list[str]:
    named = (imported for imported in parsed.imports if imported.name not in {"", "*"})
    return list(dict.fromkeys(imported.alias or imported.name for imported in named))


def _used_modules(parsed: Parsed) -> list[str]:
    """External modules that it uses, without the standard library."""
    modules = dict.fromkeys(
        imported.module for imported in parsed.imports if imported.module and not imported.module.startswith(".")
    )
    return [module.strip("<>\"'") for module in modules if not _is_standard(module, parsed.language)]


def _named(label: str, names: list[str], most: int = _MOST_NAMES) -> str:
    return f"{label} {listing(list(dict.fromkeys(names)), most)}" if names else ""


def _is_standard(module: str, language: str) -> bool:
    if language == "python":
        return module.partition(".")[0] in sys.stdlib_module_names
    if language == "go":
        return "." not in module.partition("/")[0]
    return module.startswith(words().standard.get(language, ("\0",)))
