"""What a briefing shows and what it leaves out."""

from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.memory import Memory
from waypost.model.memory import Caller

TASK = "compare the password with the stored hash"


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


@pytest.fixture
def person(indexed: Memory, tree: Path) -> Memory:
    return Memory.open(tree, caller=Caller("person", "ada"))


def test_the_code_to_open_is_named_once_with_symbol_parameters_line_and_test(indexed: Memory) -> None:
    told = indexed.brief(TASK)
    (line,) = [line for line in lines(told.text) if "shop/auth.py" in line]
    assert line.startswith("- shop/auth.py: check_password(name, password) 6")
    assert line.endswith("; tests: tests/test_auth.py")
    assert any(hit.name == "check_password" for hit in told.memories)


def test_first_facts_about_a_project_are_left_out_of_other_tasks(tree: Path, indexed: Memory) -> None:
    write_file(tree, "LICENSE", "MIT License\n\nPermission is hereby granted, free of charge, to any person\n")
    indexed.index(facts=True)
    assert any(row["source"] == "extractor" for row in indexed.list(level=0))
    assert not [hit for hit in indexed.brief(TASK).memories if hit.source == "extractor"]


def test_a_decision_comes_with_its_reason_on_one_line(person: Memory) -> None:
    person.decide("Passwords are compared in constant time", because=["An attacker measured the answers"])
    told = [line for line in lines(person.brief(TASK).text) if "constant time" in line]
    assert len(told) == 1
    assert "Reason: An attacker measured the answers" in told[0]


def test_a_reason_brings_its_decision(person: Memory) -> None:
    person.decide("Argon2 replaces bcrypt", because=["The stored hash of a password was compared too fast"])
    (told,) = [line for line in lines(person.brief(TASK).text) if "Argon2" in line]
    assert "compared too fast" in told


def test_a_memory_pinned_to_a_symbol_to_open_is_shown_with_its_stale_mark(
    tree: Path, indexed: Memory, person: Memory
) -> None:
    person.remember("Beware of the umlauts.", kind="fix", refs=["shop/auth.py#check_password"])
    for number in range(60):  # recall alone would not reach it
        person.remember(f"The stored hash number {number} of a password is compared nightly.", kind="note")
    assert any("umlauts" in line for line in lines(indexed.brief(TASK).text))
    path = tree / "shop/auth.py"
    path.write_text(path.read_text().replace("return user is not None", "print(name)\n    return user is not None"))
    (line,) = [line for line in lines(indexed.brief(TASK).text) if "umlauts" in line]
    assert "[stale: " in line


def test_what_is_not_useful_is_left_out_however_much_room_there_is(person: Memory) -> None:
    person.remember("The cafeteria closes at three.")
    told = person.brief("zzz qqq xxx", 100_000)
    assert (told.text, told.memories, told.tokens) == ("", (), 0)
    assert told.explanation.startswith("No memory matches this.")


@pytest.mark.parametrize(
    ("task", "rules", "code"),
    [
        (TASK, "## Rules", "## Code to open"),
        ("vergleiche das Passwort mit dem gespeicherten Hash in check_password", "## Regeln", "## Code zum Öffnen"),
        ("сравнить пароль с сохранённым хешем в check_password", "## Правила", "## Какой код открыть"),
    ],
)
def test_headings_are_in_the_language_of_the_task(person: Memory, task: str, rules: str, code: str) -> None:
    person.remember("Secrets never reach a log.", level=0)
    told = person.brief(task).text.splitlines()
    assert rules in told
    assert code in told


def test_people_s_rules_and_matching_preferences_come_first(indexed: Memory, person: Memory) -> None:
    indexed.remember("Agents may restart the worker.", level=0)
    person.remember("Secrets never reach a log.", level=0)
    indexed.remember("Releases are announced in the morning.", level=0)
    told = lines(person.brief("bake bread").text)
    assert "Secrets" in told[0]


def test_a_table_stands_for_its_migrations(tree: Path, memory: Memory) -> None:
    migration = (
        "<?php\nreturn new class extends Migration {\n    public function up(): void {\n"
        "        Schema::create('customers', function (Blueprint $table) {\n"
        "            $table->id();\n            $table->string('email');\n        });\n    }\n};\n"
    )
    write_file(tree, "database/migrations/2026_01_01_000000_create_customers_table.php", migration)
    memory.index()
    told = [line for line in lines(memory.brief("add a column to the customers table").text) if "migrations" in line]
    assert len(told) == 1
    assert "table customers(id, email)" in told[0]
    assert "up()" not in told[0]


def test_dna_is_a_field_of_its_own(memory: Memory) -> None:
    assert memory.brief("anything").to_json()["dna"] is None
    folder = memory.space.journal.root
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "DNA.md").write_text("You are calm and exact.")
    for preset in (None, "scope", "route", "inject", "journal"):
        assert memory.brief("anything", preset=preset).to_json()["dna"] == "You are calm and exact."
