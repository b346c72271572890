"""The role of a file: source, test, example, document, configuration, manifest, pipeline, generated or other."""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from waypost.code.architecture.roles import role_of
from waypost.code.changes.manifests import is_manifest
from waypost.code.files.languages import is_document, language_of_path
from waypost.code.files.skip import file_skip

_OFTEN_APART = (".txt", ".in", "proj")  # manifests that also exist in test and documentation folders
_SOURCES = frozenset({"src", "lib", "crates", "internal", "pkg", "cmd", "app"})
_MIGRATIONS = frozenset({"migrations", "migrate", "alembic", "versions"})
_SKIPPED = ("lock", "generated", "minified", "recorded", "other people")  # prefixes of skip reasons


@dataclass(frozen=True, slots=True)
class _Rule:
    folders: tuple[str, ...]
    names: frozenset[str]
    starts: tuple[str, ...]
    endings: tuple[str, ...]
    languages: frozenset[str]

    def holds_for(self, path: str, name: str, language: str = "") -> bool:
        return (
            name in self.names
            or name.startswith(self.starts or ("\0",))
            or name.endswith(self.endings or ("\0",))
            or (language != "" and language in self.languages)
            or any(f"/{folder}/" in path for folder in self.folders)
        )


@cache
def _rules() -> dict[str, _Rule]:
    data = tomllib.loads(files("waypost.code.changes").joinpath("roles.toml").read_text(encoding="utf-8"))
    return {
        role: _Rule(
            folders=tuple(entry.get("folders", ())),
            names=frozenset(entry.get("names", ())),
            starts=tuple(entry.get("starts", ())),
            endings=tuple(entry.get("endings", ())),
            languages=frozenset(entry.get("languages", ())),
        )
        for role, entry in data.items()
    }


@lru_cache(maxsize=20_000)
def role_of_path(path: str) -> str:
    """The role by path alone. Migrations are source, even if generated."""
    rules = _rules()
    lower = f"/{path.lower()}"
    name = lower.rpartition("/")[2]
    if _is_generated(path, lower, name, rules["generated"]):
        return "generated"
    if rules["pipeline"].holds_for(lower, name):
        return "pipeline"
    place = role_of(path)  # "", "test", "example" or "docs"
    if place == "docs" and not _SOURCES.isdisjoint(lower.split("/")[1:-2]):
        place = ""  # a package named `doc`
    if is_manifest(path):
        return "example" if place and not name.endswith(_OFTEN_APART) else "manifest"
    return _by_place(lower, name, place, language_of_path(path))


def _by_place(lower: str, name: str, place: str, language: str) -> str:
    rules = _rules()
    is_code = language != "" and not is_document(language)
    if name.partition(".")[0] in rules["document"].names or language in rules["document"].languages:
        return "document"
    if place in ("test", "example"):
        return place
    if rules["other"].holds_for(lower, name) and not is_code:
        return "other"
    if rules["configuration"].holds_for(lower, name, language) or (place == "docs" and name == "conf.py"):
        return "configuration"
    if is_code:
        return "example" if place == "docs" else "source"
    return "document" if place == "docs" and language else "other"


def _is_generated(path: str, lower: str, name: str, rule: _Rule) -> bool:
    if not _MIGRATIONS.isdisjoint(lower.split("/")[:-1]):
        return False
    if rule.holds_for(lower, name):
        return True
    skip = file_skip(path, 0)
    return skip is not None and skip.reason.startswith(_SKIPPED)
