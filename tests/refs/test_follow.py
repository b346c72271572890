"""Follow a symbol or file that a memory points at."""

import pytest
from tests.refs.other_shapes import NoOtherFiles, OtherShapes

from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import PinnedCode, pin

CART = '''\
import prices


class Cart:
    """Rows that somebody wants to buy."""

    def add(self, row, count=1):
        if count < 1:
            raise ValueError("nothing to add")
        self.rows.append((row, count))

    # What it costs,
    # with taxes.
    @cached
    def total(self, rate):
        amount = sum(prices.of(row) * count for row, count in self.rows)
        return amount * (1 + rate)

    def clear(self):
        self.rows = []


def fact(number):
    return 1 if number < 2 else number * fact(number - 1)
'''
TOTAL = LineRange(14, 17)


def shape(path: str, text: str) -> FileShape:
    source = SourceFile(path, language_of_path(path, text), text)
    return shape_of(source, parse(source))


def pinned(text: str, lines: LineRange | None = None, symbol: str | None = None, path: str = "cart.py") -> PinnedCode:
    place = pin(shape(path, text), lines, symbol)
    assert place is not None
    return place


def followed(
    before: str,
    after: dict[str, str],
    lines: LineRange | None = None,
    symbol: str | None = None,
    path: str = "cart.py",
) -> CodeVerdict:
    """Follow a pinned piece into a tree in which every other file is new."""
    was = shape(path, before)
    place = pinned(before, lines, symbol, path)
    now = [shape(name, text) for name, text in after.items()]
    here = next((candidate for candidate in now if candidate.path == path), None)
    verdict = follow(place.anchor, FollowedPlace(path, place.lines), here, OtherShapes(was, now))
    again = follow(place.anchor, FollowedPlace(path, place.lines), here, OtherShapes(was, now))
    assert verdict == again
    return verdict


# -- pinning ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("symbol", ["Cart.total", "total", "scip-python . . `cart.py`/Cart#total()."])
def test_a_symbol_is_pinned_by_its_names(symbol: str) -> None:
    place = pinned(CART, symbol=symbol)
    assert (place.qualified, place.kind, place.lines) == ("Cart.total", "method", TOTAL)
    assert place.symbol_id == "scip-python . . `cart.py`/Cart#total()."


@pytest.mark.parametrize(
    ("start", "end", "pinned_start"),
    [(12, 17, 12), (13, 17, 12), (14, 17, 14), (15, 17, 15), (14, 18, 14), (11, 18, 12)],
)
def test_lines_that_are_a_symbol_are_pinned_as_it(start: int, end: int, pinned_start: int) -> None:
    place = pinned(CART, LineRange(start, end))
    assert place.qualified == "Cart.total"
    assert place.symbol_id
    assert place.lines == LineRange(pinned_start, 17)


def test_what_is_not_there_cannot_be_pinned() -> None:
    read = shape("cart.py", CART)
    assert pin(read, LineRange(500, 501), None) is None
    assert pin(read, None, "Cart.missing") is None
    assert pin(shape("a.py", "class A:\n    def b(self): pass\nclass C:\n    def b(self): pass\n"), None, "b") is None


def test_lines_beyond_the_end_are_those_that_are_there() -> None:
    assert pinned(CART, LineRange(23, 99)).qualified == "fact"
    assert pinned(CART, LineRange(23, 99)).lines == LineRange(23, 24)


def test_an_overload_is_pinned_by_its_lines() -> None:
    text = "class A {\n  void b(int c) { d(); }\n  void b(long c) { e(); }\n}\n"
    place = pinned(text, LineRange(3, 3), path="A.java")
    assert place.symbol_id is not None
    assert place.symbol_id.endswith("b(+1).")
    assert pinned(text, LineRange(3, 3), "A.b", path="A.java").symbol_id == place.symbol_id


def test_anchors_are_small() -> None:
    for line in range(1, 24):
        assert len(pinned(CART, LineRange(line, line)).anchor) < 150
    assert len(pinned(CART).anchor) < 200


# -- in its file ------------------------------------------------------------------------------------------


def test_a_symbol_that_moved_down_is_unchanged_on_its_new_lines() -> None:
    verdict = followed(CART, {"cart.py": "# a\n\n" + CART}, symbol="Cart.total")
    assert verdict == CodeVerdict(UNCHANGED, "cart.py", LineRange(16, 19), name="Cart.total")


@pytest.mark.parametrize(("start", "now"), [(12, 13), (14, 16), (15, 17)])
def test_a_reference_begins_again_at_the_comment_the_decorator_or_the_definition(start: int, now: int) -> None:
    after = CART.replace("    # What it costs,", "\n    # Well,\n    # what it costs,")
    assert followed(CART, {"cart.py": after}, LineRange(start, 17)).lines == LineRange(now, 19)


