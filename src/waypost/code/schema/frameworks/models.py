"""Resolve model classes: by name, with their bases and table names."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from waypost.code.schema.merge import in_tests, shared_folders
from waypost.code.schema.model import Column, SchemaChange, TableRelation
from waypost.code.schema.names import data, plural, singular, snake, text_table
from waypost.model.reference import LineRange

MAX_SAME = 200  # candidates of one name: a hostile tree could have any number
MAX_ANCESTORS = 30  # longer chains of classes are cycles
_PARTS = re.compile(r"[.\\:/]+")


@dataclass(frozen=True, slots=True, eq=False)
class ModelClass:
    """One class, compared by identity."""

    path: str
    change: SchemaChange


def _tables() -> Mapping[str, str]:
    """Tables of Django's own applications with names of their own."""
    return {model.lower(): name for model, name in text_table("django_fields", "tables").items()}


class Models:
    """Every class of the repository that may be a model."""

    def __init__(self, changes: Mapping[str, Sequence[SchemaChange]]) -> None:
        self._named: dict[str, list[ModelClass]] = defaultdict(list)
        self._labels: dict[str, str] = {}
        self._settings: dict[str, tuple[str, str]] = {}  # name → file and `app.Model`
        self._renamed: dict[str, str] = {}  # entities with a configured table name
        self._sets: dict[str, str] = {}  # tables of Entity Framework entities, by class
        self._places: dict[ModelClass, frozenset[str]] = {}
        self._bases: dict[ModelClass, list[ModelClass]] = {}
        self._is_model: dict[ModelClass, bool] = {}
        self.table_names: Collection[str] = ()
        for path in sorted(changes):
            for change in changes[path]:
                if change.action == "app" and "setting" in change.flags:
                    if change.name not in self._settings or in_tests(self._settings[change.name][0]):
                        self._settings[change.name] = (path, change.new_name)
                elif "to_table" in change.flags:
                    self._renamed[change.name] = change.new_name
                elif change.action == "app":
                    self._labels[change.scope] = change.name
        for path in sorted(changes):
            for change in changes[path]:
                if "set" in change.flags:
                    self._sets.setdefault(change.bases[0][1:], change.table)
                if change.action == "model" and change.role == "model":
                    self._named[_PARTS.split(change.model)[-1]].append(ModelClass(path, change))

    @property
    def set_names(self) -> Collection[str]:
        return self._sets.keys()

    def entries(self) -> Iterator[ModelClass]:
        for same_name in self._named.values():
            yield from same_name

    def app_label(self, path: str, label: str = "") -> str:
        """The label of the Django application that a file belongs to."""
        if label:
            return label
        folder = path.rpartition("/")[0]
        parts = folder.split("/")
        for end in range(len(parts), 0, -1):
            above = "/".join(parts[:end])
            if above in self._labels:
                return self._labels[above]
        while len(parts) > 1 and parts[-1] in ("models", "migrations", "model"):
            parts.pop()
        for place, part in enumerate(parts[1:], 1):
            if part in ("models", "migrations"):
                return parts[place - 1]
        return parts[-1]

    def find(self, reference: str, path: str, kind: str = "") -> ModelClass | None:
        """The class that `@module.Name` means in a file: the nearest one of that name that fits the module."""
        parts = _PARTS.split(reference.lstrip("@"))
        candidates = [entry for entry in self._named.get(parts[-1], ()) if not kind or entry.change.kind == kind]
        if not candidates:
            return self._external(parts[-1]) if "Django" in kind else None
        if len(candidates) > 1:
            here = [entry for entry in candidates if entry.path == path]
            candidates = here if here and len(parts) == 1 else candidates[:MAX_SAME]
        if len(candidates) == 1:
            return candidates[0]
        return max(candidates, key=lambda entry: self._nearness(entry, parts[:-1], path))

    @staticmethod
    @cache
    def _external(name: str) -> ModelClass | None:
        """A class of a well-known package, with its fields."""
        bases = data("django_fields")["bases"]
        assert isinstance(bases, dict)
        if name not in bases:
            return None
        columns, many = [], []
        for part in bases[name].split():
            field, _, spec = part.partition(":")
            kind = spec.rstrip("?!#*")
            if spec.endswith("*"):
                many.append(TableRelation("belongs_to_many", kind, "", field))
            else:
                columns.append(Column(field, kind, spec.endswith("?"), None, spec.endswith("#"), spec.endswith("!")))
        change = SchemaChange(
            "model", "", LineRange(1, 1), "Django model", "model", tuple(columns), relations=tuple(many), model=name,
            flags=("abstract", "root"),
        )  # fmt: skip
        return ModelClass("", change)

    def _place(self, entry: ModelClass) -> frozenset[str]:
        """The folders, modules, namespace and application of a class, in lower case."""
        if entry not in self._places:
            parts = [*_PARTS.split(entry.path.removesuffix(".py")), *_PARTS.split(entry.change.scope)]
            if "Django" in entry.change.kind:
                parts.append(self.app_label(entry.path, entry.change.scope))
            self._places[entry] = frozenset(part.lower() for part in parts)
        return self._places[entry]

    def _nearness(self, entry: ModelClass, hint: Sequence[str], path: str) -> tuple[int, int, int, int]:
        named = self._place(entry)
        agreed = sum(1 for part in hint if part.lower() in named)
        near = shared_folders(path, entry.path)
        return (agreed, int(entry.path == path), int(in_tests(path) == in_tests(entry.path)), near)

    def bases(self, entry: ModelClass) -> list[ModelClass]:
        if entry not in self._bases:
            resolved = (self.find(base, entry.path, entry.change.kind) for base in entry.change.bases)
            self._bases[entry] = [base for base in resolved if base is not None and base is not entry]
        return list(self._bases[entry])

    def ancestors(self, entry: ModelClass) -> list[ModelClass]:
        """All base classes, nearest first."""
        seen: list[ModelClass] = []
        todo = self.bases(entry)
        while todo and len(seen) < MAX_ANCESTORS:
            base = todo.pop(0)
            if base not in seen and base != entry:
                seen.append(base)
                todo += self.bases(base)
        return seen

    def is_model(self, entry: ModelClass) -> bool:
        """Whether it or a base class is marked as a model (`root`). A mixin alone is not a model."""
        if entry not in self._is_model:
            family = (entry, *self.ancestors(entry))
            self._is_model[entry] = any("root" in member.change.flags or self._must_be(member) for member in family)
        return self._is_model[entry]

    def _must_be(self, entry: ModelClass) -> bool:
        """Whether it has fields and a base outside the repository, which must be the model."""
        if "fields" not in entry.change.flags:
            return False
        bases = [base for base in entry.change.bases if base != "@object"]
        return any(self.find(base, entry.path, entry.change.kind) in (None, entry) for base in bases)

    def table(self, entry: ModelClass) -> str:  # noqa: PLR0911 - one way for each framework
        """The name of the table of a model."""
        change = entry.change
        entity = change.bases[0][1:] if "set" in change.flags else change.model
        if entity in self._renamed:
            return self._renamed[entity]
        if change.table:
            return change.table
        if change.model in self._sets:
            return self._sets[change.model]
        if "Django" in change.kind:
            return f"{self.app_label(entry.path, change.scope)}_{change.model.lower()}"
        for base in self.ancestors(entry):
            if base.change.table:
                return base.change.table
            has_table = self.is_model(base) and not {"abstract", "mixin"} & set(base.change.flags)
            if "one_table" in change.flags and has_table:
                return self.table(base)
        long, short = plural(snake(change.model)), plural(snake(_PARTS.split(change.model)[-1]))
        return short if long not in self.table_names and short in self.table_names else long

    def _behind(self, entry: ModelClass | None, source: str, kind: str) -> str:
        """The table behind the relation `source` of a class, or a guess from that name."""
        names = (source, singular(source), plural(source))
        for member in (entry, *self.ancestors(entry)) if entry is not None else ():
            for relation in member.change.relations:
                if relation.name in names and "#" not in relation.target:
                    return self.table_named(relation.target, member.path, kind)
        return plural(snake(source))

    def table_named(self, reference: str, path: str, kind: str = "") -> str:
        """The table of a class reference, or a guess if the class is not in the repository."""
        if not reference.startswith("@"):
            return reference
        if reference.startswith("@settings."):
            name = reference.rpartition(".")[2]
            default = "auth.User" if name == "AUTH_USER_MODEL" else name
            return self.table_named("@" + self._settings.get(name, ("", default))[1], path, "Django model")
        reference, _, source = reference.partition("#")
        entry = self.find(reference, path, kind)
        if source:
            return self._behind(entry, source, kind)
        if entry is not None:
            return self.table(entry)
        parts = _PARTS.split(reference[1:])
        if "Django" in kind:
            if len(parts) > 2 and parts[-2] == "models":
                del parts[-2]
            label = ".".join(parts[-2:])
            return str(_tables().get(label.lower(), label.replace(".", "_").lower() if len(parts) > 1 else label))
        guess = plural(snake(parts[-1]))
        is_scoped = kind == "ActiveRecord model" and guess not in self.table_names
        return plural(snake("_".join(parts[-2:]))) if is_scoped else guess
