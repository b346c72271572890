"""JSON answers from a language model, checked and requested a second time if unusable."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from waypost.errors import LlmUnusable
from waypost.llm.prompt import quoted
from waypost.llm.protocol import Completion, Llm, Prompt

T = TypeVar("T")
_OPENING = re.compile(r"[{\[]")
_RETRY = "\n\nYour last answer could not be used: {problem}. Answer again, with the JSON alone."


def complete_json(llm: Llm, prompt: Prompt, check: Callable[[Any], T], *, max_tokens: int) -> T:
    """The result of `check` on the answer. `check` raises `ValueError` with a reason if it cannot use the answer."""
    problem, question = "", prompt
    for _ in range(2):
        completion = llm.complete(question, max_tokens=max_tokens, as_json=True)
        try:
            return check(_parse(completion))
        except ValueError as error:
            problem = str(error)
            question = prompt.append(_RETRY.format(problem=quoted(problem)))
    raise LlmUnusable(
        f"The language model {llm.name} gave two unusable answers ({quoted(problem)}).",
        "Use a larger model, or one that supports JSON output.",
    )


def _parse(completion: Completion) -> Any:
    """The first JSON value in the answer. Models often put text and code fences around it."""
    opening = _OPENING.search(completion.text)
    if opening is None:
        raise ValueError("it has no JSON")
    try:
        value, _ = json.JSONDecoder().raw_decode(completion.text, opening.start())
    except (ValueError, RecursionError) as error:
        if completion.cut:
            raise ValueError("it was too long and ended in the middle; be shorter") from error
        raise ValueError("it is not valid JSON") from error
    return value
