"""What a commit message says: its kind of work, its words without prefixes and trailers, its reasons and references."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from waypost.facts.learn.vocabulary import Verb, content, has_cue, words, words_of
from waypost.facts.learn.wording import clean, clip, first_sentence, plain, sentences
from waypost.text.language import language_of
from waypost.text.secrets.masking import mask

_MOST_SUBJECT = 300
_MOST_BODY = 20_000  # characters; what matters is said before
_MOST_LINES = 300
_MOST_SENTENCES = 40
_LONGEST_SENTENCE = 400
_MOST_REFERENCES = 4

_PREFIX = re.compile(r"^([A-Za-z][\w./-]{0,30})(?:\(([^()]{1,60})\))?(!?)\s?:\s+(?=\S)")
_AREA = re.compile(r"^((?:[\w./-]{1,20} ){1,2}[\w./-]{1,20}|[A-Z][\w./-]{1,20}): ([A-Za-z]{2,14})\b")
_TAGS = re.compile(r"^(?:\[[^\[\]]{1,40}\]\s*){1,4}:?\s*")
_CLOSING = re.compile(
    r"^(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see|behebt|schließt|закрывает)(?:\s*+:)?+\s++"
    r"(?:(?:(?:#|gh-)\d{1,7}|CVE-\d{4}-\d{4,7})(?:,? (?:and )?)?){1,4}\s*+(?:--|[-–—:,.])?+\s*+",
    re.I,
)
_ASIDE = re.compile(r"(?:however|but|also|although|though|by itself|note|jedoch|allerdings|однако|также)\b", re.I)
_END_REFERENCE = re.compile(r"(?<!\s)\s*+\((?:#|gh-|closes |fixes |refs? |see )[^()]{1,60}\)\s*+$", re.I)
_REFERENCE = re.compile(r"(?<![\w/&])#(\d{1,7})\b|\bGH-(\d{1,7})\b|\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b")
_NO_TICKET = re.compile(r"^(?:UTF|SHA|ISO|RFC|MD|HTTP|TLS|SSL|PEP|CVE|GPT|AES|RSA|X|ES|CP|PY|IPV|EC|E|LATIN)-\d")
_TRAILER = re.compile(r"^[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){0,4}(?:-by|-By|-Id|-id)?:\s+\S")
_TRAILER_NAME = re.compile(
    r"^(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|helped|approved|cherry-picked)[\w-]*by\b"
    r"|^(?:change-id|cc|reviewed-on|pr-url|fixes|closes|refs?|see|resolves|bug|issue|link|backport|thanks)\s?:?\s+\S+$"
    r"|^\(cherry picked from|^git-svn-id|^🤖|^generated with|^this reverts commit",
    re.I,
)
_TEST = re.compile(r"\b(?:test_\w|Test[A-Z]\w*[._(])")
_RULE = re.compile(r"^[-=_*~#]{3,}\s*$")
_BULLET = re.compile(r"^\s*(?:[*+•-]|\d{1,2}[.)])\s+")
_REVERT = re.compile(r"^(?:Revert|Reverts|Reverted)\s+[\"“'](.+)[\"”']", re.I)
_IS_FIX = re.compile(r"^(?:bug|hot)[ -]?fix\b", re.I)
_REVERTED_COMMIT = re.compile(r"this reverts commit ([0-9a-f]{7,40})", re.I)
_BUMP = re.compile(
    r"\b(?:bump|upgrade|update|build\(deps|pin)\b.{0,120}?\b(?:from|to|version|dependenc\w*|deps|packages?|requirements?)\b"
    r"|\bdependabot\b|\brenovate\b|\bpre-commit (?:auto ?update|hooks?)\b",
    re.I,
)
_RELEASE = re.compile(
    r"^(?:(?:prepare|start|begin|tag|cut|new|final|next|post)?\s*(?:the\s+|for\s+)?(?:next\s+)?(?:development\s+)?"
    r"(?:releas\w+|version|release notes|релиз\w*|версия)\b.{0,40}|(?:bump|set|update|increase|increment)\s"
    r"(?:the\s)?(?:package\s|project\s|dev\s|module\s|\w+\s)?version\b(?!s).{0,40}"
    r"|v?\d+\.\d+(?:\.\w+){0,3}(?:[-+.]\w+)?)$",
    re.I,
)
_ALONGSIDE = re.compile(
    r"(?:,? (?:and|with|&|plus|incl\.?|including)|,) (?:also )?(?:(?:add|added|update|updated|some|unit|more|a|the|its|corresponding|new) ){0,3}"
    r"(?:tests?|docs?|documentation|changelog|test coverage|test cases?|examples?)$",
    re.I,
)
_FINITE = frozenset(
    (
        "can",
        "is",
        "are",
        "was",
        "were",
        "will",
        "should",
        "could",
        "may",
        "must",
        "now",
        "has",
        "have",
        "does",
        "do",
        "did",
    )
)
_ARTICLES = frozenset(("a", "an", "the", "all", "any", "each", "every", "its", "this", "that", "no"))
_AFTER_DONE = frozenset(
    ("", "when", "if", "by", "on", "as", "after", "before", "during", "while", "with", "without", "from")
)
_MERGE = re.compile(
    r"^Merge(?:d)?\s+(?:branch|pull|remote|tag|commit|in|from|upstream|origin|main|master|\S+ into)\b", re.I
)


@dataclass(frozen=True, slots=True)
class CommitMessage:
    subject: str = ""  # without prefix, ticket numbers and markup
    kind: str = ""  # "fix", "feature", "refactor" … as far as the message tells
    is_declared: bool = False  # the kind stands there as a prefix
    scope: str = ""
    is_breaking: bool = False
    verb: Verb | None = None  # an English subject's first word
    references: tuple[str, ...] = ()  # "#123"
    body: tuple[str, ...] = ()  # its sentences, trailers left out
    reason: str = ""  # the sentence that says why
    language: str = ""
    is_doubtful: bool = False  # it speaks to whoever reads it, not about the change
    reverts: str = ""  # a commit's id or its subject

    def mentions(self, name: str) -> bool:
        """Whether the subject or the body speaks of this name."""
        return self.names(name) or (bool(name) and any(_mentioned(name, one) for one in self.body))

    def names(self, name: str) -> bool:
        """Whether the subject speaks of this name."""
        return bool(name) and _mentioned(name, self.subject)

    @property
    def noise(self) -> str:
        """What an everyday subject is about ("layout", "tests" …), "" where it is about the product."""
        known = words().noise
        told = next((known[word] for word in words_of(self.subject) if word in known), "")
        return told or ("tests" if _TEST.search(self.subject) else "")

    @property
    def tells(self) -> int:
        """How many words of the subject tell something."""
        return len(content(self.subject))


def read(subject: str, body: str) -> CommitMessage:
    """Any text, also hostile; secrets are masked before anything is taken out of its place."""
    whole = mask(f"{subject[:_MOST_SUBJECT]}\n\n{body[:_MOST_BODY]}").text
    raw, _, rest = whole.partition("\n")
    said, kind, declared, scope, breaking = _subject(clean(raw))
    references = _references(f"{raw}\n{rest}")
    spoken = tuple(_sentences(rest, said))
    verb = _verb(said)
    return CommitMessage(
        subject=said,
        kind=kind or _kind(said, verb, clean(raw)),
        is_declared=declared,
        scope=scope,
        is_breaking=breaking or "BREAKING CHANGE" in rest,
        verb=verb,
        references=references,
        body=spoken,
        reason=next((one for one in spoken if has_cue(one, "reason") and not _ASIDE.match(one)), ""),
        language=language_of(said) or "en",
        is_doubtful=has_cue(whole, "instruct"),
        reverts=_reverted(clean(raw), rest),
    )


def _subject(text: str) -> tuple[str, str, bool, str, bool]:
    kind, declared, scope, breaking = "", False, "", False
    for sign, meant in words().signs:
        if text.startswith(sign):
            text, kind = text.removeprefix(sign).lstrip("\ufe0f ").strip(), meant
            break
    tags = _TAGS.match(text)
    if tags:
        told = [words().prefixes.get(tag.lower(), "") for tag in re.findall(r"\w+", tags[0])]
        kind = next((one for one in told if one), kind)
        text = text[tags.end() :]
    for _ in range(2):  # "fix: parser: …"
        found = _PREFIX.match(text)
        if not found:
            break
        meant = words().prefixes.get(found[1].lower(), "")
        if not meant and (found[1][0].isupper() or declared):
            break
        kind, declared = meant or kind, declared or bool(meant)
        scope = clean(found[2] or ("" if meant else found[1])) or scope
        breaking = breaking or bool(found[3])
        text = text[found.end() :]
    area = _AREA.match(text)
    if area and area[2].lower() in words().verbs and not area[2].lower().endswith("ing"):
        text = text[area.start(2) :]  # "Search page: avoid …", "Search: Added …"
    text = _CLOSING.sub("", text) or text
    for _ in range(3):
        text = _END_REFERENCE.sub("", text)
    return _ALONGSIDE.sub("", first_sentence(plain(text)).rstrip(" .")), kind, declared, scope, breaking


def _verb(subject: str) -> Verb | None:
    """The order that a subject begins with; "Default binder can …" and "Parsing …" are none."""
    first, _, rest = subject.partition(" ")
    first, following = first.lower().rstrip(",:"), rest.lower().split()[:4]
    verb = words().verbs.get(first)
    if verb is None or not following or first.endswith("ing"):
        return None
    # A verb that is a noun as well is one where the next words bring a verb of their own.
    may_be_noun = verb.base in words().nouns
    near = following[:3] if may_be_noun else following[:1]
    is_noun = any(word in _FINITE or (word in words().thirds and word not in words().bases) for word in near)
    return None if is_noun or (may_be_noun and _is_subject(first, verb, following)) else verb


def _is_subject(first: str, verb: Verb, following: list[str]) -> bool:
    """ "Uploads fail …", "Nested drafts deleted …": the first word is no order where another verb tells what it does."""
    known = words()
    if following[0] in _ARTICLES:
        return False
    done = zip(following[1:3], [*following[2:4], "", ""], strict=False)
    is_done = any(word.endswith("ed") and word in known.verbs and after in _AFTER_DONE for word, after in done)
    does = following[0] in known.bases and following[0] not in known.nouns
    return is_done or (does and first != verb.base)


def _kind(subject: str, verb: Verb | None, raw: str) -> str:
    """The kind of work that a subject without a prefix tells."""
    forms = ((_REVERT, raw, "revert"), (_MERGE, raw, "merge"), (_RELEASE, subject, "release"))
    told = next((kind for pattern, text, kind in forms if pattern.match(text)), "bump" if _BUMP.search(raw) else "")
    if told:
        return told
    if verb is not None:
        if verb.kind == "settle":
            return "fix" if has_cue(subject, "error") else ""
        return {"prevent": "fix", "add": "feature", "plain": "", "inner": ""}.get(verb.kind, verb.kind)
    return "fix" if _CLOSING.match(raw) or _IS_FIX.match(subject) else _foreign_kind(subject)


def _foreign_kind(subject: str) -> str:
    told = [meant for word in words_of(subject)[:12] if (meant := words().foreign_kind(word))]
    if not told or language_of(subject) not in ("de", "ru"):
        return ""
    return "fix" if told[0] == "prevent" else told[0]


def _references(text: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for match in _REFERENCE.finditer(text):
        ticket = match[3] or ""
        if not (ticket and _NO_TICKET.match(ticket)):
            found[ticket or f"#{match[1] or match[2]}"] = None
        if len(found) == _MOST_REFERENCES:
            break
    return tuple(found)


def _reverted(subject: str, body: str) -> str:
    found = _REVERTED_COMMIT.search(body)
    quoted = _REVERT.match(subject)
    return found[1].lower() if found and quoted else quoted[1] if quoted else ""


def _sentences(body: str, subject: str) -> Iterator[str]:
    """The sentences of a body: no trailers, code, lists of squashed commits' noise, nor the subject again."""
    said = set(content(subject))
    count = 0
    for paragraph in _paragraphs(body):
        told = sentences(_CLOSING.sub("", plain(paragraph)))
        for sentence in (
            told[:-1] if paragraph.rstrip().endswith(":") else told
        ):  # what follows a colon is code or a list
            inside = set(content(sentence))
            if len(inside) < 3 or len(inside & said) >= 0.8 * len(inside):
                continue
            if _PREFIX.match(sentence) and words().prefixes.get(sentence.split(":")[0].split("(")[0].lower()):
                continue
            count += 1
            if count > _MOST_SENTENCES:
                return
            yield clip(sentence, _LONGEST_SENTENCE)


