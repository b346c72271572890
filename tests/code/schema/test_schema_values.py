"""Changes and tables as values, hostile files, cost of files that say nothing."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from waypost.code.schema import (
    Column,
    Index,
    SchemaChange,
    SchemaEvidence,
    SchemaTable,
    TableRelation,
    build_schema,
    find_schema,
)
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

pytestmark = pytest.mark.slow  # not for the inner loop

Find = Callable[[Mapping[str, str]], dict[str, tuple[SchemaChange, ...]]]

FILES = {
    "a.sql": "CREATE TABLE a (id int PRIMARY KEY, b_id int REFERENCES b(id) DEFAULT 3); CREATE UNIQUE INDEX i ON a (b_id);",
    "m/models.py": "from django.db import models\nclass B(models.Model):\n    x = models.ManyToManyField('self')\n",
    "db/schema.rb": 'ActiveRecord::Schema.define do\n  create_table "c" do |t|\n    t.references "a", foreign_key: true\n  end\nend\n',
}


def test_changes_survive_json_unchanged(find: Find) -> None:
    changes = find(FILES)
    assert all(changes.values())
    stored = json.loads(json.dumps({path: [c.to_json() for c in found] for path, found in changes.items()}))
    again = {path: tuple(SchemaChange.from_json(row) for row in rows) for path, rows in stored.items()}
    assert again == changes
    assert build_schema(again) == build_schema(changes)


def test_a_table_survives_json_unchanged() -> None:
    table = SchemaTable(
        "users",
        (Column("id", "int", False, "1", True, False, ("a", "b"), "why"),),
        ("id",),
        (Index(("id",), True, "i"),),
        (TableRelation("has_many", "posts", "user_id", "posts"),),
        (SchemaEvidence("a.sql", LineRange(1, 3), "SQL"),),
        "People",
        ("x is missing",),
    )
    row = json.loads(json.dumps(table.to_json()))
    assert row["text"] == "users table: People. Stores id (PK, references a.b). Has many posts."
    assert SchemaTable.from_json(row) == table


def test_the_order_in_which_files_are_given_does_not_matter(find: Find) -> None:
    changes = find(FILES)
    assert build_schema(changes) == build_schema(dict(reversed(changes.items())))


def test_nothing_gives_no_tables() -> None:
    assert build_schema({}) == ()
    assert build_schema({"a.py": ()}) == ()


@pytest.mark.parametrize(
    ("path", "opening", "closing", "head"),
    [
        ("a.sql", "(", ")", "CREATE TABLE a (x int DEFAULT "),
        ("models.py", "(", ")", "from django.db import models\nclass A(models.Model):\n    x = models.CharField("),
        ("models.py", "[", "]", "from sqlalchemy import Column\n__tablename__ = "),
        ("db/schema.rb", "[", "]", "ActiveRecord::Schema.define do\n create_table 'a' do |t|\n  t.string "),
        ("app/Models/A.php", "(", ")", "<?php class A extends Model { protected $table = "),
        ("a.entity.ts", "(", ")", "@Entity() class A { @Column("),
        ("A.java", "(", ")", "@Entity class A { @Column("),
        ("Models/A.cs", "(", ")", "class A { public DbSet<B> B { get; } void f() { "),
        ("schema.prisma", "(", ")", "model A {\n  id Int @id @default("),
    ],
)
def test_deep_nesting_is_survived(path: str, opening: str, closing: str, head: str) -> None:
    find_schema(SourceFile(path, "", head + opening * 10_000 + closing * 10_000))
    find_schema(SourceFile(path, "", head + opening * 10_000))


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE a (" + "'" * 50_001,
        "CREATE TABLE `a` (" + r"'\'" * 30_000,
        "CREATE TABLE a (x int); " + "$a$" * 30_001,
        "CREATE TABLE a (x int); " + "/*" * 50_000,
        "CREATE TABLE a (" + "x int, " * 20_000 + ")",
        "CREATE " + "TABLE " * 50_000,
        "-" * 200_000 + " CREATE",
        "CREATE TABLE a" + " " * 200_000 + "x",
        "\n" * 100_000 + "CREATE TABLE a (x int);" * 200,
        "ALTER TABLE a " + "ADD " * 50_000,
        "CREATE TABLE a (x int);\nDELIMITER //\n" * 5_000,
    ],
    ids=lambda text: text[:20].strip(),
)
def test_adversarial_sql_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    find_schema(SourceFile("a.sql", "sql", text))
    assert time.process_time() - start < 2.5


@pytest.mark.parametrize(
    "path", ["models.py", "db/schema.rb", "app/Models/A.php", "a.entity.ts", "A.java", "Models/A.cs"]
)
def test_broken_files_do_not_raise(path: str) -> None:
    words = "@Entity class A models.Model DbSet< hasMany( Schema.define create_table __tablename__ Column( django {{{ ((( ''' \"\"\" do |t| <?php $table = "
    for cut in range(0, len(words), 3):
        find_schema(SourceFile(path, "", words[cut:] + "\0\ud7ff\n" + words[:cut]))


def test_classes_that_inherit_in_a_circle_are_survived(find: Find) -> None:
    text = "from django.db import models\nclass A(B, models.Model):\n    x = models.IntegerField()\nclass B(A):\n    y = models.IntegerField()\n"
    tables = build_schema(find({"app/models.py": text}))
    assert {table.name for table in tables} == {"app_a", "app_b"}


def test_migrations_that_depend_on_each_other_in_a_circle_are_survived(find: Find) -> None:
    text = "revision = '{}'\ndown_revision = '{}'\ndef upgrade():\n    op.create_table('t{}', sa.Column('id', sa.Integer()))\n"
    tables = build_schema(find({"v/a.py": text.format(1, 2, 1), "v/b.py": text.format(2, 1, 2)}))
    assert [table.name for table in tables] == ["t1", "t2"]


def test_files_without_any_schema_cost_next_to_nothing() -> None:
    """This package's own sources: a look at each must not mean parsing it."""
    folder = Path(__file__).parents[3] / "src" / "waypost" / "store"
    sources = [
        SourceFile(f"pkg/{path.name}", "python", path.read_text(encoding="utf-8")) for path in folder.rglob("*.py")
    ]
    assert sources
    start = time.process_time()
    for source in sources:
        assert find_schema(source) == ()
    assert (time.process_time() - start) / len(sources) < 0.002
