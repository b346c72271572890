import time

import pytest

from waypost.code.resolve.bindings import type_expression
from waypost.code.resolve.expressions import steps


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("self.store", ("self", "store")),
        ("Store(a, b(c)).rows", ("Store", "()", "rows")),
        ("rows[0].name", ("rows", "?", "name")),
        ("a?.b!.c", ("a", "b", "c")),
        ("$this->owner->cart", ("$this", "owner", "cart")),
        (r"App\Models\User", ("App", "Models", "User")),
        ("crate::store::Store", ("crate", "store", "Store")),
        ("new Store(x)", ("Store", "()")),
        ("(new Store(f(x))).rows", ("Store", "()", "rows")),
        ("(await load()).rows", ("load", "()", "rows")),
        ("(Store{a})", ("Store", "()")),
        ("&Store{}", ("Store", "()")),
        ("make<Foo<int>>()", ("make", "()")),
        ("@store", ("@store",)),
        ("this.#rows", ("this", "#rows")),
        ("'text'", ()),
        ("(a or b)", ("a", "?")),
        ("(Foo) bar", ()),
        ("…cut.off", ()),
        ("", ()),
        ("f(", ("f", "?")),
    ],
)
def test_an_expression_is_cut_into_steps(written: str, expected: tuple[str, ...]) -> None:
    assert steps(written) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Store", "Store()"),
        ("'Store'", "Store()"),
        ("Optional[Store]", "Store()"),
        ("Store | None", "Store()"),
        ("shop.Store", "shop.Store()"),
        ("*z.Store", "z.Store()"),
        ("&mut Store", "Store()"),
        ("&'a Store", "Store()"),
        ("Base<T>", "Base()"),
        ("Store | Cart", ""),
        ("list[Store]", ""),
        ("Promise<Store>", ""),
        ("Callable[[int], Store]", ""),
        ("", ""),
    ],
)
def test_a_type_that_is_one_class_is_told(written: str, expected: str) -> None:
    assert type_expression(written) == expected


@pytest.mark.parametrize("unit", ["(", "a.", "a(", "new ", "&", "<", "a[", "{", "!", "(a)"])
def test_hostile_expressions_end(unit: str) -> None:
    started = time.process_time()
    steps(unit * 2000)
    type_expression(unit * 2000)
    assert time.process_time() - started < 1
