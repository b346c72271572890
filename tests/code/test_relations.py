import json
import time
from collections.abc import Mapping

import pytest

from waypost.code.files.languages import language_of_path
from waypost.code.outline import Outline, outline
from waypost.code.parse import parse
from waypost.code.relations import Relations, SymbolPlace, centrality, is_manifest, relate
from waypost.code.resolve.bindings import bindings_of
from waypost.code.source import Parsed, SourceFile

Edges = set[tuple[str, str, str, str, str]]


def outlines_of(files: Mapping[str, str]) -> dict[str, Outline]:
    sources = [SourceFile(path, language_of_path(path, text), text) for path, text in files.items()]
    return {source.path: outline(parse(source), source.text) for source in sources if not is_manifest(source.path)}


def related(files: Mapping[str, str]) -> Relations:
    return relate(outlines_of(files), {path: text for path, text in files.items() if is_manifest(path)})


def edges(files: Mapping[str, str], kind: str) -> Edges:
    all_edges = related(files).edges
    return {
        (edge.source.path, edge.source.qualified, "→", edge.target.path, edge.target.qualified)
        for edge in all_edges
        if edge.kind == kind
    }


def calls(files: Mapping[str, str], caller: str) -> set[str]:
    """`path:symbol` of everything that a symbol calls."""
    return {f"{path}:{name}" for _, source, _, path, name in edges(files, "calls") if source == caller}


SHOP = {
    "shop/__init__.py": "from .cart import Cart\nfrom .items import *\n",
    "shop/items.py": "class Item:\n    def price(self): ...\n\ndef make_item() -> 'Item':\n    return Item()\n",
    "shop/cart.py": (
        "from . import items\nfrom .items import Item as Thing\nimport shop.store\nimport json\n\n"
        "class Base:\n    def save(self): ...\n    def load(self): ...\n\n"
        "class Cart(Base):\n"
        "    def __init__(self, store: shop.store.Store):\n        self.item = Thing()\n        self.store = store\n"
        "    def add(self):\n        self.save()\n        super().load()\n        items.make_item()\n        json.dumps(1)\n"
        "    def total(self):\n        self.item.price()\n        self.store.write()\n        shop.store.connect()\n"
        "    def chain(self):\n        items.make_item().price()\n        Thing().price()\n"
    ),
    "shop/store.py": "class Store:\n    def write(self): ...\n\ndef connect(): ...\n",
    "app.py": "import shop\nfrom shop import Cart, make_item\n\ndef main(cart: Cart):\n    c = Cart(None)\n    c.add()\n    make_item()\n    shop.Item()\n    cart.total()\n",
}


def test_python_imports_reach_files_and_symbols() -> None:
    imports = edges(SHOP, "imports")
    assert ("app.py", "", "→", "shop/cart.py", "Cart") in imports  # through the package
    assert ("app.py", "", "→", "shop/items.py", "make_item") in imports  # through a star
    assert ("app.py", "", "→", "shop/__init__.py", "") in imports
    assert ("shop/cart.py", "", "→", "shop/items.py", "") in imports
    assert ("shop/cart.py", "", "→", "shop/items.py", "Item") in imports
    assert ("shop/cart.py", "", "→", "shop/store.py", "") in imports


def test_python_calls_reach_methods_through_self_and_bases() -> None:
    assert calls(SHOP, "Cart.add") == {"shop/cart.py:Base.save", "shop/cart.py:Base.load", "shop/items.py:make_item"}


def test_python_fields_and_parameters_are_followed() -> None:
    assert calls(SHOP, "Cart.total") == {
        "shop/items.py:Item.price",
        "shop/store.py:Store.write",
        "shop/store.py:connect",
    }


def test_what_a_call_returns_is_followed() -> None:
    assert calls(SHOP, "Cart.chain") == {"shop/items.py:make_item", "shop/items.py:Item.price", "shop/items.py:Item"}


def test_python_variables_are_followed_where_one_line_tells() -> None:
    assert calls(SHOP, "main") == {
        "shop/cart.py:Cart", "shop/cart.py:Cart.add", "shop/items.py:make_item", "shop/items.py:Item", "shop/cart.py:Cart.total",
    }  # fmt: skip


def test_a_decorator_is_not_the_method_of_the_same_name_below_it() -> None:
    files = {
        "hooks.py": "def after_load(): ...\n",
        "a.py": "from hooks import after_load\n\nclass Schema:\n    @after_load(many=True)\n    def after_load(self): ...\n\n"
        "class Later:\n    def after_load(): ...\n    name = after_load()\n",
    }
    assert calls(files, "Schema") == {"hooks.py:after_load"}
    assert calls(files, "Later") == {"a.py:Later.after_load"}


def test_inheritance_is_an_edge() -> None:
    assert edges(SHOP, "inherits") == {("shop/cart.py", "Cart", "→", "shop/cart.py", "Base")}


def test_strength_says_how_sure_an_edge_is() -> None:
    strengths = {
        (edge.source.qualified, edge.target.qualified): edge.strength
        for edge in related(SHOP).edges
        if edge.kind == "calls"
    }
    assert strengths["Cart.add", "make_item"] == 1.0
    assert strengths["Cart.add", "Base.save"] == 0.95
    assert strengths["Cart.total", "Item.price"] == 0.9


