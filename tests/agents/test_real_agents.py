"""Claude Code itself, with one prompt: it connects, is briefed, gets text, and its session is kept once.

`make agents` runs every agent through far more. Without npm or the package, this is skipped.
"""

from pathlib import Path

import pytest
from tests.agents.packages import Unavailable, install, node_folder, real_agents
from tests.agents.scenarios import Trial
from tests.agents.scripted_model import Offered, ScriptedModel, next_step


@pytest.mark.slow
def test_claude_code_is_briefed_gets_text_and_is_kept_once(tmp_path: Path) -> None:
    agent = real_agents()["claude-code"]
    try:
        install(agent, seconds=60)
        node_folder()
    except Unavailable as error:
        pytest.skip(f"Claude Code can't be installed: {error}")
    with ScriptedModel() as model:
        trial = Trial(tmp_path / "agent", agent, model)
        trial.first_session()
    assert [check for check in trial.report.checks if check.passed is False] == []
    assert {check.name for check in trial.report.checks if check.passed} >= {
        "connected",
        "briefing at the start",
        "briefing at a prompt",
        "recall, as text in its fence",
        "transcript kept once",
        "secrets masked",
    }


def test_every_agent_has_a_pinned_version_and_a_program() -> None:
    for agent in real_agents().values():
        assert agent.package.rpartition("@")[2].count(".") == 2
        assert agent.path.parts[-3:-1] == ("node_modules", ".bin")


def test_the_model_does_what_the_prompt_says() -> None:
    tools = [Offered("Read"), Offered("recall", "mcp__waypost"), Offered("total_recall")]
    prompt = 'Look. [[call recall {"question": "why?"}]] [[call Read {"path": "a"}]] [[say Done now.]]'
    first, second, last = (next_step(prompt, results, tools) for results in range(3))
    assert (first.tool, first.arguments) == ("mcp__waypost__recall", {"question": "why?"})
    assert (second.tool, last.text) == ("Read", "Done now.")
    assert next_step("[[call Edit {}]]", 0, tools).text == "No tool is called Edit."
