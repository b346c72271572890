"""Plain SQL of four dialects."""

from collections.abc import Callable, Mapping

import pytest

from waypost.code.schema import SchemaTable

Read = Callable[[Mapping[str, str]], dict[str, SchemaTable]]


def told(table: SchemaTable, name: str) -> tuple[str, bool | None, str | None]:
    found = next(each for each in table.columns if each.name == name)
    return found.type, found.nullable, found.default


def test_a_table_has_its_columns_keys_and_relations_in_plain_words(read: Read) -> None:
    tables = read(
        {
            "schema.sql": """
            CREATE TABLE roles (id serial PRIMARY KEY, name varchar(50) NOT NULL);
            -- People who can sign in
            CREATE TABLE users (
                id bigserial PRIMARY KEY,
                email character varying(255) NOT NULL UNIQUE,
                role_id integer REFERENCES roles (id),
                created_at timestamp with time zone DEFAULT now() NOT NULL
            );
            CREATE TABLE articles (id int PRIMARY KEY, author_id bigint NOT NULL, FOREIGN KEY (author_id) REFERENCES users(id));
            """
        }
    )
    assert tables["users"].text == (
        "users table: People who can sign in. Stores id (PK), email (unique), role_id (references roles.id), created_at. "
        "Has many articles, belongs to roles."
    )
    assert told(tables["users"], "created_at") == ("timestamp with time zone", False, "now()")
    assert told(tables["users"], "email")[0] == "character varying(255)"
    assert [(e.path, e.lines.start, e.lines.end, e.kind) for e in tables["users"].evidence] == [
        ("schema.sql", 3, 8, "SQL")
    ]


def test_mysql_dumps_are_read_and_their_data_is_stepped_over(read: Read) -> None:
    tables = read(
        {
            "dump.sql": r"""
            -- MySQL dump 10.13
            DROP TABLE IF EXISTS `posts`;
            /*!40101 SET character_set_client = utf8 */;
            CREATE TABLE `posts` (
              `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
              `title` varchar(255) CHARACTER SET utf8 COLLATE utf8_bin DEFAULT 'it''s; fine' COMMENT 'Shown on top',
              `user_id` int(11) DEFAULT NULL,
              `key` varchar(10) NOT NULL,
              PRIMARY KEY (`id`),
              UNIQUE KEY `posts_key` (`key`),
              KEY `posts_user` (`user_id`),
              CONSTRAINT `fk` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`) ON DELETE CASCADE
            ) ENGINE=InnoDB COMMENT='What people write';
            INSERT INTO `posts` VALUES (1,'CREATE TABLE fake (id int);\'; DROP TABLE posts;',2,'k');
            """
        }
    )
    assert set(tables) == {"posts"}
    posts = tables["posts"]
    assert posts.description == "What people write"
    assert posts.primary_key == ("id",)
    assert told(posts, "id") == ("int(10) unsigned", False, None)
    assert told(posts, "title") == ("varchar(255)", None, "'it's; fine'")
    assert next(c for c in posts.columns if c.name == "title").comment == "Shown on top"
    assert next(c for c in posts.columns if c.name == "key").unique
    assert next(c for c in posts.columns if c.name == "user_id").references == ("users", "id")


def test_postgresql_dumps_with_copied_data_and_late_constraints_are_read(read: Read) -> None:
    tables = read(
        {
            "db/structure.sql": """
            CREATE TABLE public.books (
                id integer NOT NULL,
                title text,
                tags text[] DEFAULT '{}'::text[]
            );
            COPY public.books (id, title) FROM stdin;
            1	it's; CREATE TABLE fake (a int);
            \\.
            ALTER TABLE ONLY public.books ADD CONSTRAINT books_pkey PRIMARY KEY (id);
            CREATE UNIQUE INDEX books_title ON public.books USING btree (title);
            COMMENT ON TABLE public.books IS 'What can be lent';
            COMMENT ON COLUMN public.books.title IS 'As printed';
            CREATE TABLE audit.log (id int);
            """
        }
    )
    assert set(tables) == {"books", "audit.log"}
    assert tables["books"].text == "books table: What can be lent. Stores id (PK), title (unique), tags."
    assert next(c for c in tables["books"].columns if c.name == "title").comment == "As printed"
    assert told(tables["books"], "tags")[0] == "text[]"


def test_sql_server_needs_no_semicolons(read: Read) -> None:
    tables = read(
        {
            "a.sql": """
            CREATE TABLE [dbo].[Order Lines] (
                [Id] [int] IDENTITY(1,1) NOT NULL,
                [Total] decimal(18, 2) NOT NULL DEFAULT ((0)),
                CONSTRAINT [PK_Lines] PRIMARY KEY CLUSTERED ([Id] ASC)
            ) ON [PRIMARY]
            CREATE TABLE [dbo].[Orders] ([Id] int NOT NULL PRIMARY KEY)
            GO
            ALTER TABLE [dbo].[Order Lines] WITH CHECK ADD CONSTRAINT [FK] FOREIGN KEY([Id]) REFERENCES [dbo].[Orders] ([Id])
            GO
            EXEC sp_rename 'dbo.Orders.Id', 'Number', 'COLUMN'
            """
        }
    )
    assert [c.name for c in tables["Orders"].columns] == ["Number"]
    assert tables["Order Lines"].primary_key == ("Id",)
    assert told(tables["Order Lines"], "Total") == ("decimal(18,2)", False, "((0))")