@pytest.mark.parametrize(
    "body",
    [
        "def f(make):\n    make()\n",  # a parameter hides the function
        "def f():\n    make = other()\n    make()\n",  # so does a variable
        "def f():\n    x = A()\n    x = other()\n    x.run()\n",  # assigned twice
        "def f(x):\n    x.run()\n",  # one word is not distinctive
        "def f():\n    for make in others():\n        make()\n",
        "def f():\n    with other() as make:\n        make()\n",
        "import outside\n\ndef f():\n    outside.make()\n    outside.A().run()\n",
        "def f():\n    'text'.run()\n    [].run()\n    x[0].run()\n",
    ],
)
def test_what_is_unknown_stays_unknown(body: str) -> None:
    files = {
        "lib.py": "def make(): ...\n\nclass A:\n    def run(self): ...\n",
        "a.py": f"from lib import make, A\n{body}",
    }
    assert calls(files, "f") <= {"lib.py:A"}


def test_a_method_that_only_one_class_has_is_a_guess() -> None:
    files = {"lib.py": "class A:\n    def run_all_jobs(self): ...\n", "a.py": "def f(x):\n    x.run_all_jobs()\n"}
    (edge,) = related(files).edges
    assert (edge.target, edge.strength) == (SymbolPlace("lib.py", "A.run_all_jobs", 2), 0.6)
    files["b.py"] = "class B:\n    def run_all_jobs(self): ...\n"
    assert not related(files).edges


def test_modules_of_the_standard_library_are_not_taken_from_the_tree() -> None:
    assert not edges({"json.py": "def dumps(): ...\n", "a.py": "import json\njson.dumps()\n"}, "imports")


def test_a_class_kept_in_a_field_is_followed() -> None:
    files = {
        "a.py": (
            "class Client:\n    def fetch(self): ...\n\n"
            "class Base:\n    client_class = Client\n    def setup(self):\n        self.client = self.client_class()\n\n"
            "class Case(Base):\n    def run(self):\n        self.client.fetch()\n"
        )
    }
    assert calls(files, "Case.run") == {"a.py:Client.fetch"}
    assert calls(files, "Base.setup") == {"a.py:Client"}


def test_an_imported_variable_comes_from_where_it_is_made_not_from_its_class() -> None:
    files = {
        "lib/__init__.py": "from lib.made import connection\n",
        "lib/made.py": "from lib.kinds import Connection\nconnection = Connection()\n",
        "lib/kinds.py": "class Connection:\n    def open_now(self): ...\n",
        "a.py": "from lib import connection\n\ndef f():\n    connection.open_now()\n",
    }
    assert ("a.py", "", "→", "lib/made.py", "") in edges(files, "imports")
    assert ("a.py", "", "→", "lib/kinds.py", "Connection") not in edges(files, "imports")
    assert calls(files, "f") == {"lib/kinds.py:Connection.open_now"}


def test_python_finds_packages_below_src_and_tests() -> None:
    files = {
        "src/shop/__init__.py": "",
        "src/shop/cart.py": "def add(): ...\n",
        "tests/unit/__init__.py": "",
        "tests/unit/tools.py": "def fake(): ...\n",
        "tests/unit/test_cart.py": "from shop.cart import add\nfrom unit.tools import fake\n",
    }
    assert {target for _, _, _, target, _ in edges(files, "imports")} == {"src/shop/cart.py", "tests/unit/tools.py"}


def test_circular_imports_and_bases_end() -> None:
    files = {
        "a.py": "from b import *\nfrom b import x\nclass A(B): ...\nA().go()\nx()\n",
        "b.py": "from a import *\nfrom a import x\nclass B(A): ...\nB().go()\ny = y()\n",
    }
    assert related(files).edges


def test_python_asks_the_bases_of_a_diamond_in_its_own_order() -> None:
    text = (
        "class Root:\n    def go(self): ...\n    def stop(self): ...\n\nclass Left(Root): ...\n\n"
        "class Right(Root):\n    def go(self): ...\n\nclass Both(Left, Right):\n    def run(self):\n        self.go()\n        self.stop()\n"
    )
    assert calls({"a.py": text}, "Both.run") == {"a.py:Right.go", "a.py:Root.stop"}


@pytest.mark.slow
def test_a_very_long_chain_of_bases_or_imports_does_not_overflow() -> None:
    bases = "class A0: ...\n" + "".join(f"class A{number}(A{number - 1}): ...\n" for number in range(1, 1200))
    files = {"a.py": bases + "\ndef f(x: A1199):\n    x.anything_else()\n"}
    files |= {f"m{number}.py": f"from m{number + 1} import x\nx()\n" for number in range(600)}
    assert related(files).edges


