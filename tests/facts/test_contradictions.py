"""What contradicts an older fact, in three languages. The pairs are those of `benchmarks/values`."""

from pathlib import Path

import pytest

from waypost.facts.contradictions import LEAST_SIMILARITY, contradiction

PAIRS = Path(__file__).parents[2] / "benchmarks" / "values"
LIKE = 0.8


SETS = ("seen", "unseen", "third", "fourth")


def pairs(name: str) -> list[list[str]]:
    lines = [line for half in SETS for line in (PAIRS / f"{name}-{half}.txt").read_text("utf-8").splitlines()]
    return [[field.strip() for field in line.split(" | ")] for line in lines if line and not line.startswith("#")]


def test_there_are_enough_pairs_of_each_sort() -> None:
    for name in ("updates", "paraphrases", "distinct"):
        assert len(pairs(name)) >= 120
        assert {row[0] for row in pairs(name)} == {"en", "de", "ru"}


@pytest.mark.parametrize("name", ["paraphrases", "distinct"])
def test_no_paraphrase_and_no_other_subject_is_a_contradiction(name: str) -> None:
    """In either order: what came first does not matter."""
    wrong = [
        (older, newer)
        for _, first, second in pairs(name)
        for older, newer in ((first, second), (second, first))
        if contradiction(older, newer, LIKE) is not None
    ]
    assert wrong == []


def test_most_updates_are_contradictions() -> None:
    rows = pairs("updates")
    assert sum(contradiction(row[1], row[2], LIKE) is not None for row in rows) / len(rows) >= 0.9


REPLACED = [
    ("The gateway listens on port 8080.", "The gateway now listens on port 9090.", "9090", "8080"),
    ("The gateway listens on port 8080.", "We moved the gateway to port 9090.", "9090", "8080"),
    ("The main branch is called master.", "The main branch was renamed to trunk.", "trunk", "master"),
    ("We support Node 16.", "We no longer support Node 16.", "Node 16", "Node 16"),
    ("CI runs on Jenkins.", "CI runs on Actions instead of Jenkins.", "Actions", "Jenkins"),
    ("The port is 8080.", "The port is 9090, not 8080.", "9090", "8080"),
    ("Anna owns the billing module.", "Ben took over the billing module.", "Ben", "Anna"),
    ("Der Dienst läuft auf Port 7000.", "Der Dienst läuft nicht mehr auf Port 7000, sondern auf 7100.", "7100", "7000"),
    ("Das Team nutzt Slack für Absprachen.", "Das Team ist für Absprachen auf Teams umgestiegen.", "Teams", "Slack"),
    ("Der Server steht in Köln.", "Der Server ist nach Bonn umgezogen.", "Bonn", "Köln"),
    ("Шлюз слушает порт 8000.", "Шлюз перевели на порт 8500.", "8500", "8000"),
    ("Мы используем Slack для чатов.", "Для чатов вместо Slack используем Teams.", "Teams", "Slack"),
    ("Сервер называется alpha.", "Сервер переименовали в beta.", "beta", "alpha"),
    ("The retry limit is 3.", "The retry limit is 5 (was 3).", "5", "3"),
    ("`MAX_RETRIES` is 3.", "`MAX_RETRIES` is 5, previously 3.", "5", "3"),
    ("The linter is flake8.", "We replaced flake8 with ruff.", "ruff", "flake8"),
    ("The package manager is npm.", "Use pnpm instead of npm.", "pnpm", "npm"),
    ("We store uploads in S3.", "Uploads are no longer stored in S3 but in R2.", "R2", "S3"),
    ("Das Paket kommt mit DHL.", "Das Paket kommt nicht mit DHL, sondern mit Hermes.", "Hermes", "DHL"),
    ("Мой любимый редактор — Vim.", "Мой любимый редактор теперь Helix.", "Helix", "Vim"),
]


@pytest.mark.parametrize(("older", "newer", "current", "former"), REPLACED)
def test_wording_that_signals_a_change_replaces_the_older_value(
    older: str, newer: str, current: str, former: str
) -> None:
    difference = contradiction(older, newer, LIKE)
    assert difference is not None
    assert difference.replaces
    assert (difference.current, difference.former) == (current, former)


