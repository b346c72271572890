"""What variables, fields and results contain, seen by the calls on them."""

from collections.abc import Mapping

import pytest

from waypost.code.files.languages import language_of_path
from waypost.code.outline import outline
from waypost.code.parse import parse
from waypost.code.relations import CodeRelation, relate
from waypost.code.source import SourceFile


def edges(files: Mapping[str, str]) -> tuple[CodeRelation, ...]:
    sources = [SourceFile(path, language_of_path(path, text), text) for path, text in files.items()]
    outlines = {source.path: outline(parse(source), source.text) for source in sources}
    return relate(outlines, {path: text for path, text in files.items() if path == "Cargo.toml"}).edges


def called(files: Mapping[str, str], caller: str) -> set[str]:
    return {edge.target.qualified for edge in edges(files) if edge.kind == "calls" and edge.source.qualified == caller}


RUST = (
    "pub struct Arg;\nimpl Arg {\n    pub fn new() -> Self { Arg }\n    pub fn long(self) -> Self { self }\n"
    "    pub fn help(self) -> Self { self }\n    pub fn id(&self) -> u8 { 1 }\n}\n"
    "pub fn find(name: &str) -> Option<&'static Arg> { None }\n"
    "pub fn load() -> Result<Box<Arg>, String> { Err(String::new()) }\n"
)


def test_a_builder_of_any_length_is_followed_with_comments_between() -> None:
    steps = "".join(f"\n        // step {n} (of many)\n        .long() // again" for n in range(300))
    text = f"{RUST}fn build() {{\n    Arg::new(){steps}\n        .help();\n}}\n"
    assert called({"src/lib.rs": text}, "build") == {"Arg.new", "Arg.long", "Arg.help"}


def test_a_chain_over_several_lines_gives_its_variable_a_type() -> None:
    text = f"{RUST}fn build() {{\n    let a = Arg::new()\n        .long()\n        .help();\n    a.id();\n}}\n"
    assert "Arg.id" in called({"src/lib.rs": text}, "build")


@pytest.mark.parametrize(
    "body",
    [
        'find("x").unwrap().id();',
        'let a = find("x").expect("there");\n    a.id();',
        "let a = load()?;\n    a.id();",
        "load().unwrap().help().id();",
        "let a: Option<&Arg> = None;\n    a.unwrap().id();",
        'assert_eq!(find("x")\n        .unwrap()\n        .id(), 1);',
    ],
)
def test_what_is_inside_of_options_results_and_boxes_is_followed(body: str) -> None:
    assert "Arg.id" in called({"src/lib.rs": f"{RUST}fn build() {{\n    {body}\n}}\n"}, "build")


def test_a_macro_is_found_beside_functions_with_its_name() -> None:
    files = {
        "src/lib.rs": "mod m;\nmod n;\n#[macro_export]\nmacro_rules! arg { () => {} }\n",
        "src/m.rs": "pub fn make() { arg!(); }\npub fn other(arg: fn()) { arg(); }\n",
        "src/n.rs": "struct A;\nimpl A { fn arg(&self) {} }\n",
        "Cargo.toml": '[package]\nname = "x"\n',
    }
    assert called(files, "make") == {"arg"}
    assert called(files, "other") == set()


def test_a_trait_for_the_unit_type_has_its_methods() -> None:
    text = "trait Load { fn load(&self); }\nimpl Load for () { fn load(&self) {} }\n"
    overrides = [edge for edge in edges({"src/lib.rs": text}) if edge.kind == "overrides"]
    assert [(edge.source.qualified, edge.target.qualified) for edge in overrides] == [("().load", "Load.load")]


