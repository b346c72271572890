"""Answers in JSON: asked for, checked, asked for once more with what was wrong, then given up."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from waypost.errors import LlmUnusable
from waypost.llm.prompt import quoted
from waypost.llm.protocol import Completion, Llm, Prompt

T = TypeVar("T")
_OPENING = re.compile(r"[{\[]")
_AGAIN = "\n\nYour last answer could not be used: {problem}. Answer again, with the JSON alone."


def complete_json(llm: Llm, prompt: Prompt, check: Callable[[Any], T], *, max_tokens: int) -> T:
    """What `check` makes of the answer. `check` raises `ValueError` with a plain reason for an answer it cannot use."""
    problem, asked = "", prompt
    for _ in range(2):
        completion = llm.complete(asked, max_tokens=max_tokens, as_json=True)
        try:
            return check(_parsed(completion))
        except ValueError as error:
            problem = str(error)
            asked = prompt.and_then(_AGAIN.format(problem=quoted(problem)))
    raise LlmUnusable(
        f"The language model {llm.name} answered twice in a form that cannot be used ({quoted(problem)}).",
        "Use a larger model, or one that is made for JSON.",
    )


def _parsed(completion: Completion) -> Any:
    """The first JSON value in the answer: models put words and code fences around it."""
    opening = _OPENING.search(completion.text)
    if opening is None:
        raise ValueError("it holds no JSON")
    try:
        value, _ = json.JSONDecoder().raw_decode(completion.text, opening.start())
    except (ValueError, RecursionError) as error:
        if completion.cut:
            raise ValueError("it was too long and ended in the middle; be shorter") from error
        raise ValueError("it is no valid JSON") from error
    return value