def test_numbered_migrations_are_applied_in_their_order_and_taken_back_by_none(read: Read) -> None:
    tables = read(
        {
            "db/migration/V10__more.sql": "ALTER TABLE accounts DROP COLUMN old, ADD COLUMN born date, RENAME COLUMN nick TO name;",
            "db/migration/V9__change.sql": "ALTER TABLE users RENAME TO accounts; ALTER TABLE accounts ALTER COLUMN nick SET NOT NULL;",
            "db/migration/V1__init.sql": "CREATE TABLE users (id int, nick text, old int); CREATE TABLE gone (id int);",
            "db/migration/V11__drop.sql": "DROP TABLE gone;",
            "db/migration/U11__drop.sql": "DROP TABLE accounts;",
        }
    )
    assert set(tables) == {"accounts"}
    assert [c.name for c in tables["accounts"].columns] == ["id", "name", "born"]
    assert told(tables["accounts"], "name")[1] is False


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("migrations/0001_init.down.sql", "DROP TABLE a;"),
        ("migrations/20240101000000_init/down.sql", "DROP TABLE a;"),
        (
            "migrations/00002_b.sql",
            "-- +goose Up\nCREATE TABLE b (id int);\n-- +goose Down\nDROP TABLE a; DROP TABLE b;",
        ),
        ("migrations/0003.sql", "-- migrate:up\nCREATE TABLE c (id int);\n-- migrate:down\nDROP TABLE a;"),
    ],
)
def test_the_way_back_of_a_migration_is_not_read(read: Read, path: str, text: str) -> None:
    assert "a" in read({"migrations/0001_init.up.sql": "CREATE TABLE a (id int);", path: text})


def test_a_file_of_drops_beside_the_definitions_removes_nothing(read: Read) -> None:
    assert set(read({"sql/create.sql": "CREATE TABLE a (id int);", "sql/drop.sql": "DROP TABLE a;"})) == {"a"}


def test_one_table_for_two_database_systems_is_one_and_tells_what_differs(read: Read) -> None:
    tables = read(
        {
            "db/mysql/schema.sql": "CREATE TABLE pets (id INT(4) PRIMARY KEY, name VARCHAR(30), chip INT);",
            "db/postgres/schema.sql": "CREATE TABLE pets (id SERIAL PRIMARY KEY, name TEXT);",
        }
    )
    assert [e.path for e in tables["pets"].evidence] == ["db/mysql/schema.sql", "db/postgres/schema.sql"]
    assert [c.name for c in tables["pets"].columns] == ["id", "name", "chip"]
    assert tables["pets"].conflicts == ("chip is in db/mysql/schema.sql only.",)


def test_tables_of_one_name_in_different_databases_stay_apart() -> None:
    from waypost.code.schema import build_schema, find_schema
    from waypost.code.source import SourceFile

    files = {
        "shop/schema.sql": "CREATE TABLE items (id int, price int, sku text);",
        "todo/schema.sql": "CREATE TABLE items (uid int, done bool, text text);",
    }
    tables = build_schema({path: find_schema(SourceFile(path, "sql", text)) for path, text in files.items()})
    assert [(t.name, t.evidence[0].path) for t in tables] == [
        ("items", "shop/schema.sql"),
        ("items", "todo/schema.sql"),
    ]


def test_changes_in_an_anonymous_block_count(read: Read) -> None:
    sql = """
    CREATE TABLE t (id int);
    DO $$
    BEGIN
        IF NOT EXISTS (SELECT 1) THEN
            ALTER TABLE t ADD COLUMN extra bigint DEFAULT '0';
        END IF;
    END $$;
    """
    assert [c.name for c in read({"a.sql": sql})["t"].columns] == ["id", "extra"]


def test_a_column_may_have_the_name_of_a_keyword(read: Read) -> None:
    table = read({"a.sql": 'CREATE TABLE kv (key text PRIMARY KEY, "check" int, index varchar(20), comment text);'})[
        "kv"
    ]
    assert [c.name for c in table.columns] == ["key", "check", "index", "comment"]
    assert table.primary_key == ("key",)


def test_a_unique_index_over_some_rows_does_not_make_a_column_unique(read: Read) -> None:
    sql = "CREATE TABLE a (id int, slug text); CREATE UNIQUE INDEX i ON a (slug) WHERE id > 3;"
    assert not any(c.unique for c in read({"a.sql": sql})["a"].columns)


def test_temporary_tables_are_left_out(read: Read) -> None:
    assert (
        read({"a.sql": "CREATE TEMPORARY TABLE a (id int); CREATE TEMP TABLE b (id int); CREATE TABLE #c (id int);"})
        == {}
    )


def test_an_index_that_is_renamed_and_dropped_is_gone(read: Read) -> None:
    sql = """
    CREATE TABLE a (id int, slug text, name text);
    CREATE UNIQUE INDEX i ON a (slug);
    ALTER INDEX i RENAME TO j;
    CREATE UNIQUE INDEX k ON a (name);
    DROP INDEX j;
    """
    assert [c.name for c in read({"a.sql": sql})["a"].columns if c.unique] == ["name"]


def test_a_change_in_another_file_counts_for_the_table_that_this_one_creates(read: Read) -> None:
    tables = read(
        {
            "db/tables.sql": "CREATE TABLE users (id int PRIMARY KEY);",
            "db/extra.sql": "ALTER TABLE users ADD COLUMN email text;",
        }
    )
    assert [column.name for column in tables["users"].columns] == ["id", "email"]
    assert [evidence.path for evidence in tables["users"].evidence] == ["db/tables.sql", "db/extra.sql"]
