"""Plots: drawn from numbers, told in words, safe whatever a label says."""

from datetime import date
from xml.etree import ElementTree

import pytest

from waypost.faces.dashboard.plots import Series, bar_plot, calendar_plot, line_plot, share_bar

HOSTILE = "</svg><script>alert(1)</script>\"'"


def _rects(markup: str, tone: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(f"<x>{markup}</x>")
    return [one for one in root.iter("rect") if one.get("class") == tone]


def test_a_line_ends_at_the_top_when_its_last_value_is_the_round_number_of_the_scale() -> None:
    drawn = line_plot("Growth", ["a", "b", "c"], [Series("memories", [0, 5, 10])])
    assert "0.0,160.0 500.0,80.0 1000.0,0.0" in drawn
    assert 'role="img"' in drawn
    assert "Growth, a to c: memories from 0 to 10." in drawn


def test_bars_of_several_series_stand_on_each_other() -> None:
    drawn = bar_plot("Days", ["mon"], [Series("facts", [4], 1), Series("notes", [6], 2)])
    (low,), (high,) = _rects(drawn, "p1"), _rects(drawn, "p2")
    assert (low.get("y"), low.get("height")) == ("96.0", "64.0")
    assert (high.get("y"), high.get("height")) == ("0.0", "96.0")


def test_the_numbers_of_a_plot_are_there_as_a_table() -> None:
    drawn = bar_plot("Days", ["mon", "tue"], [Series("facts", [4, 1234])])
    assert '<th scope="row">tue</th><td class="number">1,234</td>' in drawn


@pytest.mark.parametrize("values", [[], [0], [0, 0, 0], [0.5, 0.25]])
def test_any_number_of_values_can_be_drawn(values: list[float]) -> None:
    labels = [str(place) for place in range(len(values))]
    for drawn in (
        line_plot("t", labels, [Series("s", values)]),
        bar_plot("t", labels, [Series("s", values)]),
        share_bar("t", list(zip(labels, values, strict=True))),
    ):
        assert "nan" not in drawn
        ElementTree.fromstring(f"<x>{drawn}</x>")


def test_a_budget_shows_what_is_left_of_it() -> None:
    (part,) = _rects(share_bar("Tokens", [("used", 250)], 1000), "p1")
    assert part.get("width") == "250.0"


def test_labels_never_become_markup() -> None:
    series = [Series(HOSTILE, [1.0])]
    for drawn in (
        line_plot(HOSTILE, [HOSTILE], series),
        bar_plot(HOSTILE, [HOSTILE], series),
        share_bar(HOSTILE, [(HOSTILE, 1.0)]),
        calendar_plot(HOSTILE, {}, date(2026, 1, 1), date(2026, 1, 2)),
    ):
        assert "<script" not in drawn


def test_a_calendar_leads_to_the_days_that_have_something() -> None:
    day = date(2026, 1, 7)
    drawn = calendar_plot("Journal", {day: 3}, date(2026, 1, 1), date(2026, 1, 31), href=lambda one: f"/day/{one}")
    assert drawn.count("<a ") == 1
    assert 'href="/day/2026-01-07" aria-label="2026-01-07: 3 entries"' in drawn
    assert drawn.count("<rect") == 31


def test_a_calendar_of_many_years_shows_the_last_one() -> None:
    drawn = calendar_plot("Journal", {}, date(1999, 1, 1), date(2026, 1, 31))
    assert drawn.count("<rect") == 54 * 7


def test_series_must_fit_their_labels() -> None:
    with pytest.raises(ValueError, match="2 values for 1"):
        line_plot("t", ["a"], [Series("s", [1, 2])])