def test_typescript_imports() -> None:
    files = {
        "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
        "packages/core/package.json": '{"name": "@shop/core", "main": "dist/index.js", "exports": {".": {"import": "./dist/index.js"}, "./util": "./dist/util.js"}}',
        "packages/core/src/index.ts": "export { Cart } from './cart'\nexport * from './items.js'\n",
        "packages/core/src/cart.ts": "export class Cart {\n  add() { this.save() }\n  save() {}\n}\n",
        "packages/core/src/items.ts": "export function makeItem() {}\nexport default class Items { all() {} }\n",
        "packages/core/src/util.ts": "export const once = () => 1\n",
        "packages/web/tsconfig.json": '{ // comment\n "compilerOptions": {"paths": {"#lib/*": ["./src/lib/*"]},}, }',
        "packages/web/src/lib/api/index.ts": "export async function load() {}\n",
        "packages/web/src/main.ts": (
            "import { Cart, makeItem as make } from '@shop/core'\nimport { once } from '@shop/core/util'\n"
            "import * as api from '#lib/api'\nimport Items from '../../core/src/items'\nimport fs from 'fs'\n"
            "export function main(given: Cart) {\n  const cart = new Cart()\n  cart.add()\n  make()\n  once()\n  api.load()\n  given.save()\n"
            "  new Items().all()\n  fs.readFile()\n}\n"
        ),
    }  # fmt: skip
    core = "packages/core/src"
    assert calls(files, "main") == {
        f"{core}/cart.ts:Cart", f"{core}/cart.ts:Cart.add", f"{core}/cart.ts:Cart.save", f"{core}/items.ts:makeItem",
        f"{core}/util.ts:once", "packages/web/src/lib/api/index.ts:load", f"{core}/items.ts:Items", f"{core}/items.ts:Items.all",
    }  # fmt: skip
    assert calls(files, "Cart.add") == {f"{core}/cart.ts:Cart.save"}


def test_package_json_may_name_own_imports_with_own_conditions_and_patterns() -> None:
    files = {
        "package.json": '{"imports": {"#utils": {"own-ts": "./src/utils/index.ts", "types": "./dist/types/utils.d.ts"}, '
        '"#lib/*": "./src/lib/*.js"}}',
        "src/utils/index.ts": "export * from './text.js'\n",
        "src/utils/text.ts": "export function trim() {}\n",
        "src/lib/a/b.ts": "export function deep() {}\n",
        "src/main.ts": "import { trim } from '#utils'\nimport { deep } from '#lib/a/b'\nfunction main() {\n  trim()\n  deep()\n}\n",
    }
    assert calls(files, "main") == {"src/utils/text.ts:trim", "src/lib/a/b.ts:deep"}


def test_tsconfig_may_extend_another_and_be_broken() -> None:
    files = {
        "tsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}',
        "app/tsconfig.json": '{"extends": "../tsconfig.json"}',
        "src/lib/a.ts": "export const a = () => 1\n",
        "app/b.ts": "import { a } from 'lib/a'\na()\n",
    }
    assert {target for _, _, _, target, _ in edges(files, "imports")} == {"src/lib/a.ts"}
    assert not edges({**files, "tsconfig.json": "[" * 100_000}, "imports")


def test_vue_components_use_each_other() -> None:
    files = {
        "src/Cart.vue": "<template><CartItem/></template>\n<script setup>\nimport CartItem from './CartItem.vue'\n</script>\n",
        "src/CartItem.vue": "<template><p/></template>\n",
    }
    assert edges(files, "imports") == {("src/Cart.vue", "", "→", "src/CartItem.vue", "CartItem")}
    assert calls(files, "Cart") == {"src/CartItem.vue:CartItem"}


def test_go_packages_are_folders() -> None:
    files = {
        "go.mod": "module example.com/shop\n",
        "cart/cart.go": "package cart\n\ntype Base struct{}\n\ntype Cart struct {\n\tBase\n\tstore *Store\n}\n\nfunc New() *Cart { return &Cart{} }\n",
        "cart/methods.go": "package cart\n\nfunc (c *Cart) Add() { c.total(); c.store.Write(); c.Close() }\nfunc (c *Cart) total() {}\nfunc (b *Base) Close() {}\n",
        "cart/store.go": "package cart\n\ntype Store struct{}\n\nfunc (s *Store) Write() {}\n",
        "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"example.com/shop/cart"\n)\n\nfunc main() {\n\tc := cart.New()\n\tc.Add()\n\tfmt.Println()\n}\n',
    }
    assert calls(files, "main") == {"cart/cart.go:New", "cart/methods.go:Cart.Add"}
    assert calls(files, "Cart.Add") == {
        "cart/methods.go:Cart.total",
        "cart/store.go:Store.Write",
        "cart/methods.go:Base.Close",
    }
    assert {(source, target) for source, _, _, target, _ in edges(files, "imports")} == {
        ("main.go", "cart/cart.go"),
        ("main.go", "cart/methods.go"),
    }


def test_java_and_kotlin_packages() -> None:
    files = {
        "src/main/java/com/shop/Store.java": "package com.shop;\npublic class Store { public void write() {} public static Store open() { return null; } }\n",
        "src/main/java/com/shop/cart/Base.java": "package com.shop.cart;\nabstract class Base { void save() {} }\n",
        "src/main/java/com/shop/cart/Cart.java": (
            "package com.shop.cart;\nimport com.shop.Store;\nclass Cart extends Base {\n  private final Store store;\n"
            "  void add() { save(); store.write(); Store.open().write(); new Cart(); }\n}\n"
        ),
        "src/main/kotlin/com/shop/Main.kt": "package com.shop\nimport com.shop.cart.*\nfun main() {\n  val c = Cart()\n  c.add()\n  helper()\n}\nfun helper() {}\n",
    }  # fmt: skip
    java = "src/main/java/com/shop"
    assert calls(files, "Cart.add") == {
        f"{java}/cart/Base.java:Base.save", f"{java}/Store.java:Store.write", f"{java}/Store.java:Store.open", f"{java}/cart/Cart.java:Cart",
    }  # fmt: skip
    assert calls(files, "main") == {
        f"{java}/cart/Cart.java:Cart",
        f"{java}/cart/Cart.java:Cart.add",
        "src/main/kotlin/com/shop/Main.kt:helper",
    }
    assert ("src/main/kotlin/com/shop/Main.kt", "", "→", f"{java}/cart/Cart.java", "") in edges(files, "imports")


