"""The pipes of Windows, run here over the sockets that the same library has on other systems."""

import threading
from pathlib import Path

import pytest

from waypost.faces.hooks.socket import pipe
from waypost.faces.hooks.socket.place import Address


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Address:
    monkeypatch.setattr(pipe, "_PIPE", "AF_UNIX")
    return Address(1, str(tmp_path / "pipe"), b"a key")


def test_what_is_written_at_once_is_read_by_the_byte(address: Address) -> None:
    listener = pipe.PipeListener(address)
    accepted: list[pipe.PipeConnection] = []
    thread = threading.Thread(target=lambda: accepted.append(listener.accept()))
    thread.start()
    client = pipe.connect(address)
    thread.join()
    client.sendall(b"question")
    assert (accepted[0].recv(5), accepted[0].recv(100)) == (b"quest", b"ion")
    client.settimeout(0.01)
    with pytest.raises(TimeoutError):
        client.recv(1)
    accepted[0].close()
    assert client.recv(1) == b""
    client.close()
    listener.close()


def test_a_listener_that_is_woken_returns(address: Address) -> None:
    listener = pipe.PipeListener(address)
    thread = threading.Thread(target=lambda: listener.accept().close())
    thread.start()
    listener.wake()
    thread.join(10)
    assert not thread.is_alive()
    listener.close()
