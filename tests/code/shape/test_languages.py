"""Layout is not a change, and every edit is: in all languages with a grammar."""

from typing import NamedTuple

import pytest

from waypost.code.parse import parse, parse_outline
from waypost.code.shape.build import shape_of, symbol_shape
from waypost.code.source import SourceFile
from waypost.code.syntax.reader import source_bytes
from waypost.model.shape import FileShape
from waypost.refs.symbols import meaning_of


class Sample(NamedTuple):
    code: str
    layouts: tuple[str, ...]  # equivalent, as a formatter or a careful person would write it
    edits: tuple[tuple[str, str], ...]  # each changes the meaning


SAMPLES = {
    "python": Sample(
        """\
@cached
def total(rows, rate=0x1F, *, deep=False):
    # what it all comes to
    if not rows and rate == 1:
        return None
    names = [row.name for row in rows if row]
    for key, value in rows.items():
        print("it's", key[1:], (value + rate) * 2)
    return names, {"a": 1}
""",
        (
            '''\
@cached
def total(
        rows,
        rate=0x1f,
        *,
        deep=False,
):
        """Sums up."""
        if (not rows) and (rate == 1): return None

        names = [
            row.name
            for row in rows
            if row
        ]
        for (key, value) in rows.items():
            print('it\\'s', key[1:], \\
                  (value + rate) * 2)  # another comment
        return (names, {'a': 1,})
''',
        ),
        (
            ("not rows", "rows"),
            ("== 1", "!= 1"),
            ("and", "or"),
            ("(value + rate) * 2", "value + rate * 2"),
            ("key[1:]", "key[:1]"),
            ("rows, rate=0x1F", "rate=0x1F, rows"),
            ("0x1F", "0x2F"),
            ("it's", "it  s"),
            ("def total", "async def total"),
            ("@cached\n", ""),
            ("@cached", "@cached()"),
            ('{"a": 1}', '{"a", 1}'),
            ("[row.name for row in rows if row]", "(row.name for row in rows if row)"),
            ("rows.items()", "rows.items"),
            ("        return None\n", "        return\n"),
        ),
    ),
    "javascript": Sample(
        """\
export function total(rows, rate = 1) {
  // what it all comes to
  if (!rows && rate === 1) return null;
  const names = rows.map(row => row.name);
  for (let i = 0; i < 3; i++) { use(names[i], (i + rate) * 2); }
  return { "a": names, b: `x${rate} y`, c: "it's" };
}
""",
        (
            """\
export function total(
  rows,
  rate = 1,
) {
  /* another comment */
  if (!rows && (rate === 1)) {
    return null
  }
  const names = rows.map((row) => row.name)

  for (let i = 0; i < 3; i++) use(names[i], (i + rate) * 2)
  return {
    a: names,
    b: `x${rate} y`,
    c: 'it\\'s',
  }
}
""",
        ),
        (
            ("!rows", "rows"),
            ("=== 1", "!== 1"),
            ("&&", "||"),
            ("(i + rate) * 2", "i + rate * 2"),
            ("rows, rate = 1", "rate = 1, rows"),
            ("i < 3", "i <= 3"),
            ("export function", "export async function"),
            ("export ", ""),
            ("row => row.name", "row => { row.name }"),
            ("x${rate} y", "x${rate}  y"),
            ("b:", "d:"),
            ("const", "let"),
            ("names[i]", "names(i)"),
        ),
    ),
    "typescript": Sample(
        """\
type Kind = "a" | "b";
interface Row { name: string; size?: number }
export class Table {
  private total(rows: Row[], rate: number = 1): string | null {
    if (!rows || rate == 1) return null;
    return rows.filter(row => row.size! > 2).join(", ") as string;
  }
}
""",
        (
            """\
type Kind =
  | 'a'
  | 'b'
interface Row {
  name: string,
  size?: number,
}
export class Table {
  // a comment
  private total(
    rows: Row[],
    rate: number = 1,
  ): string | null {
    if (!rows || rate == 1) {
      return null
    }
    return (rows
      .filter((row) => row.size! > 2)
      .join(', ')) as string
  }
}
""",
        ),
        (
            ("private", "public"),
            ("private total", "private static total"),
            ("private total", "private async total"),
            ("size?", "size"),
            ('"a" | "b"', '"a" & "b"'),
            ("!rows", "rows"),
            ("==", "!="),
            ("> 2", "> 3"),
            ('", "', '","'),
            ("row.size!", "row.size"),
        ),
    ),
    "tsx": Sample(
        """\
export const Card = ({ name, size }: Props) => {
  return <div className="card" data-size={size}>Hello  {name && <b>you</b>} there</div>;
};
""",
        (
            """\
export const Card = ({ name, size, }: Props) => {
  return (
    <div
      className='card'
      data-size={size}
    >
      Hello {/* a comment */}
      {name && <b>you</b>}
      there
    </div>
  )
}
""",
        ),
        (
            ("card", "cards"),
            ("{size}", "{name}"),
            ("<b>you</b>", "<i>you</i>"),
            ("&&", "||"),
            ("Hello", "Bye"),
            ("=> {", "=> async () => {"),
        ),
    ),
    "go": Sample(
        """\
package a

// Total sums up.
func (t *Table) Total(rows []Row, rate int) (int, error) {
	if !t.ok && rate == 1 { return 0, nil }
	part := rows[1:]
	for i := 0; i < 3; i++ {
		use(part[i], (i + rate) * 2, "a b")
	}
	return len(part), Row{Name: "x"}.Err
}
""",
        (
            """\
package a

/* Another comment. */
func (t *Table) Total(
	rows []Row,
	rate int,
) (int, error) {
	if !t.ok &&
		rate == 1 {
		return 0, nil
	}

	part := rows[1:]; for i := 0; i < 3; i++ {
		use(
			part[i],
			(i+rate)*2, // why
			"a b",
		)
	}
	return len(part), Row{
		Name: "x",
	}.Err
}
""",
        ),
        (
            ("!t.ok", "t.ok"),
            ("==", "!="),
            ("&&", "||"),
            ("rows[1:]", "rows[:1]"),
            ("(i + rate) * 2", "i + rate * 2"),
            ("*Table", "Table"),
            ("rate int", "rate int64"),
            ("rows []Row, rate int", "rate int, rows []Row"),
            ('"a b"', '"a  b"'),
            ("(int, error)", "(error, int)"),
            ("Row{Name", "&Row{Name"),
            ("part := rows", "part = rows"),
            ("use(part", "go use(part"),
        ),
    ),
    "rust": Sample(
        """\
#[inline]
pub fn total(rows: &[Row; 3], rate: u8) -> Option<u8> {
    if !rows.is_empty() && rate == 1 { return None; }
    let names = rows.iter().map(|row| row.name(rate)).collect::<Vec<_>>();
    match names.len() { 0 | 1 => None, n => Some((n + rate) * 2) }
}
""",
        (
            """\
/// Another comment.
#[inline]
pub fn total(
    rows: &[Row; 3],
    rate: u8,
) -> Option<u8> {
    if !rows.is_empty() && (rate == 1) {
        return None
    }
    let names = rows
        .iter()
        .map(|row| { row.name(rate) }) // why
        .collect::<Vec<_>>();

    match names.len() {
        | 0 | 1 => None,
        n => {
            Some((n + rate) * 2)
        }
    }
}
""",
        ),
        (
            ("!rows", "rows"),
            ("==", "!="),
            ("&&", "||"),
            ("(n + rate) * 2", "n + rate * 2"),
            ("pub fn", "fn"),
            ("pub fn", "pub async fn"),
            ("rate: u8", "rate: u16"),
            ("&[Row; 3]", "&[Row]"),
            ("&[Row; 3]", "&[Row; 4]"),
            ("rows: &[Row; 3], rate: u8", "rate: u8, rows: &[Row; 3]"),
            ("0 | 1", "0"),
            ("|row|", "move |row|"),
            ("#[inline]", "#[cold]"),
            ("Some((n + rate) * 2) }", "{ Some((n + rate) * 2); } }"),
        ),
    ),
    "java": Sample(
        """\
class Table {
  @Override
  private int total(List<Row> rows, int rate) throws Oops {
    if (!ok && rate == 1) return 0;
    for (int i = 0; i < 3; i++) use(rows.get(i), (i + rate) * 2, "a b");
    return rows.stream().map(row -> row.size()).count();
  }
}
""",
        (
            """\
class Table
{
    /** Another comment. */
    @Override
    private int total(
        List<Row> rows,
        int rate
    ) throws Oops
    {
        if (!ok && (rate == 1)) {
            return 0;
        }
        for (int i = 0; i < 3; i++) {
            use(rows.get(i), (i + rate) * 2, "a b"); // why
        }
        return rows
            .stream()
            .map((row) -> row.size())
            .count();
    }
}
""",
        ),
        (
            ("!ok", "ok"),
            ("==", "!="),
            ("&&", "||"),
            ("(i + rate) * 2", "i + rate * 2"),
            ("private", "public"),
            ("private int", "private static int"),
            ("int rate", "long rate"),
            ("List<Row> rows, int rate", "int rate, List<Row> rows"),
            ('"a b"', '"a  b"'),
            ("i < 3", "i < 4"),
            ("throws Oops", ""),
            ("@Override", "@Deprecated"),
            ("i++", "i--"),
        ),
    ),
    "csharp": Sample(
        """\
class Table {
  [Fact]
  private int Total(List<Row> rows, int[,] grid, int rate = 1) {
    if (!ok && rate == 1) return 0;
    for (int i = 0; i < 3; i++) Use(rows[i], (i + rate) * 2, $"a {rate} b");
    return rows.Select(row => row.Size).Count();
  }
}
""",
        (
            """\
class Table
{
    /// <summary>Another comment.</summary>
    [Fact]
    private int Total(
        List<Row> rows,
        int[,] grid,
        int rate = 1)
    {
        if (!ok && (rate == 1))
        {
            return 0;
        }
        for (int i = 0; i < 3; i++)
        {
            Use(rows[i], (i + rate) * 2, $"a {rate} b"); // why
        }
        return rows
            .Select(row => row.Size)
            .Count();
    }
}
""",
        ),
        (
            ("!ok", "ok"),
            ("==", "!="),
            ("&&", "||"),
            ("(i + rate) * 2", "i + rate * 2"),
            ("private", "public"),
            ("private int", "private async int"),
            ("private int", "private static int"),
            ("int rate", "long rate"),
            ("int[,]", "int[]"),
            ("int[,]", "int[,,]"),
            ('$"a {rate} b"', '$"a {rate}  b"'),
            ("[Fact]", "[Theory]"),
            ("rows[i]", "rows(i)"),
        ),
    ),
    "php": Sample(
        """\
<?php
class Table {
  private function total(array $rows, int $rate = 1): ?int {
    if (!$rows && $rate === 1) return NULL;
    foreach ($rows as $key => $row) use_it($row['name'], ($key + $rate) * 2, "a $rate b");
    return count([1, 2]);
  }
}
""",
        (
            """\
<?php
class Table
{
    /** Another comment. */
    private function total(
        array $rows,
        int $rate = 1,
    ): ?int {
        if (!$rows && ($rate === 1)) {
            return null;
        }
        foreach ($rows as $key => $row) {
            use_it($row["name"], ($key + $rate) * 2, "a $rate b"); // why
        }
        return count(array(1, 2));
    }
}
""",
        ),
        (
            ("!$rows", "$rows"),
            ("===", "=="),
            ("&&", "||"),
            ("($key + $rate) * 2", "$key + $rate * 2"),
            ("private", "public"),
            ("private function", "private static function"),
            ("int $rate", "float $rate"),
            ("?int", "int"),
            ('"a $rate b"', '"a $rate  b"'),
            ('"a $rate b"', "'a $rate b'"),
            ("$key => $row", "$row"),
            ("[1, 2]", "[2, 1]"),
        ),
    ),
    "ruby": Sample(
        """\
class Table
  def total(rows, rate: 1)
    return nil if !rows && rate == 1
    rows.each { |row| use(row[:name], (row.size + rate) * 2, "a #{rate} b") }
    if rate > 2 then puts 'x' else puts 'y' end
  end
end
""",
        (
            """\
class Table
  # Another comment.
  def total(
    rows,
    rate: 1
  )
    return nil if !rows && (rate == 1)

    rows.each do |row|
      use(
        row[:name],
        (row.size + rate) * 2,
        "a #{rate} b",
      )
    end
    if rate > 2
      puts "x" # why
    else
      puts("y")
    end
  end
end
""",
        ),
        (
            ("!rows", "rows"),
            ("==", "!="),
            ("&&", "||"),
            ("(row.size + rate) * 2", "row.size + rate * 2"),
            ("def total", "def self.total"),
            ("rate: 1", "rate: 2"),
            ("rate: 1", "rate = 1"),
            ('"a #{rate} b"', '"a #{rate}  b"'),
            ("puts 'x' else puts 'y'", "puts 'y' else puts 'x'"),
            (":name", ":size"),
            ("return nil if", "return nil unless"),
            ("|row|", "|row, other|"),
        ),
    ),
    "c": Sample(
        """\
static int *total(const struct row *rows, int rate[], int (*call)(int)) {
  if (!rows && *rate == 1) return NULL;
  for (int i = 0; i < 3; i++) use(rows[i].name, (i + *rate) * 2, "a b");
  return &rows->size;
}
""",
        (
            """\
/* Another comment. */
static int*
total(const struct row* rows,
      int rate[],
      int (*call)(int))
{
    if (!rows && (*rate == 1))
    {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        use(rows[i].name, (i + *rate) * 2, "a" " b"); // why
    }
    return &rows->size;
}
""",
        ),
        (
            ("!rows", "rows"),
            ("==", "!="),
            ("&&", "||"),
            ("(i + *rate) * 2", "i + *rate * 2"),
            ("static int", "int"),
            ("int rate[]", "long rate[]"),
            ("int rate[]", "int rate"),
            ("const struct", "struct"),
            ('"a b"', '"a  b"'),
            ("rows->size", "rows.size"),
            ("&rows", "rows"),
            ("(*call)", "*call"),
            ("i < 3", "i <= 3"),
        ),
    ),
    "cpp": Sample(
        """\
template <class T>
class Table : public Base {
 public:
  virtual int total(const std::vector<T>& rows, int rate = 1) const override {
    if (!ok && rate == 1) return 0;
    for (auto& row : rows) use(row[1], (row.size + rate) * 2, "a b");
    return call([&](int x) { return x; });
  }
};
""",
        (
            """\
template <class T>
class Table : public Base
{
public:
    // Another comment.
    virtual int total(
        const std::vector<T> &rows,
        int rate = 1) const override
    {
        if (!ok && (rate == 1))
        {
            return 0;
        }
        for (auto &row : rows)
        {
            use(row[1], (row.size + rate) * 2, "a b"); // why
        }
        return call(
            [&](int x) {
                return x;
            });
    }
};
""",
        ),
        (
            ("!ok", "ok"),
            ("==", "!="),
            ("&& rate", "|| rate"),
            ("(row.size + rate) * 2", "row.size + rate * 2"),
            ("virtual int", "static int"),
            (" const override", " override"),
            ("public Base", "private Base"),
            ("public:", "protected:"),
            ("int rate", "long rate"),
            ("<T>&", "<T>"),
            ("auto& row", "auto row"),
            ("[&]", "[=]"),
            ('"a b"', '"a  b"'),
        ),
    ),
    "kotlin": Sample(
        """\
class Table {
  @Test
  private fun total(rows: List<Row>, rate: Int = 1): Int? {
    if (!ok && rate == 1) return null
    for (row in rows) { use(row[1], (row.size + rate) * 2, "a $rate b") }
    return rows.map { it.size }.firstOrNull()
  }
}
""",
        (
            """\
class Table {
    /** Another comment. */
    @Test
    private fun total(
        rows: List<Row>,
        rate: Int = 1,
    ): Int? {
        if (!ok && (rate == 1)) return null;

        for (row in rows) {
            use(
                row[1],
                (row.size + rate) * 2, // why
                "a $rate b",
            )
        }
        return rows
            .map { it.size }
            .firstOrNull()
    }
}
""",
        ),
        (
            ("!ok", "ok"),
            ("==", "!="),
            ("&&", "||"),
            ("(row.size + rate) * 2", "row.size + rate * 2"),
            ("private", "internal"),
            ("private fun", "private suspend fun"),
            ("rate: Int", "rate: Long"),
            ("Int?", "Int"),
            ('"a $rate b"', '"a $rate  b"'),
            ("@Test", "@Ignore"),
            ("{ it.size }", "{ it }"),
            ("row[1]", "row(1)"),
        ),
    ),
    "shell": Sample(
        """\
total() {
  # what it all comes to
  if [ -f "$1" ] && [ "$rate" = 1 ]; then echo "a  $rate"; fi
  for row in a b; do use "$row" 'x y' | sort > out; done
}
""",
        (
            """\
total() {
    if [ -f "$1" ] && [ "$rate" = 1 ]
    then
        echo "a  $rate" # why
    fi
    for row in a b
    do
        use "$row" 'x y' | sort > out
    done
}
""",
        ),
        (
            ("-f", "-d"),
            ("&&", "||"),
            ("= 1", "!= 1"),
            ('"a  $rate"', '"a $rate"'),
            ("a b;", "b a;"),
            ("| sort", "| uniq"),
            ("> out", ">> out"),
            ("'x y'", "'x  y'"),
        ),
    ),
    "sql": Sample(
        """\
create table rows (id int primary key, name text not null);
select a.name, count(*) from rows a where a.id = 1 and a.name = 'x  y';
""",
        (
            """\
-- another comment
CREATE TABLE rows (
  id int PRIMARY KEY,
  name text NOT NULL
);

SELECT a.name, count(*)
FROM rows a
WHERE a.id = 1
  AND a.name = 'x  y';
""",
        ),
        (
            ("= 1", "= 2"),
            ("and", "or"),
            ("not null", ""),
            ("'x  y'", "'x y'"),
            ("id int", "id bigint"),
            ("count(*)", "sum(a.id)"),
        ),
    ),
}
# Edits of type annotations: they count only in typed shapes.
ANNOTATIONS = [
    ("python", "deep=False", "deep: bool = False"),
    ("typescript", "rate: number", "rate: string"),
    ("typescript", "Row[]", "Row"),
    ("typescript", "string | null", "null | string"),
    ("tsx", "Props", "Other"),
]
LAYOUTS = [(language, layout) for language, sample in SAMPLES.items() for layout in sample.layouts]
EDITS = [(language, *edit) for language, sample in SAMPLES.items() for edit in sample.edits]


