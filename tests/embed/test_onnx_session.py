import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from waypost.config.cores import cores
from waypost.embed.onnx_session import _AT_ONCE, OnnxSession


def test_no_more_runs_at_once_than_the_cores_are_good_for(minilm_folder: Path) -> None:
    """Each run's memory is kept for the next one."""
    session, most = OnnxSession(minilm_folder / "graph-1.onnx"), _AT_ONCE * cores()
    one_too_many, met = threading.Barrier(most + 1, timeout=0.3), []

    class Watched:
        def run(self, *_: Any) -> list[Any]:
            with suppress(threading.BrokenBarrierError):
                met.append(one_too_many.wait())  # only where more are here at the same time
            return [np.zeros(1)]

    session._session = Watched()
    threads = [threading.Thread(target=session.run, args=({},)) for _ in range(2 * most + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == []
