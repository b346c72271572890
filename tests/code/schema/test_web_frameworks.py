"""Rails, Laravel, Prisma, TypeORM, Knex, Sequelize, Drizzle, Mongoose, JPA, Entity Framework."""

from collections.abc import Callable, Mapping

from waypost.code.schema import SchemaTable

Read = Callable[[Mapping[str, str]], dict[str, SchemaTable]]


def names(table: SchemaTable) -> list[str]:
    return [column.name for column in table.columns]


def references(table: SchemaTable) -> dict[str, tuple[str, str]]:
    return {column.name: column.references for column in table.columns if column.references}


def relations(table: SchemaTable) -> set[tuple[str, str, str]]:
    return {(relation.kind, relation.target, relation.via) for relation in table.relations}


RAILS = {
    "db/schema.rb": """
        ActiveRecord::Schema[7.1].define(version: 2024_01_01) do
          create_table "users", id: :uuid, force: :cascade do |t|
            t.string "email", limit: 100, default: "", null: false
            t.datetime "created_at", null: false
            t.index ["email"], name: "index_users_on_email", unique: true
          end
          create_table "posts", comment: "What users write", force: :cascade do |t|
            t.bigint "author_id"
            t.text "body"
          end
          create_table "comments", force: :cascade do |t|
            t.string "commentable_type"
            t.bigint "commentable_id"
          end
          add_foreign_key "posts", "users", column: "author_id"
        end
        """,
    "db/migrate/20200101000000_create_posts.rb": """
        class CreatePosts < ActiveRecord::Migration[7.0]
          def change
            create_table :posts do |t|
              t.text :gone
            end
            create_table :dropped_later
          end
        end
        """,
    "app/models/user.rb": """
        # People who write
        class User < ApplicationRecord
          include Writing
          has_many :comments, as: :commentable
        end
        """,
    "app/models/concerns/writing.rb": """
        module Writing
          extend ActiveSupport::Concern
          included do
            has_many :posts, foreign_key: :author_id
          end
        end
        """,
    "app/models/admin.rb": "class Admin < User\n  has_one :badge\nend\n",
    "app/models/post.rb": 'class Post < ApplicationRecord\n  belongs_to :author, class_name: "User"\nend\n',
    "app/models/comment.rb": "class Comment < ApplicationRecord\n  belongs_to :commentable, polymorphic: true\nend\n",
}


def test_the_rails_schema_stands_above_the_migrations_beside_it(read: Read) -> None:
    tables = read(RAILS)
    assert set(tables) == {"users", "posts", "comments"}
    assert names(tables["posts"]) == ["id", "author_id", "body"]
    assert [e.kind for e in tables["posts"].evidence][:2] == ["ActiveRecord model", "Rails schema"]
    assert tables["posts"].evidence[-1].path == "db/migrate/20200101000000_create_posts.rb"


def test_rails_models_tell_how_tables_belong_together(read: Read) -> None:
    tables = read(RAILS)
    assert tables["users"].text == (
        "users table: People who write. Stores id (PK), email (unique), created_at. "
        "Has many posts, has one badges, has many (polymorphic) comments."
    )
    assert ("belongs_to", "users", "author_id") in relations(tables["posts"])
    assert ("morph_to", "", "commentable_id") in relations(tables["comments"])


def test_rails_migrations_alone_add_up_to_the_tables(read: Read) -> None:
    tables = read(
        {
            "db/migrate/20240101000000_a.rb": """
                class A < ActiveRecord::Migration[7.1]
                  def change
                    create_table :authors do |t|
                      t.string :name, null: false
                      t.timestamps
                    end
                    create_table :books do |t|
                      t.references :author, null: false, foreign_key: true
                      t.references :owner, polymorphic: true
                      t.decimal :price, precision: 8, scale: 2
                    end
                    create_join_table :books, :tags
                    %i[authors books].each { |table| add_column table, :slug, :string }
                  end
                end
                """,
            "db/post_migrate/20240102000000_b.rb": """
                class B < ActiveRecord::Migration[7.1]
                  def up
                    rename_column :authors, :name, :full_name
                    change_table :books do |t|
                      t.remove :price
                      t.rename :slug, :path
                    end
                    add_index :books, :path, unique: true
                    execute "ALTER TABLE books ADD COLUMN raw jsonb"
                  end
                  def down
                    drop_table :books
                  end
                end
                """,
        }
    )
    assert set(tables) == {"authors", "books", "books_tags"}
    assert names(tables["authors"]) == ["id", "full_name", "created_at", "updated_at", "slug"]
    assert names(tables["books"]) == ["id", "author_id", "owner_type", "owner_id", "path", "raw"]
    assert references(tables["books"]) == {"author_id": ("authors", "id")}