def test_layout_comments_and_docstrings_are_no_change() -> None:
    after = CART.replace("# with taxes.", "# with all taxes.").replace(
        "        amount = sum(prices.of(row) * count for row, count in self.rows)\n",
        '        """Adds up."""\n        amount = sum(\n            prices.of(row) * count\n'
        "            for (row, count) in self.rows\n        )\n\n",
    )
    verdict = followed(CART, {"cart.py": after}, symbol="Cart.total")
    assert (verdict.state, verdict.lines, verdict.amount) == (UNCHANGED, LineRange(14, 22), 0.0)


def test_an_edit_is_a_change_and_a_small_one_a_small_change() -> None:
    small = followed(CART, {"cart.py": CART.replace("1 + rate", "1 - rate")}, symbol="Cart.total")
    assert (small.state, small.lines) == (CHANGED, TOTAL)
    assert 0 < small.amount < 0.1
    large = followed(
        CART,
        {
            "cart.py": CART.replace(
                "        return amount * (1 + rate)\n", "        log(rate)\n        yield None, rate\n"
            )
        },
        symbol="Cart.total",
    )
    assert large.state == CHANGED
    assert small.amount < large.amount < 0.6


def test_brackets_that_change_the_order_are_a_change_though_no_word_is_another() -> None:
    verdict = followed(CART, {"cart.py": CART.replace("amount * (1 + rate)", "amount * 1 + rate")}, symbol="Cart.total")
    assert verdict.state == CHANGED
    assert verdict.amount > 0


def test_a_renamed_symbol_has_moved_with_its_calls_to_itself() -> None:
    after = CART.replace("fact", "factorial")
    verdict = followed(CART, {"cart.py": after}, symbol="fact")
    assert (verdict.state, verdict.name, verdict.lines) == (MOVED, "factorial", LineRange(23, 24))


def test_a_renamed_symbol_may_still_call_another_of_its_old_name() -> None:
    before = "def get(self, key):\n    return self.rows.get(key, self.default)\n"
    verdict = followed(before, {"cart.py": before.replace("def get", "def fetch")}, symbol="get")
    assert (verdict.state, verdict.name) == (MOVED, "fetch")


def test_a_symbol_that_said_the_same_as_another_is_not_taken_for_it_when_it_goes() -> None:
    before = "def one(rows):\n    return [row for row in rows if row]\n\n\ndef two(rows):\n    return [row for row in rows if row]\n"
    verdict = followed(before, {"cart.py": before.split("\n\n\n")[1]}, symbol="one")
    assert verdict.state == DELETED


def test_a_deleted_symbol_is_nowhere() -> None:
    after = CART.replace("    def clear(self):\n        self.rows = []\n", "")
    assert followed(CART, {"cart.py": after}, symbol="Cart.clear") == CodeVerdict(DELETED)


def test_a_symbol_that_was_renamed_and_edited_is_changed_where_it_is() -> None:
    after = CART.replace("def add(self, row, count=1)", "def put(self, row, count=1)").replace(
        "nothing to", "no row to"
    )
    verdict = followed(CART, {"cart.py": after}, symbol="Cart.add")
    assert (verdict.state, verdict.name) == (CHANGED, "Cart.put")


def test_of_overloads_the_right_one_is_followed() -> None:
    before = "class A {\n  void b(int c) { one(c); two(c); }\n  void b(long c) { three(c + 1); }\n}\n"
    after = "class A {\n  void b(long c) { three(c + 1); }\n  void b(int c) { one(c); two(c); }\n}\n"
    first = followed(before, {"A.java": after}, LineRange(2, 2), path="A.java")
    assert (first.state, first.lines) == (UNCHANGED, LineRange(3, 3))
    second = followed(before, {"A.java": after.replace("c + 1", "c + 2")}, LineRange(3, 3), path="A.java")
    assert (second.state, second.lines) == (CHANGED, LineRange(2, 2))


COMPARED = """\
impl PartialEq<Bytes> for {first} {{
    fn eq(&self, other: &Bytes) -> bool {{
        *other == *self
    }}
}}

impl PartialEq<Bytes> for {second} {{
    fn eq(&self, other: &Bytes) -> bool {{
        *other == *self
    }}
}}
"""


def test_of_methods_that_are_the_same_in_several_implementations_the_right_one_is_followed() -> None:
    before = COMPARED.format(first="&'a str", second="str")
    after = COMPARED.format(first="str", second="&'a str")
    for lines, now in ((LineRange(2, 4), LineRange(8, 10)), (LineRange(8, 10), LineRange(2, 4))):
        verdict = followed(before, {"bytes.rs": after}, lines, path="bytes.rs")
        assert (verdict.state, verdict.lines) == (UNCHANGED, now)


