"""The speaker's role by name."""

import pytest

from waypost.journal.roles import role_of


@pytest.mark.parametrize("name", ["user", "Benutzer", "пользователь", "Ich", "Raimund", "Mel", "Ольга Петровна", "  "])
def test_people_and_unknown_names_are_persons(name: str) -> None:
    assert role_of(name, "conversation") == "person"


@pytest.mark.parametrize("name", ["assistant", "Crowdbot", "Claude Code", "Assistent", "Бот", "helpdesk-bot", "KI"])
def test_assistants_are_known_in_three_languages(name: str) -> None:
    assert role_of(name, "conversation") == "assistant"


@pytest.mark.parametrize("name", ["tool", "function", "web_search", "System", "Werkzeug", "инструмент", "tool: search"])
def test_tools_are_known(name: str) -> None:
    assert role_of(name, "conversation") == "tool"


def test_without_a_speaker_the_result_of_a_workflow_is_an_assistants() -> None:
    assert role_of(None, "workflow_result") == "assistant"
    assert role_of(None, "note") == "person"
    assert role_of(None, "preference") == "person"
