import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from waypost.embed import safetensors
from waypost.errors import EngineUnavailable, ModelCorrupt


def test_what_was_written_is_read_back_without_copying(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    arrays: dict[str, NDArray[Any]] = {
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
        "bytes": np.arange(5, dtype=np.uint8),
        "ids": np.array([-1, 7], np.int32),
        "number": np.array(2.5, np.float32),
        "nothing": np.empty((0, 4), np.float32),
    }
    safetensors.write(path, arrays)
    loaded = safetensors.load(path)
    assert set(loaded) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(loaded[name], array)
        assert loaded[name].dtype == array.dtype
        assert not loaded[name].flags.owndata
    assert {place.offset % 64 for place in safetensors.places(path).values()} == {0}


def test_tensors_of_unused_types_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    header = json.dumps({"old": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}, "__metadata__": {"a": "b"}})
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(8))
    assert safetensors.load(path) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x05\x00",
        (10**9).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"{]",
        (2).to_bytes(8, "little") + b"[]",
        (4).to_bytes(8, "little") + b'{"a"',
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.safetensors").write_bytes(content)
    with pytest.raises(ModelCorrupt):
        safetensors.places(tmp_path / "x.safetensors")


@pytest.mark.parametrize("offsets", [[0, 9], [-4, 4], [4, 0], [0, 4], [0], None])
def test_a_tensor_outside_the_file_or_of_the_wrong_size_is_refused(tmp_path: Path, offsets: list[int] | None) -> None:
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": offsets}})
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header.encode() + bytes(8))
    with pytest.raises(ModelCorrupt):
        safetensors.load(tmp_path / "x")


def test_a_file_that_is_gone_makes_the_engine_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="cannot be read"):
        safetensors.load(tmp_path / "gone")
