"""Find schema changes in one file."""

import re
from collections.abc import Callable, Iterable

from waypost.code.schema.frameworks.active_record import find_active_record
from waypost.code.schema.frameworks.alembic import find_alembic
from waypost.code.schema.frameworks.django import find_django_apps, find_django_models
from waypost.code.schema.frameworks.django_migrations import find_django_migration
from waypost.code.schema.frameworks.drizzle import find_drizzle
from waypost.code.schema.frameworks.eloquent import find_eloquent
from waypost.code.schema.frameworks.entity_framework import find_context, find_snapshot
from waypost.code.schema.frameworks.jpa import find_jpa
from waypost.code.schema.frameworks.knex import find_knex
from waypost.code.schema.frameworks.laravel import find_laravel
from waypost.code.schema.frameworks.mongoose import find_mongoose
from waypost.code.schema.frameworks.prisma import find_prisma
from waypost.code.schema.frameworks.rails import find_rails_migration, find_rails_schema
from waypost.code.schema.frameworks.sequelize import find_sequelize, find_sequelize_migration
from waypost.code.schema.frameworks.sqlalchemy import find_sqlalchemy
from waypost.code.schema.frameworks.typeorm import find_typeorm, find_typeorm_migration
from waypost.code.schema.model import SchemaChange
from waypost.code.schema.sql.statements import find_sql
from waypost.code.source import SourceFile

Detector = Callable[[SourceFile], Iterable[SchemaChange]]


def find_schema(source: SourceFile) -> tuple[SchemaChange, ...]:
    """The tables, columns, keys and relations that a file defines, in its order. Most files define none."""
    ending = source.path.rpartition(".")[2]
    detectors = _DETECTORS.get(ending, ())
    return tuple(change for detector, hint in detectors if hint(source) for change in detector(source))


def _has(*texts: str) -> Callable[[SourceFile], bool]:
    """A cheap check before parsing."""
    return lambda source: any(text in source.text for text in texts)


_MODEL_PATH = re.compile(r"(?:^|/)models?(?:/|\.py$)")
_FIELDS = ("models.Model)", "models.Model,", " = models.", "(Model):")  # plain texts: every file is searched for them


def _django_models(source: SourceFile) -> bool:
    if "/migrations/" in source.path or "class " not in source.text:
        return False
    if _MODEL_PATH.search(source.path):
        return "sqlalchemy" not in source.text and ("django" in source.text or "models" in source.text)
    return "django" in source.text and any(mark in source.text for mark in _FIELDS)


_SQLALCHEMY = re.compile(r"__tablename__|\bColumn\(|mapped_column\(|\bMapped\[|SQLModel|\bTable\(")


def _sqlalchemy(source: SourceFile) -> bool:
    """Whether a file has a model. Alembic migrations have columns too, but are not models."""
    if "down_revision" in source.text or "/migrations/" in source.path:  # migrations have models of their time
        return False
    named = any(mark in source.text for mark in ("sqlalchemy", "SQLAlchemy", "sqlmodel", "__tablename__", "db.Column("))
    return named and _SQLALCHEMY.search(source.text) is not None


_RECORD = ("< ApplicationRecord", "< ActiveRecord::Base", "has_many :", "belongs_to :", "has_one :")
_MANY_TO_MANY = "has_and_belongs_to_many :"


def _active_record(source: SourceFile) -> bool:
    is_record = "app/models/" in source.path or any(mark in source.text for mark in (*_RECORD, _MANY_TO_MANY))
    return is_record and "db/" not in source.path


_ELOQUENT = re.compile(
    r"Database.Eloquent|->(?:hasMany|hasOne|belongsTo|belongsToMany|morph\w{2,12})\(|protected \$(?:table|fillable|casts)\b"
    r"|Foundation.Auth.User"
)


_ENTITY_PATH = re.compile(r"(?:^|/|\.)(?:entit(?:y|ies)|models?|domain|core|data|features)(?:/|\.)|entity", re.I)


def _entity_class(source: SourceFile) -> bool:
    """Whether a file has a context, or properties in a usual folder for entities. Generated files do not count."""
    if source.path.endswith((".Designer.cs", "ModelSnapshot.cs")) or "/Migrations/" in source.path:
        return False
    if "DbSet<" in source.text or "IEntityTypeConfiguration<" in source.text:
        return True
    return "{ get;" in source.text and _ENTITY_PATH.search(source.path) is not None


_KNEX = re.compile(r"\.(?:createTable|createTableIfNotExists|alterTable|table|dropTable)\(")
_SEQUELIZE = re.compile(r"\.(?:define|init)\(")
_SCRIPT: list[tuple[Detector, Callable[[SourceFile], bool]]] = [
    (find_typeorm, lambda source: "@Entity" in source.text or ("Column(" in source.text and "typeorm" in source.text)),
    (find_typeorm_migration, lambda source: "MigrationInterface" in source.text),
    (find_knex, lambda source: "schema" in source.text and _KNEX.search(source.text) is not None),
    (find_sequelize, lambda source: "equelize" in source.text and _SEQUELIZE.search(source.text) is not None),
    (find_sequelize_migration, _has("queryInterface")),
    (find_mongoose, lambda source: "mongoose" in source.text and "Schema(" in source.text),
    (find_drizzle, lambda source: "drizzle" in source.text and "able(" in source.text),
]


_DETECTORS: dict[str, list[tuple[Detector, Callable[[SourceFile], bool]]]] = {
    "java": [(find_jpa, _has("@Entity", "@MappedSuperclass", "@Embeddable"))],
    "cs": [
        (find_snapshot, lambda source: source.path.endswith("ModelSnapshot.cs")),
        (find_context, _entity_class),
    ],
    "php": [
        (find_laravel, lambda source: "Schema" in source.text and "function up(" in source.text),
        (find_eloquent, lambda source: _ELOQUENT.search(source.text) is not None),
    ],
    "rb": [
        (find_rails_schema, _has("Schema.define", "Schema[", "Schema::define")),
        (find_rails_migration, lambda source: "ActiveRecord::Migration" in source.text or "Migration[" in source.text),
        (find_active_record, _active_record),
    ],
    "prisma": [(find_prisma, _has("model ", "view "))],
    **dict.fromkeys(("ts", "tsx", "js", "mjs", "cjs"), _SCRIPT),
    "sql": [(find_sql, _has(""))],
    "py": [
        (find_django_migration, _has("class Migration(")),
        (find_django_apps, lambda source: source.path.endswith("apps.py") or "_MODEL = " in source.text),
        (find_django_models, _django_models),
        (find_alembic, _has("down_revision")),
        (find_sqlalchemy, _sqlalchemy),
    ],
}
