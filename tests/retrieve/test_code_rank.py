"""The order in which a tree answers."""

from itertools import islice
from typing import Any

import pytest

from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.code_question import read_code_question
from waypost.retrieve.code_rank import CodeCandidate, rank_code
from waypost.retrieve.score import ScoredMemory
from waypost.store.protocol import Population

ENGINES = ServingEngines("minilm", "use")
POPULATIONS = {"minilm": {"code": Population(100, 0.1, 0.1)}, "use": {"code": Population(100, 0.3, 0.1)}}


def candidate(name: str, path: str, **given: Any) -> CodeCandidate:
    defaults = {"kind": "symbol", "type": "function", "line": 1, "end_line": 9, "keyword": 1.0, "subject_keyword": 0.0}
    return CodeCandidate(
        **{"memory_id": f"{path}:{name}", "name": name, "path": path, "similarity": {}, **defaults, **given}
    )


def ranked(text: str, *candidates: CodeCandidate, language: str = "en", k: int = 10) -> list[ScoredMemory]:
    return list(islice(rank_code(read_code_question(text, language), candidates, POPULATIONS, ENGINES), k))


def order(text: str, *candidates: CodeCandidate, language: str = "en") -> list[str]:
    return [one.memory_id.split(":")[0] for one in ranked(text, *candidates, language=language)]


def test_nothing_gives_nothing() -> None:
    assert ranked("anything") == []


def test_the_parts_explain_the_total_and_the_score_is_between_0_and_1() -> None:
    found = ranked(
        "how does OrderBook pay",
        candidate("OrderBook", "a.py", type="class", similarity={"minilm": 0.4}, referrers=3),
        candidate("pay", "tests/b.py", keyword=2.0, is_test=True),
    )
    for one in found:
        assert sum(one.why.values()) == pytest.approx(one.total)
        assert 0 < one.score < 1
    assert [one.total for one in found] == sorted((one.total for one in found), reverse=True)


def test_keywords_and_meaning_both_bring_a_candidate_up() -> None:
    assert order("pay", candidate("x", "a.py", keyword=1.0), candidate("y", "b.py", keyword=2.0)) == ["b.py", "a.py"]
    near, far = {"minilm": 0.6}, {"minilm": 0.1}
    assert order("some words", candidate("x", "a.py", similarity=far), candidate("y", "b.py", similarity=near)) == [
        "b.py",
        "a.py",
    ]


def test_a_definition_comes_before_what_uses_it_more() -> None:
    found = order("OrderBook", candidate("report", "a.py", keyword=2.0), candidate("OrderBook", "b.py", type="class"))
    assert found[0] == "b.py"


def test_the_owner_that_is_named_decides_between_methods_of_one_name() -> None:
    found = order("why does Session.send fail", candidate("Adapter.send", "a.py"), candidate("Session.send", "b.py"))
    assert found[0] == "b.py"


def test_the_spelling_decides_between_names() -> None:
    assert order("Response", candidate("response", "a.py"), candidate("Response", "b.py"))[0] == "b.py"


def test_a_file_with_several_good_candidates_comes_before_one_with_a_single_one() -> None:
    found = order("pay orders", candidate("x", "a.py"), candidate("y", "b.py"), candidate("z", "b.py", line=9))
    assert found[0] == "b.py"


def test_what_a_file_means_speaks_for_what_is_in_it() -> None:
    found = order(
        "pay orders",
        candidate("x", "a.py"),
        candidate("a.py", "a.py", kind="file", type="file", keyword=0.0, similarity={"minilm": 0.1}),
        candidate("y", "b.py"),
        candidate("b.py", "b.py", kind="file", type="file", keyword=0.0, similarity={"minilm": 0.7}),
    )
    assert found[0] == "b.py"


def test_a_second_hit_of_a_file_gives_way_to_another_file() -> None:
    found = order(
        "pay orders",
        candidate("x", "a.py", keyword=2.0),
        candidate("y", "a.py", keyword=1.9, line=9),
        candidate("z", "b.py", keyword=1.8),
    )
    assert found == ["a.py", "b.py", "a.py"]


@pytest.mark.parametrize(
    ("lower", "asked"),
    [
        ({"path": "tests/a.py", "is_test": True}, "tests that pay orders"),
        ({"path": "examples/a.py"}, "examples that pay orders"),
        ({"path": "src/win/a.c"}, "pay orders on win"),
        ({"path": "README.md", "is_document": True}, "readme: pay orders"),
    ],
)
def test_what_only_accompanies_the_code_comes_later_unless_it_is_asked_for(lower: dict[str, Any], asked: str) -> None:
    main = candidate("x", "src/core.py", keyword=0.9)
    other = candidate("y", **lower)
    assert order("pay orders", other, main)[0] == "src/core.py"
    assert order(asked, other, main)[0] == lower["path"]


def test_an_old_version_comes_after_the_newest_unless_it_is_named() -> None:
    old, new = candidate("x", "src/v3/a.ts"), candidate("x", "src/v4/a.ts", keyword=0.9)
    assert order("pay orders", old, new)[0] == "src/v4/a.ts"
    assert order("pay orders in v3", old, new)[0] == "src/v3/a.ts"


def test_a_header_comes_after_the_code_that_it_declares() -> None:
    header, code = candidate("x", "include/idna.h"), candidate("x", "src/idna.c", keyword=0.9)
    assert order("encode domain names", header, code)[0] == "src/idna.c"
    assert order("encode domain names", header, candidate("x", "src/url.c", keyword=0.9))[0] == "include/idna.h"


def test_what_much_of_the_tree_uses_comes_first() -> None:
    assert order("pay orders", candidate("x", "a.py"), candidate("y", "b.py", referrers=50))[0] == "b.py"


def test_a_path_or_module_that_the_question_names_comes_first() -> None:
    files = candidate("x", "shop/a.py"), candidate("y", "shop/cart/b.py")
    assert order("error in cart/b.py when I pay", *files)[0] == "shop/cart/b.py"
    assert order("shop.cart.b.pay fails", *files)[0] == "shop/cart/b.py"


def test_a_question_in_another_language_is_judged_by_both_engines() -> None:
    one = candidate("x", "a.py", similarity={"minilm": 0.3, "use": 0.3})
    two = candidate("y", "b.py", similarity={"minilm": 0.2, "use": 0.7})
    assert order("pay an order", one, two)[0] == "a.py"
    assert order("eine Bestellung bezahlen", one, two, language="de")[0] == "b.py"


def test_of_a_long_question_the_subject_counts_as_much_as_all_the_rest() -> None:
    text = "Paying twice loses the order\n\n" + "Many other words that are about something else. " * 20
    about_rest = candidate("x", "a.py", keyword=1.1, subject_keyword=0.1)
    about_subject = candidate("y", "b.py", keyword=1.0, subject_keyword=1.0)
    assert order(text, about_rest, about_subject)[0] == "b.py"


def test_equal_candidates_have_a_fixed_order() -> None:
    some = [candidate("x", path) for path in ("c.py", "a.py", "b.py")]
    assert order("pay orders", *some) == order("pay orders", *some[::-1]) == ["a.py", "b.py", "c.py"]


def test_what_belongs_to_no_file_stands_alone() -> None:
    found = ranked("tables", candidate("users", "", kind="table"), candidate("orders", "", kind="table", memory_id="2"))
    assert all("repeat" not in one.why for one in found)
