"""What became of a definition between two trees, by the rule stated in README.md."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from benchmarks.staleness.reading import Definition

SMALL = 20  # tokens; less than that can be the same by chance
LARGE = 60  # tokens; so much is not the same by chance even where its own name is said in it
LONG = 40  # letters; a longer token is a text, and its words count
SHINGLE = 3
ALIKE = 0.4  # of its shingles in another definition: it may live on there
TELLING = 4  # letters; a shorter name is said everywhere
REPLACED = 0.3  # less than that in common under the same name: perhaps another thing
BRACKETS = frozenset("(){}[],;")

Key = tuple[str, str, str]  # path, qualified name, signature


@dataclass(frozen=True)
class Placed:
    """A definition in a file of a tree."""

    path: str
    of: Definition
    lines: tuple[str, ...]  # of the definition
    doc: tuple[str, ...]  # the comment directly above
    same_file: bool  # the file is the same in both trees

    @property
    def key(self) -> Key:
        return (self.path, self.of.qualname, self.of.sig)

    @cached_property
    def anonymous(self) -> tuple[str, ...]:
        """Its tokens with its own name taken out."""
        return tuple("\0" if token == self.of.name else token for token in self.of.tokens)

    @cached_property
    def alone(self) -> tuple[str, ...]:
        """Its tokens with its own name taken out where it is defined, and kept where it is said again."""
        if self.of.name not in self.of.tokens:
            return self.of.tokens
        at = self.of.tokens.index(self.of.name)
        return (*self.of.tokens[:at], "\0", *self.of.tokens[at + 1 :])

    @cached_property
    def loose(self) -> tuple[str, ...]:
        """Its tokens without any brackets, commas and semicolons: what some formatters and styles add and take away."""
        return tuple(token for token in self.of.tokens if token not in BRACKETS)

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        tokens = tuple(word for token in self.anonymous for word in (token.split() if len(token) > LONG else (token,)))
        return frozenset(tokens[at : at + SHINGLE] for at in range(max(1, len(tokens) - SHINGLE + 1)))


@dataclass(frozen=True, slots=True)
class Label:
    label: str  # "out": no label; then `why` says the reason
    why: str
    now: Placed | None = None


def place(
    tree: Mapping[str, str],
    other: Mapping[str, str],
    read: Mapping[str, Sequence[Definition] | None],
    texts: Mapping[str, str],
) -> list[Placed]:
    """All definitions of a tree. `read` and `texts` are by blob id."""
    out = []
    for path, blob in tree.items():
        found = read[blob]
        if not found:
            continue
        lines = texts[blob].splitlines()
        for one in found:
            doc = lines[first_of_doc(lines, one.start) - 1 : one.start - 1]
            text = lines[one.start - 1 : one.end]
            out.append(Placed(path, one, tuple(text), tuple(doc), other.get(path) == blob))
    return out


def first_of_doc(lines: Sequence[str], start: int) -> int:
    """The first line of the comment (a block, or lines of `//`) that ends just above; `start`, if there is none."""
    at = start
    while at > 1 and lines[at - 2].strip().startswith("//"):
        if lines[at - 2].strip().startswith(("//!", "//go:build", "// +build")):
            break
        at -= 1
    if at < start or start < 2 or not lines[start - 2].strip().endswith("*/"):
        return at
    while at > 1 and "/*" not in lines[at - 2]:
        at -= 1
    return at - 1 if at > 1 and lines[at - 2].strip().startswith("/*") else start


class Labeller:
    """Compares the definitions of a tree with those of a later one."""

    def __init__(
        self,
        before: Iterable[Placed],
        after: Iterable[Placed],
        words_a: Mapping[str, Set[str]],
        words_b: Mapping[str, Set[str]],
    ) -> None:
        """`words_a` and `words_b` are the words of each file."""
        self._before, self._after = list(before), list(after)
        self._words_a, self._words_b = words_a, words_b
        self._a, self._b = _by_key(self._before), _by_key(self._after)
        self._names_a, self._names_b = _by_name(self._before), _by_name(self._after)
        self._gone = [one for one in self._before if one.key not in self._b]
        self._new = [one for one in self._after if one.key not in self._a]
        self._gone_anonymous = Counter((one.of.kind == "type", one.anonymous) for one in self._gone)
        self._new_anonymous: dict[tuple[bool, tuple[str, ...]], list[Placed]] = defaultdict(list)
        for one in self._new:
            self._new_anonymous[one.of.kind == "type", one.anonymous].append(one)
        self._new_names = {one.of.name for one in self._new}
        self._all_after = Counter(one.of.tokens for one in self._after)
        self._holders: dict[tuple[str, ...], list[Placed]] = defaultdict(list)
        for one in self._other():
            for shingle in one.shingles:
                self._holders[shingle].append(one)

    def _other(self) -> Iterator[Placed]:
        """Definitions that are new or say something else than before: what is gone may live on in them."""
        for one in self._after:
            was = self._a.get(one.key, [])
            if not any(old.of.tokens == one.of.tokens for old in was):
                yield one

    def label(self, one: Placed) -> Label:
        here = self._b.get(one.key, [])
        if len(self._a[one.key]) > 1 or len(here) > 1:
            return Label("out", "several of that name in the file")
        if here:
            return self._kept(one, here[0])
        named = (one.path, one.of.qualname)
        if len(self._names_a[named]) == 1 and len(self._names_b[named]) == 1:
            now = self._names_b[named][0]
            if now.of.tokens == one.of.tokens or (now.of.kind == "type") != (one.of.kind == "type"):
                return Label("out", "the same under another signature")
            return self._kept(one, now)
        return self._left(one)

    def _kept(self, one: Placed, now: Placed) -> Label:
        if now.of.tokens == one.of.tokens:
            if now.lines != one.lines:
                words, others = ("".join("".join(text.split()) for text in lines) for lines in (one.lines, now.lines))
                return Label("cosmetic", "layout" if words == others else "comments or punctuation", now)
            return Label("unchanged" if now.of.start == one.of.start else "shifted", "", now)
        if now.loose == one.loose:
            return Label("out", "only brackets, commas or semicolons differ")
        if self._new_anonymous.get((one.of.kind == "type", one.anonymous)):
            return Label("out", "its code is now under another name and its name has other code")
        if _contained(one, now) < REPLACED and self._lives_on(one, besides=now.key):
            return Label("out", "its name may have gone to another thing")
        return Label("edited", f"{_contained(one, now):.2f} kept", now)

    def _left(self, one: Placed) -> Label:
        found = self._new_anonymous.get((one.of.kind == "type", one.anonymous), [])
        if found:
            return self._moved(one, found)
        if self._all_after[one.of.tokens]:
            return Label("out", "gone, but a copy that was there before still is")
        if one.of.name in self._new_names:
            return self._moved_and_edited(one)
        if self._mentioned(one):
            return Label("out", "gone, but its name is still said in the file, or newly said in another")
        if self._lives_on(one):
            return Label("out", "gone, but something new or changed is like it")
        return Label("deleted", "")

    def _moved(self, one: Placed, found: Sequence[Placed]) -> Label:
        if len(one.of.tokens) < SMALL:
            return Label("out", "too small to tell a move from chance")
        if len(found) > 1:
            found = [now for now in found if now.of.qualname == one.of.qualname and now.of.sig == one.of.sig]
        rivals = self._gone_anonymous[one.of.kind == "type", one.anonymous]
        if rivals > 1:
            found = [now for now in found if now.of.qualname == one.of.qualname]
            twins = [old for old in self._gone if old.anonymous == one.anonymous and old.of.qualname == one.of.qualname]
            if len(twins) > 1:
                return Label("out", "several could have moved there")
        if len(found) != 1:
            return Label("out", "several places it could have moved to")
        now = found[0]
        if now.of.name != one.of.name:
            if any(new.of.qualname == one.of.qualname for new in self._new):
                return Label("out", "its code is now under another name and its name has other code")
            if now.alone != one.alone and len(one.of.tokens) < LARGE:
                return Label("out", "its own name is said in it, and it is small: perhaps another of its kind")
            return Label("renamed", "" if now.path == one.path else "and moved", now)
        if self._all_after[one.of.tokens] > 1:
            return Label("out", "several places it could have moved to")
        return Label("moved", "file" if now.path != one.path else "container", now)

    def _moved_and_edited(self, one: Placed) -> Label:
        """Something new has its name. It is the same one, if it is the only one of that qualified name and much like it."""
        same = [now for now in self._new if now.of.qualname == one.of.qualname and now.of.sig == one.of.sig]
        twins = [old for old in self._gone if old.of.qualname == one.of.qualname and old.of.sig == one.of.sig]
        if len(same) == len(twins) == 1 and same[0].path != one.path and len(one.of.tokens) >= SMALL:
            now = same[0]
            if now.loose != one.loose and min(_contained(one, now), _contained(now, one)) >= ALIKE:
                return Label("moved_edited", f"{_contained(one, now):.2f} kept", now)
        return Label("out", "gone, but something new has its name")

    def _mentioned(self, one: Placed) -> bool:
        """Whether it may still be there in a form that is no function, method or type: a constant, a field, an export."""
        name = one.of.name
        if name in self._words_b.get(one.path, ()):
            return True
        if len(name) < TELLING:
            return False
        return any(name in words and name not in self._words_a.get(path, ()) for path, words in self._words_b.items())

    def _lives_on(self, one: Placed, besides: Key | None = None) -> bool:
        """Whether much of it is in something new or changed."""
        hits: Counter[int] = Counter()
        places = {}
        for shingle in one.shingles:
            for other in self._holders.get(shingle, ()):
                if other.key != besides and (other.of.kind == "type") == (one.of.kind == "type"):
                    hits[id(other)] += 1
                    places[id(other)] = other
        return any(count / len(one.shingles) >= ALIKE for count in hits.values())


def _contained(one: Placed, other: Placed) -> float:
    return len(one.shingles & other.shingles) / len(one.shingles)


def _by_key(found: Iterable[Placed]) -> dict[Key, list[Placed]]:
    out: dict[Key, list[Placed]] = defaultdict(list)
    for one in found:
        out[one.key].append(one)
    return out


def _by_name(found: Iterable[Placed]) -> dict[tuple[str, str], list[Placed]]:
    out: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for one in found:
        out[one.path, one.of.qualname].append(one)
    return out