PYTHON = (
    "class Session:\n    def __enter__(self) -> 'Session': ...\n    def send(self): ...\n"
    "class Factory:\n    def __call__(self, x) -> Session: ...\n"
    "class Query:\n    def where(self) -> 'Query': ...\n    def rows(self): ...\n"
    "class Owner:\n    @property\n    def session(self) -> Session: ...\n"
    "T = TypeVar('T', bound='Session')\n"
    "class Base:\n    def __enter__(self: S) -> S: ...\n    async def __aenter__(self):\n        return self\n"
    "class Client(Base):\n    def get(self): ...\n"
    "@contextmanager\ndef opened() -> Iterator[Session]:\n    yield Session()\n"
    "def made(x):\n    if x:\n        return Session()\n    return Session(x)\n"
)


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("with Session(1) as s:\n        s.send()", "Session.send"),
        ("with factory(1) as s:\n        s.send()", "Session.send"),
        ("s = factory(1)\n    s.send()", "Session.send"),
        ("s = await factory(1)\n    s.send()", "Session.send"),
        ("q = Query()\n    q = q.where()\n    q.rows()", "Query.rows"),
        ("if x:\n        q = Query()\n    else:\n        q = Query().where()\n    q.rows()", "Query.rows"),
        ("owner.session.send()", "Session.send"),
        ("with Client() as c, opened() as s:\n        c.get()", "Client.get"),
        ("with Client() as c, opened() as s:\n        s.send()", "Session.send"),
        ("with Client(\n        x\n    ) as c:\n        c.get()", "Client.get"),
        ("async with Client() as c:\n        c.get()", "Client.get"),
        ("s = made(x)\n    s.send()", "Session.send"),
        ("any_session.send()", "Session.send"),
    ],
)
def test_python_objects_are_followed(body: str, target: str) -> None:
    text = f"{PYTHON}async def use(factory: Factory, owner: Owner, any_session: T, x):\n    {body}\n"
    assert target in called({"a.py": text}, "use")


def test_a_variable_with_two_types_is_unknown() -> None:
    text = f"{PYTHON}def use(x):\n    q = Query()\n    q = Session()\n    q.rows()\n"
    assert "Query.rows" not in called({"a.py": text}, "use")


def test_overloads_of_one_method_are_one_when_only_the_name_is_known() -> None:
    declared = "    @overload\n    def parse_target(self, x: int): ...\n" * 2
    files = {
        "a.py": f"class Parser:\n{declared}    def parse_target(self, x): ...\n",
        "b.py": "def use(thing):\n    thing.parse_target(1)\n",
    }
    assert called(files, "use") == {"Parser.parse_target"}


def test_a_function_that_returns_two_types_has_no_known_result() -> None:
    text = f"{PYTHON}def either(x):\n    if x:\n        return Query()\n    return Session()\ndef use(x):\n    either(x).rows()\n"
    assert called({"a.py": text}, "use") == {"either"}


TYPESCRIPT = "export class Node<T> { insert() {} }\nexport class Log { warn() {} }\n"


@pytest.mark.parametrize(
    "field",
    ["#node = new Node<string>()", "#node: Node<string> = new Node()", "#node?: Node<string> | undefined"],
)
def test_private_and_generic_fields_are_followed(field: str) -> None:
    text = f"{TYPESCRIPT}class Trie {{\n  {field}\n  add() {{\n    this.#node.insert()\n  }}\n}}\n"
    assert called({"a.ts": text}, "Trie.add") == {"Node.insert"}


def test_what_a_promise_becomes_and_what_a_getter_returns_is_followed() -> None:
    text = (
        f"{TYPESCRIPT}async function open(): Promise<Log> {{ return new Log() }}\n"
        "class A {\n  get log(): Log { return new Log() }\n"
        "  async run() {\n    const log = await open()\n    log.warn()\n  }\n  stop() {\n    this.log.warn()\n  }\n}\n"
    )
    assert "Log.warn" in called({"a.ts": text}, "A.run")
    assert called({"a.ts": text}, "A.stop") == {"A.log", "Log.warn"} - {"A.log"}


def test_names_that_a_file_exports_under_another_name_are_followed() -> None:
    files = {
        "base.ts": "class Store { open() {} }\nclass Shelf { put() {} }\nexport {\n  Store as Base,\n}\nexport default Shelf\n",
        "use.ts": (
            "import Place, { Base } from './base'\nlet store\n"
            "function use() {\n  store = new Base()\n  store.open()\n  new Place().put()\n}\n"
        ),
    }
    assert called(files, "use") == {"Store", "Store.open", "Shelf", "Shelf.put"}


@pytest.mark.parametrize(
    "exports", ["function open () {}\nmodule.exports = open\n", "module.exports = function open () {}\n"]
)
def test_a_file_that_is_one_function_is_called_by_any_name(exports: str) -> None:
    files = {"b.js": exports, "a.js": "const start = require('./b')\nfunction use () {\n  start()\n}\n"}
    assert called(files, "use") == {"open"}


