"""A commit message: its kind of work, its text without prefixes and trailers, its reason and references."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from waypost.facts.learn.vocabulary import Verb, content_words, has_cue, vocabulary, words_in
from waypost.facts.learn.wording import clean, clip, first_sentence, sentences, without_markup
from waypost.text.language import language_of
from waypost.text.secrets.masking import mask

_MOST_SUBJECT = 300
_MOST_BODY = 20_000  # characters; the important part comes first
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
NOT_THE_PRODUCT = frozenset(("layout", "tests", "pipeline", "documents", "typing", "release"))  # kinds of noise
# Sentences that address somebody, doubt, lead on from another one, show a terminal or have no end.
_NO_STATEMENT = re.compile(
    r"^(?:i|we|you|let|thanks?|please|sorry|hi|hello|however|but|also|although|though|and|so|then|note|by itself|jedoch|allerdings|однако|также)\b"
    r"|\b(?:hopefully|maybe|perhaps|i think|not sure|tested|screenshots?)\b|[$>] |\]\[|:\d+:|[^.!)”\"]$",
    re.I,
)
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
_FINITE = frozenset((
    "can", "is", "are", "was", "were", "will", "should", "could", "may", "must", "now", "has", "have", "does", "do",
    "did",
))  # fmt: skip
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
    kind: str = ""  # "fix", "feature", "refactor" …, if the message shows it
    is_declared: bool = False  # the kind is a prefix
    is_breaking: bool = False
    verb: Verb | None = None  # the first word of an English subject
    references: tuple[str, ...] = ()  # "#123"
    body: tuple[str, ...] = ()  # its sentences, without trailers
    reason: str = ""  # the sentence that says why
    language: str = ""
    is_doubtful: bool = False  # it addresses its reader instead of describing the change
    reverts: str = ""  # a commit's id or its subject

    def mentions(self, name: str) -> bool:
        """Whether the subject or the body mentions this name."""
        return self.names(name) or (bool(name) and any(_contains_name(name, sentence) for sentence in self.body))

    def names(self, name: str) -> bool:
        """Whether the subject mentions this name."""
        return bool(name) and _contains_name(name, self.subject)

    @property
    def noise(self) -> str:
        """The topic of an everyday subject ("layout", "tests" …), or an empty string for the product."""
        noise_words = vocabulary().noise
        topic = next((noise_words[word] for word in words_in(self.subject) if word in noise_words), "")
        return topic or ("tests" if _TEST.search(self.subject) else "")

    @property
    def content_count(self) -> int:
        """How many content words the subject has."""
        return len(content_words(self.subject))


def read_message(subject: str, body: str) -> CommitMessage:
    """Parses any text, including hostile ones. Secrets are masked before any part is taken out."""
    whole = mask(f"{subject[:_MOST_SUBJECT]}\n\n{body[:_MOST_BODY]}").text
    raw, _, rest = whole.partition("\n")
    subject_text, kind, declared, breaking = _subject(clean(raw))
    references = _references(f"{raw}\n{rest}")
    statements = tuple(_sentences(rest, subject_text))
    verb = _leading_verb(subject_text)
    return CommitMessage(
        subject=subject_text,
        kind=kind or _kind(subject_text, verb, clean(raw)),
        is_declared=declared,
        is_breaking=breaking or "BREAKING CHANGE" in rest,
        verb=verb,
        references=references,
        body=statements,
        reason=next(
            (sentence for sentence in statements if has_cue(sentence, "reason") and is_statement(sentence)), ""
        ),
        language=language_of(subject_text) or "en",
        is_doubtful=has_cue(whole, "instruct"),
        reverts=_reverted_target(clean(raw), rest),
    )


def is_statement(sentence: str) -> bool:
    """Whether a sentence of a body says something about the product: no order, and not about the work."""
    noise = vocabulary().noise
    is_noise = any(noise.get(word) in NOT_THE_PRODUCT for word in words_in(sentence))
    is_order = sentence.partition(" ")[0].lower() in vocabulary().bases
    return not is_noise and not is_order and _NO_STATEMENT.search(sentence) is None


def _subject(text: str) -> tuple[str, str, bool, bool]:
    kind, declared, breaking = "", False, False
    for sign, meaning in vocabulary().signs:
        if text.startswith(sign):
            text, kind = text.removeprefix(sign).lstrip("\ufe0f ").strip(), meaning
            break
    tags = _TAGS.match(text)
    if tags:
        kinds = [vocabulary().prefixes.get(tag.lower(), "") for tag in re.findall(r"\w+", tags[0])]
        kind = next((tag_kind for tag_kind in kinds if tag_kind), kind)
        text = text[tags.end() :]
    for _ in range(2):  # "fix: parser: …"
        prefix = _PREFIX.match(text)
        if not prefix:
            break
        meaning = vocabulary().prefixes.get(prefix[1].lower(), "")
        if not meaning and (prefix[1][0].isupper() or declared):
            break
        kind, declared = meaning or kind, declared or bool(meaning)
        breaking = breaking or bool(prefix[3])
        text = text[prefix.end() :]
    area = _AREA.match(text)
    if area and area[2].lower() in vocabulary().verbs and not area[2].lower().endswith("ing"):
        text = text[area.start(2) :]  # "Search page: avoid …", "Search: Added …"
    text = _CLOSING.sub("", text) or text
    for _ in range(3):
        text = _END_REFERENCE.sub("", text)
    return _ALONGSIDE.sub("", first_sentence(without_markup(text)).rstrip(" .")), kind, declared, breaking


def _leading_verb(subject: str) -> Verb | None:
    """The verb of an order at the start of a subject. "Default binder can …" and "Parsing …" have none."""
    first, _, rest = subject.partition(" ")
    first, following = first.lower().rstrip(",:"), rest.lower().split()[:4]
    verb = vocabulary().verbs.get(first)
    if verb is None or not following or first.endswith("ing"):
        return None
    # A verb that is also a noun counts as one if another verb follows.
    may_be_noun = verb.base in vocabulary().nouns
    near = following[:3] if may_be_noun else following[:1]
    is_noun = any(word in _FINITE or (word in vocabulary().thirds and word not in vocabulary().bases) for word in near)
    return None if is_noun or (may_be_noun and _is_subject(first, verb, following)) else verb


def _is_subject(first: str, verb: Verb, following: list[str]) -> bool:
    """Whether the first word is the subject of another verb: "Uploads fail …", "Nested drafts deleted …"."""
    lists = vocabulary()
    if following[0] in _ARTICLES:
        return False
    done = zip(following[1:3], [*following[2:4], "", ""], strict=False)
    is_done = any(word.endswith("ed") and word in lists.verbs and after in _AFTER_DONE for word, after in done)
    does = following[0] in lists.bases and following[0] not in lists.nouns
    return is_done or (does and first != verb.base)


def _kind(subject: str, verb: Verb | None, raw: str) -> str:
    forms = ((_REVERT, raw, "revert"), (_MERGE, raw, "merge"), (_RELEASE, subject, "release"))
    special = next((kind for pattern, text, kind in forms if pattern.match(text)), "bump" if _BUMP.search(raw) else "")
    if special:
        return special
    if verb is not None:
        if verb.kind == "settle":
            return "fix" if has_cue(subject, "error") else ""
        return {"prevent": "fix", "add": "feature", "plain": "", "inner": ""}.get(verb.kind, verb.kind)
    return "fix" if _CLOSING.match(raw) or _IS_FIX.match(subject) else _foreign_kind(subject)


def _foreign_kind(subject: str) -> str:
    kinds = [meaning for word in words_in(subject)[:12] if (meaning := vocabulary().foreign_kind(word))]
    if not kinds or language_of(subject) not in ("de", "ru"):
        return ""
    return "fix" if kinds[0] == "prevent" else kinds[0]


def _references(text: str) -> tuple[str, ...]:
    references: dict[str, None] = {}
    for match in _REFERENCE.finditer(text):
        ticket = match[3] or ""
        if not (ticket and _NO_TICKET.match(ticket)):
            references[ticket or f"#{match[1] or match[2]}"] = None
        if len(references) == _MOST_REFERENCES:
            break
    return tuple(references)


def _reverted_target(subject: str, body: str) -> str:
    commit = _REVERTED_COMMIT.search(body)
    quoted_subject = _REVERT.match(subject)
    return commit[1].lower() if commit and quoted_subject else quoted_subject[1] if quoted_subject else ""


def _sentences(body: str, subject: str) -> Iterator[str]:
    """The sentences of a body, without trailers, code, noise of squashed commits, and repetitions of the subject."""
    subject_words = set(content_words(subject))
    count = 0
    for paragraph in _paragraphs(body):
        parts = sentences(_CLOSING.sub("", without_markup(paragraph)))
        # After a colon comes code or a list.
        for sentence in parts[:-1] if paragraph.rstrip().endswith(":") else parts:
            sentence_words = set(content_words(sentence))
            if len(sentence_words) < 3 or len(sentence_words & subject_words) >= 0.8 * len(sentence_words):
                continue
            if _PREFIX.match(sentence) and vocabulary().prefixes.get(sentence.split(":")[0].split("(")[0].lower()):
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
        content_text = _BULLET.sub("", line).strip()
        if not is_code and content_text and not _is_skipped(line, content_text):
            lines.append(content_text)
    if lines:
        yield " ".join(lines)


def _is_skipped(line: str, stripped: str) -> bool:
    return (
        bool(_RULE.match(stripped))
        or (line.startswith(("    ", "\t")) and not _BULLET.match(line))
        or line.startswith((">", "|", "#", "diff ", "@@"))
        or bool(_TRAILER_NAME.match(stripped))
        or (bool(_TRAILER.match(stripped)) and len(stripped.split()) <= 8)
        or stripped.startswith(("updated-dependencies", "dependency-", "update-type", "http", "...", "$ ", ">>>"))
    )


def _contains_name(name: str, text: str) -> bool:
    position = text.find(name)
    while position >= 0:
        before, after = text[position - 1 : position], text[position + len(name) : position + len(name) + 1]
        is_word = before.isalnum() or before == "_" or after.isalnum() or after == "_"
        # "Validate the weights" is an order, not a mention of a method `Validate`.
        is_order = position == 0 and after == " " and name.lower() in vocabulary().verbs
        if not is_word and not is_order:
            return True
        position = text.find(name, position + 1)
    return False
