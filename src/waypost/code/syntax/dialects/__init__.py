"""Dialects: what a language's query cannot express, one module per language or family."""

from collections.abc import Callable
from dataclasses import dataclass

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.text import Captures


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language differs from the default."""

    # Completes or corrects a definition; False drops it.
    refine: Callable[[Definition, SyntaxCaptures], bool] = lambda definition, syntax: True  # noqa: ARG005
    # Hides what the grammar cannot parse, keeping the length. Used only if the file has errors.
    mask: Callable[[bytes], bytes] | None = None
    # The kind of a symbol according to its decorators.
    kind: Callable[[str, tuple[str, ...]], str] | None = None
    # Processes all definitions after each was refined.
    finish: Callable[[list[Definition], SyntaxCaptures], list[Definition]] | None = None
    # The imports of one match, if its captures alone are not enough.
    imports: Callable[[Captures, SyntaxCaptures], list[Import]] | None = None
    # The file's documentation and package, if they are not comments or captures.
    file_doc: Callable[[SyntaxCaptures], str] | None = None
    rescue: bool = True  # whether line patterns search for definitions inside errors
