"""Days, weeks, months, quarters and years of the calendar, counted from a day."""

from calendar import monthrange
from datetime import date, timedelta

DAY = timedelta(days=1)

Days = tuple[date, date]  # the first and the last, both included


def month_days(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def back_from(today: date, unit: str, count: int) -> Days:
    """The day, calendar week, month, quarter or year so many before today's."""
    if unit == "hour":
        return today, today
    if unit == "day":
        return today - count * DAY, today - count * DAY
    if unit == "week":
        monday = today - DAY * (today.weekday() + 7 * count)
        return monday, monday + 6 * DAY
    if unit == "year":
        year = max(1, today.year - count)
        return date(year, 1, 1), date(year, 12, 31)
    size = 3 if unit == "quarter" else 1
    months = today.year * 12 + today.month - 1
    first = max(12, months - months % size - count * size)
    last = first + size - 1
    return month_days(first // 12, first % 12 + 1)[0], month_days(last // 12, last % 12 + 1)[1]


def week_days(today: date, number: int, year: int | None) -> Days | None:
    try:
        monday = date.fromisocalendar(year or today.isocalendar().year, number, 1)
        if year is None and monday > today:
            monday = date.fromisocalendar(today.isocalendar().year - 1, number, 1)
    except ValueError:  # no such week in that year
        return None
    return monday, monday + 6 * DAY


def day_at(year: int, month: int, day: int) -> date | None:
    if 1 <= month <= 12 and 1 <= year < 9999 and 1 <= day <= monthrange(year, month)[1]:
        return date(year, month, day)
    return None


def latest_day(today: date, month: int, day: int) -> date | None:
    """The last such day that has begun."""
    for year in range(today.year, max(0, today.year - 9), -1):  # 29 February can be eight years away
        date_there = day_at(year, month, day)
        if date_there and date_there <= today:
            return date_there
    return None