def test_an_overload_that_went_is_not_the_one_that_stayed() -> None:
    before = "class A {\n  void b(int c) { one(c); two(c); }\n  void b(String d) { throw new Oops(d, 3); }\n}\n"
    after = "class A {\n  void b(String d) { throw new Oops(d, 3); }\n}\n"
    assert followed(before, {"A.java": after}, LineRange(2, 2), path="A.java").state == DELETED


def test_the_same_text_in_a_file_that_cannot_be_parsed_is_unchanged() -> None:
    verdict = followed(CART, {"cart.py": "def broken((:\n" + CART}, symbol="Cart.clear")
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(20, 21))


# -- elsewhere --------------------------------------------------------------------------------------------

TOTAL_TEXT = "".join(CART.splitlines(keepends=True)[13:17])
WITHOUT_TOTAL = CART.replace(TOTAL_TEXT, "")


def test_a_method_that_moved_to_another_class_of_another_file_is_found_there() -> None:
    verdict = followed(
        CART,
        {"cart.py": WITHOUT_TOTAL, "sums.py": "class Sums:\n" + TOTAL_TEXT, "b.py": "x = 1\n"},
        symbol="Cart.total",
    )
    assert verdict == CodeVerdict(MOVED, "sums.py", LineRange(2, 5), name="Sums.total")


def test_a_symbol_in_a_renamed_file_has_moved_with_it() -> None:
    verdict = followed(CART, {"shop/basket.py": "# new\n" + CART}, symbol="Cart.total")
    assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "shop/basket.py", LineRange(15, 18))


def test_a_symbol_that_was_edited_in_a_renamed_file_is_changed_there() -> None:
    verdict = followed(CART, {"shop/basket.py": CART.replace("1 + rate", "1 - rate")}, symbol="Cart.total")
    assert (verdict.state, verdict.path, verdict.lines) == (CHANGED, "shop/basket.py", TOTAL)


def test_a_symbol_that_moved_and_was_renamed_is_found_by_what_it_says() -> None:
    verdict = followed(
        CART,
        {"cart.py": WITHOUT_TOTAL, "sums.py": "class Sums:\n" + TOTAL_TEXT.replace("total", "price")},
        symbol="Cart.total",
    )
    assert (verdict.state, verdict.path, verdict.name) == (MOVED, "sums.py", "Sums.price")


def test_of_two_equal_ones_the_one_with_its_qualified_name_is_it() -> None:
    verdict = followed(
        CART,
        {
            "cart.py": WITHOUT_TOTAL,
            "a.py": "class Other:\n" + TOTAL_TEXT,
            "b.py": "class Cart:\n" + TOTAL_TEXT,
        },
        symbol="Cart.total",
    )
    assert (verdict.state, verdict.path) == (MOVED, "b.py")


def test_of_two_equal_ones_with_other_names_none_is_chosen() -> None:
    verdict = followed(
        CART,
        {
            "cart.py": WITHOUT_TOTAL,
            "a.py": "class Other:\n" + TOTAL_TEXT,
            "b.py": "class Another:\n" + TOTAL_TEXT,
        },
        symbol="Cart.total",
    )
    assert verdict == CodeVerdict(AMBIGUOUS, others=("a.py:2", "b.py:2"))


def test_a_common_little_method_of_another_file_is_not_it() -> None:
    before = "class A:\n    def __init__(self):\n        pass\n"
    verdict = followed(
        before,
        {"cart.py": "class A:\n    x = 1\n", "b.py": before.replace("A", "B"), "c.py": before.replace("A", "C")},
        symbol="A.__init__",
    )
    assert verdict.state == DELETED


def test_the_rest_of_the_tree_is_not_asked_while_a_symbol_is_in_its_file() -> None:
    class Never(NoOtherFiles):
        def successors(self) -> tuple[FileShape, ...]:
            raise AssertionError

    place = pinned(CART, symbol="fact")
    assert follow(place.anchor, FollowedPlace("cart.py"), shape("cart.py", "\n" + CART), Never()).state == UNCHANGED
    edited = shape("cart.py", CART.replace("number < 2", "number < 3"))
    assert follow(place.anchor, FollowedPlace("cart.py"), edited, Never()).state == CHANGED


# -- files ------------------------------------------------------------------------------------------------


