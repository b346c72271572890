import pytest

from waypost.embed import blas


def test_nested_users_share_one_thread_and_the_last_restores_the_number() -> None:
    control = blas._control()
    assert control is not None, "the numpy of the tests comes with OpenBLAS"
    get, set_to = control
    before = get()
    set_to(2)
    try:
        with blas.one_thread():
            assert get() == 1
            with blas.one_thread():
                assert get() == 1
            assert get() == 1
        assert get() == 2
        with pytest.raises(ValueError, match="broken"), blas.one_thread():
            raise ValueError("broken")
        assert get() == 2
    finally:
        set_to(before)


def test_another_library_than_openblas_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_control", lambda: None)
    with blas.one_thread():
        pass
