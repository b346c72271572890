"""A calendar of small squares, one column per week."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta

from markupsafe import Markup

_CELL, _GAP = 12, 3
_STEP = _CELL + _GAP
_LEFT, _TOP, _RIGHT = 30, 18, 12  # space for day and month names
_SHADES = 4  # .q1 … .q4 in style.css; .q0 is an empty day
_LONGEST = 54 * 7  # days of one plot
_WEEKDAYS = ((0, "Mon"), (2, "Wed"), (4, "Fri"))
_TEXT = Markup('<text x="{}" y="{}">{}</text>')
_BOX = Markup('<rect class="q{}" x="{}" y="{}" width="{}" height="{}" rx="2"><title>{}</title></rect>')
_PLOT = Markup(
    '<div class="scroll calendar" tabindex="0" role="group" aria-label="{title}"><svg class="days" width="{width}" '
    'height="{height}" viewBox="0 0 {width} {height}" role="{role}" aria-label="{description}">{drawn}</svg></div>'
)


def calendar_plot(
    title: str,
    counts: Mapping[date, int],
    first: date,
    last: date,
    *,
    noun: tuple[str, str] = ("entry", "entries"),
    href: Callable[[date], str] | None = None,
) -> Markup:
    """The days from `first` to `last`, at most about a year. Days with entries link to `href(day)`."""
    first = max(first, last - timedelta(days=_LONGEST - 1))
    start = first - timedelta(days=first.weekday())
    weeks = (last - start).days // 7 + 1
    most = max((counts.get(start + timedelta(days=n), 0) for n in range(weeks * 7)), default=0)
    drawn = [_TEXT.format(0, _TOP + row * _STEP + 10, name) for row, name in _WEEKDAYS]
    drawn += _months(first, last, start, weeks)
    for offset in range((first - start).days, (last - start).days + 1):
        day = start + timedelta(days=offset)
        drawn.append(_square(day, offset, counts.get(day, 0), most, noun, href))
    width, height = _LEFT + weeks * _STEP + _RIGHT, _TOP + 7 * _STEP
    total = sum(count for day, count in counts.items() if first <= day <= last)
    description = f"{title}, {first} to {last}: {total:,} {noun[0] if total == 1 else noun[1]}"
    role = "group" if href is not None else "img"
    return _PLOT.format(
        title=title, width=width, height=height, role=role, description=description, drawn=Markup().join(drawn)
    )


def _square(
    day: date, offset: int, count: int, most: int, noun: tuple[str, str], href: Callable[[date], str] | None
) -> Markup:
    x, y = _LEFT + offset // 7 * _STEP, _TOP + offset % 7 * _STEP
    shade = 0 if not count else min(_SHADES, 1 + (count - 1) * _SHADES // max(1, most))
    label = f"{day}: {count:,} {noun[0] if count == 1 else noun[1]}"
    box = _BOX.format(shade, x, y, _CELL, _CELL, label)
    if href is None or not count:
        return box
    return Markup('<a href="{}" aria-label="{}">{}</a>').format(href(day), label, box)


def _months(first: date, last: date, start: date, weeks: int) -> list[Markup]:
    """The name of each month above its first week. Only shown days count."""
    names, last_column = list[Markup](), -3
    for column in range(weeks):
        week = [start + timedelta(days=7 * column + n) for n in range(7)]
        begins = next((day for day in week if day.day == 1 and first <= day <= last), None)
        if (begins is not None or column == 0) and column - last_column >= 3:
            names.append(_TEXT.format(_LEFT + column * _STEP, 11, f"{begins or first:%b}"))
            last_column = column
    return names
