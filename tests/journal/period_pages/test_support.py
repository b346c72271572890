"""A model's sentence counts only if its sources say it."""

import pytest

from waypost.journal.period_pages.support import is_supported

EXAM = "2026-03-10 10.03.2026 Raimund Prüfung\n\nIch habe heute die Prüfung zum Solutions Architect bestanden, mit 842 Punkten!"
MOVE = "2026-05-02 02.05.2026 Ann move\n\nWe are going to move to Bergen in August, the lease is not signed yet.\n\nMax found a flat near the harbour."
KNEE = "2026-06-01 01.06.2026 Вера здоровье\n\nВрач сказал, что это колено бегуна. Мне нельзя бегать до июля."

SUPPORTED = [
    (EXAM, "Raimund hat die Prüfung zum Solutions Architect mit 842 Punkten bestanden."),
    (EXAM, "Am 2026-03-10 bestand Raimund die Prüfung zum Solutions Architect."),
    (EXAM, "Raimund passed the Solutions Architect exam with 842 points."),
    (MOVE, "Ann plans to move to Bergen in August; the lease is not signed."),
    (MOVE, "Max found a flat near the harbour."),
    (MOVE, "Ann decided on a move to Bergen."),
    (MOVE, "Max found a flat near the harbour. The lease is not signed yet."),
    (KNEE, "У Веры колено бегуна, и ей нельзя бегать до июля."),
]
UNSUPPORTED = [
    (EXAM, "Raimund hat die Prüfung zum Solutions Architect nicht bestanden."),
    (EXAM, "Raimund hat mit 900 Punkten bestanden."),
    (EXAM, "Raimund feierte seinen Geburtstag mit Freunden im Garten."),
    (EXAM, "Raimund hat ein Angebot der Deutschen Bank als Abteilungsleiter angenommen."),
    (MOVE, "Ann signed the lease for the flat in Oslo."),
    (MOVE, "Ann has bought a house with a garden and adopted two dogs."),
    (MOVE, "Max and Clara found a flat near the harbour."),
    (MOVE, "It is not true that the lease is not signed yet."),
    ("nervt mi alles grad", "It is not true that nervt mi alles grad."),
    (KNEE, "Неправда, что врач сказал, что это колено бегуна."),
    (KNEE, "Вере можно бегать до июля."),
    (KNEE, "Вера купила новую машину и уехала в отпуск."),
]


@pytest.mark.parametrize(("source", "sentence"), SUPPORTED)
def test_a_paraphrase_is_supported(source: str, sentence: str) -> None:
    assert is_supported(sentence, source)


@pytest.mark.parametrize(("source", "sentence"), UNSUPPORTED)
def test_what_the_sources_do_not_say_is_not(source: str, sentence: str) -> None:
    assert not is_supported(sentence, source)
