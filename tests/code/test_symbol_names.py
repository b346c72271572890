import pytest

from waypost.code.symbol_names import read_symbol_name


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Store#write().", ("Store", "write")),
        ("`Store`#`write`", ("Store", "write")),
        ("Store#<constructor>", ("Store", "constructor")),
        ("Store#`<init>`", ("Store", "Store")),
        ("impl#[Arg]", ("Arg",)),
        ("impl#[`Values<'a, T>`][Iterator]next().", ("Values", "next")),
        ("0 impl#[`Flags<'s>`]", ("Flags",)),
        ("impl Arg", ("Arg",)),
        ("impl<'a> Iterator for Values<'a, T>", ("Values",)),
        ("impl fmt::Display for crate::Arg", ("Arg",)),
        ("impl", ("impl",)),
        ("Store.impl", ("Store", "impl")),
    ],
)
def test_names_are_read_as_indexers_and_rust_write_them(text: str, parts: tuple[str, ...]) -> None:
    assert read_symbol_name(text) == (parts, "", 0)


def test_a_long_name_is_read_in_linear_time() -> None:
    assert read_symbol_name("impl " + "a::" * 300 + "<" * 100).parts
