"""Facts in other words: the same subject with another value, or not."""

import pytest

from waypost.facts.wordings import wording_difference


@pytest.mark.parametrize(
    ("language", "older", "newer", "former", "current"),
    [
        ("en", "Bills are made by a job at 02:00.", "Bills are made at 05:30 because of the backup.", "02:00", "05:30"),
        (
            "en",
            "The train leaves every Tuesday.",
            "From May on the train leaves every Thursday.",
            "Tuesday",
            "Thursday",
        ),
        (
            "de",
            "Termine dauern meist 20 Minuten.",
            "Die Dauer von Terminen beträgt 25 Minuten.",
            "20 minuten",
            "25 minuten",
        ),
        (
            "de",
            "Messwerte werden 90 Tage aufbewahrt.",
            "Messwerte bewahren wir zwei Jahre auf.",
            "90 tage",
            "zwei jahre",
        ),
        ("de", "Der Dienst ist RabbitMQ.", "Den Dienst RabbitMQ haben wir durch NATS ersetzt.", "RabbitMQ", "NATS"),
        ("ru", "Лента обновляется раз в час.", "Лента обновляется каждые десять минут.", "час", "десять минут"),
        ("ru", "Коды уходят по SMS.", "Коды уходят в Telegram, SMS отключили.", "SMS", "Telegram"),
    ],
)
def test_another_value(language: str, older: str, newer: str, former: str, current: str) -> None:
    difference = wording_difference(older, newer, language)
    assert difference is not None
    assert (difference.former, difference.current) == (former, current)


@pytest.mark.parametrize(
    ("language", "older", "newer"),
    [
        ("en", "X-ray images are limited to 20 MB.", "Ultrasound images are limited to 50 MB."),
        ("en", "Room 101 seats 20 people.", "Room 204 seats 45 people."),
        ("en", "The minimum length is 12.", "The maximum length is 128."),
        ("en", "Dates are stored in UTC.", "We store all dates in UTC and convert them in the browser."),
        ("en", "Plans last 30 days.", "Plans may last 60 days if the customer asks."),
        ("de", "Der Regensensor sendet auf 868 MHz.", "Der Windsensor sendet auf 915 MHz."),
        ("de", "Montags öffnet die Praxis um 8 Uhr.", "Mittwochs öffnet die Praxis um 13 Uhr."),
        ("ru", "Школой руководит Пётр Зайцев.", "Директор школы — Пётр Зайцев."),
    ],
)
def test_other_subjects_and_other_words(language: str, older: str, newer: str) -> None:
    assert wording_difference(older, newer, language) is None
