"""Prompts are files; their places are filled with text of others, which stays data."""

from importlib.resources import files

import pytest

from waypost.llm.prompt import PromptTemplate, count_tokens, render, template
from waypost.llm.protocol import QuotedText

FILLED_BY_CALLERS = {
    "importance": {"utterances"},
    "journal_core": {"day", "question", "answer", "language"},
    "journal_files": {"files", "index", "question", "today"},
    "journal_merge": {"period", "language", "most", "points"},
    "journal_summary": {"period", "language", "entries"},
    "summary": {"path", "language", "outline", "source"},
}


def test_every_prompt_file_has_exactly_the_places_that_its_caller_fills() -> None:
    names = sorted(file.name.removesuffix(".md") for file in (files("waypost.llm") / "prompts").iterdir())
    assert {name: set(template(name).places) for name in names} == FILLED_BY_CALLERS
    assert all(template(name).system for name in names)


def test_a_place_alone_on_its_line_is_a_block_and_one_inside_a_line_a_quoted_value() -> None:
    prompt = PromptTemplate("s", 'File {{path}}:\n\n{{source}}\n\nJSON: {"a": 1}').fill(
        {"path": 'a"b\n{{source}}', "source": "x = '{{path}}'"}
    )
    assert prompt.parts == (
        "File ",
        '"a\\"b {{source}}"',
        ":\n\n",
        QuotedText("source", "x = '{{path}}'"),
        '\n\nJSON: {"a": 1}',
    )


@pytest.mark.parametrize("fields", [{}, {"path": ""}, {"path": "", "source": "", "more": ""}])
def test_a_place_left_open_or_a_field_without_a_place_is_a_mistake(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="takes"):
        PromptTemplate("s", "{{path}} and\n{{source}}").fill(fields)


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "слово " * 20_000, "a.b(c)\n" * 20_000, "汉字" * 30_000, "\n" * 90_000]
)
def test_whatever_the_text_the_rendered_prompt_fits_its_room(text: str) -> None:
    prompt = PromptTemplate("s", "{{one}}\n{{two}}").fill({"one": text, "two": text})
    _, user = render(prompt, 1000)
    assert 700 < count_tokens(user) <= 1000


@pytest.mark.slow
def test_a_secret_at_the_cut_is_masked_before_it_is_cut() -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    for before in range(20, 60):
        text = "word " * before + secret + " word" * 3000
        _, user = render(PromptTemplate("s", "{{source}}").fill({"source": text}), 200)
        assert secret[:8] not in user