def test_a_made_function_that_is_exported_is_a_symbol() -> None:
    files = {
        "b.js": "const run = make(1)\nconst hidden = make(2)\nmodule.exports = {\n  run, // a\n  other: 1\n}\n",
        "a.js": "const { run } = require('./b')\nfunction use () {\n  run()\n  use2.call(this)\n}\nfunction use2 () {}\n",
    }
    assert called(files, "use") == {"run", "use2"}


def test_a_file_that_is_one_class_has_its_members() -> None:
    files = {
        "b.js": "class Store {\n  static open () {}\n  put () {}\n}\nmodule.exports = Store\n",
        "c.js": "function shut () {}\nfunction move () {}\nmodule.exports = { shut, move }\n",
        "a.js": (
            "const Shop = require('./b')\nconst shut = require('./c').shut\nconst c = require('./c')\n"
            "function use () {\n  Shop.open()\n  new Shop().put()\n  shut()\n  c.move()\n}\n"
        ),
    }
    assert called(files, "use") == {"Store", "Store.open", "Store.put", "shut", "move"}


def test_what_a_function_returns_is_followed() -> None:
    text = f"{TYPESCRIPT}function make() {{\n  const log = new Log()\n  return log\n}}\nfunction use() {{\n  make().warn()\n}}\n"
    assert "Log.warn" in called({"a.ts": text}, "use")


def test_of_names_that_blocks_repeat_the_last_before_the_use_counts() -> None:
    text = "it('a', () => {\n  const App = () => {\n    return 1\n  }\n  render(App())\n})\n" * 2
    targets = [
        (edge.lines, edge.target.line) for edge in edges({"a.test.js": text}) if edge.kind == "calls" and edge.target
    ]
    assert targets == [((5,), 2), ((11,), 8)]


JAVA = (
    "package a;\npublic class Style {\n  protected Style() {}\n  protected Style(int n) {}\n"
    "  Style with(int n) { return this; }\n  void end() {}\n"
    "  static class Json extends Style {\n    Json() {\n      super();\n      this.end();\n    }\n  }\n"
    "  static void make() {\n    new Style(1)\n      .with(1) // one\n      .with(2)\n      .end();\n  }\n}\n"
)


def test_a_class_is_known_inside_of_itself_beside_its_constructor() -> None:
    files = {"a/Style.java": JAVA}
    assert called(files, "Style.Json.Json") == {"Style.end"}
    assert called(files, "Style.make") == {"Style.Style", "Style.with", "Style.end"}


def test_new_reaches_the_constructor_with_as_many_parameters() -> None:
    other = "package a;\nclass Use {\n  void run() {\n    new Style(3);\n  }\n}\n"
    lines = [
        edge.target.line
        for edge in edges({"a/Style.java": JAVA, "a/Use.java": other})
        if edge.kind == "calls" and edge.source.qualified == "Use.run"
    ]
    assert lines == [4]


def test_results_with_a_name_of_their_own_contain_their_value() -> None:
    text = (
        f"{RUST}pub fn fetch() -> ShopResult<Arg> {{ todo!() }}\npub fn read() -> io::Result<Arg, Error> {{ todo!() }}\n"
        "fn build() {\n    let a = fetch().unwrap();\n    a.id();\n}\n"
        "fn other() {\n    let a = read()?;\n    a.id();\n}\n"
    )
    assert "Arg.id" in called({"src/lib.rs": text}, "build")
    assert "Arg.id" in called({"src/lib.rs": text}, "other")


def test_a_generic_type_is_not_its_argument_in_other_languages() -> None:
    text = (
        "class Arg { int id() { return 1; } }\nclass ShopResult<T> { int id() { return 2; } }\n"
        "class Main {\n    ShopResult<Arg> fetch() { return null; }\n    void run() { fetch().id(); }\n}\n"
    )
    assert called({"Main.java": text}, "Main.run") == {"Main.fetch", "ShopResult.id"}


@pytest.mark.parametrize("head", ["if let Some(a)", "while let Some(mut a)", "} else if let Some(a)"])
def test_a_pattern_takes_the_value_out_of_an_option(head: str) -> None:
    before = "    if false {\n" if head.startswith("}") else ""
    text = f'{RUST}fn build() {{\n{before}    {head} = find("x") {{\n        a.id();\n    }}\n}}\n'
    assert "Arg.id" in called({"src/lib.rs": text}, "build")