def shape(language: str, text: str, *, typed: bool = False) -> FileShape:
    source = SourceFile("a/b", language, text)
    return shape_of(source, parse(source), typed=typed)


def meaning(language: str, text: str, *, typed: bool = False) -> bytes:
    read = shape(language, text, typed=typed)
    return read.meaning(0, len(read.words))


@pytest.mark.parametrize(("language", "layout"), LAYOUTS, ids=[language for language, _ in LAYOUTS])
def test_another_layout_and_other_comments_mean_the_same(language: str, layout: str) -> None:
    assert meaning(language, layout) == meaning(language, SAMPLES[language].code)


@pytest.mark.parametrize(("language", "old", "new"), EDITS, ids=[f"{language}-{new}" for language, _, new in EDITS])
def test_an_edit_means_another_thing(language: str, old: str, new: str) -> None:
    code = SAMPLES[language].code
    assert old in code
    assert meaning(language, code.replace(old, new, 1)) != meaning(language, code)


@pytest.mark.parametrize(("language", "old", "new"), ANNOTATIONS, ids=[new for _, _, new in ANNOTATIONS])
def test_an_annotation_counts_only_in_a_typed_shape(language: str, old: str, new: str) -> None:
    code = SAMPLES[language].code
    edited = code.replace(old, new, 1)
    assert edited != code
    assert meaning(language, edited) == meaning(language, code)
    assert meaning(language, edited, typed=True) != meaning(language, code, typed=True)


