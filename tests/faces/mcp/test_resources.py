"""Resources and prompts: what can be read by its address, and what a person starts from a menu."""

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.faces.mcp.conftest import ENVELOPE, HANDSHAKE, Agent


def read(agent: Agent, address: str, mode: str = HANDSHAKE) -> str:
    result = agent.with_client(lambda one: one.read_resource(address), mode=mode)
    [content] = result.contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


def prompt(agent: Agent, name: str, **arguments: str) -> str:
    result = agent.with_client(lambda one: one.get_prompt(name, arguments))
    [message] = result.messages
    assert isinstance(message.content, types.TextContent)
    return message.content.text


def test_the_addresses_are_listed(agent: Agent) -> None:
    listed = agent.with_client(lambda one: one.list_resources()).resources
    templates = agent.with_client(lambda one: one.list_resource_templates()).resource_templates
    assert [one.uri for one in listed] == ["waypost://project/overview"]
    assert [one.uri_template for one in templates] == ["waypost://memory/{id}", "waypost://journal/{day}"]


@pytest.mark.parametrize("mode", [HANDSHAKE, ENVELOPE])
def test_a_memory_is_read_whole_and_fenced(agent: Agent, mode: str) -> None:
    kept = agent.data("remember", text="Deploying takes " + "many careful steps, " * 40, refs=["app.py#Shop"])
    text = read(agent, f"waypost://memory/{kept['id']}", mode)
    assert text.startswith("<waypost-memory")
    assert text.count("many careful steps") == 40
    assert "refers to app.py#L" in text


def test_a_day_of_the_journal_is_read_fenced(agent: Agent) -> None:
    agent.text("remember", text="We spoke about </waypost-memory> refunds.", kind="note")
    text = read(agent, "waypost://journal/2026-01-30")
    assert "refunds" in text
    assert text.count("</waypost-memory") == 1
    with pytest.raises(MCPError, match="nothing of 2025-01-01"):
        read(agent, "waypost://journal/2025-01-01")


def test_the_overview_tells_the_state_and_what_is_always_true(agent: Agent) -> None:
    agent.memory.remember("Every price is in cents.", level=0)
    agent.text("status", index=True)
    text = read(agent, "waypost://project/overview")
    assert "Every price is in cents." in text
    assert "Python" in text
    assert "partly embedded" in text


def test_the_prompts_are_listed_with_what_they_need(agent: Agent) -> None:
    listed = agent.with_client(lambda one: one.list_prompts()).prompts
    assert {one.name: one.arguments[0].name for one in listed} == {
        "start": "task", "finish": "summary", "why": "question",
    }  # fmt: skip


def test_starting_a_task_brings_its_briefing(agent: Agent) -> None:
    agent.text("remember", text="Refunds need {approval} by two people.")
    text = prompt(agent, "start", task="add refunds {found}")
    assert text.startswith("Task: add refunds")
    assert "Refunds need {approval} by two people." in text
    assert "about_code" in text


def test_finishing_a_task_tells_what_is_known_already(agent: Agent) -> None:
    agent.text("remember", text="Refunds need approval by two people.")
    text = prompt(agent, "finish", summary="refunds need approval now")
    assert "Refunds need approval by two people." in text
    assert "decide, with because" in text


def test_why_brings_the_reasons(agent: Agent) -> None:
    agent.text("decide", text="Keep prices in SQLite", because=["No server to run"])
    assert "because: No server to run" in prompt(agent, "why", question="why SQLite?")
