"""File summaries by a language model: the prompt values, and parsing of the answer."""

from collections.abc import Mapping
from typing import Any

from waypost.code.files.languages import display_name
from waypost.code.source import Parsed, SourceFile
from waypost.code.summary.build import Summary, SymbolSummary, summary_contents
from waypost.code.summary.sentences import shortened

LONGEST_PURPOSE = 400
LONGEST_LINE = 240
_MOST_SIGNATURE = 160
_CHARACTERS_PER_TOKEN = 3  # for code; longer prompts are cut again when sent


def summary_prompt(source: SourceFile, parsed: Parsed, budget: int) -> dict[str, str]:
    """Values for the prompt `summary`. The source is cut to about `budget` tokens."""
    classes, functions, _, _ = summary_contents(parsed)
    symbols = sorted([*classes, *functions], key=lambda symbol: symbol.first_line)
    outline = [
        f"{symbol.qualified} ({symbol.kind}): {shortened(symbol.signature, _MOST_SIGNATURE)}" for symbol in symbols
    ]
    return {
        "path": parsed.path,
        "language": display_name(parsed.language) or "an unknown language",
        "outline": "\n".join(outline) or "(none)",
        "source": source.text[: max(0, budget) * _CHARACTERS_PER_TOKEN],
    }


def summary_from_json(answer: Any, parsed: Parsed, otherwise: Summary | None = None) -> Summary:
    """The answer's text about this file and its existing symbols. Everything else is dropped.

    Missing descriptions come from `otherwise`. Raises `ValueError` if the answer has the wrong form.
    """
    if not isinstance(answer, Mapping):
        raise ValueError("the answer must be one JSON object")  # noqa: TRY004 - the model's mistake, not the caller's
    purpose, symbols = answer.get("purpose"), answer.get("symbols", {})
    if not isinstance(purpose, str) or not purpose.strip():
        raise ValueError('"purpose" must be a sentence')
    if not isinstance(symbols, Mapping):
        raise ValueError('"symbols" must be an object of names and sentences')  # noqa: TRY004
    texts = {
        name: _line(text, LONGEST_LINE) for name, text in symbols.items() if isinstance(text, str) and text.strip()
    }
    if otherwise is not None:
        fallback_texts = {line.name: line.text for line in (*otherwise.classes, *otherwise.functions)}
        texts = {**fallback_texts, **texts}
    classes, functions, sections, left_out = summary_contents(parsed)
    return Summary(
        parsed.path,
        _line(purpose, LONGEST_PURPOSE),
        tuple(SymbolSummary(name, texts[name]) for symbol in classes if (name := symbol.qualified) in texts),
        tuple(SymbolSummary(name, texts[name]) for symbol in functions if (name := symbol.qualified) in texts),
        sections,
        left_out,
    )


def _line(text: str, most: int) -> str:
    """On one line, without control characters."""
    words = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * most]).split())
    return shortened(words, most)
