"""Level, domain and lifetime of a fact by its words."""

import pytest

from waypost.memory import Memory


def test_a_rule_about_the_whole_project_is_level_0_and_a_plain_fact_is_not(memory: Memory) -> None:
    text = "The project never ships debug symbols."
    assert memory.facts.infer_place(text, "constraint")["level"] == 0
    assert memory.facts.infer_place(text)["level"] == 1


@pytest.mark.parametrize(("refs", "level"), [([], 2), (["app.py"], 3)])
def test_code_needs_a_reference_to_be_level_3(memory: Memory, refs: list[str], level: int) -> None:
    assert memory.facts.infer_place("`parse_line()` returns None at the end", refs=refs)["level"] == level


@pytest.mark.parametrize(
    "text", ["Billing rounds to cents.", "In billing wird auf Cent gerundet.", "В billing суммы округляются до центов."]
)
def test_the_domain_is_one_that_facts_have_and_the_text_names(memory: Memory, text: str) -> None:
    assert "domain" not in memory.facts.infer_place(text)
    memory.remember("Invoices are numbered by year.", domain="billing")
    memory.admin.embed_pending()
    assert memory.facts.infer_place(text)["domain"] == "billing"


def test_what_is_temporary_expires_and_entries_of_the_journal_get_nothing(memory: Memory) -> None:
    text = "For now the cache is disabled."
    assert memory.facts.infer_place(text)["ttl"] == 14 * 86_400
    assert memory.facts.infer_place(text, "note") == {}