def test_php_namespaces() -> None:
    files = {
        "app/Models/User.php": "<?php\nnamespace App\\Models;\nclass User extends Model { use Named; public static function find() {} public function save(): static { return $this; } }\n",
        "app/Models/Model.php": "<?php\nnamespace App\\Models;\nabstract class Model { public function refresh() {} }\n",
        "app/Models/Named.php": "<?php\nnamespace App\\Models;\ntrait Named { public function rename() {} }\n",
        "app/Http/Cart.php": (
            "<?php\nnamespace App\\Http;\nuse App\\Models\\User as Person;\nclass Cart {\n  public function __construct(private Person $owner) {}\n"
            "  public function add(Person $p) { $this->owner->refresh(); $p->rename(); Person::find(); $p->save()->save(); self::make(); new Person(); }\n"
            "  static function make() {}\n}\n"
        ),
    }  # fmt: skip
    assert calls(files, "Cart.add") == {
        "app/Models/Model.php:Model.refresh", "app/Models/Named.php:Named.rename", "app/Models/User.php:User.find",
        "app/Models/User.php:User.save", "app/Http/Cart.php:Cart.make", "app/Models/User.php:User",
    }  # fmt: skip


def test_php_names_may_be_relative_to_a_namespace_or_absolute() -> None:
    files = {
        "anywhere/one.php": (
            "<?php\nnamespace Shop\\Cart;\nclass Item { static function make(): Item { return new Item(); } function price() {} }\n"
            "function helper() {}\n"
        ),
        "anywhere/two.php": "<?php\nnamespace Shop\\Cart\\Sub;\nclass Deep { static function go() {} }\n",
        "other/app.php": (
            "<?php\nnamespace App;\nuse Shop\\Cart;\nclass App {\n"
            "  function absolute() { \\Shop\\Cart\\Item::make(); \\Shop\\Cart\\helper(); }\n"
            "  function imported() { new Cart\\Item(); Cart\\Sub\\Deep::go(); Cart\\helper(); }\n"
            "  function typed(\\Shop\\Cart\\Item $one) { $one->price(); }\n"
            "  function unknown() { \\Shop\\Item::make(); Item::make(); helper(); Cart\\Other::make(); }\n}\n"
        ),
        "other/shop.php": (
            "<?php\nnamespace Shop;\nclass Relative { function relative() { Cart\\Item::make(); } }\n"
            "class Cheap extends Cart\\Item { function own() { $this->price(); } }\n"
        ),
    }  # fmt: skip
    one, two = "anywhere/one.php", "anywhere/two.php"
    assert calls(files, "App.absolute") == {f"{one}:Item.make", f"{one}:helper"}
    assert calls(files, "App.imported") == {f"{one}:Item", f"{two}:Deep.go", f"{one}:helper"}
    assert calls(files, "App.typed") == {f"{one}:Item.price"}
    assert calls(files, "App.unknown") == set()
    assert calls(files, "Relative.relative") == {f"{one}:Item.make"}
    assert calls(files, "Cheap.own") == {f"{one}:Item.price"}


def test_rust_modules() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "my-shop"\n',
        "src/lib.rs": "pub mod cart;\nmod store;\npub use store::Store;\n",
        "src/cart/mod.rs": "mod items;\nuse crate::Store;\nuse self::items::make;\npub struct Cart {\n    store: Store,\n}\nimpl Cart {\n    pub fn add(&self) { self.total(); self.store.write(); make(); Store::open(); items::other(); }\n    fn total(&self) {}\n}\n",
        "src/cart/items.rs": "use super::Cart;\npub fn make() {}\npub fn other(c: &Cart) { c.add(); }\n",
        "src/store.rs": "pub struct Store;\nimpl Store {\n    pub fn open() -> Self { Store }\n    pub fn write(&self) {}\n}\n",
        "src/main.rs": "use my_shop::cart::Cart;\nfn main() { Cart::new(); }\n",
    }
    assert calls(files, "Cart.add") == {
        "src/cart/mod.rs:Cart.total", "src/store.rs:Store.write", "src/cart/items.rs:make", "src/store.rs:Store.open", "src/cart/items.rs:other",
    }  # fmt: skip
    assert calls(files, "other") == {"src/cart/mod.rs:Cart.add"}
    assert ("src/main.rs", "", "→", "src/cart/mod.rs", "Cart") in edges(files, "imports")


