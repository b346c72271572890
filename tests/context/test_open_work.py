"""Work that is still open, as people write it down."""

import pytest

from waypost.context.open_work import is_open_work


@pytest.mark.parametrize(
    "text",
    ["TODO: move the exporter to the worker", "Open: who rotates the keys?", "Next step: migrate the tables", "The importer is not done yet",
     "Offen: Migration der Rechnungen", "Noch zu tun: Tests für den Export", "Der Export muss noch geprüft werden",
     "Осталось: перенести отчёты", "Нужно доделать импорт", "Импорт ещё не готово", "- [ ] todo rename the table"],
)  # fmt: skip
def test_open_work_is_recognised(text: str) -> None:
    assert is_open_work(text)


@pytest.mark.parametrize(
    "text",
    [
        "The office opens at nine",
        "Open source licences are checked",
        "Die Tür ist offen",
        "Открытие файла медленное",
        "todo " * 300,
    ],
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_open_work(text)
