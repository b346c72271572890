"""No line about a symbol is filler: words that only repeat its name, parameters, type or path."""

import re

import pytest

from waypost.code.parse import parse
from waypost.code.source import SourceFile, Symbol
from waypost.code.summary.line import short_signature
from waypost.code.summary.structure import describe
from waypost.code.summary.view import SummaryView
from waypost.text.identifiers import identifier_parts

GRAMMAR = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be by can class constant constructor converts create creates does for from function get gets
        give given gives has holds if in into is it its make makes method module more needed of on or property reacts
        return returned returns set sets starts struct tells test text that the this to type used uses value whether with
        yes no""",
    )
)
WORD = re.compile(r"[^\W\d_]+")


def is_filler(line: str, symbol: Symbol, path: str) -> bool:
    """A line that neither quotes code nor says a word that the name, the parameters, the type and the path lack."""
    signature = short_signature(symbol.signature)
    if not line or (signature and line.startswith(signature)):
        return False
    given = " ".join((symbol.qualified, *symbol.parameters, symbol.returns or "", path))
    names = {part.lower()[:4] for word in WORD.findall(given) for part in identifier_parts(word)}
    spoken = {part.lower() for word in WORD.findall(line) for part in identifier_parts(word)}
    return all(word[:4] in names for word in spoken - GRAMMAR)


FILES = {
    "shop/scene.py": '''
def renamed_files(scene): return [a for a in scene]
def up(): "Up."
def get_user(user_id):
    """Gets the user, given a user id."""
class Thing: pass
@property
def full_name(self): return 1
LIMIT = 5
''',
    "web/user.ts": "export function toggleMenu(open: boolean) { render(open) }\nexport type Id = string\nclass A { get name() { return 1 } }\n",
    "core/buf.c": "/* Frees the buffer. */\nvoid buf_free(struct buf *b) { free(b); }\nstatic int buf_len(struct buf *b) { return b->n; }\n",
    "app/user.go": "package app\n\n// User is a user.\ntype User struct{}\n\nfunc (u *User) Name() string { return u.n }\n",
    "lib/cart.rb": "class Cart\n  def total\n    sum\n  end\nend\n",
    "src/A.java": "class Adder { int add(int first, int second) { return first; } enum Color { RED, GREEN } }\n",
}


@pytest.mark.parametrize("path", FILES)
def test_no_line_is_filler(path: str) -> None:
    language = {"py": "python", "ts": "typescript", "rb": "ruby"}.get(ending := path.rpartition(".")[2], ending)
    source = SourceFile(path, language, FILES[path])
    parsed = parse(source)
    view = SummaryView(source, parsed)
    assert parsed.symbols
    lines = {symbol.qualified: describe(symbol, view) for symbol in parsed.symbols}
    assert [
        name for name, symbol in zip(lines, parsed.symbols, strict=True) if is_filler(lines[name], symbol, path)
    ] == []


@pytest.mark.parametrize(
    "line", ["Gives renamed files, given scene.", "Renamed files.", "Tells whether it is renamed."]
)
def test_the_measure_recognises_filler(line: str) -> None:
    source = SourceFile("shop/scene.py", "python", FILES["shop/scene.py"])
    symbol = parse(source).symbols[0]
    assert is_filler(line, symbol, source.path)
    assert not is_filler("Files that git saw under another name.", symbol, source.path)
