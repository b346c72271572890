"""Checks the English of docstrings, comments, messages, templates and documents.

    python -m tests.prose [PATH ...]

Lists each sentence with more than 20 words and each expression that plain English replaces.
Text in backticks or quotation marks is a name or an example and is not checked.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST_WORDS = 20

# Expression, and what to write instead.
EVERYWHERE = {
    r"unless told|as told": "by default",
    r"\btold\b|\btells?\b": "shown, returned, says, warns",
    r"\bsays so\b|\bsaying so\b|\bsaid so\b": "prints a notice, reports it",
    r"\b(?:your|owner's|person's|agent's|agents'|whose|somebody's) word\b|\bby the word of\b": "review, rights, source",
    r"\btime (?:has|have|had) run out\b|\b(?:run|runs|ran) out\b(?! of)": "expired",
    r"\b(?:put|puts|putting) away\b": "archived",
    r"\b(?:take|takes|taken|took|taking) (?:it |them |that )?back\b": "retract, undo",
    r"\b(?:owe|owes|owed|owing)\b": "pending",
    r"\bupkeep\b": "maintenance",
    r"\bmend(?:s|ed|ing|able)?\b": "repair",
    r"\brid of\b": "removed",
    r"\bas it should be\b": "up to date",
    r"\bat the side of\b": "next to, in step with",
    r"\banew\b": "again",
    r"\bmay nothing\b": "has no rights",
    r"\b(?:is|are|was|were) none\b": "name the condition: `or None if …`",
    r"\bis to be\b|\bare to be\b|\bwas to be\b|\bwere to be\b": "must be, will be",
    r"\b(?:therein|thereof|thereby|wherein|whereof|whereby|whereupon|wherefrom|herein|thereupon)\b": "in it, so",
    r"\bwhoever\b|\bwhomever\b": "anyone who, the person who",
    r"\ball that (?:is|are|was|has|can)\b": "everything that, all",
    r"\bwhat waits\b|\bwaits? for (?:you|your|review|approval|the person|the user)\b": "pending, to review",
    r"\bwants? attention\b": "needs attention",
    r"\bthe house\b|\bof the house\b": "the package, the project",
    r"\bcrew\b|\bdoorkeeper\b": "name what it is",
    r"\bits own affair\b|\btheir own affair\b|\baffairs?\b": "name the responsibility",
    r"\bhas to do with\b|\bhave to do with\b": "is about, matches",
    r"\bin the way\b": "blocks",
    r"\bthe latest last\b": "newest last",
    r"\b(?:goes|go|went) by the board\b|\bof old\b": "is lost, earlier",
    r"\bfor naught\b|\bnaught\b|\baught\b": "nothing",
    r"\bhenceforth\b|\bhitherto\b|\bforthwith\b|\berstwhile\b": "from now on, until now",
    r"\b(?:CG|CM|GOV|MB|LA|CB|ALL|CR|WB)-\d+\b": "what the requirement says; its code belongs into docs/design/requirements.md",
}
FOR_USERS = {
    r"(?<!syntax )(?<!working )(?<!work )(?<!directory )(?<!source )(?<!file )(?<!parse )(?<!Merkle )\btrees?\b(?!-sitter)": "repository",
    r"(?<!search )(?<!query )(?<!storage )(?<!template )(?<!SQL )(?<!database )(?<!regex )\bengines?\b": "embedding model",
}

_CODE = re.compile(r"```.*?```|``.*?``|`[^`]*`|\"[^\"\n]{1,80}\"", re.DOTALL)
_NAMES = re.compile(r"`x`(?:,?(?: and| or)?\s+`x`)+")  # a list of names counts as one word
_END = re.compile(r"(?<=[.!?;:…])[\"')\]*_]*\s+|\n\s*\n|\n(?=\s*(?:[-*|#>]|\d+\.)\s)|\s[|·]\s|\|")
_WORD = re.compile(r"\S*\w\S*")
_SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|FROM|WHERE|JOIN)\b")


@dataclass(frozen=True)
class ProseFault:
    path: Path
    line: int
    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}: {' '.join(self.text.split())[:160]}"


@dataclass(frozen=True)
class Passage:
    line: int
    text: str
    for_users: bool = False


def passages(path: Path) -> Iterator[Passage]:
    """The texts of a file that people read."""
    source = path.read_text(encoding="utf-8")
    match path.suffix:
        case ".py":
            yield from _docstrings_and_messages(source, ast.parse(source))
            yield from _comments(source)
        case ".md":
            outside = _CODE_BLOCK.sub(lambda block: "\n" * block.group().count("\n"), source)
            for number, paragraph in _paragraphs(outside):
                yield Passage(number, paragraph, for_users=True)
        case ".html":
            plain = re.sub(r"\{[%#].*?[%#]\}|\{\{.*?\}\}|<script.*?</script>|<[^>]*>", "\n\n", source, flags=re.DOTALL)
            yield Passage(1, plain, for_users=True)


_CODE_BLOCK = re.compile(r"^ *(```|~~~).*?^ *\1", re.DOTALL | re.MULTILINE)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    number = 1
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip() and not all(line.startswith("    ") for line in part.strip("\n").split("\n")):
            yield number, part
        number += part.count("\n")


def _docstrings_and_messages(source: str, tree: ast.Module) -> Iterator[Passage]:
    docstrings = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                docstrings.add(id(first.value))
                text = re.sub(r"(?m)^ {4,}\S.*\n(?:^ {4,}.*\n)*", "\n", _dedent(first.value.value))
                yield Passage(first.lineno, text)
    in_f_strings = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "`x`" for part in node.values)
            if _is_prose(text):
                yield Passage(node.lineno, text)
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings | in_f_strings
        ) and _is_prose(node.value):
            yield Passage(node.lineno, node.value)


def _dedent(text: str) -> str:
    lines = text.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([lines[0], *(line[margin:] for line in lines[1:])])


def _is_prose(text: str) -> bool:
    """Several words in a row, and neither SQL nor a pattern."""
    if _SQL.search(text) or re.search(r"\\[sbwdS]|\(\?|\{\d", text):
        return False
    return bool(re.search(r"[a-z]{2,} [a-z]{1,} [a-z]{2,}", text))


def _comments(source: str) -> Iterator[Passage]:
    start, collected = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            text = token.string.lstrip("#: ")
            if text.startswith(("type:", "noqa", "pragma", "mypy:")):
                continue
            if not collected:
                start = token.start[0]
            collected.append(text)
        elif token.type != tokenize.NL and collected:
            yield Passage(start, "\n".join(collected))
            collected = []
    if collected:
        yield Passage(start, "\n".join(collected))


def faults(path: Path) -> Iterator[ProseFault]:
    shown = path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path
    for passage in passages(path):
        text = _NAMES.sub(lambda names: "`x`" + "\n" * names.group().count("\n"), _CODE.sub("`x`", passage.text))
        for expression, instead in (*EVERYWHERE.items(), *(FOR_USERS.items() if passage.for_users else ())):
            for found in re.finditer(expression, text, re.IGNORECASE):
                line = passage.line + text.count("\n", 0, found.start())
                around = text[max(0, found.start() - 60) : found.end() + 60]
                yield ProseFault(shown, line, f"“{found.group()}” (instead: {instead})", around)
        at = 0
        for sentence in _END.split(text):
            at = text.find(sentence, at)
            words = len(_WORD.findall(sentence))
            if words > MOST_WORDS:
                yield ProseFault(shown, passage.line + text.count("\n", 0, at), f"{words} words", sentence)


def checked_files(*roots: Path) -> Iterator[Path]:
    for root in roots:
        if root.is_file():
            yield root
        else:
            found = (path for path in root.rglob("*") if path.suffix in {".py", ".md", ".html"})
            yield from sorted(path for path in found if "node_modules" not in path.parts)


def main(arguments: Iterable[str]) -> int:
    roots = [Path(argument) for argument in arguments] or [ROOT / "src", ROOT / "docs", ROOT / "README.md"]
    count = 0
    for path in checked_files(*roots):
        for fault in faults(path):
            count += 1
            print(fault)
    print(f"{count} to rewrite")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