def test_a_file_is_unchanged_changed_moved_or_deleted() -> None:
    assert followed(CART, {"cart.py": "# x\n" + CART}) == CodeVerdict(UNCHANGED, "cart.py")
    edited = followed(CART, {"cart.py": CART.replace("1 + rate", "1 - rate")})
    assert (edited.state, edited.lines) == (CHANGED, None)
    assert 0 < edited.amount < 0.2
    assert followed(CART, {"shop/cart.py": CART}) == CodeVerdict(MOVED, "shop/cart.py")
    assert followed(CART, {"b.py": "def other():\n    return None\n"}) == CodeVerdict(DELETED)


def test_lines_that_are_a_whole_file_stay_lines() -> None:
    text = "a = 1\nb = 2\nprint(a)\n"
    verdict = followed(text, {"cart.py": text + "print(b)\n"}, LineRange(1, 3))
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(1, 4))


def test_an_empty_file_and_a_file_of_comments_can_be_followed() -> None:
    assert followed("", {"cart.py": ""}).state == UNCHANGED
    assert followed("", {"cart.py": "x = 1\n"}).state == CHANGED
    assert followed("# only words\n", {"cart.py": "# other words\n"}).state == CHANGED


def test_what_is_no_anchor_is_unchecked() -> None:
    place = FollowedPlace("cart.py", LineRange(1, 2))
    assert follow(b"", place, shape("cart.py", CART), NoOtherFiles()) == CodeVerdict(
        UNCHECKED, "cart.py", LineRange(1, 2)
    )


TIMEOUT = """\
class Timeout:
    def __init__(self, connect=None, read=None, total=None):
        self.connect = check(connect, "connect")
        self.read = check(read, "read")
        self.total = check(total, "total")
"""


def test_a_method_that_moved_with_its_class_is_found_after_a_rewrite() -> None:
    """Its class and its name say which one it is. A function of that name alone must be more alike."""
    rewritten = (
        "    def total(self, rate):\n"
        "        amount = sum(prices.of(row) * count for row, count in self.rows)\n"
        "        if rate < 0 or rate > self.limits.highest_rate:\n"
        '            raise OutOfRange(f"{rate} is no rate that is known here", self.limits)\n'
        "        self.log.write(self.name, rate, amount)\n"
        "        return self.rounding.apply(amount + self.taxes.on(amount, rate))\n"
    )
    verdict = followed(CART, {"buy.py": f"class Cart:\n{rewritten}"}, symbol="Cart.total")
    assert (verdict.state, verdict.path, verdict.name) == (CHANGED, "buy.py", "Cart.total")
    assert followed(CART, {"buy.py": f"class Basket:\n{rewritten}"}, symbol="Cart.total").state == DELETED


def test_a_constructor_that_moved_with_its_class_is_found_after_an_edit() -> None:
    now = TIMEOUT.replace("connect=None, read=None, total=None", "total=None, connect=None, read=None")
    verdict = followed(TIMEOUT, {"cart.py": "", "timeout.py": f"import sys\n\n\n{now}"}, symbol="Timeout.__init__")
    assert (verdict.state, verdict.path) == (CHANGED, "timeout.py")


def test_a_function_that_makes_objects_is_found_as_a_class_in_another_file() -> None:
    fields = "  this.{} = reason;\n  this.target = target;\n  this.code = code;\n  this.clean = code === 1000;\n"
    before = f"function CloseEvent(code, reason, target) {{\n{fields.format('reason')}}}\n"
    new = f"class CloseEvent {{\n  constructor(code, reason, target) {{\n{fields.format('why')}  }}\n}}\n"
    after = {"socket.js": "const open = 1;\n", "events.js": f"const size = 2;\n\n{new}"}
    verdict = followed(before, after, symbol="CloseEvent", path="socket.js")
    assert (verdict.state, verdict.path, verdict.lines) == (CHANGED, "events.js", LineRange(3, 10))


def test_an_edited_overload_is_not_taken_for_another_one_that_it_looks_like_now() -> None:
    char = "  boolean matches(char c) {\n    return !isEmpty() && input.charAt(pos) == c;\n  }\n"
    text = "  boolean matches(String seq) {\n    return input.startsWith(seq, pos);\n  }\n"
    loop = "    for (int at = 0; at < seq.length(); at++)\n      if (seq.charAt(at) != input[pos + at])\n        return false;\n"
    new = f"  boolean matches(String seq) {{\n    int length = seq.length();\n{loop}    return true;\n  }}\n"
    before, after = (
        f"class Reader {{\n{body}}}\n" for body in (char + text, char.replace("charAt(pos)", "at(pos)") + new)
    )
    verdict = followed(before, {"Reader.java": after}, LineRange(5, 7), path="Reader.java")
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(5, 11))
