"""Numbers and lists in sentences."""

from collections.abc import Iterable


def counted(number: float, singular: str, plural: str | None = None) -> str:
    """ "1 memory", "2,500 memories". Give `plural` if an added "s" would be wrong."""
    figure = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    return f"{figure} {singular if number == 1 else plural or singular + 's'}"


def join_items(items: Iterable[str], most: int = 8) -> str:
    """`a, b and c`, without repetitions. Of more than `most`, the first ones and the number of others."""
    unique = list(dict.fromkeys(items))
    if len(unique) > most:
        return f"{', '.join(unique[:most])} and {len(unique) - most} more"
    return " and ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)
