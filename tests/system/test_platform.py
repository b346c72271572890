import subprocess
import sys

import pytest

_THREADS = """
import ctypes, threading
from waypost.system.platform import return_freed_memory

{first}
libc, all_here = ctypes.CDLL(None), threading.Barrier(9)

def work():
    libc.malloc(1000)
    all_here.wait()
    all_here.wait()

for _ in range(8):
    threading.Thread(target=work).start()
all_here.wait()
libc.malloc_stats()
all_here.wait()
"""


def pools_of_memory(first: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _THREADS.format(first=first)], capture_output=True, text=True, check=True
    )
    return done.stderr.count("Arena ")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of Linux is told")
def test_a_server_has_few_pools_of_memory_however_many_threads_it_has() -> None:
    assert pools_of_memory("pass") > 2
    assert pools_of_memory("return_freed_memory()") == 2
