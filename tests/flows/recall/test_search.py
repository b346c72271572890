"""Search: a question by name, an empty question, and files that are slow to parse."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.errors import InvalidInput
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def test_an_empty_question_is_told_as_a_question(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="question is empty") as caught:
        memory.recall("  ")
    assert "question" in caught.value.remedy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "line"), [("a.c", "/*\n"), ("a.proto", "message A {\n"), ("a.kt", "fun a(){\n"), ("a.ts", "type A = {\n")]
)
def test_a_small_file_does_not_hold_up_an_answer(tmp_path: Path, name: str, line: str) -> None:
    """It is read in our own process, where nobody stops the parser."""
    (tmp_path / name).write_text(line * (99_000 // len(line)))
    code = (
        "import resource, sys; from pathlib import Path; from waypost.flows.index.file_digest import *;"
        "resource.setrlimit(resource.RLIMIT_CPU, (10, 10));"  # of its own time: the machine may be busy with other things
        "digest_file(Path(sys.argv[1]), DigestJob(sys.argv[2]))"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path), name], check=True, timeout=300)


@pytest.mark.parametrize("question", ["where is connect", "where is connect defined?", "what does connect do?"])
def test_the_function_that_is_asked_for_by_its_name_comes_first(
    empty_tree: Path, memory: Memory, question: str
) -> None:
    """A name that is a plain word is a name all the same: `connect` is defined, and `connect2` is another function."""
    write_file(
        empty_tree,
        "store.py",
        '''\
        def connect(url):
            """Open the socket to the broker and negotiate the protocol version with it."""
            return url


        def connect2():
            pass


        def reconnect():
            pass
        ''',
    )
    write_file(empty_tree, "other.py", 'def parse(x):\n    """Read it."""\n    return x\n')
    memory.index()
    assert next(iter(memory.recall(question, k=3))).line == 1


@pytest.mark.usefixtures("fitted")
@pytest.mark.parametrize("question", ["how is the cahce invalidated?", "cahce", "wie wird der cahce geleert?"])
def test_a_misspelt_word_that_no_text_has_brings_names_like_it(empty_tree: Path, memory: Memory, question: str) -> None:
    write_file(
        empty_tree, "store.py", 'class Cache:\n    """Keeps files."""\n\n    def read_all(self):\n        pass\n'
    )
    memory.index()
    answer = memory.recall(question)
    assert not answer.hits
    assert answer.nearest_names == ("Cache",)
    assert "Similar names in the code: Cache." in answer.notices


@pytest.mark.usefixtures("fitted")
def test_a_known_word_and_a_foreign_one_bring_no_names(empty_tree: Path, memory: Memory) -> None:
    write_file(empty_tree, "store.py", "class Cache:\n    keep = 1\n\n\ndef caches():\n    return Cache\n")
    memory.index()
    assert memory.recall("where is the kubernetes operator?").nearest_names == ()
