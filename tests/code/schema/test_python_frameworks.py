"""Django, SQLAlchemy, SQLModel, Alembic."""

from collections.abc import Callable, Mapping

from waypost.code.schema import SchemaTable

Read = Callable[[Mapping[str, str]], dict[str, SchemaTable]]


def names(table: SchemaTable) -> list[str]:
    return [column.name for column in table.columns]


def references(table: SchemaTable) -> dict[str, tuple[str, str]]:
    return {column.name: column.references for column in table.columns if column.references}


def relations(table: SchemaTable) -> set[tuple[str, str, str]]:
    return {(relation.kind, relation.target, relation.via) for relation in table.relations}


DJANGO = {
    "shop/apps.py": """
        from django.apps import AppConfig
        class ShopConfig(AppConfig):
            name = "shop"
            label = "store"
        """,
    "project/settings.py": 'AUTH_USER_MODEL = "people.Person"\n',
    "people/models.py": """
        from django.contrib.auth.models import AbstractUser
        class Person(AbstractUser):
            pass
        """,
    "shop/models.py": """
        from django.conf import settings
        from django.db import models

        class Stamped(models.Model):
            created = models.DateTimeField(auto_now_add=True)
            class Meta:
                abstract = True

        class Tag(models.Model):
            name = models.CharField(max_length=30, unique=True)

        class Product(Stamped):
            \"\"\"Something that can be bought.\"\"\"
            sku = models.CharField("SKU", max_length=20, primary_key=True)
            price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
            seller = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
            parent = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, db_column="above")
            tags = models.ManyToManyField(Tag)
            class Meta:
                unique_together = [("seller", "price")]

        class Book(Product):
            isbn = models.CharField(max_length=13)

        class Bargain(Product):
            class Meta:
                proxy = True

        class Old(models.Model):
            class Meta:
                db_table = "legacy"
        """,
}


def test_django_models_become_tables_with_the_names_that_django_gives_them(read: Read) -> None:
    tables = read(DJANGO)
    assert set(tables) == {
        "people_person", "people_person_groups", "people_person_user_permissions",
        "store_tag", "store_product", "store_product_tags", "store_book", "legacy",
    }  # fmt: skip
    product = tables["store_product"]
    assert names(product) == ["created", "sku", "price", "seller_id", "above"]
    assert product.primary_key == ("sku",)
    assert references(product) == {"seller_id": ("people_person", "id"), "above": ("store_product", "sku")}
    assert product.description == "Something that can be bought."
    assert ("seller_id", "price") in [index.columns for index in product.indexes]
    assert ("belongs_to_many", "store_tag", "store_product_tags") in relations(product)
    assert references(tables["store_product_tags"]) == {
        "product_id": ("store_product", "sku"),
        "tag_id": ("store_tag", "id"),
    }


def test_a_django_model_that_extends_another_points_at_its_row(read: Read) -> None:
    book = read(DJANGO)["store_book"]
    assert names(book) == ["product_ptr_id", "isbn"]
    assert references(book) == {"product_ptr_id": ("store_product", "sku")}


def test_the_users_of_django_have_the_columns_they_inherit(read: Read) -> None:
    assert {"id", "password", "username", "email", "is_staff"} <= set(names(read(DJANGO)["people_person"]))


def test_django_migrations_run_in_the_order_of_their_dependencies(read: Read) -> None:
    head = "from django.db import migrations, models\nclass Migration(migrations.Migration):\n"
    tables = read(
        {
            "blog/migrations/0001_initial.py": head
            + """
    operations = [
        migrations.CreateModel(name="Post", fields=[
            ("id", models.BigAutoField(primary_key=True)),
            ("title", models.CharField(max_length=100)),
            ("draft", models.BooleanField(default=True)),
        ]),
        migrations.CreateModel(name="Note", fields=[("id", models.AutoField(primary_key=True)),
            ("post", models.ForeignKey(to="blog.Post", on_delete=models.CASCADE))]),
        migrations.CreateModel("Gone", [("id", models.AutoField(primary_key=True))]),
    ]
""",
            # named so that the order of names would be the wrong one
            "blog/migrations/0002_b.py": head
            + """
    dependencies = [("blog", "0002_z")]
    operations = [
        migrations.AlterField("article", "headline", models.TextField(null=True)),
        migrations.RunSQL("CREATE TABLE search (id int PRIMARY KEY);", "DROP TABLE search;"),
        migrations.DeleteModel("Gone"),
    ]
""",
            "blog/migrations/0002_z.py": head
            + """
    dependencies = [("blog", "0001_initial")]
    operations = [
        migrations.RenameModel("Post", "Article"),
        migrations.RenameField("article", "title", "headline"),
        migrations.RemoveField("article", "draft"),
        migrations.AddField("article", "slug", models.SlugField(unique=True)),
    ]
""",
        }
    )
    assert set(tables) == {"blog_article", "blog_note", "search"}
    assert names(tables["blog_article"]) == ["id", "slug", "headline"]
    assert references(tables["blog_note"]) == {"post_id": ("blog_article", "id")}
    assert ("has_many", "blog_note", "post_id") in relations(tables["blog_article"])


