"""Settings of a configuration file before and after, as dotted keys with short values. Secrets are never told."""

import re
from collections.abc import Iterator

from waypost.code.changes.flat import MASKED, flat_settings
from waypost.model.change import ADDED, MODIFIED, REMOVED, SettingChange
from waypost.text.secrets.masking import mask

MOST = 60  # settings of one file that are told
LONGEST = 160  # characters of a value
_HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
# What `dependency_changes` tells, and what holds nothing that anybody set.
_DEPENDENCIES = {
    "pyproject.toml": re.compile(
        r"project\.(?:dependencies|optional-dependencies|requires-python|classifiers)\b|dependency-groups\b"
        r"|build-system\.requires|tool\.uv\.dev-dependencies|tool\.poetry\.(?:[\w-]{1,60}\.){0,8}?(?:dev-)?dependencies\b"
    ),
    "package.json": re.compile(r"(?:dev|peer|optional)?[dD]ependencies\b|engines\b"),
    "composer.json": re.compile(r"require(?:-dev)?\b"),
    "Cargo.toml": re.compile(
        r"(?:target\..{0,200}\.|workspace\.)?(?:dev-|build-)?dependencies\b|(?:workspace\.)?package\.(?:rust-version|edition)\b"
    ),
    "setup.cfg": re.compile(
        r"options\.(?:install_requires|setup_requires|tests_require|python_requires|extras_require)\b"
    ),
    "Pipfile": re.compile(r"(?:dev-)?packages\b|requires\b"),
}


def setting_changes(path: str, before: str, after: str) -> Iterator[SettingChange]:
    """Keys that came, went or have another value. Nothing where a side cannot be read, or is data rather than settings."""
    old, new = flat_settings(path, before), flat_settings(path, after)
    if old is None or new is None:
        return
    dependencies = _DEPENDENCIES.get(path.rpartition("/")[2])
    told = 0
    for key in (*new, *(key for key in old if key not in new)):
        was, now = old.get(key), new.get(key)
        if (
            _opaque(was) == _opaque(now)
            or (dependencies is not None and dependencies.match(key))
            or _is_secret(key, was, now)
        ):
            continue
        change = ADDED if was is None else REMOVED if now is None else MODIFIED
        yield SettingChange(key, change, _short(now), _short(was))
        told += 1
        if told >= MOST:
            return


def _opaque(value: str | None) -> str | None:
    """Hashes say nothing to a reader: of a pinned commit that moved nothing is told."""
    return None if value is None else _HASH.sub("#", value)


def _is_secret(key: str, *values: str | None) -> bool:
    """The text was masked as a whole; here each value is looked at once more, beside its key."""
    name = key.rpartition(".")[2]
    return any(value and (MASKED in value or mask(f'{name} = "{value[:2_000]}"').findings) for value in values)


def _short(value: str | None) -> str:
    text = " ".join((value or "").split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
