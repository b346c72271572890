import pytest
from tests.scip_files import scip_index

from waypost.code import scip_index as scip_index_module
from waypost.code.scip_index import Occurrence, read_scip
from waypost.errors import InvalidInput

CART = "scip-python python shop 1 `shop.cart`/Cart#"
INDEX = scip_index(
    {"shop/cart.py": [(1, 6, 10, CART, 1), (4, 0, 4, CART, 0)]}, {"shop/cart.py": [(CART, "x y z w Base#")]}
)


def test_an_index_has_files_with_occurrences_and_implementations() -> None:
    (document,) = read_scip(INDEX)
    assert document.path == "shop/cart.py"
    assert document.occurrences == (
        Occurrence(1, 6, 10, CART, is_definition=True, is_import=False),
        Occurrence(4, 0, 4, CART, is_definition=False, is_import=False),
    )
    assert document.implements == ((CART, "x y z w Base#"),)


@pytest.mark.parametrize("length", range(1, len(INDEX)))
def test_an_index_that_is_cut_off_is_refused(length: int) -> None:
    with pytest.raises(InvalidInput, match="damaged"):
        list(read_scip(INDEX[:length]))


@pytest.mark.parametrize(
    "data",
    [
        b"\x12\xff\xff\xff\xff\x0f",  # a file of 4 GB
        b"\x12" + b"\xff" * 20,  # a length without end
        b"\x13",  # an unknown type of field
        b"\x12\x04\x0a\x02\xff\xfe",  # a path that is no text
        b"PK\x03\x04 not an index at all",
    ],
)
def test_hostile_data_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidInput, match="damaged"):
        list(read_scip(data))


def test_unknown_fields_are_skipped() -> None:
    assert len(list(read_scip(b"\x08\x01\x19" + b"\0" * 8 + b"\x1d" + b"\0" * 4 + INDEX))) == 1


@pytest.mark.parametrize(("numbers", "end"), [((4, 4, 4, 9), 9), ((4, 2, 4, 9), 9), ((4, 2, 5, 9), 2)])
def test_a_place_may_have_a_last_line(numbers: tuple[int, ...], end: int) -> None:
    symbol = CART.encode()
    occurrence = b"\x0a\x04" + bytes(numbers) + b"\x12" + bytes([len(symbol)]) + symbol
    document = b"\x0a\x01a\x12" + bytes([len(occurrence)]) + occurrence
    (read,) = read_scip(b"\x12" + bytes([len(document)]) + document)
    assert read.occurrences == (Occurrence(5, numbers[1], end, CART, is_definition=False, is_import=False),)


def test_too_many_names_are_refused_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scip_index_module, "MOST_OCCURRENCES", 1)
    with pytest.raises(InvalidInput, match="more than 1 names"):
        list(read_scip(INDEX))


def test_an_index_that_is_too_large_is_refused_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scip_index_module, "LARGEST", 10)
    with pytest.raises(InvalidInput, match="more than 10 bytes"):
        list(read_scip(INDEX))
