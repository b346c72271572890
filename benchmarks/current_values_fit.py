"""Fits how likely a newer fact renews an older one, and judges it by authors that it was not fitted to.

    python -m benchmarks.current_values_fit --repositories DIR > src/waypost/facts/data/renewal.toml
    python -m benchmarks.current_values_fit --repositories DIR --judge [AUTHOR …]

Every question of the sets in `values/` is asked: in the memories of `current_values.py`, and in memories that also have the set's
paraphrases, its pairs about other subjects, and two facts each about one thing that both hold (`beside-fit.txt`), and in memories in
which few facts changed. Each two facts that recall compares are a renewal or not. `--judge` fits without
an author, runs the benchmark for that author, and goes on to the next. The sets `eve` and `oda` are left out: they are for the end.
"""

import argparse
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import current_values
from benchmarks.signal import run as signal_run
from benchmarks.signal import spaces as signal_spaces
from benchmarks.signal.fit import Judged, fitted

from waypost import Memory, config
from waypost.embed import weights
from waypost.embed.multilingual import Multilingual
from waypost.embed.renewal_model import RenewalModel
from waypost.facts import renewal
from waypost.flows.recall import renewals

UNSEEN = ("eve", "oda")
# Authors that the renewal model was not trained with: it does not know their pairs by heart.
NOT_READ = ("ann", "bob", "cem", "dee", *UNSEEN[:1])
MIXED = "mixed"  # the development half of `signal/`
WORDS = (
    *("shared", "shared_older", "words", "signal", "signal_older", "contrast", "beginnings", "ends", "one_apart"),
    *("two_apart", "qualifiers", "qualifier", "amounts", "same_literal", "added"),
    *("amount_apart", "one_thing"),
)
OF_QUESTION = ("first", "words_more")
VECTORS = (
    *("likeness", "likeness_shared", "likeness_signal", "mutual", "mutual_likeness", "nearest_older", "nearest_newer"),
    *("lead", "lead_newer", "meaning_more"),
)
_CONSIDERED = 20
FEW_CHANGE = (
    8  # in some memories, only each eighth fact changed: then most newer facts are near nothing that they renew
)
WORTH_OF_MIXED = 4  # how often their pairs count: they are a fiftieth of all, and most memories are like these
# How often such pairs count once more: the sets have few facts about one thing that both hold, and memories are full of them.
WORTH_OF_BESIDE = 10


class ComparedFacts(NamedTuple):
    author: str
    question: str
    evidence: dict[str, float]
    is_renewal: bool
    is_beside: bool  # asked about a thing of which two facts hold

    @property
    def is_of_unread(self) -> bool:
        return self.author in (*NOT_READ, MIXED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", nargs="*", metavar="AUTHOR", help="by default all")
    parser.add_argument("--repositories", type=Path, required=True, help="with flask and gin, as for signal/run.py")
    given = parser.parse_args()
    authors = [name for name in current_values._SETS if name not in UNSEEN]
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"WAYPOST_HOME": str(Path(folder) / "home"), "WAYPOST_BACKGROUND": "0"}
        pairs = [pair for author in authors for pair in compared(Path(folder), author)]
        pairs += list(mixed(Path(folder), given.repositories)) * WORTH_OF_MIXED
        if given.judge is None:
            print("# Fitted by benchmarks/current_values_fit.py. What each feature means: facts/renewal.py.")
            for name, model in models(pairs, authors).items():
                print(f"\n[{name}]")
                print("\n".join(f"{feature} = {value:.2f}" for feature, value in model.items()))
            return
        for author in given.judge or authors:
            _use(models([pair for pair in pairs if pair.author != author], [one for one in authors if one != author]))
            work = Path(folder) / f"judge-{author}"
            work.mkdir()
            current_values._updates(work, author, show=False)
            for name in ("paraphrases", "distinct"):
                current_values._pairs(work, name, author, show=False)


def _use(fitted_models: Mapping[str, Mapping[str, float]]) -> None:
    renewal._models = lambda: fitted_models


def models(pairs: Sequence[ComparedFacts], authors: Iterable[str]) -> dict[str, dict[str, float]]:
    """The models by their names. Those without vectors are for stores without an engine, and for what is written."""
    both_hold = [pair for pair in pairs if pair.is_beside and not pair.is_renewal]
    weighed = (*pairs, *both_hold * WORTH_OF_BESIDE)
    judged = [Judged("", pair.evidence, pair.is_renewal, 0.0, pair.question) for pair in weighed]
    of_authors = [one for one, pair in zip(judged, weighed, strict=True) if pair.author != MIXED]
    unread = [one for one, pair in zip(judged, weighed, strict=True) if pair.is_of_unread]
    stated = [Judged("", evidence, is_renewal, 0.0, "") for evidence, is_renewal in stated_pairs(authors)]
    samples = {
        "asked": (of_authors, (*WORDS, *OF_QUESTION, *VECTORS)),
        "asked_read": (unread, ("read", *WORDS, *OF_QUESTION, *VECTORS)),
        "asked_by_words": (of_authors, (*WORDS, *OF_QUESTION)),
        "stated_by_words": (stated, WORDS),
    }
    found = dict[str, dict[str, float]]()
    for name, (some, features) in samples.items():
        constant, coefficients = fitted(some, features)
        found[name] = {"constant": constant, **dict(zip(features, coefficients, strict=True))}
    return found