LARAVEL = {
    "database/migrations/2024_01_01_000000_create_users.php": """
        <?php
        return new class extends Migration {
            public function up(): void {
                Schema::create('users', function (Blueprint $table) {
                    $table->id();
                    $table->string('email', 120)->unique();
                    $table->enum('kind', ['a', 'b'])->default('a');
                    $table->rememberToken();
                    $table->timestamps();
                    $table->softDeletes();
                });
                Schema::create('posts', function (Blueprint $table) {
                    $table->increments('id');
                    $table->foreignId('user_id')->nullable()->constrained()->cascadeOnDelete();
                    $table->unsignedBigInteger('editor_id')->comment('Who may change it');
                    $table->foreign('editor_id')->references('id')->on('users');
                    $table->morphs('target');
                    $table->text('body');
                    $table->unique(['user_id', 'editor_id']);
                });
                foreach (['x', 'y'] as $name) {
                    Schema::create($name, fn (Blueprint $table) => $table->id());
                }
            }
            public function down(): void { Schema::dropIfExists('users'); }
        };
        """,
    "database/migrations/2024_02_01_000000_change.php": """
        <?php
        class Change extends Migration {
            public function up() {
                Schema::table('posts', function (Blueprint $table) {
                    $table->renameColumn('body', 'text');
                    $table->dropMorphs('target');
                    $table->string('slug')->after('id');
                });
                Schema::rename('x', 'z');
                Schema::drop('y');
                DB::statement('ALTER TABLE users ADD COLUMN raw json');
            }
        }
        """,
    "app/Models/User.php": """
        <?php
        namespace App\\Models;
        use Illuminate\\Foundation\\Auth\\User as Authenticatable;
        /**
         * Somebody with a password.
         *
         * @property int $id
         */
        class User extends Authenticatable {
            protected $fillable = ['email', 'never_migrated'];
            public function posts(): HasMany { return $this->hasMany(Post::class); }
            public function roles() { return $this->belongsToMany(Role::class)->withTimestamps(); }
        }
        """,
    "app/Models/Post.php": """
        <?php
        namespace App\\Models;
        use Illuminate\\Database\\Eloquent\\Model;
        class Post extends Model {
            public function editor() { return $this->belongsTo(User::class, 'editor_id'); }
            public function target() { return $this->morphTo(); }
        }
        """,
    "app/Models/Role.php": """
        <?php
        namespace App\\Models;
        use Illuminate\\Database\\Eloquent\\Model;
        class Role extends Model { protected $table = 'user_roles'; protected $fillable = ['name']; }
        """,
}


def test_laravel_migrations_add_up_to_the_tables(read: Read) -> None:
    tables = read(LARAVEL)
    assert set(tables) == {"users", "posts", "z", "user_roles"}
    assert names(tables["users"]) == [
        "id", "email", "kind", "remember_token", "created_at", "updated_at", "deleted_at", "raw",
    ]  # fmt: skip
    assert names(tables["posts"]) == ["id", "user_id", "editor_id", "text", "slug"]
    assert references(tables["posts"]) == {"user_id": ("users", "id"), "editor_id": ("users", "id")}
    assert next(c for c in tables["posts"].columns if c.name == "user_id").nullable is True


def test_eloquent_models_tell_how_tables_belong_together(read: Read) -> None:
    tables = read(LARAVEL)
    assert tables["users"].description == "Somebody with a password."
    assert {("has_many", "posts", "user_id"), ("belongs_to_many", "user_roles", "role_user")} <= relations(
        tables["users"]
    )
    assert ("belongs_to", "users", "editor_id") in relations(tables["posts"])
    # without a migration, what may be filled is all that is known
    assert names(tables["user_roles"]) == ["name"]


def test_prisma_models_with_mapped_names_enums_and_hidden_join_tables(read: Read) -> None:
    tables = read(
        {
            "prisma/schema.prisma": """
                enum Role { ADMIN USER }
                /// People who sign in
                model User {
                  id    Int    @id @default(autoincrement())
                  email String @unique @map("mail")
                  role  Role   @default(USER)
                  posts Post[]
                  @@map("users")
                }
                model Post {
                  a      Int
                  b      Int
                  author User? @relation(fields: [userId], references: [id])
                  userId Int?
                  tags   Tag[]
                  @@id([a, b])
                }
                model Tag {
                  id    String @id @db.VarChar(10)
                  posts Post[]
                }
                """,
            "prisma/migrations/20240101000000_init/migration.sql": 'CREATE TABLE "users" ("id" SERIAL NOT NULL, "mail" TEXT NOT NULL, "role" "Role" NOT NULL, "old" TEXT);',
        }
    )
    assert set(tables) == {"users", "Post", "Tag", "_PostToTag"}
    assert tables["users"].text == (
        "users table: People who sign in. Stores id (PK), mail (unique), role, old. Has many Post."
    )
    assert tables["users"].conflicts == ("old is in the migrations but not in the model (prisma/schema.prisma).",)
    assert tables["Post"].primary_key == ("a", "b")
    assert references(tables["Post"]) == {"userId": ("users", "id")}
    assert ("belongs_to_many", "Tag", "_PostToTag") in relations(tables["Post"])