def test_ruby_constants_are_found_by_their_nesting() -> None:
    files = {
        "app/models/user.rb": "class User < ApplicationRecord\n  def self.find_first(x)\n  end\n  def rename(x)\n  end\nend\n",
        "app/models/application_record.rb": "class ApplicationRecord\n  def save_all(x)\n  end\nend\n",
        "lib/shop/cart.rb": "require_relative 'tools'\nmodule Shop\n  class Cart\n    include Sums\n    def add(x)\n      total(1)\n      User.find_first(1)\n      User.new.rename(2)\n      Tools.run_now(1)\n      sum_up(1)\n    end\n    def total(x)\n    end\n  end\nend\n",
        "lib/shop/tools.rb": "module Shop\n  module Tools\n    def self.run_now(x)\n    end\n  end\nend\n",
        "lib/shop/sums.rb": "module Shop\n  module Sums\n    def sum_up(x)\n    end\n  end\nend\n",
    }
    assert calls(files, "Shop.Cart.add") >= {
        "lib/shop/cart.rb:Shop.Cart.total", "app/models/user.rb:User.find_first", "app/models/user.rb:User.rename",
        "lib/shop/tools.rb:Shop.Tools.run_now", "lib/shop/sums.rb:Shop.Sums.sum_up",
    }  # fmt: skip
    assert ("lib/shop/cart.rb", "", "→", "lib/shop/tools.rb", "") in edges(files, "imports")


def test_ruby_calls_need_no_brackets_and_assignments_call_setters() -> None:
    files = {
        "cart.rb": (
            "class Cart\n  attr_accessor :size, :owner\n  attr_reader :total\n  attr_writer :limit\n  def limit\n    @limit\n  end\n"
            "  def self.default=(x)\n  end\n  def self.default\n  end\n  def run\n    self.size += 1\n    self.limit = 3\n    total\n  end\n"
            "  def own(list)\n    list.each { |total| puts total }\n    size = 3\n    puts size\n  end\nend\n"
        ),
        "main.rb": (
            "require_relative 'cart'\ndef made\n  cart = Cart.new\n  cart.owner = 1\n  cart.limit\nend\n"
            "def filled\n  cart = Cart.new(1)\n  cart.limit = 1\n  Cart.default = 3\nend\ndef compared\n  Cart.default == 3\nend\n"
        ),
    }
    assert calls(files, "Cart.run") == {"cart.rb:Cart.size", "cart.rb:Cart.limit=", "cart.rb:Cart.total"}
    assert calls(files, "Cart.own") == calls(files, "Cart.limit") == set()
    assert calls(files, "made") == {"cart.rb:Cart", "cart.rb:Cart.owner", "cart.rb:Cart.limit"}
    assert calls(files, "filled") == {"cart.rb:Cart", "cart.rb:Cart.limit=", "cart.rb:Cart.default="}
    assert calls(files, "compared") == {"cart.rb:Cart.default"}


def test_csharp_namespaces() -> None:
    files = {
        "Store.cs": "namespace Shop.Data { public class Store { public void Write() {} } }\n",
        "Cart.cs": "using Shop.Data;\nnamespace Shop.Carts;\npublic class Cart : Base {\n  private readonly Store _store;\n  public void Add() {\n    _store.Write(); Save();\n    var other = new Cart();\n    other.Add();\n  }\n}\n",
        "Base.cs": "namespace Shop;\npublic class Base { public void Save() {} }\n",
    }
    assert calls(files, "Cart.Add") == {"Store.cs:Store.Write", "Base.cs:Base.Save", "Cart.cs:Cart", "Cart.cs:Cart.Add"}
    assert ("Cart.cs", "", "→", "Store.cs", "") in edges(files, "imports")


def test_c_functions_are_found_through_headers() -> None:
    files = {
        "include/shop/store.h": "int store_write(int x);\n",
        "src/store.c": '#include "shop/store.h"\nint store_write(int x) { return x; }\n',
        "src/cart.c": '#include "shop/store.h"\n#include <stdio.h>\nint cart_add(int x) { printf("x"); return store_write(x); }\n',
    }
    assert ("src/cart.c", "", "→", "include/shop/store.h", "") in edges(files, "imports")
    assert {name.rpartition(":")[2] for name in calls(files, "cart_add")} == {"store_write"}


def test_an_outline_survives_json_and_one_of_another_format_is_empty() -> None:
    for file_outline in outlines_of(SHOP).values():
        data = json.loads(json.dumps(file_outline.to_json()))
        assert Outline.from_json(data) == file_outline
        assert Outline.from_json({**data, "format": 0}) == Outline(file_outline.language)


def test_central_files_are_those_that_others_need() -> None:
    ranks = centrality(related(SHOP))
    assert max(ranks.values()) == 1.0 and min(ranks.values()) >= 0
    assert ranks["shop/items.py"] > ranks["app.py"]
    assert centrality(relate({}, {})) == {}


