"""How often, how many at once, and where a server listens."""

import socket

import pytest

from waypost.errors import InvalidInput
from waypost.faces.guard.hosts import answered_hosts, exposure, is_loopback, listen
from waypost.faces.guard.limits import Buckets, Processes, Slots


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_a_burst_and_then_by_the_clock() -> None:
    seconds = Seconds()
    buckets = Buckets(rate=2, burst=3, clock=seconds)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 0]
    assert buckets.take("a") == pytest.approx(0.5)
    assert buckets.take("a") == pytest.approx(0.5), "asking in vain costs nothing"
    assert buckets.take("b") == 0, "every key has its own"
    seconds.now = 0.5
    assert buckets.wait("a") == 0
    assert buckets.take("a") == 0
    assert buckets.take("a") > 0
    seconds.now = 1000
    assert [buckets.take("a") > 0 for _ in range(4)] == [False, False, False, True], "never more than a burst"


def test_a_clock_that_goes_back_gives_nothing() -> None:
    seconds = Seconds()
    seconds.now = 100
    buckets = Buckets(rate=1, burst=1, clock=seconds)
    assert buckets.take("a") == 0
    seconds.now = 0
    assert buckets.take("a") > 0


def test_a_million_addresses_do_not_fill_the_memory() -> None:
    buckets = Buckets(rate=1, burst=1, clock=Seconds(), most=100)
    for address in range(10_000):
        buckets.take(address)
    assert len(buckets) == 100


def test_one_caller_cannot_take_the_slots_of_all() -> None:
    slots = Slots(total=3, each=2)
    with slots.slot("a") as first, slots.slot("a") as second, slots.slot("a") as third, slots.slot("b") as other:
        assert (first, second, third, other) == (True, True, False, True)
        with slots.slot("c") as full:
            assert not full
    with slots.slot("a") as again:
        assert again


def test_only_this_machine_can_reach_loopback() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "192.168.1.7", "desk", "localhost.evil.example", ""))


def test_listening_to_others_is_said_with_what_it_means() -> None:
    assert exposure("127.0.0.1") == ""
    assert "no TLS" in exposure("0.0.0.0")
    assert "no TLS" in exposure("desk.local")


def test_a_port_in_use_is_said_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"127.0.0.1:{port}.*in use") as refused:
            listen("127.0.0.1", port)
        assert "--port" in refused.value.remedy


@pytest.mark.parametrize(("host", "port"), [("", 80), ("127.0.0.1", -1), ("127.0.0.1", 70000), ("no such host.", 80)])
def test_what_cannot_be_listened_on_is_refused(host: str, port: int) -> None:
    with pytest.raises(InvalidInput):
        listen(host, port)


def test_a_socket_listens_on_loopback_only() -> None:
    with listen("localhost", 0) as listening:
        assert is_loopback(listening.getsockname()[0])
        assert listening.proto == socket.IPPROTO_TCP, "or asyncio leaves Nagle's algorithm on: 40 ms for each answer"


def test_port_80_may_be_left_out_of_the_host() -> None:
    assert {"localhost", "localhost:80", "[::1]:80"} <= answered_hosts("127.0.0.1", 80).names
    assert "localhost" not in answered_hosts("127.0.0.1", 8765).names


def test_processes_that_serve_the_same_tokens_share_what_they_may() -> None:
    processes, seconds = Processes(), [0.0]
    buckets = Buckets(8.0, 8.0, lambda: seconds[0], processes=processes)
    processes.count = 4
    assert [buckets.take("a") for _ in range(3)] == [0, 0, pytest.approx(0.5)]
    seconds[0] = 10.0
    assert [buckets.take("a") for _ in range(3)] == [0, 0, pytest.approx(0.5)]
    processes.count = 100
    assert buckets.take("b") == 0, "one at a time can always come"
