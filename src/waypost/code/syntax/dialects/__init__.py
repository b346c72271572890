"""Dialects: what the query of a language cannot say, one module per language or family."""

from collections.abc import Callable
from dataclasses import dataclass

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.text import Captures


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language differs from what holds for most."""

    # Completes or corrects a definition; False drops it.
    refine: Callable[[Definition, SyntaxCaptures], bool] = lambda definition, found: True  # noqa: ARG005
    # Hides what the grammar trips over, in text of the same length; used when the file does not parse as it is.
    mask: Callable[[bytes], bytes] | None = None
    # The kind of a symbol when its decorators say it.
    kind: Callable[[str, tuple[str, ...]], str] | None = None
    # Looks at all definitions together, after each was refined.
    finish: Callable[[list[Definition], SyntaxCaptures], list[Definition]] | None = None
    # The imports of one match, where its captures alone do not say them.
    imports: Callable[[Captures, SyntaxCaptures], list[Import]] | None = None
    # The documentation and package of the file, where they are no comment and no capture.
    file_doc: Callable[[SyntaxCaptures], str] | None = None
    rescue: bool = True  # whether definitions inside of errors are looked for by the patterns of the language
