"""Names that are not called: types, functions passed as values, constants."""

from waypost.code.parse import parse
from waypost.code.source import SourceFile

PYTHON = '''\
from shop import Order, helper, limits


class Cart(Order):
    owner: Order = None

    def fill(self, helper, first: Order) -> "Order":
        """Fill an Order with helper."""
        helper(first)  # Order
        return limits.MOST


def start():
    register(helper, Order=1, text="Order", inside=f"{Order}")
    return Order.open()
'''


def mentions(language: str, text: str) -> list[tuple[str, str, str, int]]:
    parsed = parse(SourceFile(f"shop/a.{language}", language, text))
    return [
        (
            parsed.symbols[mention.owner].qualified if mention.owner >= 0 else "",
            mention.receiver,
            mention.name,
            mention.line,
        )
        for mention in parsed.mentions
    ]


def test_types_values_and_constants_are_read_and_text_comments_imports_and_parameters_are_not() -> None:
    assert mentions("python", PYTHON) == [
        ("Cart", "", "Order", 5),
        ("Cart.fill", "", "Order", 7),
        ("Cart.fill", "limits", "MOST", 10),
        ("Cart.fill", "", "limits", 10),
        ("start", "", "helper", 14),
        ("start", "", "Order", 14),
        ("start", "", "Order", 14),
        ("start", "", "Order", 15),
    ]


def test_where_a_package_shares_its_names_every_type_is_read() -> None:
    text = "package shop\n\nfunc Fill(o *Order) error {\n\tx := Order{}\n\treturn nil // Order\n}\n"
    assert ("Fill", "", "Order", 3) in mentions("go", text)
    assert mentions("go", text)[-1][3] == 4
