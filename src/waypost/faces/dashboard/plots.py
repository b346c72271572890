"""Plots as inline SVG. Lines and areas stretch with the page; labels are HTML, so that they stay readable on a phone.
Every plot has a text description and its numbers as a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from markupsafe import Markup

from waypost.text.plural import counted

_WIDTH, _HEIGHT = 1000, 160  # of the drawing before stretching
_TONES = 6  # colours in style.css: .p1 … .p6
_WIDEST_BAR = 60.0
_MOST_NAMED = 8  # bars that are all labelled; of more, only some are


@dataclass(frozen=True, slots=True)
class Series:
    """A named row of numbers. `tone` is its colour, 1 to 6."""

    name: str
    values: Sequence[float]
    tone: int = 1


_RECT = Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>')
_GRID = Markup('<line class="{}" x1="0" x2="{}" y1="{}" y2="{}"/>')
_LINE = Markup('<polyline class="line l{}" points="{}"/>')
_AREA = Markup('<polygon class="area p{}" points="{}"/>')
_SHARE = Markup(
    '<figure class="figure"><svg class="share" viewBox="0 0 {} 16" preserveAspectRatio="none" role="img" aria-label="{}">'
    "{}</svg>{}</figure>"
)
_FIGURE = Markup(
    '<figure class="figure"><div class="sheet"><div class="marks" aria-hidden="true"><span>{top}</span><span>0</span></div>'
    '<svg class="plot" viewBox="0 0 {width} {height}" preserveAspectRatio="none" role="img" aria-label="{description}">{drawn}</svg>'
    '</div><div class="{ticked}" aria-hidden="true">{ticks}</div>{legend}{table}</figure>'
)
_TABLE = Markup(
    '<details class="numbers"><summary>As a table</summary><div class="scroll" tabindex="0" role="group" aria-label="{}">'
    "<table><thead><tr><td></td>{}</tr></thead><tbody>{}</tbody></table></div></details>"
)


def line_plot(title: str, labels: Sequence[str], series: Sequence[Series], *, area: bool = True) -> Markup:
    """Lines over evenly spaced labels, such as days. The first, middle and last label are shown."""
    _check(labels, series)
    top = _round_up(max((value for row in series for value in row.values), default=0))
    step = _WIDTH / max(1, len(labels) - 1)
    drawn = _grid()
    for row in series:
        points = " ".join(f"{index * step:.1f},{_y(value, top):.1f}" for index, value in enumerate(row.values))
        if area and row.values:
            ends = f"{(len(row.values) - 1) * step:.1f},{_HEIGHT} 0,{_HEIGHT}"
            drawn += _AREA.format(_tone(row), f"{points} {ends}")
        drawn += _LINE.format(_tone(row), points)
    return _figure(title, labels, series, drawn, top)


def bar_plot(title: str, labels: Sequence[str], series: Sequence[Series]) -> Markup:
    """A bar for each label; several series are stacked."""
    _check(labels, series)
    totals = [sum(row.values[index] for row in series) for index in range(len(labels))]
    top, slot = _round_up(max(totals, default=0)), _WIDTH / max(1, len(labels))
    width = min(slot * 0.8, _WIDEST_BAR)
    drawn = _grid()
    for index in range(len(labels)):
        x, foot = index * slot + (slot - width) / 2, float(_HEIGHT)
        for row in series:
            height = _HEIGHT * row.values[index] / top if top else 0.0
            foot -= height
            if height > 0:
                drawn += _RECT.format(f"p{_tone(row)}", x, foot, width, height)
    return _figure(title, labels, series, drawn, top, each=len(labels) <= _MOST_NAMED)


def share_bar(title: str, parts: Sequence[tuple[str, float]], whole: float = 0) -> Markup:
    """One bar with named parts, such as a token budget. `whole` is its length if the parts do not fill it."""
    whole = max(whole, sum(value for _, value in parts)) or 1
    drawn, x = _RECT.format("rest", 0, 0, _WIDTH, 16), 0.0
    for index, (_, value) in enumerate(parts):
        width = _WIDTH * max(0.0, value) / whole
        drawn += _RECT.format(f"p{index % _TONES + 1}", x, 0, width, 16)
        x += width
    labels = [f"{name} {_number(value)}" for name, value in parts]
    legend = _legend([(name, index % _TONES + 1) for index, name in enumerate(labels)])
    return _SHARE.format(_WIDTH, f"{title}: {', '.join(labels)}", drawn, legend)


def _figure(
    title: str, labels: Sequence[str], series: Sequence[Series], drawn: Markup, top: float, *, each: bool = False
) -> Markup:
    """`each`: show every label; otherwise the first, middle and last."""
    ticks = list(labels) if each or len(labels) <= 2 else [labels[0], labels[len(labels) // 2], labels[-1]]
    return _FIGURE.format(
        ticked="ticks even" if each else "ticks",
        top=_number(top),
        width=_WIDTH,
        height=_HEIGHT,
        description=_description(title, labels, series),
        drawn=drawn,
        ticks=Markup().join(Markup("<span>{}</span>").format(label) for label in ticks),
        legend=_legend([(row.name, _tone(row)) for row in series]) if len(series) > 1 else "",
        table=_table(title, labels, series),
    )


def _description(title: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    if not labels:
        return f"{title}: nothing yet."
    parts = [f"{row.name} from {_number(row.values[0])} to {_number(row.values[-1])}" for row in series]
    return f"{title}, {labels[0]} to {labels[-1]}: {'; '.join(parts)}."


def _table(title: str, labels: Sequence[str], series: Sequence[Series]) -> Markup:
    heads = Markup().join(Markup('<th scope="col" class="number">{}</th>').format(row.name) for row in series)
    body = Markup()
    for index, label in enumerate(labels):
        cells = (Markup('<td class="number">{}</td>').format(_number(row.values[index])) for row in series)
        body += Markup('<tr><th scope="row">{}</th>{}</tr>').format(label, Markup().join(cells))
    return _TABLE.format(title, heads, body)


def _legend(entries: Sequence[tuple[str, int]]) -> Markup:
    items = (Markup('<li class="p{}"><i></i>{}</li>').format(tone, name) for name, tone in entries)
    return Markup('<ul class="legend">{}</ul>').format(Markup().join(items))


def _grid() -> Markup:
    lines = [("grid", 0), ("grid", _HEIGHT // 2), ("axis", _HEIGHT)]
    return Markup().join(_GRID.format(kind, _WIDTH, y, y) for kind, y in lines)


def _y(value: float, top: float) -> float:
    return _HEIGHT - (_HEIGHT * value / top if top else 0.0)


def _round_up(value: float) -> float:
    """The next round number: 1, 2, 2.5 or 5 times a power of ten."""
    if value <= 0:
        return 0.0
    power = 1.0
    while power < value:
        power *= 10
    while power / 10 >= value:
        power /= 10
    return next(part * power for part in (0.1, 0.2, 0.25, 0.5, 1.0) if part * power >= value)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _tone(series: Series) -> int:
    return (series.tone - 1) % _TONES + 1


def _check(labels: Sequence[str], series: Sequence[Series]) -> None:
    for row in series:
        if len(row.values) != len(labels):
            raise ValueError(f"{row.name} has {len(row.values)} values for {len(labels)} labels")


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
        drawn.append(_square(day, offset, counts.get(day, 0), most, href))
    width, height = _LEFT + weeks * _STEP + _RIGHT, _TOP + 7 * _STEP
    total = sum(count for day, count in counts.items() if first <= day <= last)
    description = f"{title}, {first} to {last}: {counted(total, 'entry', 'entries')}"
    role = "group" if href is not None else "img"
    return _PLOT.format(
        title=title, width=width, height=height, role=role, description=description, drawn=Markup().join(drawn)
    )


def _square(day: date, offset: int, count: int, most: int, href: Callable[[date], str] | None) -> Markup:
    x, y = _LEFT + offset // 7 * _STEP, _TOP + offset % 7 * _STEP
    shade = 0 if not count else min(_SHADES, 1 + (count - 1) * _SHADES // max(1, most))
    label = f"{day}: {counted(count, 'entry', 'entries')}"
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
