"""The summary of a file by a language model: what it is asked, and what of its answer is taken."""

from collections.abc import Mapping
from typing import Any

from waypost.code.files.languages import display_name
from waypost.code.source import Parsed, SourceFile
from waypost.code.summary.build import Described, Summary, chosen
from waypost.code.summary.sentences import shortened

LONGEST_PURPOSE = 400
LONGEST_LINE = 240
_MOST_SIGNATURE = 160
_CHARACTERS_PER_TOKEN = 3  # of code; what is still too long is cut again when it is sent


def summary_prompt(source: SourceFile, parsed: Parsed, budget: int) -> dict[str, str]:
    """What fills the places of the prompt `summary`; the source is cut to about `budget` tokens."""
    classes, functions, _, _ = chosen(parsed)
    symbols = sorted([*classes, *functions], key=lambda symbol: symbol.first_line)
    outline = [f"{one.qualified} ({one.kind}): {shortened(one.signature, _MOST_SIGNATURE)}" for one in symbols]
    return {
        "path": parsed.path,
        "language": display_name(parsed.language) or "an unknown language",
        "outline": "\n".join(outline) or "(none)",
        "source": source.text[: max(0, budget) * _CHARACTERS_PER_TOKEN],
    }


def summary_from_json(answer: Any, parsed: Parsed, otherwise: Summary | None = None) -> Summary:
    """What the answer says about this file and about symbols that it has; anything else in it is dropped.

    What it does not describe is taken from `otherwise`. Raises `ValueError` when the answer has not the form asked for.
    """
    if not isinstance(answer, Mapping):
        raise ValueError("the answer must be one JSON object")  # noqa: TRY004 - it is the model's mistake
    purpose, symbols = answer.get("purpose"), answer.get("symbols", {})
    if not isinstance(purpose, str) or not purpose.strip():
        raise ValueError('"purpose" must be a sentence')
    if not isinstance(symbols, Mapping):
        raise ValueError('"symbols" must be an object of names and sentences')  # noqa: TRY004
    said = {name: _line(text, LONGEST_LINE) for name, text in symbols.items() if isinstance(text, str) and text.strip()}
    if otherwise is not None:
        known = {one.name: one.text for one in (*otherwise.classes, *otherwise.functions)}
        said = {**known, **said}
    classes, functions, sections, left_out = chosen(parsed)
    return Summary(
        parsed.path,
        _line(purpose, LONGEST_PURPOSE),
        tuple(Described(one.qualified, said[one.qualified]) for one in classes if one.qualified in said),
        tuple(Described(one.qualified, said[one.qualified]) for one in functions if one.qualified in said),
        sections,
        left_out,
    )


def _line(text: str, most: int) -> str:
    """On one line, without what a terminal would act on."""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * most]).split())
    return shortened(words, most)