def test_edges_never_leave_the_tree() -> None:
    files = {
        "a/b.py": "from ....x import y\nfrom . import z\n",
        "a/c.ts": "import x from '../../../etc/passwd'\nimport y from '..'\n",
    }
    assert not related(files).edges


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "typescript", "go", "java", "php", "rust", "ruby", "csharp", "cpp"])
@pytest.mark.parametrize(
    "unit",
    ["x = ", "x = f(", "a.", "class A(B):\n", "self.x = A()\n", "(", "x: A = ", "\\", "const x = {", "x := ", "Foo x "],
)
def test_hostile_files_are_outlined_in_linear_time(language: str, unit: str) -> None:
    text = unit * (3_000 // len(unit))
    parsed = parse(SourceFile("a", language, text))
    started = time.process_time()
    file_outline = outline(parsed, text)
    relate(
        {"a": file_outline, "b": file_outline},
        {"package.json": text, "tsconfig.json": text, "go.mod": text, "Cargo.toml": text},
    )
    assert time.process_time() - started < 1


@pytest.mark.slow
def test_a_hostile_tree_is_related_in_linear_time() -> None:
    many = 800
    uses = "".join(
        f"def f{number}():\n    import m{number}\n    same(1).other_name(2)\n    q{number} = g(\n"
        for number in range(many)
    )
    stars = "".join(f"from m{number} import *\n" for number in range(many))
    files = {"a.py": stars + uses}
    files |= {f"m{number}.py": "def same(): ...\nclass A:\n    def other_name(self): ...\n" for number in range(300)}
    outlines = outlines_of(files)
    started = time.process_time()
    relate(
        outlines,
        {"tsconfig.json": '"' + '\\"' * 100_000, "package.json": "/*" * 100_000, "Cargo.toml": "[package]\n" * 10_000},
    )
    assert time.process_time() - started < 3
    started = time.process_time()
    text = "x = f(\n" * 30_000
    outline(parse(SourceFile("a.py", "text", text)), text)
    tuple(bindings_of(Parsed("a.py", "python", 30_000), text, frozenset()))
    assert time.process_time() - started < 3


def named(files: dict[str, str], kind: str) -> set[tuple[str, str]]:
    return {(edge.source.qualified, edge.target.qualified) for edge in related(files).edges if edge.kind == kind}


def test_a_relation_has_every_line_of_its_uses() -> None:
    files = {"a.py": "def f():\n    g()\n    g()\n\ndef g(): ...\n"}
    (edge,) = related(files).edges
    assert (edge.kind, edge.lines) == ("calls", (2, 3))


def test_types_and_functions_passed_as_values_are_mentions() -> None:
    files = {
        "lib.py": "class Order: ...\n\ndef check(): ...\n\nLIMIT = 3\n",
        "a.py": "from lib import Order, check\nimport lib\n\ndef f(order: Order):\n    map(check, [lib.LIMIT])\n",
    }
    assert named(files, "mentions") == {("f", "Order"), ("f", "check"), ("f", "LIMIT")}


def test_a_local_name_is_no_mention_of_a_function_of_the_file() -> None:
    files = {"a.py": "def size(): ...\n\ndef f(size):\n    use(size)\n\ndef g():\n    size = 3\n    use(size)\n"}
    assert named(files, "mentions") == set()


def test_who_calls_is_no_mention_as_well() -> None:
    files = {"lib.py": "class Order: ...\n", "a.py": "from lib import Order\n\ndef f() -> Order:\n    return Order()\n"}
    assert named(files, "calls") == {("f", "Order")}
    assert named(files, "mentions") == set()


def test_go_types_implement_interfaces_by_their_methods() -> None:
    files = {
        "go.mod": "module shop\n",
        "store.go": "package shop\n\ntype Store interface {\n\tRead(key string) (string, error)\n\tClose() error\n}\n",
        "disk.go": "package shop\n\ntype Disk struct{}\n\nfunc (d *Disk) Read(key string) (value string, err error) { return key, nil }\n"
        "\nfunc (d *Disk) Close() error { return nil }\n\ntype Cache struct {\n\t*Disk\n}\n",
        "half.go": "package shop\n\ntype Half struct{}\n\nfunc (h Half) Close() error { return nil }\n"
        "\ntype Other struct{}\n\nfunc (o Other) Read(key string) string { return key }\nfunc (o Other) Close() error { return nil }\n",
    }
    assert named(files, "inherits") == {("Disk", "Store"), ("Cache", "Store"), ("Cache", "Disk")}


def test_a_rust_trait_can_be_implemented_in_another_file() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod disk;\nmod store;\n",
        "src/disk.rs": "pub struct Disk;\n",
        "src/store.rs": "use crate::disk::Disk;\n\npub trait Store {\n    fn read(&self);\n}\n\nimpl Store for Disk {\n    fn read(&self) {}\n}\n",
    }
    assert named(files, "inherits") == {("Disk", "Store")}


def test_an_overload_is_chosen_by_the_number_of_arguments() -> None:
    files = {
        "shop/Store.java": "package shop;\nclass Store {\n  void put(String key) {}\n  void put(String key, int size) {}\n"
        '  void all() {\n    put("a,b");\n    put("a", f(1, 2));\n  }\n}\n'
    }
    calls_by_line = {edge.target.line: edge.lines for edge in related(files).edges if edge.kind == "calls"}
    assert calls_by_line == {3: (6,), 4: (7,)}


def test_a_destructured_require_on_one_line_is_an_import() -> None:
    files = {
        "b.js": "function f () {}\nmodule.exports = { f }\n",
        "a.js": "const { f } = require('./b')\nfunction g () { f() }\n",
    }
    assert ("g", "f") in named(files, "calls")


