"""Figures as Prometheus reads them: the text is parsed here by the rules of its format."""

import math
import re
import threading
from collections.abc import Iterator

import pytest

from waypost.faces.guard.metrics import Counter, Gauge, Histogram, ReadGauge, exposition

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\+Inf|-Inf|NaN|[-+]?[0-9.]+(?:e[-+]?[0-9]+)?)")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


def parsed(content: bytes) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample. Each family is told in one piece: help, type, then its samples, none of them twice."""
    assert content.endswith(b"\n")
    found: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    family, sort, seen = "", "", set[str]()
    for line in content.decode().splitlines():
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            assert re.fullmatch(NAME, family) and family not in seen
            seen.add(family)
        elif line.startswith("# TYPE "):
            _, _, name, sort = line.split(" ")
            assert name == family and sort in SUFFIXES
        else:
            matched = SAMPLE.fullmatch(line)
            assert matched, line
            assert matched[1] in [family + suffix for suffix in SUFFIXES[sort]], line
            key = matched[1], tuple(_labels(matched[2] or ""))
            assert key not in found, line
            found[key] = float(matched[3])
    return found


def _labels(text: str) -> Iterator[tuple[str, str]]:
    for name, value in re.findall(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"', text):
        yield name, re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], value)


def test_a_counter_tells_each_of_its_labels() -> None:
    counter = Counter("refused_total", "Requests refused.", ("reason",))
    counter.add("auth")
    counter.add("auth")
    counter.add("rate", by=3)
    assert parsed(exposition([counter])) == {
        ("refused_total", (("reason", "auth"),)): 2,
        ("refused_total", (("reason", "rate"),)): 3,
    }
    assert counter.get("auth") == 2 and counter.get("none") == 0


def test_a_counter_without_labels_is_told_before_it_counts() -> None:
    assert parsed(exposition([Counter("lost_total", "Lost.")])) == {("lost_total", ()): 0}


def test_what_stands_in_a_label_is_quoted() -> None:
    odd = 'a "b" \\ \n{c="d"} 1'
    counter = Counter("odd_total", "Odd \\ and\nmore.", ("what",))
    counter.add(odd)
    assert parsed(exposition([counter])) == {("odd_total", (("what", odd),)): 1}


def test_a_histogram_counts_up_to_each_bound() -> None:
    histogram = Histogram("took_seconds", "Took.", "asked_total", ("route",), bounds=(0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7.0):
        histogram.observe(seconds, "/a")
    found = parsed(exposition([histogram]))
    route = ("route", "/a")
    assert [found["took_seconds_bucket", (route, ("le", bound))] for bound in ("0.1", "1", "+Inf")] == [2, 3, 4]
    assert found["took_seconds_count", (route,)] == found["asked_total", (route,)] == 4
    assert found["took_seconds_sum", (route,)] == pytest.approx(7.65)


def test_a_histogram_without_labels_has_only_its_bounds() -> None:
    histogram = Histogram("took_seconds", "Took.", "asked_total", bounds=(1.0,))
    histogram.observe(0.5)
    found = parsed(exposition([histogram]))
    assert found["took_seconds_bucket", (("le", "1"),)] == found["took_seconds_bucket", (("le", "+Inf"),)] == 1
    assert found["took_seconds_sum", ()] == 0.5


def test_labels_beyond_what_is_held_count_together() -> None:
    counter = Counter("c_total", "C.", ("a", "b"), most=3)
    histogram = Histogram("h_seconds", "H.", "h_total", ("a", "b"), most=3)
    for number in range(10_000):
        counter.add(str(number), "x")
        histogram.observe(0.1, str(number), "x")
    found = parsed(exposition([counter, histogram]))
    assert len(counter._values) == len(histogram._series) == 4
    others = (("a", "other"), ("b", "other"))
    assert found["c_total", others] == found["h_total", others] == 9_997


def test_a_gauge_rises_and_falls_and_another_is_read_when_asked() -> None:
    gauge = Gauge("now", "Now.")
    values: dict[tuple[str, ...], float] = {("x",): math.inf, ("y",): -0.25, ("z",): 1e300}
    gauge.add(2)
    gauge.add(-1)
    found = parsed(exposition([gauge, ReadGauge("read", "Read.", lambda: values, ("label",))]))
    assert found["now", ()] == 1
    assert {key[1][0][1]: value for key, value in found.items() if key[0] == "read"} == {
        "x": math.inf, "y": -0.25, "z": 1e300,
    }  # fmt: skip


def test_threads_lose_nothing() -> None:
    counter, histogram = Counter("c_total", "C.", ("a",)), Histogram("h_seconds", "H.", "h_total", ("a",))

    def work() -> None:
        for _ in range(2_000):
            counter.add("x")
            histogram.observe(0.01, "x")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = parsed(exposition([counter, histogram]))
    assert found["c_total", (("a", "x"),)] == found["h_total", (("a", "x"),)] == 16_000