@pytest.mark.parametrize(
    ("language", "plain", "annotated"),
    [
        (
            "python",
            "def f(a, b='x', *c, **d):\n    return a\n",
            "def f(a: int, b: str = 'x', *c: A, **d: B[C]) -> D:\n    return a\n",
        ),
        ("python", "def f():\n    x = 1\n    return x\n", "def f():\n    x: int = 1\n    y: str\n    return x\n"),
        ("python", "class A:\n    size = 2\n", "class A:\n    size: int = 2\n"),
        ("typescript", "const f = (a) => a;\n", "const f = (a: string): string => a;\n"),
        (
            "typescript",
            "class A { x = 1; m(a) { return a } }\n",
            "class A { x: number = 1; m(a: A): A { return a } }\n",
        ),
    ],
)
def test_code_means_the_same_with_annotations(language: str, plain: str, annotated: str) -> None:
    assert meaning(language, annotated) == meaning(language, plain)


@pytest.mark.parametrize(
    ("language", "code", "other"),
    [
        ("python", "class A:\n    size: int\n", "class A:\n    size: str\n"),
        ("python", "class A:\n    size: int\n", "class A:\n    pass\n"),
        (
            "typescript",
            "interface A { size: number; f(a: string): void }\n",
            "interface A { size: string; f(a: string): void }\n",
        ),
        ("typescript", "interface A { f(a: string): void }\n", "interface A { f(a: number): void }\n"),
        ("typescript", "type F = (a: string) => void;\n", "type F = (a: number) => void;\n"),
        ("go", "func f(a int) int { return a }\n", "func f(a int64) int { return a }\n"),
        ("java", "class A { int f(int a) { return a; } }\n", "class A { int f(long a) { return a; } }\n"),
    ],
)
def test_types_that_are_the_code_count(language: str, code: str, other: str) -> None:
    """Of a field or an interface the type is all there is, and in a statically typed language it decides what runs."""
    assert meaning(language, code) != meaning(language, other)