def _paragraphs(body: str) -> Iterator[str]:
    lines: list[str] = []
    is_code = False
    for line in body.splitlines()[:_MOST_LINES]:
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            is_code = not is_code
            continue
        breaks = not stripped or bool(_BULLET.match(line)) or bool(_RULE.match(stripped))
        if breaks and lines:
            yield " ".join(lines)
            lines = []
        said = _BULLET.sub("", line).strip()
        if not is_code and said and not _is_left_out(line, said):
            lines.append(said)
    if lines:
        yield " ".join(lines)


def _is_left_out(line: str, stripped: str) -> bool:
    return (
        bool(_RULE.match(stripped))
        or (line.startswith(("    ", "\t")) and not _BULLET.match(line))
        or line.startswith((">", "|", "#", "diff ", "@@"))
        or bool(_TRAILER_NAME.match(stripped))
        or (bool(_TRAILER.match(stripped)) and len(stripped.split()) <= 8)
        or stripped.startswith(("updated-dependencies", "dependency-", "update-type", "http", "...", "$ ", ">>>"))
    )


def _mentioned(name: str, text: str) -> bool:
    at = text.find(name)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        is_word = before.isalnum() or before == "_" or after.isalnum() or after == "_"
        # "Validate the weights" is an order, and says nothing of a method `Validate`.
        is_order = at == 0 and after == " " and name.lower() in words().verbs
        if not is_word and not is_order:
            return True
        at = text.find(name, at + 1)
    return False