def test_methods_of_a_prototype_call_each_other_through_this() -> None:
    files = {
        "a.js": "function Parser () {}\nParser.prototype.add = function () { this.has() }\n"
        "Parser.prototype.has = function () { return 1 }\n"
    }
    assert ("Parser.add", "Parser.has") in named(files, "calls")


def test_a_file_can_export_everything_of_a_hundred_others() -> None:
    files = {f"src/f{number}.ts": f"export function f{number}() {{}}\n" for number in range(110)}
    files["src/all.ts"] = "".join(f"export * from './f{number}'\n" for number in range(110))
    files["src/use.ts"] = "import { f1, f109 } from './all'\nfunction use() {\n  f1()\n  f109()\n}\n"
    assert named(files, "calls") == {("use", "f1"), ("use", "f109")}


def test_a_rust_macro_and_a_function_of_the_same_name_are_not_confused() -> None:
    files = {
        "src/lib.rs": "macro_rules! row {\n    () => {};\n}\n\nfn format(text: &str) -> String { text.into() }\n"
        '\nfn shown() -> String {\n    row!();\n    format!("a")\n}\n'
        '\nfn called() -> String {\n    row();\n    format("a")\n}\n',
    }
    assert named(files, "calls") == {("shown", "row"), ("called", "format")}


def test_rust_macros_and_calls_in_their_arguments_are_calls() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod macros;\nmod cart;\n",
        "src/macros.rs": "#[macro_export]\nmacro_rules! order_line {\n    () => {};\n}\n",
        "src/cart.rs": "pub struct Cart;\n\nimpl Cart {\n    pub fn total(&self) -> u8 { 1 }\n}\n\nfn price() -> u8 { 1 }\n"
        "\nfn check(cart: Cart) {\n    order_line!();\n    assert_eq!(cart.total(), price());\n}\n",
    }
    assert {target for source, target in named(files, "calls") if source == "check"} == {
        "order_line",
        "Cart.total",
        "price",
    }


def test_a_name_before_an_equals_sign_in_brackets_is_an_argument_and_no_variable() -> None:
    files = {
        "a.py": "def helper(): ...\n",
        "b.py": (
            "from a import helper\n\n\ndef use(rows):\n    helper()\n    return dict(\n        other=1,  # , (\n"
            "        # (\n\n        helper=rows,\n    )\n\n\n"
            "def give(rows):\n    return make(\n        helper, name=1,\n        call=helper)\n\n\n"
            "def own(rows):\n    print(1)\n    helper = rows\n    return helper()\n"
        ),
    }
    assert calls(files, "use") == {"a.py:helper"}
    assert ("b.py", "give", "→", "a.py", "helper") in edges(files, "mentions")
    assert calls(files, "own") == set()


def test_a_key_of_a_ruby_hash_is_no_variable() -> None:
    files = {"lib/f.rb": "KEY = 'x'\nclass Files\n  def serve(v)\n    h = {\n      KEY => v,\n    }\n  end\nend\n"}
    assert edges(files, "mentions") == {("lib/f.rb", "Files.serve", "→", "lib/f.rb", "KEY")}


def test_types_and_constants_on_the_way_to_a_member_are_used() -> None:
    files = {
        "models.py": "class Bin:\n    RY = re.compile('x')\n\n    def go(self, x):\n        self.RY.match(x)\n",
        "t.py": (
            "import models\n\n\ndef make():\n    models.Bin.create()\n\n\ndef match():\n    return models.Bin.RY.match(2)\n"
        ),
    }
    mentions = edges(files, "mentions")
    assert ("t.py", "make", "→", "models.py", "Bin") in mentions
    assert ("t.py", "match", "→", "models.py", "Bin.RY") in mentions
    assert ("models.py", "Bin.go", "→", "models.py", "Bin.RY") in mentions


def test_constants_that_contain_something_external_are_used_where_they_are_called() -> None:
    text = (
        'package p;\nclass F {\n  static final class B {\n    static final Pattern URL = Pattern.compile("x");\n'
        "    void go(String s) { URL.matcher(s); }\n  }\n  void other() { F.B.URL.matcher(1); }\n}\n"
    )
    mentions = edges({"p/F.java": text}, "mentions")
    assert ("p/F.java", "F.B.go", "→", "p/F.java", "F.B.URL") in mentions
    assert ("p/F.java", "F.other", "→", "p/F.java", "F.B.URL") in mentions


def test_an_enum_of_an_imported_module_is_used() -> None:
    files = {
        "s.ts": "export enum Color { Red }\n",
        "u.ts": "import * as S from './s'\nexport function f() { return S.Color.Red }\n",
    }
    assert ("u.ts", "f", "→", "s.ts", "Color") in edges(files, "mentions")


def test_a_typed_parameter_keeps_its_type_when_it_is_assigned_again() -> None:
    files = {
        "src/Config.php": (
            "<?php\nnamespace L;\nclass Config {\n  public function get(string $k) {}\n"
            "  public function withDefaults(array $a): Config { return $this; }\n}\n"
        ),
        "src/A.php": (
            "<?php\nnamespace L;\nclass A {\n  function write(Config $config) {\n    $config->get('a');\n"
            "    $config = $config->withDefaults([]);\n    $config->get('b');\n  }\n}\n"
        ),
    }
    assert calls(files, "A.write") == {"src/Config.php:Config.get", "src/Config.php:Config.withDefaults"}


