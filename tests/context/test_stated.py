"""Which messages state something for later work."""

import pytest

from waypost.context.stated import statement_cues


@pytest.mark.parametrize(
    "text",
    [
        "hm no, revert that. handlers must not write twice, we return early",
        "Kurz zum Stand: wir haben uns geeinigt, dass Blueprints keinen eigenen Ordner bekommen.",
        "кстати, логгер для аудита у нас называется flask.audit_trail",
        "found it, took me all afternoon: two clients share g",
    ],
)
def test_rules_decisions_and_pitfalls_have_cues(text: str) -> None:
    assert statement_cues(text) >= 1


@pytest.mark.parametrize(
    "text", ["Please fix the typo in the README.", "add a field amount", "Bau das bitte ein.", "сделай коммит"]
)
def test_requests_have_none(text: str) -> None:
    assert statement_cues(text) == 0


def test_questions_state_nothing() -> None:
    assert statement_cues("Where is it? Why must we never do that?") == 0
    assert statement_cues("Where is it? It must never be there.") > 0