def test_ruby_finds_no_methods_of_the_modules_around_a_module() -> None:
    text = (
        "module Shop\n  LIMIT = 1\n  def self.helpers(name); end\n  class Cart; end\n"
        "  module Inner\n    def self.run\n      helpers :a\n      Cart.new\n      check()\n    end\n"
        "    def self.check; end\n  end\nend\n"
    )
    assert called({"shop.rb": text}, "Shop.Inner.run") == {"Shop.Cart", "Shop.Inner.check"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.py",
            "class Arg:\n    def id(self): ...\n\n\ndef run(args: list[Arg]):\n    for arg in args:\n        arg.id()\n",
        ),
        (
            "a.py",
            "class Arg:\n    def id(self): ...\n\n\ndef all_of() -> Iterable[Arg]: ...\n\n\n"
            "def run():\n    for arg in all_of():\n        arg.id()\n",
        ),
        (
            "a.ts",
            "class Arg { id() {} }\nlet args: Arg[]\n"
            "function run() {\n  return Promise.all(args.map(async (arg) => {\n    arg.id()\n  }))\n}\n",
        ),
        (
            "a.ts",
            "class Arg { id() {} }\nclass Box {\n  args: Arg[] = []\n}\n"
            "function run(box: Box) {\n  for (const arg of box.args) {\n    arg.id()\n  }\n}\n",
        ),
        ("src/lib.rs", f"{RUST}fn run(args: &[Arg]) {{\n    for arg in args {{\n        arg.id();\n    }}\n}}\n"),
        (
            "src/lib.rs",
            f"{RUST}pub fn every() -> impl Iterator<Item = &'static Arg> {{ todo!() }}\n"
            "fn run() {\n    for arg in every() {\n        arg.id();\n    }\n}\n",
        ),
        (
            "src/lib.rs",
            f"{RUST}struct Box {{\n    args: Vec<Arg>,\n}}\n"
            "fn run(b: &Box) {\n    b.args.iter().filter(|arg| arg.id() > 1);\n}\n",
        ),
    ],
)
def test_a_loop_gives_its_variable_the_type_of_the_elements(path: str, text: str) -> None:
    assert "Arg.id" in called({path: text}, "run")


def test_a_list_is_not_one_of_its_elements() -> None:
    text = "class Arg:\n    def append(self): ...\n\n\ndef run(args: list[Arg]):\n    args.append(1)\n"
    assert called({"a.py": text}, "run") == set()


def test_a_loop_over_several_types_has_an_unknown_variable() -> None:
    text = (
        "class A:\n    def run_it(self): ...\n\n\nclass B:\n    def run_it(self): ...\n\n\n"
        "def run(a: list[A], b: list[B]):\n    for x in a:\n        x.run_it()\n    for x in b:\n        x.run_it()\n"
    )
    assert called({"a.py": text}, "run") == set()


def test_a_java_parameter_may_have_the_name_of_a_python_class() -> None:
    text = (
        "class Names {\n    static String of(Class<?> cls) { return of(cls, null); }\n"
        "    static String of(Class<?> cls, String other) { return other; }\n}\n"
    )
    (edge,) = [edge for edge in edges({"Names.java": text}) if edge.kind == "calls"]
    assert (edge.source.line, edge.target.line) == (2, 3)


def test_go_calls_with_types_are_calls() -> None:
    files = {
        "go.mod": "module shop\n",
        "a/a.go": "package a\n\nfunc Get[T any](k int) (r T) { return }\n",
        "b.go": (
            'package b\n\nimport "shop/a"\n\nfunc one[T any](k int) (r T) { return }\n\nfunc use() {\n\tone[bool](1)\n\ta.Get[int](2)\n}\n'
            "\nfunc more() {\n\tone[[]int](1)\n\tone[map[string][]int](1)\n\ta.Get[a.T](2)\n}\n"
        ),
    }
    sources = [SourceFile(path, language_of_path(path, text), text) for path, text in files.items() if path != "go.mod"]
    relations = relate({s.path: outline(parse(s), s.text) for s in sources}, {"go.mod": files["go.mod"]}).edges
    calls = {(edge.source.qualified, edge.target.qualified) for edge in relations if edge.kind == "calls"}
    assert calls == {("use", "one"), ("use", "Get"), ("more", "one"), ("more", "Get")}
