"""Checks the English of docstrings, comments, messages, templates and documents.

    python -m tests.prose [PATH ...]

Lists each sentence with more than 20 words and each expression that plain English replaces.
Text in backticks or quotation marks is a name or an example and is not checked.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    r"\bto the byte\b": "exactly, byte for byte",
    r"\b(?:put|puts|putting) (?:it |them |that )?right\b": "repair, edit, correct",
    r"\bis no \w+ that\b": "is not a … that",
    r"\bstill to be\b": "pending, not yet",
    r"\b(?:does|do|did) not mind\b": "ignores",
    r"\bends? well\b|\bas ever\b|\bin no time\b": "exits 0, as before, at once",
    r"\bsaid wrongly\b|\bsay it right\b": "fix the text",
    r"\b(?:for|on) whose\b": "turn the sentence around: `whose` with its noun first",
    r"\bnor may\b|\bmay no more\b": "loses access, can't",
    r"\bnobody (?:is here|has to run)\b": "not a terminal, no command is needed",
    r"\bshar(?:e|es|ed|ing) out\b": "distribute, balance",
    r"\bcaught up with\b|\bfrom all sides\b|\ball told\b": "caught up, in full, in total",
    r"\bwhat is remembered\b": "memories",
    r"\bhenceforth\b|\bhitherto\b|\bforthwith\b|\berstwhile\b": "from now on, until now",
}
FOR_USERS = {
    r"(?<!syntax )(?<!working )(?<!work )(?<!directory )(?<!source )(?<!file )(?<!parse )(?<!Merkle )\btrees?\b(?!-sitter)": "repository",
    r"(?<!search )(?<!query )(?<!storage )(?<!template )(?<!SQL )(?<!database )(?<!regex )\bengines?\b": "embedding model",
    r"\b(?:the|a|your|its|one|this|each) home\b(?! (?:directory|folder|page))": "data directory",
    r"\bwords of (?:a|the|this|each) memory\b": "text",
}

STORED = {"its time has run out"}  # texts in databases, compared with what is read back

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
            yield from _strings_and_comments(source)
        case ".md":
            outside = _CODE_BLOCK.sub(lambda block: "\n" * block.group().count("\n"), source)
            for number, paragraph in _paragraphs(outside):
                yield Passage(number, paragraph, for_users=True)
        case ".html":
            plain = _MARKUP.sub(lambda markup: " | " + "\n" * markup.group().count("\n"), source)
            yield Passage(1, plain, for_users=True)


_CODE_BLOCK = re.compile(r"^ *(```|~~~).*?^ *\1", re.DOTALL | re.MULTILINE)
_MARKUP = re.compile(r"\{[%#].*?[%#]\}|\{\{.*?\}\}|<script.*?</script>|<[^>]*>", re.DOTALL)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    number = 1
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip() and not all(line.startswith("    ") for line in part.strip("\n").split("\n")):
            yield number, part
        number += part.count("\n")


# Strings and comments of Python, without parsing: that takes several times as long.
_TOKEN = re.compile(
    r"""\#[:\# ]*(?P<comment>[^\n]*)
    | (?P<prefix>(?<!\w)[rbfu]{1,2})?
      (?: \"\"\"(?P<long>(?:[^\\]|\\.)*?)\"\"\" | "(?P<short>(?:[^"\\\n]|\\.)*)" | '(?P<single>(?:[^'\\\n]|\\.)*)' )""",
    re.DOTALL | re.VERBOSE | re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_EXAMPLE = re.compile(r"(?m)^ {4,}\S.*\n(?:^ {4,}.*\n)*")
_NOT_READ = ("type:", "noqa", "pragma", "mypy:")


def _strings_and_comments(source: str) -> Iterator[Passage]:
    """Docstrings, messages and comments. Those that follow each other without code between them are one text."""
    collected, start, end, kind = list[str](), 0, 0, ""
    for token in _TOKEN.finditer(source):
        opens_line = not source[source.rfind("\n", 0, token.start()) + 1 : token.start()].strip()
        if token["comment"] is not None:
            token_kind, text = "comment" if opens_line else "remark", token["comment"]
        elif token["long"] is not None and opens_line and source[: token.start()].rstrip()[-1:] in ("", ":"):
            token_kind, text = "docstring", token["long"]
        else:
            token_kind, text = "message", token["long"] or token["short"] or token["single"] or ""
            if "f" in (token["prefix"] or "").lower():
                text = _PLACEHOLDER.sub("`x`", text.replace("{{", "(").replace("}}", ")"))
        joins = token_kind == kind and kind in ("comment", "message") and not source[end : token.start()].strip()
        if collected and not joins:
            yield from _passage(kind, source.count("\n", 0, start) + 1, collected)
            collected = []
        if not collected:
            start = token.start()
        collected.append(text)
        end, kind = token.end(), token_kind
    yield from _passage(kind, source.count("\n", 0, start) + 1, collected)


def _passage(kind: str, line: int, texts: Sequence[str]) -> Iterator[Passage]:
    if kind in ("comment", "remark"):
        yield Passage(line, "\n".join("" if text.startswith(_NOT_READ) else text for text in texts))
    elif kind == "docstring":
        yield Passage(line, _EXAMPLE.sub(lambda example: "\n" * example.group().count("\n"), _dedent(texts[0])))
    elif not STORED.issuperset(texts) and _is_prose(text := "".join(texts).replace("\\n", "\n").replace('\\"', '"')):
        yield Passage(line, text)


def _dedent(text: str) -> str:
    lines = text.expandtabs().split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(margins, default=0)
    return "\n".join([lines[0], *(line[margin:] for line in lines[1:])])


def _is_prose(text: str) -> bool:
    """Several words in a row, and neither SQL nor a pattern."""
    if not re.search(r"[a-z]{2,} [a-z]{1,} [a-z]{2,}", text):
        return False
    return not (_SQL.search(text) or re.search(r"\\[sbwdS]|\(\?|\{\d", text))


def faults(path: Path) -> Iterator[ProseFault]:
    shown = path.resolve().relative_to(ROOT) if path.resolve().is_relative_to(ROOT) else path
    for passage in passages(path):
        text = _NAMES.sub(lambda names: "`x`" + "\n" * names.group().count("\n"), _CODE.sub("`x`", passage.text))
        for expression, instead in _expressions(text, for_users=passage.for_users):
            for match in expression.finditer(text):
                line = passage.line + text.count("\n", 0, match.start())
                around = text[max(0, match.start() - 60) : match.end() + 60]
                yield ProseFault(shown, line, f"“{match.group()}” (instead: {instead})", around)
        if len(text.split()) <= MOST_WORDS:
            continue
        at = 0
        for sentence in _END.split(text):
            at = text.find(sentence, at)
            words = len(_WORD.findall(sentence))
            if words > MOST_WORDS:
                yield ProseFault(shown, passage.line + text.count("\n", 0, at), f"{words} words", sentence)


def _compiled(rules: Mapping[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(expression, re.IGNORECASE), instead) for expression, instead in rules.items()]


_ANY = re.compile("|".join((*EVERYWHERE, *FOR_USERS)), re.IGNORECASE)
_EVERYWHERE, _FOR_USERS = _compiled(EVERYWHERE), _compiled(FOR_USERS)


def _expressions(text: str, *, for_users: bool) -> list[tuple[re.Pattern[str], str]]:
    """The rules to try on a text. Most texts break none, so all are tried at once first."""
    if not _ANY.search(text):
        return []
    return [*_EVERYWHERE, *_FOR_USERS] if for_users else _EVERYWHERE


_NOT_CHECKED = {"node_modules", "prompts"}  # models read prompts: rewording one changes its answers


def checked_files(*roots: Path) -> Iterator[Path]:
    for root in roots:
        if root.is_file():
            yield root
        else:
            paths = (path for path in root.rglob("*") if path.suffix in {".py", ".md", ".html"})
            yield from sorted(path for path in paths if not _NOT_CHECKED.intersection(path.parts))


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
