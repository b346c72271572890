"""Settings of a configuration file before and after, as dotted keys with short values. Secrets are left out."""

import re
from collections.abc import Iterator

from waypost.code.changes.configuration import MASKED, flat_settings
from waypost.code.syntax.signatures import one_line
from waypost.model.change import ADDED, MODIFIED, REMOVED, SettingChange
from waypost.text.secrets.masking import mask

MOST = 60  # settings reported per file
LONGEST = 160  # characters of a value
_HASH = re.compile(r"\b[0-9a-f]{40,64}\b")
# Keys that `dependency_changes` reports, or that nobody sets.
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
    """Keys that were added, removed or changed. Nothing if a side is unreadable or is data."""
    old, new = flat_settings(path, before), flat_settings(path, after)
    if old is None or new is None:
        return
    dependencies = _DEPENDENCIES.get(path.rpartition("/")[2])
    count = 0
    for key in (*new, *(key for key in old if key not in new)):
        was, now = old.get(key), new.get(key)
        if (
            _without_hashes(was) == _without_hashes(now)
            or (dependencies is not None and dependencies.match(key))
            or _is_secret(key, was, now)
        ):
            continue
        change = ADDED if was is None else REMOVED if now is None else MODIFIED
        yield SettingChange(key, change, one_line(now or "", LONGEST), one_line(was or "", LONGEST))
        count += 1
        if count >= MOST:
            return


def _without_hashes(value: str | None) -> str | None:
    """Replace hashes: a pinned commit that moved is not worth reporting."""
    return None if value is None else _HASH.sub("#", value)


def _is_secret(key: str, *values: str | None) -> bool:
    """Whether a value is secret. The text was masked as a whole; here each value is checked with its key."""
    name = key.rpartition(".")[2]
    return any(value and (MASKED in value or mask(f'{name} = "{value[:2_000]}"').findings) for value in values)