def test_a_hidden_join_table_of_prisma_is_named_after_the_models_not_their_tables(read: Read) -> None:
    text = 'model User {\n  id Int @id\n  teams Team[]\n  @@map("a_users")\n}\nmodel Team {\n  id Int @id\n  users User[]\n}\n'
    join = read({"schema.prisma": text})["_TeamToUser"]
    assert references(join) == {"A": ("Team", "id"), "B": ("a_users", "id")}


def test_a_prisma_schema_in_several_files_tells_models_from_enums(read: Read) -> None:
    tables = read(
        {
            "prisma/schema/user.prisma": "model User {\n  id Int @id\n  role Role\n  profile Profile?\n}\n",
            "prisma/schema/profile.prisma": "model Profile {\n  id Int @id\n  user User @relation(fields: [userId], references: [id])\n  userId Int @unique\n}\n",
            "prisma/schema/role.prisma": "enum Role {\n  ADMIN\n  USER\n}\n",
        }
    )
    assert tables["User"].text == "User table stores id (PK), role. Has one Profile."
    assert next(c for c in tables["User"].columns if c.name == "role").type == "enum Role"


def test_typeorm_entities_and_migrations(read: Read) -> None:
    tables = read(
        {
            "src/user.entity.ts": """
                import { Entity, Column } from 'typeorm';
                import { Base } from './base';
                @Entity('users')
                export class User extends Base {
                  @Column({ type: 'varchar', length: 50, unique: true }) name!: string;
                  @Column({ nullable: true }) age?: number | null;
                  @OneToMany(() => Photo, (photo) => photo.user) photos: Photo[];
                  @ManyToMany(() => Tag) @JoinTable({ name: 'user_tags' }) tags: Tag[];
                }
                @Entity() export class Tag extends Base {}
                @Entity()
                export class Photo extends Base {
                  @ManyToOne(() => User, (user) => user.photos, { nullable: false }) @JoinColumn({ name: 'user_id' }) user: User;
                }
                """,
            "src/base.ts": "export abstract class Base { @PrimaryGeneratedColumn('uuid') id: string; }  // typeorm Column(",
            "src/migrations/1700000000000-a.ts": """
                export class A1700000000000 implements MigrationInterface {
                  async up(queryRunner: QueryRunner): Promise<void> {
                    await queryRunner.query(`CREATE TABLE "audit" ("id" uuid NOT NULL, CONSTRAINT "p" PRIMARY KEY ("id"))`);
                    await queryRunner.createTable(new Table({ name: 'jobs', columns: [{ name: 'id', type: 'int', isPrimary: true }] }));
                  }
                  async down(queryRunner: QueryRunner) { await queryRunner.query(`DROP TABLE "audit"`); }
                }
                """,
        }
    )
    assert set(tables) == {"users", "tag", "photo", "user_tags", "audit", "jobs"}
    assert [(c.name, c.type, c.nullable) for c in tables["users"].columns] == [
        ("id", "uuid", False),
        ("name", "varchar(50)", False),
        ("age", "integer", True),
    ]
    assert references(tables["photo"]) == {"user_id": ("users", "id")}


def test_typeorms_wrapper_type_leads_to_the_class_inside(read: Read) -> None:
    source = """
        import { Entity, ManyToOne, Relation } from 'typeorm';
        @Entity('users') export class User { @PrimaryGeneratedColumn('uuid') id: string; }
        @Entity() export class Photo {
          @PrimaryGeneratedColumn() id: number;
          @ManyToOne() @JoinColumn({ name: 'user_id' }) user: Relation<User>;
        }
        """
    assert references(read({"src/photo.ts": source})["photo"]) == {"user_id": ("users", "id")}


