"""What the best hits call, and what calls them, joins the candidates of a question about code."""

from pathlib import Path

from tests.flows.conftest import write_files

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

FILES = {
    "router.py": (
        "from tree import get_value, log_all\n\n\n"
        'def serve_route(path):\n    """Find the handler of a route for a request."""\n    return get_value(path)\n'
    ),
    "tree.py": "def get_value(path):\n    return path\n\n\ndef log_all(path):\n    return path\n",
}


def test_a_function_without_words_of_the_question_is_found_through_its_caller(
    memory: Memory, tree: Path, fake_engine: FakeEngine
) -> None:
    write_files(tree, FILES)
    memory.index()
    hits = memory.recall("which code finds the handler of a route", 20, scope="code", unlikely=True).hits
    by_name = {hit.name: hit for hit in hits}
    assert by_name["serve_route"].score > by_name["get_value"].score
    assert by_name["get_value"].why["called"] > 0
    assert "called" not in by_name["serve_route"].why
    assert "log_all" not in by_name or "called" not in by_name["log_all"].why


def test_a_caller_joins_the_candidates_without_a_word_of_the_question(memory: Memory, tree: Path) -> None:
    caller = "from router import serve_route\n\n\ndef main(argv):\n    return serve_route(argv)\n"
    test = "from router import serve_route\n\n\ndef test_it():\n    assert serve_route('/')\n"
    others = "".join(f"def other_{number}(x):\n    return x\n\n\n" for number in range(400))  # more than meaning brings
    write_files(tree, {**FILES, "app.py": caller, "others.py": others, "tests/test_router.py": test})
    memory.index()
    hits = memory.recall("find a handler for the request", 200, scope="code", unlikely=True).hits
    why = {hit.name: hit.why for hit in hits}
    assert "called" not in why["main"]
    assert "test_it" not in why