def stated_pairs(authors: Iterable[str]) -> Iterator[tuple[dict[str, float], bool]]:
    """The evidence of the words of all pairs, those that don't contradict in both orders."""
    for author in authors:
        for name in ("updates", "paraphrases", "distinct"):
            for language, first, other, *_ in current_values._rows(name, author):
                for older, newer in ((first, other), (other, first))[: 1 if name == "updates" else 2]:
                    yield dict(renewal.wording_evidence(older, newer, language)), name == "updates"


def compared(folder: Path, author: str) -> Iterator[ComparedFacts]:
    """The pairs of facts that recall compares for the questions of an author."""
    rows = current_values._rows("updates", author)
    changed = {(row[1], row[2]) for row in rows}
    for language in ("en", "de", "ru"):
        own = [row for row in rows if row[0] == language]
        told = [text for text, _ in current_values._told(own, author, language)]
        others = [pair for name in ("distinct", "paraphrases") for pair in current_values._rows(name, author)]
        others = [pair for pair in others if pair[0] == language]
        both = [row for row in current_values._rows("beside", "fit") if row[0] == language]
        first, last = ([*(pair[at] for pair in others), *(row[at + 1] for row in both)] for at in (1, 2))
        questions = [row[3] for row in own]
        few = [*(row[1] for row in own), *first, *(row[2] for row in own[::FEW_CHANGE])]
        for name, texts, asked in (
            ("told", told, questions),
            ("few", few, questions),
            ("around", [*first, *told, *last], [*questions, *(row[1] for row in both)]),
        ):
            about_both = {row[1] for row in both}
            yield from _asked(folder / f"{name}-{author}-{language}", texts, author, asked, changed, about_both)


@cache
def renewal_model() -> RenewalModel:
    return RenewalModel(Multilingual(weights.find(weights.MULTILINGUAL, config.load(os.environ).models)))


def _asked(
    project: Path,
    texts: Iterable[str],
    author: str,
    questions: Iterable[str],
    changed: set[tuple[str, str]],
    about_both: set[str],
) -> Iterator[ComparedFacts]:
    from waypost.flows.write import conflicts, insert

    project.mkdir()
    memory = Memory.open(project)
    contradicted, insert.contradicted = insert.contradicted, lambda *_: conflicts.Contradicted()
    for text in texts:
        memory.remember(text)
    insert.contradicted = contradicted
    memory.admin.embed_pending()
    yield from _recorded(memory, questions, author, changed, about_both, k=_CONSIDERED, scope="facts", unlikely=True)
    memory.close()


def mixed(folder: Path, repositories: Path) -> Iterator[ComparedFacts]:
    """The pairs that recall compares in the memories of `signal/`: 300 facts of which few changed, code and a journal."""
    stored = signal_spaces.read_half("dev")["memories"]
    changed = {(memory["says"], memory["now"]) for memory in stored if "now" in memory}
    for repository in signal_spaces.HALVES["dev"]:
        memory = signal_spaces.open_space(folder / MIXED, "dev", repository, repositories / repository)
        questions = [question.text for question in signal_spaces.questions_of("dev", repository)]
        yield from _recorded(memory, questions, MIXED, changed, set(), k=signal_run.K)
        memory.close()


def _recorded(
    memory: Memory,
    questions: Iterable[str],
    author: str,
    changed: set[tuple[str, str]],
    about_both: set[str],
    **how: Any,
) -> Iterator[ComparedFacts]:
    compare, found, model = renewals.compared_pairs, list[ComparedFacts](), renewal_model()
    for question in questions:

        def recorded(hits, languages, likeness, question=question):
            for pair in compare(hits, languages, likeness):
                older, newer = hits[pair.older].text, hits[pair.newer].text
                logit = model.score(older, newer, pair.evidence) / renewals.STRONG
                evidence = {**pair.evidence, "read": max(-1.0, min(1.0, logit))}
                found.append(
                    ComparedFacts(author, question, evidence, (older, newer) in changed, question in about_both)
                )
            return iter(())

        renewals.compared_pairs = recorded
        memory.recall(question, **how)
    renewals.compared_pairs = compare
    yield from found


if __name__ == "__main__":
    main()