def test_knex_sequelize_drizzle_and_mongoose(read: Read) -> None:
    tables = read(
        {
            "migrations/20240101_a.js": """
                exports.up = function (knex) {
                  return knex.schema.createTable('owners', (t) => {
                    t.increments();
                    t.string('name', 40).notNullable().unique();
                    t.timestamps(true, true);
                  }).createTable('cats', (t) => {
                    t.uuid('id').primary();
                    t.integer('owner_id').references('id').inTable('owners');
                  });
                };
                exports.down = (knex) => knex.schema.dropTable('cats');
                """,
            "models/user.js": """
                module.exports = (sequelize, DataTypes) => {
                  const User = sequelize.define('User', { name: DataTypes.STRING(50), teamId: { type: DataTypes.INTEGER, allowNull: false } });
                  User.associate = (models) => { User.belongsTo(models.Team, { foreignKey: 'teamId' }); };
                  return User;
                };
                """,
            "src/schema.ts": """
                import { pgTable, serial, text, integer, uniqueIndex } from 'drizzle-orm/pg-core';
                export const authors = pgTable('authors', { id: serial('id').primaryKey(), fullName: text('full_name').notNull() },
                  (t) => [uniqueIndex('n').on(t.fullName)]);
                export const books = pgTable('books', { id: serial('id').primaryKey(), authorId: integer('author_id').references(() => authors.id) });
                """,
            "models/track.js": """
                const mongoose = require('mongoose');
                const schema = new mongoose.Schema({ title: { type: String, required: true, unique: true }, by: { type: mongoose.Schema.Types.ObjectId, ref: 'Artist' } });
                module.exports = mongoose.model('Track', schema);
                """,
        }
    )
    assert names(tables["owners"]) == ["id", "name", "created_at", "updated_at"]
    assert references(tables["cats"]) == {"owner_id": ("owners", "id")}
    assert names(tables["Users"]) == ["id", "name", "teamId", "createdAt", "updatedAt"]
    assert tables["authors"].text == "authors table stores id (PK), full_name (unique). Has many books."
    assert references(tables["books"]) == {"author_id": ("authors", "id")}
    assert names(tables["tracks"]) == ["_id", "title", "by"]


def test_jpa_entities_and_their_sql_are_one_table(read: Read) -> None:
    tables = read(
        {
            "src/Pet.java": """
                package shop;
                import jakarta.persistence.*;
                /** An animal with a name. */
                @Entity
                @Table(name = "pets")
                public class Pet extends Named {
                    @Column(name = "birth_date", nullable = false) private LocalDate born;
                    @ManyToOne @JoinColumn(name = "type_id") private PetType type;
                    @Transient private int mood;
                    private static final long serialVersionUID = 1L;
                    @ManyToMany @JoinTable(name = "pet_toys", joinColumns = @JoinColumn(name = "pet"), inverseJoinColumns = @JoinColumn(name = "toy"))
                    private Set<PetType> toys;
                }
                """,
            "src/Named.java": "package shop;\n@MappedSuperclass\npublic class Named { @Id @GeneratedValue private Integer id; private String fullName; }\n",
            "src/PetType.java": 'package shop;\n@Entity @Table(name = "types")\npublic class PetType extends Named {}\n',
            "db/schema.sql": "CREATE TABLE pets (id INT PRIMARY KEY, full_name VARCHAR(30), birth_date DATE, type_id INT);",
        }
    )
    assert set(tables) == {"pets", "types", "pet_toys"}
    assert [evidence.kind for evidence in tables["pets"].evidence] == ["JPA entity", "SQL"]
    assert names(tables["pets"]) == ["id", "full_name", "birth_date", "type_id"]
    assert references(tables["pet_toys"]) == {"pet": ("pets", "id"), "toy": ("types", "id")}


def test_entity_framework_snapshots_and_contexts(read: Read) -> None:
    tables = read(
        {
            "Data/Migrations/ShopModelSnapshot.cs": """
                namespace Shop {
                  partial class ShopModelSnapshot : ModelSnapshot {
                    protected override void BuildModel(ModelBuilder modelBuilder) {
                      modelBuilder.Entity("Shop.Blog", b => {
                        b.Property<int>("Id").ValueGeneratedOnAdd().HasColumnType("int");
                        b.Property<string>("Url").IsRequired().HasMaxLength(200).HasColumnType("nvarchar(200)");
                        b.HasKey("Id");
                        b.HasIndex("Url").IsUnique();
                        b.ToTable("Blogs");
                      });
                      modelBuilder.Entity("Shop.Post", b => {
                        b.Property<int>("Id"); b.Property<int?>("BlogId"); b.HasKey("Id"); b.ToTable("Posts");
                      });
                      modelBuilder.Entity("Shop.Post", b => { b.HasOne("Shop.Blog", "Blog").WithMany("Posts").HasForeignKey("BlogId"); });
                    }
                  }
                }
                """,
            "Data/Context.cs": "public class Context : DbContext { public DbSet<Blog> Blogs { get; set; } public DbSet<Tag> Tags => Set<Tag>(); }",
            "Models/Tag.cs": "public class Tag : Entity { public string Name { get; set; } public Blog Blog { get; set; } public int BlogId { get; set; } }",
            "Models/Entity.cs": "public abstract class Entity { public int Id { get; set; } }",
        }
    )
    assert set(tables) == {"Blogs", "Posts", "Tags"}
    assert tables["Blogs"].text == "Blogs table stores Id (PK), Url (unique). Has many Posts, Tags."
    assert references(tables["Posts"]) == {"BlogId": ("Blogs", "Id")}
    assert names(tables["Tags"]) == ["Id", "Name", "BlogId"]