def test_a_model_and_its_migration_are_one_table_and_what_differs_is_told(read: Read) -> None:
    tables = read(
        {
            "blog/models.py": "from django.db import models\nclass Post(models.Model):\n    title = models.CharField(max_length=9)\n    new = models.IntegerField()\n",
            "blog/migrations/0001_initial.py": 'from django.db import migrations, models\nclass Migration(migrations.Migration):\n    operations = [migrations.CreateModel("Post", [("id", models.AutoField(primary_key=True)), ("title", models.CharField(max_length=9)), ("left", models.IntegerField())])]\n',
        }
    )
    post = tables["blog_post"]
    assert [evidence.kind for evidence in post.evidence] == ["Django model", "Django migration"]
    assert post.conflicts == (
        "new is in the model (blog/models.py) but not in the migrations.",
        "left is in the migrations but not in the model (blog/models.py).",
    )


def test_sqlalchemy_of_both_styles_with_mixins_and_tables_without_a_class(read: Read) -> None:
    tables = read(
        {
            "app/base.py": """
                from sqlalchemy import Column, DateTime, Integer
                from sqlalchemy.orm import DeclarativeBase
                class Base(DeclarativeBase):
                    pass
                class Stamped:
                    created_at = Column(DateTime, nullable=False)
                """,
            "app/models.py": """
                from sqlalchemy import Column, ForeignKey, String, Table, Integer, UniqueConstraint
                from sqlalchemy.orm import Mapped, mapped_column, relationship
                from app.base import Base, Stamped

                tagging = Table("tagging", Base.metadata,
                    Column("post_id", ForeignKey("posts.id"), primary_key=True),
                    Column("tag_id", ForeignKey("tags.id"), primary_key=True))

                class User(Stamped, Base):
                    \"\"\"Somebody who writes.\"\"\"
                    __tablename__ = "users"
                    id = Column(Integer, primary_key=True)
                    email = Column("mail", String(120), nullable=False, unique=True)
                    posts = relationship("Post", back_populates="author")

                class Post(Base):
                    __tablename__ = "posts"
                    __table_args__ = (UniqueConstraint("title", "author_id"), {"comment": "Written things"})
                    id: Mapped[int] = mapped_column(primary_key=True)
                    title: Mapped[str | None] = mapped_column(String(50))
                    author_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
                    author: Mapped["User"] = relationship()
                    tags: Mapped[list["Tag"]] = relationship(secondary=tagging)

                class Tag(Base):
                    __tablename__ = "tags"
                    id: Mapped[int] = mapped_column(primary_key=True)
                """,
        }
    )
    assert set(tables) == {"users", "posts", "tags", "tagging"}
    assert names(tables["users"]) == ["created_at", "id", "mail"]
    assert [(c.name, c.type, c.nullable) for c in tables["posts"].columns] == [
        ("id", "integer", False),
        ("title", "varchar(50)", True),
        ("author_id", "integer", False),
    ]
    assert ("belongs_to", "users", "author_id") in relations(tables["posts"])
    assert ("has_many", "posts", "author_id") in relations(tables["users"])
    assert ("belongs_to_many", "tags", "tagging") in relations(tables["posts"])
    assert tables["posts"].description == "Written things"


def test_sqlmodel_tables_take_over_the_fields_of_their_bases(read: Read) -> None:
    tables = read(
        {
            "models.py": """
                from sqlmodel import Field, Relationship, SQLModel
                class HeroBase(SQLModel):
                    name: str = Field(max_length=40, unique=True)
                class Team(SQLModel, table=True):
                    id: int | None = Field(default=None, primary_key=True)
                    heroes: list["Hero"] = Relationship(back_populates="team")
                class Hero(HeroBase, table=True):
                    id: int | None = Field(default=None, primary_key=True)
                    team_id: int | None = Field(default=None, foreign_key="team.id")
                class HeroPublic(HeroBase):
                    id: int
                """
        }
    )
    assert set(tables) == {"team", "hero"}
    assert (
        tables["hero"].text
        == "hero table stores name (unique), id (PK), team_id (references team.id). Belongs to team."
    )


def test_alembic_runs_upgrade_in_the_order_of_revisions_with_batches_and_loops(read: Read) -> None:
    tables = read(
        {
            "migrations/versions/b.py": """
                revision = "1"
                down_revision = None
                from alembic import op
                import sqlalchemy as sa
                def upgrade():
                    for name in ["a", "b"]:
                        op.create_table(name, sa.Column("id", sa.Integer(), primary_key=True))
                    op.create_table("user", sa.Column("id", sa.Integer(), nullable=False), sa.Column("nick", sa.String(length=20)),
                        sa.PrimaryKeyConstraint("id"), sa.UniqueConstraint("nick"))
                def downgrade():
                    op.drop_table("user")
                """,
            "migrations/versions/a.py": """
                revision = "2"
                down_revision = "1"
                from alembic import op
                import sqlalchemy as sa
                def upgrade():
                    with op.batch_alter_table("user") as batch_op:
                        batch_op.add_column(sa.Column("a_id", sa.Integer()))
                        batch_op.alter_column("nick", new_column_name="name", nullable=False)
                        batch_op.create_foreign_key("fk", "a", ["a_id"], ["id"])
                    more()
                    op.drop_table("b")
                def more():
                    op.execute("ALTER TABLE a ADD COLUMN note text")
                """,
        }
    )
    assert set(tables) == {"a", "user"}
    assert tables["user"].text == "user table stores id (PK), name (unique), a_id (references a.id). Belongs to a."
    assert names(tables["a"]) == ["id", "note"]
