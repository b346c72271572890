"""A sentence copied from the project is answered by the place where it stands."""

from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.memory import Memory
from waypost.retrieve.relevance import plain_words, share_quoted

PAGE = """\
# The basics

## Technicalities

An overview of the project for everyone who wants to take part in it, with all that is needed.

Then install development dependencies inside a virtual
environment of your _choice_, for example:

```console
(.venv)$ pip install --group dev
```

1. In `Trigger Settings` check `Trigger on code reformat` to enable it.
"""


@pytest.fixture
def indexed(empty_tree: Path, memory: Memory) -> Memory:
    write_file(empty_tree, "docs/basics.md", PAGE)
    for name in ("reformat_code", "trigger_code", "install_group", "choose_environment"):
        source = f'def {name}(code):\n    """{name.replace("_", " ").capitalize()}: install, trigger and reformat."""\n'
        write_file(empty_tree, f"src/{name}.py", source + "    return code\n")
    memory.index()
    return memory


@pytest.mark.parametrize(
    "sentence",
    [
        "install development dependencies inside a virtual environment of your choice",
        "pip install --group dev",
        "Trigger on code reformat",
        "an overview of the project for everyone",
    ],
)
@pytest.mark.parametrize("scope", ["all", "code"])
def test_the_section_with_a_copied_sentence_comes_first(indexed: Memory, sentence: str, scope: str) -> None:
    hits = indexed.recall(sentence, scope=scope).hits
    assert hits
    assert hits[0].path == "docs/basics.md"
    assert hits[0].why["quoted"] > 0


def test_words_that_stand_apart_are_no_quotation(indexed: Memory) -> None:
    hits = indexed.recall("reformat dependencies of the console environment overview", 20, unlikely=True).hits
    assert hits
    assert not any("quoted" in hit.why for hit in hits)


def test_a_quotation_has_most_of_the_telling_words_in_a_row() -> None:
    def share(question: str) -> float:
        return share_quoted(plain_words(question), "en", PAGE)

    assert share("Install development dependencies inside a *virtual environment*!") == 1.0
    assert share("how to install development dependencies inside some venv") == pytest.approx(4 / 5)
    assert share("install development") == 0.0  # too few
    assert share("for everyone who wants to") == 1.0  # a whole question, with one word less
    assert share("development of dependencies inside virtual environments") == 0.0
    assert share("of your choice and many other things nobody wrote about") == 0.0
