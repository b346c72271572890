"""What files do, in words: by rules, by a language model, and when that one fails."""

import json
import os
from pathlib import Path

import pytest

from waypost.errors import LlmLimit, LlmUnusable
from waypost.llm.fake import FakeLlm
from waypost.memory import Memory

ANSWER = json.dumps({"purpose": "Guards the door.", "symbols": {"check_password": "Compares.", "invented": "Nothing."}})


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> FakeLlm:
    model = FakeLlm([ANSWER] * 50)
    monkeypatch.setattr("waypost.flows.index.summarize.open_llm", lambda _settings: model)
    return model


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, ns=(0, 5_000_000_000))


def test_every_file_is_described_once(indexed: Memory) -> None:
    done = indexed.code.summarize()
    assert (done.files, done.made, done.skipped, done.by_model) == (5, 5, 0, 0)
    assert (indexed.code.summarize().made, indexed.code.summarize(force=True).made) == (0, 5)
    assert len(indexed.list(kind="summary")) == 5


def test_a_description_answers_questions(indexed: Memory) -> None:
    indexed.code.summarize()
    hits = indexed.recall("who may come in", k=20)
    assert ("shop/auth.py", "summary") in {(hit.path, hit.kind) for hit in hits}


def test_a_changed_file_is_described_again(tree: Path, indexed: Memory) -> None:
    indexed.code.summarize()
    edit(tree / "shop/auth.py", "Who may come in.", "Who must stay out.")
    indexed.index()
    assert "Who must stay out." in indexed.code.summary("shop/auth.py")
    assert len(indexed.list(kind="summary")) == 5


def test_a_model_describes_better_and_invents_nothing(indexed: Memory, llm: FakeLlm) -> None:
    done = indexed.code.summarize("shop/auth.py")
    assert (done.made, done.by_model) == (1, 1)
    text = indexed.code.summary("shop/auth.py")
    assert "PURPOSE: Guards the door." in text
    assert "check_password: Compares." in text
    assert "invented" not in text
    assert indexed.list(kind="summary")[0]["metadata"]["made_by"] == llm.name


def test_a_model_that_fails_is_named_and_rules_step_in(
    indexed: Memory, monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise LlmUnusable("It answered in rhymes.", "Use another model.")

    monkeypatch.setattr("waypost.flows.index.summarize.complete_json", refuse)
    done = indexed.code.summarize("shop/auth.py")
    assert (done.made, done.by_model) == (1, 0)
    assert done.notices == ["Described by rules, because the model did not: It answered in rhymes."]
    assert "Who may come in." in indexed.code.summary("shop/auth.py")


def test_after_the_limit_of_a_run_the_model_is_not_asked_again(
    indexed: Memory, monkeypatch: pytest.MonkeyPatch, llm: FakeLlm
) -> None:
    asked = []

    def spent(*_: object, **__: object) -> object:
        asked.append(1)
        raise LlmLimit("The run may spend no more.", "Raise the limit.")

    monkeypatch.setattr("waypost.flows.index.summarize.complete_json", spent)
    assert indexed.code.summarize().made == 5
    assert len(asked) == 1


def test_no_secret_is_sent(tree: Path, indexed: Memory, llm: FakeLlm) -> None:
    (tree / "shop/keys.py").write_text(f'def connect():\n    password = "{"hunter2Xk9pQ"}"\n    return password\n')
    indexed.code.summarize("shop/keys.py")
    assert "hunter2Xk9pQ" not in str(llm.asked)