UNDECIDED = [
    ("The gateway listens on port 8080.", "The gateway listens on port 9090."),
    ("The dashboard is enabled.", "The dashboard is disabled."),
    ("We use Redis for the cache.", "We use Memcached for the cache."),
    ("Das Limit beträgt 10 MB.", "Das Limit beträgt 50 MB."),
    ("Таймаут 30 секунд.", "Таймаут 5 секунд."),
    ("The frontend uses Angular.", "The frontend uses Tailwind now."),  # perhaps beside it
]


@pytest.mark.parametrize(("older", "newer"), UNDECIDED)
def test_without_such_wording_a_pair_is_undecided(older: str, newer: str) -> None:
    difference = contradiction(older, newer, LIKE)
    assert difference is not None
    assert not difference.replaces


NOTHING = [
    # history
    ("The gateway listens on port 9090.", "Until 2024 the gateway listened on port 8080."),
    ("The gateway used to listen on port 8080.", "The gateway listens on port 9090."),
    ("Der Dienst läuft auf Port 7100.", "Früher lief der Dienst auf Port 7000."),
    ("Шлюз слушает порт 8500.", "Раньше шлюз слушал порт 8000."),
    # plans, conditions and guesses
    ("The gateway listens on port 8080.", "We might move the gateway to port 9090."),
    ("The gateway listens on port 8080.", "If 8080 is taken, the gateway listens on port 9090."),
    ("Der Dienst läuft auf Port 7000.", "Vielleicht ziehen wir den Dienst auf Port 7100 um."),
    ("Шлюз слушает порт 8000.", "Планируем перевести шлюз на порт 8500."),
    # additions
    ("We use Redis for the cache.", "We use Redis for queues."),
    ("We support Node 16.", "We also support Node 18."),
    ("Anna speaks Spanish.", "Anna speaks French."),
    ("The parser handles UTF-8.", "The parser handles UTF-16."),
    ("Module A depends on B.", "Module A depends on C."),
    ("Leo has a dog called Bruno.", "Leo has a cat called Mimi."),
    # other attributes
    ("The backend is written in Go.", "The backend is deployed on Fly."),
    ("Tests run in CI on every push.", "Tests run with pytest."),
    ("Alice works on billing.", "Alice works from Berlin."),
    ("Die Lizenz ist MIT.", "Die Lizenz steht in LICENSE."),
    # other subjects
    ("The daily backup starts at 02:00.", "The weekly backup starts at 04:00."),
    ("The deploy takes 10 minutes on staging.", "The deploy takes 20 minutes on production."),
    ("The staging port is 8080.", "The production port is now 9090."),
    ("The gateway listens on port 8080.", "The admin gateway now listens on port 9090."),
    ("The v1 API returns XML.", "The v2 API now returns JSON."),
    ("Room 101 seats 20 people.", "Room 204 seats 45 people."),
    # the same in other units and forms
    ("Copies are kept for 14 days.", "Copies are kept for 2 weeks."),
    ("The freeze starts on 2024-12-15.", "The freeze starts on 15 December 2024."),
    ("The job starts at 2 pm.", "The job starts at 14:00."),
    ("The flag is not enabled.", "The flag is off."),
]


@pytest.mark.parametrize(("older", "newer"), NOTHING)
def test_history_plans_additions_and_other_subjects_contradict_nothing(older: str, newer: str) -> None:
    assert contradiction(older, newer, LIKE) is None


def test_texts_that_are_too_unlike_are_not_compared() -> None:
    older, newer = "The gateway listens on port 8080.", "The gateway now listens on port 9090."
    assert contradiction(older, newer, LEAST_SIMILARITY - 0.01) is None
    assert contradiction(older, newer, float("nan")) is None


def test_a_text_of_several_sentences_is_never_replaced_whole() -> None:
    older = "The gateway listens on port 8080. It is written in Go."
    difference = contradiction(older, "The gateway now listens on port 9090.", LIKE)
    assert difference is not None
    assert not difference.replaces


@pytest.mark.parametrize("text", ["", "…", "()", "«»", "not", "- : —", "now " * 300, "1 " * 200, "\u202e\u0000 8080"])
def test_any_text_can_be_compared(text: str) -> None:
    assert contradiction(text, "The port is 9090 now.", LIKE) is None
    assert contradiction("The port is 8080.", text, LIKE) is None