@pytest.mark.parametrize(
    ("language", "head", "imports", "tail"),
    [
        ("python", "", ("import b", "from a import c, d", "import e as f"), "print(b)"),
        ("javascript", "", ('import {b} from "b";', 'import a from "./a";'), "run(a);"),
        ("typescript", "", ('import type {b} from "b";', 'import a from "./a";'), "run(a);"),
        ("tsx", "", ('import {b} from "b";', 'import a from "./a";'), "run(a);"),
        ("go", "package p\nimport (", ('"os"', 'b "fmt"', '"a/io"'), ")\nvar x = 1"),
        ("rust", "", ("use b::c;", "use a::{d, e};"), "fn f() {}"),
        ("java", "package p;", ("import b.C;", "import static a.D.e;"), "class F {}"),
        ("php", "<?php", ("use B\\C;", "use A\\D;"), "f();"),
        ("csharp", "", ("using B;", "using A.C;"), "class F {}"),
        ("kotlin", "package p", ("import b.C", "import a.D"), "fun f() = 1"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_the_order_of_imports_does_not_count(language: str, head: str, imports: tuple[str, ...], tail: str) -> None:
    def text(lines: tuple[str, ...]) -> str:
        return "\n".join((head, *lines, tail, ""))

    assert meaning(language, text(imports)) == meaning(language, text(imports[::-1]))
    assert meaning(language, text(imports)) != meaning(language, text(imports[1:]))
    assert meaning(language, text(imports), typed=True) != meaning(language, text(imports[::-1]), typed=True)


def test_the_order_of_other_statements_counts() -> None:
    assert meaning("python", "import a\nf()\nimport b\n") != meaning("python", "import b\nf()\nimport a\n")
    assert meaning("python", "f()\ng()\n") != meaning("python", "g()\nf()\n")


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("language", SAMPLES)
def test_a_symbol_alone_has_the_same_meaning_as_in_its_whole_file(language: str, typed: bool) -> None:
    source = SourceFile("a", language, SAMPLES[language].code)
    outline, tree = parse_outline(source)
    parsed = parse(source)
    whole = shape_of(source, parsed, typed=typed)
    again = shape_of(source, outline, typed=typed, tree=tree)
    assert (again.landmarks, again.words, again.kinds) == (whole.landmarks, whole.words, whole.kinds)
    for place in range(len(parsed.symbols)):
        assert tree is not None
        alone = symbol_shape(outline, source_bytes(source.text), tree, place, typed=typed)
        assert alone.landmarks == whole.landmarks[place : place + 1]
        assert meaning_of(alone, alone.landmarks[0]) == meaning_of(whole, whole.landmarks[place])
