"""Methods that are passed as values, and properties that are read, are uses of them."""

import pytest

from waypost.code.files.languages import language_of_path
from waypost.code.outline import outline
from waypost.code.parse import parse
from waypost.code.relations import relate
from waypost.code.source import SourceFile


def mentions(path: str, text: str, **others: str) -> set[tuple[str, str, tuple[int, ...]]]:
    """Who mentions what in the file `path`, with lines."""
    files = {path: text, **{name.replace("_", "."): content for name, content in others.items()}}
    sources = [SourceFile(name, language_of_path(name, content), content) for name, content in files.items()]
    edges = relate({source.path: outline(parse(source), source.text) for source in sources}, {}).edges
    return {
        (edge.source.qualified, edge.target.qualified, edge.lines)
        for edge in edges
        if edge.kind in ("mentions", "calls") and edge.source.path == path
    }


PYTHON_CONFIG = """\
class Base:
    def on_error(self): ...

class Config(Base):
    LIMIT = 5

    def __init__(self, host: str):
        self.host = host

    @property
    def is_ssl(self) -> bool: ...

    @property
    def parent(self) -> "Config": ...

SETTINGS = Config("x")
settings = Config("y")
"""


@pytest.mark.parametrize(
    ("body", "target"),
    [
        ("self.loop.register(on_done=self.on_done)", "Server.on_done"),
        ("register(self.config.on_error)", "Base.on_error"),
        ("register(config.on_error)", "Base.on_error"),
        ("handlers = {'done': self.on_done}", "Server.on_done"),
        ("return config.is_ssl", "Config.is_ssl"),
        ("return self.config.is_ssl", "Config.is_ssl"),
        ("return SETTINGS.is_ssl", "Config.is_ssl"),
        ("return settings.is_ssl", "Config.is_ssl"),
        ("return config.parent.is_ssl", "Config.is_ssl"),
        ("return config.parent.host", "Config.parent"),
        ("return config.parent.host.upper()", "Config.parent"),
        ("return config.LIMIT", "Config.LIMIT"),
        ("return SETTINGS", "SETTINGS"),
    ],
)
def test_python_members_of_known_objects(body: str, target: str) -> None:
    text = (
        "from conf import Config, SETTINGS, settings\n\n"
        "class Server:\n    def __init__(self, config: Config):\n        self.config = config\n\n"
        f"    def on_done(self): ...\n    def run(self, config: Config):\n        {body}\n"
    )
    assert ("Server.run", target, (9,)) in mentions("use.py", text, conf_py=PYTHON_CONFIG)


@pytest.mark.parametrize(
    "body",
    ["self.on_done()", "self.on_done = 1", "other.is_ssl", "self.host", "is_ssl", "'self.is_ssl'", "# self.is_ssl"],
)
def test_python_fields_calls_text_and_unknown_objects_are_no_reads(body: str) -> None:
    text = f"class A:\n    def __init__(self):\n        self.host = 1\n    def is_ssl(self): ...\n    def run(self, other):\n        {body}\n"
    assert not {edge for edge in mentions("a.py", text) if edge[1] == "A.is_ssl"}


def test_a_call_through_a_constant_reaches_the_method() -> None:
    text = "class Store:\n    def write(self): ...\n\nSTORE = Store()\n\ndef f():\n    STORE.write()\n"
    assert ("f", "Store.write", (7,)) in mentions("a.py", text)


def test_a_key_of_a_constant_is_no_variable_of_the_file() -> None:
    text = "class Store { save() {} }\nexport const parts = {\n  store: Store,\n}\nfunction f() {\n  store.save()\n}\n"
    assert not {edge for edge in mentions("a.ts", text) if edge[1] == "Store.save"}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.ts",
            "export class Store {\n  get isOpen(): boolean { return true }\n  onClick() {\n    on({ click: this.onClick })\n"
            "    on(this.onClick.bind(this))\n    return this.isOpen || this.#secret\n  }\n  #secret() {}\n}\n"
            "function use(store: Store) {\n  on(store.onClick)\n  if (store.isOpen) return store?.isOpen\n}\n",
            {
                ("Store.onClick", "Store.onClick", (4, 5)),
                ("Store.onClick", "Store.isOpen", (6,)),
                ("Store.onClick", "Store.#secret", (6,)),
                ("use", "Store.onClick", (11,)),
                ("use", "Store.isOpen", (12,)),
            },
        ),
        (
            "a.go",
            "package p\n\ntype S struct{ size int }\n\nfunc (s *S) handle() {}\nfunc (s *S) run(other *S) {\n"
            '\thttp.HandleFunc("/", s.handle)\n\th := Options{Done: other.handle}\n}\n',
            {("S.run", "S.handle", (7, 8))},
        ),
        (
            "A.java",
            "package p;\nclass A {\n  void run(B b) {\n    list.map(this::handle);\n    list.map(b::go);\n  }\n  void handle(int x) {}\n}\n"
            "class B { void go(int x) {} }\n",
            {("A.run", "A.handle", (4,)), ("A.run", "B.go", (5,))},
        ),
        (
            "k.kt",
            "package p\nclass K {\n  val size: Int get() = 3\n  fun run(k: K) {\n    list.map(this::go)\n    list.map(k::go)\n    list.map(::go)\n"
            "    list.map(::top)\n    println(size + k.size)\n  }\n  fun go(x: Int) {}\n}\nfun top(x: Int) = 3\n",
            {("K.run", "K.go", (5, 6, 7)), ("K.run", "top", (8,)), ("K.run", "K.size", (9,))},
        ),
        (
            "C.cs",
            "namespace P;\nclass C {\n  public bool IsSsl => true;\n  void Run(C other) {\n    b.Click += OnClick;\n    b.Click += this.OnClick;\n"
            "    b.Click += other.OnClick;\n    if (other.IsSsl || this.IsSsl) {}\n  }\n  void OnClick(object o) {}\n}\n",
            {("C.Run", "C.OnClick", (5, 6, 7)), ("C.Run", "C.IsSsl", (8,))},
        ),
        (
            "r.rb",
            "class R\n  before_action :check, if: :ready?\n  def run(other)\n    list.each(&method(:handle))\n    # method(:check)\n  end\n"
            "  def handle(x); end\n  def check; end\n  def ready?; end\nend\n",
            {("R", "R.check", (2,)), ("R", "R.ready?", (2,)), ("R.run", "R.handle", (4,))},
        ),
        (
            "P.php",
            "<?php\nclass P {\n  function run(Q $q) {\n    map([$this, 'handle'], $x);\n    map(array($this, \"handle\"), $x); // [$this, 'cmp']\n"
            "    sort($x, [self::class, 'cmp']);\n    get('/x', [Q::class, 'index']);\n    map([$q, 'index']);\n  }\n  function handle($x) {}\n"
            "  static function cmp($a, $b) {}\n}\nclass Q { function index() {} }\n",
            {("P.run", "P.handle", (4, 5)), ("P.run", "P.cmp", (6,)), ("P.run", "Q.index", (7, 8))},
        ),
    ],
)
def test_members_of_known_objects_in_other_languages(
    path: str, text: str, expected: set[tuple[str, str, tuple[int, ...]]]
) -> None:
    found = mentions(path, text)
    assert expected <= found, found
