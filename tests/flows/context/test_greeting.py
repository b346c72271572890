"""The greeting at the start of a session: what people stated, and little else."""

from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.flows.context.greeting import greeting
from waypost.memory import Memory
from waypost.model.memory import Caller


@pytest.fixture
def person(tree: Path, memory: Memory) -> Memory:
    write_file(tree, "pyproject.toml", '[project]\nname = "shop"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    write_file(tree, "LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person\n")
    memory.index(facts=True)
    return Memory.open(tree, caller=Caller("person", "ada"))


def greet(memory: Memory) -> list[str]:
    text, _ = greeting(memory.space, memory._handle.view("all", None, None), lambda _: False, resumed=False)
    return text.splitlines()


def test_rules_preferences_decisions_and_pitfalls_of_people_are_there(person: Memory) -> None:
    person.remember("Never log a password.", kind="constraint")
    person.remember("Answer briefly.", kind="preference")
    person.remember("The test database keeps rows between runs.", kind="learning")
    person.decide("We stay on one database", because=["Nobody wants to run two"])
    told = greet(person)
    assert told.index("## Rules") < told.index("## Preferences") < told.index("## Facts and decisions")
    for text in ("Never log a password.", "Answer briefly.", "The test database keeps rows"):
        assert any(text in line for line in told)
    (decision,) = [line for line in told if "one database" in line]
    assert "Reason: Nobody wants to run two" in decision


def test_what_only_some_tasks_need_comes_with_their_prompt(person: Memory) -> None:
    """First facts about the project, which an agent sees in its files, and facts without a rule."""
    person.remember("Invoices go out on Mondays.")
    assert [line for line in greet(person) if line.startswith("- ")] == []


def test_an_indexed_project_without_rules_has_no_greeting(person: Memory) -> None:
    assert greet(person) == []


def test_open_work_has_a_heading_of_its_own(person: Memory) -> None:
    person.remember("TODO: move the exporter to the worker")
    told = greet(person)
    assert "move the exporter" in told[told.index("## Open work") + 1]


def test_stale_memories_are_there_to_check_first(tree: Path, memory: Memory, person: Memory) -> None:
    memory.remember("check_password ignores case.", refs=["shop/auth.py#check_password"])
    path = tree / "shop/auth.py"
    path.write_text(path.read_text().replace("return user is not None", "print(name)\n    return user is not None"))
    memory.code.stale(check=True)
    told = greet(person)
    line = told[told.index("## Check first: stale") + 1]
    assert "ignores case" in line
    assert "[stale: " in line
