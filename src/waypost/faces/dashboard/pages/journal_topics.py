"""What was spoken about, over time."""

from collections import Counter

from waypost.faces.dashboard.plots import Series, line_plot
from waypost.faces.dashboard.request_context import PageRequest, ShowPage

_DRAWN = 6  # topics that have a line
_KEPT = 8  # topics of a period
_MOST_PERIODS = 60


def show_topics(asked: PageRequest) -> ShowPage:
    by = asked.one_of("by", ("week", "month", "year"), "month")
    periods = dict(list(asked.memory.journal.topics(by, _KEPT).items())[-_MOST_PERIODS:])
    totals = Counter[str]()
    for members in periods.values():
        totals.update(dict(members))
    drawn = [topic for topic, _ in totals.most_common(_DRAWN)]
    counts = {period: dict(members) for period, members in periods.items()}
    series = [
        Series(topic, [counts[period].get(topic, 0) for period in periods], index + 1)
        for index, topic in enumerate(drawn)
    ]
    plot = line_plot("Topics over time", list(periods), series, area=False) if len(periods) > 1 else ""
    values = {"by": by, "plot": plot, "periods": list(reversed(periods.items())), "totals": totals.most_common(30)}
    return ShowPage("journal_topics.html", "Topics over time", values)
