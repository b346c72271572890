"""An onnxruntime session on the CPU, without threads that spin while they wait."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config.cores import cores
from waypost.errors import EngineUnavailable, ModelCorrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NO_TELEMETRY = "ORT_DISABLE_TELEMETRY"  # otherwise its import writes a device id and events into the home directory
_SEVERE = 3  # onnxruntime's level for errors; its warnings are only about its choice of kernels
# Concurrent runs for each core. onnxruntime keeps the buffers of each run: on two cores, sixteen threads at once leave
# 95 MB behind. Four leave 6 MB and take 3 % longer.
_AT_ONCE = 2


class OnnxSession:
    """Runs one model; safe to use from several threads."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        os.environ.setdefault(_NO_TELEMETRY, "1")  # must be set before the import
        try:
            import onnxruntime  # type: ignore[import-untyped]
            from onnxruntime.capi import (  # type: ignore[import-untyped]
                onnxruntime_pybind11_state as native,
            )
        except ImportError as error:
            raise EngineUnavailable(
                f"onnxruntime cannot be loaded: {error}", "Install it: `pip install onnxruntime`."
            ) from error
        self._slots = threading.BoundedSemaphore(_AT_ONCE * cores())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = _SEVERE
        options.enable_mem_pattern = False  # useless, since shapes change with every batch
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        failures = (native.Fail, native.InvalidProtobuf, native.InvalidGraph, native.InvalidArgument)
        self._failures = (*failures, native.NoSuchFile, native.NotImplemented, native.RuntimeException)
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
        except self._failures as error:
            raise ModelCorrupt(f"{path} cannot be loaded: {error}", "Install or export the model again.") from error
        self.inputs: tuple[tuple[str, str], ...] = tuple((i.name, i.type) for i in self._session.get_inputs())
        self.outputs: tuple[tuple[str, tuple[Any, ...]], ...] = tuple(
            (o.name, tuple(o.shape)) for o in self._session.get_outputs()
        )

    def run(self, feeds: Mapping[str, NDArray[np.integer[Any]]], output: str | None = None) -> NDArray[np.float32]:
        """The named output, or the first, for these inputs."""
        try:
            with self._slots:
                answer: NDArray[np.float32] = self._session.run([output or self.outputs[0][0]], dict(feeds))[0]
        except self._failures as error:
            raise EngineUnavailable(f"onnxruntime failed: {error}", "Check the model's inputs.") from error
        return answer