def test_the_body_of_a_class_uses_the_methods_that_it_names() -> None:
    text = "class D:\n    def _get(self): ...\n    def _set(self, v):\n        print(_get)\n    data = property(_get, _set)\n"
    assert edges({"a.py": text}, "mentions") == {
        ("a.py", "D", "→", "a.py", "D._get"),
        ("a.py", "D", "→", "a.py", "D._set"),
    }


def test_calls_on_objects_that_may_be_ours_are_counted_and_others_are_not() -> None:
    files = {
        "a.py": "class Task:\n    def run(self): ...\n    def check_timeout(self): ...\n",
        "b.py": (
            "import os\nfrom ext import thing, Other\n\n\nclass Mine:\n    def __init__(self, h, q):\n"
            "        self.other = Other()\n        self.other.run()\n        self.unknown.deep.run()\n"
            "        normal = h.make()\n        t = normal.s()\n        t.check_timeout()\n        q[0].run()\n"
            "        (h or q).run()\n        thing.run()\n        thing.go().run()\n        os.run()\n"
            "        'x'.run()\n        open(q).run()\n        made = thing.make()\n        made.run()\n"
        ),
        "c.js": "function g(x) { x.run() }\nclass J { run() {} }\n",
        "d.go": "package d\nfunc g(x int) { x.run() }\n",
    }
    assert related(files).unresolved == {"python:run": 3, "python:check_timeout": 1, "ecmascript:run": 1}


def test_a_plain_call_in_a_ruby_block_may_call_a_method_of_another_object() -> None:
    files = {
        "lib/b.rb": "class Builder\n  def use(x)\n  end\nend\n",
        "test/s.rb": "it 'x' do\n  Builder.new.instance_eval do\n    use 3\n    puts 4\n  end\nend\n",
    }
    assert related(files).unresolved == {"ruby:use": 1}


_GO_FILE_SYSTEMS = {
    "go.mod": "module x.org/a\n",
    "fs.go": (
        'package a\nimport "os"\ntype File interface { Close() error }\ntype Fs interface {\n'
        "  Open(name string) (File, error)\n  Stat(n string) (os.FileInfo, error)\n}\ntype Mem struct{}\n"
        "func (m *Mem) Open(name string) (File, error) { return nil, nil }\n"
        "func (m *Mem) Stat(n string) (fi os.FileInfo, err error) { return nil, nil }\n"
    ),
    "h.go": (
        'package a\nimport (\n "net/http"\n "os"\n)\ntype HttpFs struct{}\n'
        "func (h HttpFs) Open(name string) (http.File, error) { return nil, nil }\n"
        "func (h HttpFs) Stat(n string) (os.FileInfo, error) { return nil, nil }\n"
    ),
    "sub/s.go": (
        'package sub\nimport (\n "os"\n "x.org/a"\n)\ntype Sub struct{}\n'
        "func (h Sub) Open(name string) (a.File, error) { return nil, nil }\n"
        "func (h Sub) Stat(n string) (os.FileInfo, error) { return nil, nil }\n"
    ),
}


def test_the_package_of_a_type_in_a_result_decides_about_a_go_interface() -> None:
    assert edges(_GO_FILE_SYSTEMS, "inherits") == {
        ("fs.go", "Mem", "→", "fs.go", "Fs"),
        ("sub/s.go", "Sub", "→", "fs.go", "Fs"),
    }
    other = 'package a\nimport "io/fs"\ntype IOFS struct { Fs }\nfunc (i IOFS) Open(n string) (fs.File, error) { return nil, nil }\n'
    whole = "package a\ntype Wrap struct { Fs }\n"
    found = edges(_GO_FILE_SYSTEMS | {"io.go": other, "wrap.go": whole}, "inherits")
    assert {source for _, source, *_ in found} == {"Mem", "Sub", "Wrap"}


def test_a_go_struct_may_get_methods_from_an_embedded_type_that_is_not_here() -> None:
    text = (
        'package st\nimport "cloud/storage"\ntype (\n  client struct{ *storage.Client }\n'
        "  iter struct{ *storage.Iter }\n  other struct{ *storage.Other }\n)\nfunc (client) only() {}\n"
        "func (iter) only() {}\nfunc (other) only() {}\ntype Client interface {\n  Buckets() string\n  only()\n}\n"
        "type Iter interface {\n  Next() int\n  only()\n}\n"
    )
    inherits = [edge for edge in related({"st/a.go": text}).edges if edge.kind == "inherits"]
    assert {(edge.source.qualified, edge.target.qualified) for edge in inherits} == {
        ("client", "Client"),
        ("iter", "Iter"),
    }
    assert {edge.strength for edge in inherits} == {0.6}


def test_constants_that_a_star_imports_are_used() -> None:
    files = {
        "shop/limits.py": "MOST_ITEMS = 5\nLEAST = 1\n",
        "shop/cart.py": "from shop.limits import *\n\n\ndef fill(n):\n    return n < MOST_ITEMS or UNKNOWN\n",
    }
    assert ("shop/cart.py", "fill", "→", "shop/limits.py", "MOST_ITEMS") in edges(files, "mentions")
