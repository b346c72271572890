"""The regular expressions by which times are found in a text, put together from the words of a language."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from waypost.retrieve.lexicon import times_of

UNITS = ("hour", "day", "week", "month", "quarter", "year")


@cache
def compiled(name: str, language: str) -> re.Pattern[str]:
    """The pattern of this name, for whole words in lower case."""
    return re.compile(rf"(?<![\w.])(?:{_SOURCES[name](times_of(language))})(?!\w)")


def _months(table: dict[str, Any]) -> str:
    names = "|".join(table["months"])
    ordinal = r"(?:st|nd|rd|th|\.|-?го|-?е)?"
    range_ = r"(?:-|–|bis|bis zum|to|until|and|und|по|до|и)"
    return (
        rf"(?:(?:(?P<from>\d{{1,2}}){ordinal}\s*{range_}\s*)?(?P<before>\d{{1,2}}){ordinal}\s+(?:of\s+)?)?"
        rf"(?<!\w)(?P<month>{names})(?!\w)\.?"
        rf"(?:\s+(?:the\s+)?(?P<after>\d{{1,2}})(?:st|nd|rd|th)?(?!\w|\.\d|:\d)"
        rf"(?:\s*(?:-|–|to|until)\s*(?P<until>\d{{1,2}})(?:st|nd|rd|th)?(?!\w))?)?"
        rf"(?:,?\s*(?:of\s+)?(?P<year>(?:19|20)\d\d)(?!\w)|\s+(?P<lastyear>{table['last_year']})(?!\w))?"
    )


def _ago(table: dict[str, Any]) -> str:
    units = _units(table)
    numbers = "|".join(sorted(table["numbers"], key=len, reverse=True))
    count = rf"(?P<count>\d{{1,3}}|{numbers})\s+(?:{units})"
    if "bare_unit_ago" in table:
        count = rf"(?:(?P<count>\d{{1,3}}|{numbers})\s+)?(?:{units})"
    return rf"{table['ago_before']}\s+{count}" if "ago_before" in table else rf"{count}\s+(?:{table['ago_after']})"


def _units(table: dict[str, Any]) -> str:
    return "|".join(f"(?P<{unit}>{table[unit]})" for unit in UNITS)


def _weekdays(table: dict[str, Any]) -> str:
    days = "|".join(f"(?P<d{n}>{names})" for n, names in enumerate(table["weekdays"]))
    which = (
        f"(?P<last>{table['last']})|(?P<this>{table['this']})|(?P<next>{table['next']})|(?P<not>{table['not_weekday']})"
    )
    part = table["part_of_day"]
    return rf"(?:(?:{which})\s+)?(?:{days})(?:(?:{part})|\s+(?:{part}))?"


_SOURCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "iso": lambda _: r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d|-\d)",
    "iso_week": lambda _: r"(?P<y>\d{4})-?w(?P<w>\d\d)(?!-)",
    "dotted": lambda _: r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})(?:\.(?P<y>\d{4}|\d\d)?)?(?!\d|\.\d|[\s.]*uhr|:)",
    "slashed": lambda _: r"(?P<a>\d{1,2})/(?P<b>\d{1,2})/(?P<y>\d{4})(?!/)",
    "months": _months,
    "alone": lambda table: table["day_alone"],
    "ago": _ago,
    "near": lambda table: "|".join(
        (
            rf"(?P<before_yesterday>{table['before_yesterday']})",
            rf"(?P<after_tomorrow>{table['after_tomorrow']})",
            rf"(?:(?P<yesterday>{table['yesterday']})|(?P<today>{table['today']}))(?:\s+(?:{table['part_of_day']}))?",
            rf"(?P<tomorrow>{table['tomorrow']})(?:\s+(?:{table['part_of_day']}))?",
        )
    ),
    "weekdays": _weekdays,
    "weekend": lambda table: (
        rf"(?:(?P<last>{table['last']})|(?P<this>{table['this']})|(?P<next>{table['next']}))\s+(?:{table['weekend']})"
    ),
    "unit": lambda table: (
        rf"(?:(?P<last>{table['last']})|(?P<this>{table['this']})|(?P<next>{table['next']}))\s+(?:{_units(table)})"
    ),
    "past": lambda table: (
        rf"(?:{table['last']})\s+(?P<count>\d{{1,3}}|{'|'.join(sorted(table['numbers'], key=len, reverse=True))})"
        rf"\s+(?:{_units(table)})"
    ),
    "week": lambda table: (
        rf"{table['week_number']}\s*(?P<w>\d{{1,2}})(?:\s*(?:/|of|in|,)?\s*(?P<y>(?:19|20)\d\d))?(?!\d|[.:]\d)"
        rf"|(?P<w2>\d{{1,2}})(?:\.|-?(?:я|й|ю)|(?:st|nd|rd|th))\s*{table['week_number']}(?:\s*/?\s*(?P<y2>(?:19|20)\d\d))?"
    ),
    "quarter": lambda table: (
        rf"(?:q\s?(?P<q>[1-4])|(?:{'|'.join(f'(?P<q{n}>{names})' for n, names in enumerate(table['ordinals'], 1))})"
        rf"\s*(?:{table['quarter']}))(?:,?\s*(?:/|of|in)?\s*(?P<y>(?:19|20)\d\d))?"
    ),
    "year": lambda _: r"(?P<y>(?:19|20)\d\d)(?![.,:/-]?\d|\w)",
}
