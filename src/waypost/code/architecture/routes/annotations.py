"""Annotations, decorators and attributes with their declarations, in seven languages.

`@Get("/x") show(…)`, `[HttpGet("x")] public Task<X> Get(…)`, `#[get("/x")] fn index(…)`,
`#[Route('/x')] public function`.
"""

from dataclasses import dataclass

from waypost.code.architecture.tokens import NAME, OTHER, TokenList

_CLASS_WORDS = frozenset(("class", "interface", "record", "object", "trait"))
_FUNCTION_WORD = {"python": "def", "rust": "fn", "php": "function", "kotlin": "fun"}
_MARK = {"rust": "#[", "php": "#[", "csharp": "["}
_PENDING_ENDS = frozenset((";", "}", "="))


@dataclass(frozen=True, slots=True)
class Annotation:
    name: str  # as written, dotted
    opening: int  # index of the bracket of its arguments, or -1
    at: int

    @property
    def last_name(self) -> str:
        return self.name.rpartition("\\")[2].rpartition(".")[2].rpartition("::")[2]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A class, or a function with annotations."""

    is_class: bool
    name: str
    annotations: tuple[Annotation, ...]
    at: int
    owner: "Declaration | None"

    def find_annotation(self, *names: str) -> Annotation | None:
        for annotation in self.annotations:
            if annotation.last_name in names:
                return annotation
        return None


def declarations(tokens: TokenList) -> list[Declaration]:
    """In text order. Functions without annotations are left out."""
    mark = _MARK.get(tokens.family, "@")
    word = _FUNCTION_WORD.get(tokens.family)
    results: list[Declaration] = []
    pending: list[Annotation] = []
    classes: list[tuple[Declaration, int]] = []
    at = 0
    while at < len(tokens):
        while classes and at > classes[-1][1]:
            classes.pop()
        after = _annotation(tokens, at, mark, pending)
        if after > at:
            at = after
            continue
        owner = classes[-1][0] if classes else None
        if tokens.kinds[at] == NAME:
            if _is_class(tokens, at):
                declared = Declaration(True, tokens.texts[at + 1], tuple(pending), at, owner)
                results.append(declared)
                pending = []
                classes.append((declared, _body_end(tokens, at)))
                at += 2
                continue
            if pending and _is_function(tokens, at, word):
                name = at + 1 if word else at
                results.append(Declaration(False, tokens.texts[name], tuple(pending), at, owner))
                pending = []
        elif pending and tokens.kinds[at] == OTHER and tokens.texts[at] in _PENDING_ENDS:
            pending = []
        at += 1
    return results


def _annotation(tokens: TokenList, at: int, mark: str, pending: list[Annotation]) -> int:
    """The index after the annotation that begins at `at`, or `at`."""
    if tokens.kinds[at] != OTHER:
        return at
    if mark == "@":
        if tokens.texts[at] == "@" and tokens.is_name(at + 1) and not tokens.is_name(at + 1, "interface"):
            annotation, at = _read_annotation(tokens, at + 1)
            pending.append(annotation)
        return at
    opening = at + len(mark) - 1
    if tokens.texts[at] != mark[0] or not tokens.is_other(opening, "[") or tokens.partner[opening] < 0:
        return at
    if mark == "[" and at and not (tokens.kinds[at - 1] == OTHER and tokens.texts[at - 1] in "{};]"):
        return at
    spans = tokens.arguments(opening)
    if not spans or not all(tokens.kinds[start] == NAME for start, _ in spans):
        return at
    pending.extend(_read_annotation(tokens, start)[0] for start, _ in spans)
    return tokens.partner[opening] + 1


def _read_annotation(tokens: TokenList, start: int) -> tuple[Annotation, int]:
    at = start
    while (tokens.is_other(at + 1, ".") or tokens.is_other(at + 1, "::")) and tokens.is_name(at + 2):
        at += 2
    opening = at + 1 if tokens.is_other(at + 1, "(") else -1
    end = tokens.partner[opening] + 1 if opening >= 0 and tokens.partner[opening] > 0 else at + 1
    return Annotation(tokens.source((start, at + 1)), opening, start), end


def _is_class(tokens: TokenList, at: int) -> bool:
    if tokens.texts[at] not in _CLASS_WORDS or not tokens.is_name(at + 1) or tokens.family == "rust":
        return False
    return not (at and tokens.texts[at - 1] in ("::", ".", "->", "@"))


def _is_function(tokens: TokenList, at: int, word: str | None) -> bool:
    if word is not None:
        return tokens.texts[at] == word and tokens.is_name(at + 1)
    if not tokens.is_other(at + 1, "("):
        return False
    return not (at and tokens.texts[at - 1] in (".", "new", "@", "("))


def _body_end(tokens: TokenList, at: int) -> int:
    """The last token of the class. The end of the text if there are no brackets (Python)."""
    if tokens.family == "python":
        return len(tokens)
    for place in range(at, min(len(tokens), at + 400)):
        if tokens.is_other(place, "{"):
            return tokens.partner[place] if tokens.partner[place] > 0 else len(tokens)
        if tokens.is_other(place, ";"):
            return place
    return at + 1
