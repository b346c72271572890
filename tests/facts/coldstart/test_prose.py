"""Extracting one plain sentence that says what a project is."""

import time

import pytest

from waypost.facts.coldstart.prose import file_description, first_sentence, readme_sentence, readme_title


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A fast tool for parcels. It does more.", "A fast tool for parcels."),
        ("**Parcel** is a [tracker](https://example.org) for `parcels`", "Parcel is a tracker for parcels."),
        ("Works with e.g. Flask and Django. More.", "Works with e.g. Flask and Django."),
        ("A reference .NET application using .NET Aspire.", "A reference .NET application using .NET Aspire."),
        ("See :doc:`the guide <guide>` for `links <https://example.org>`_ here.", "See the guide for links here."),
        ("Das ist ein Werkzeug für Pakete. Mehr nicht.", "Das ist ein Werkzeug für Pakete."),
        ("Это инструмент для посылок. Больше ничего.", "Это инструмент для посылок."),
        ("TODO", ""),
        ("", ""),
        ("![logo](x.png)", ""),
    ],
)
def test_the_first_sentence_in_plain_words(text: str, expected: str) -> None:
    assert first_sentence(text) == expected


def test_a_sentence_is_one_line_without_characters_that_act_on_a_reader() -> None:
    text = first_sentence("A tool\x1b[31m that\u202e looks\u200b\nharmless \x07 indeed.")
    assert text.isprintable()
    assert "\n" not in text


def test_a_long_sentence_is_cut() -> None:
    assert len(first_sentence("word " * 500)) < 300


README = """---
title: x
---
<p align="center"><img src="logo.png"></p>

[![Build](https://example.org/badge.svg)](https://example.org) [![PyPI](https://example.org/b.svg)](https://example.org)

# Parcel

> **Warning**: this is a beta.

[Docs](https://example.org) | [Chat](https://example.org) | [Blog](https://example.org)

We're excited to announce Parcel 3.0!

```sh
parcel is run like this
```

- a list is no description

Parcel is a tracker for *parcels*
of many carriers. It is fast.

## Installation

Run this.
"""


def test_a_readme_says_what_the_project_is_behind_its_badges_and_news() -> None:
    assert readme_sentence(README) == "Parcel is a tracker for parcels of many carriers."
    assert readme_title(README) == "Parcel"


def test_a_heading_made_of_lines_is_a_title() -> None:
    text = "======\nParcel\n======\n\nParcel is a tracker for parcels.\n"
    assert readme_title(text) == "Parcel"
    assert readme_sentence(text) == "Parcel is a tracker for parcels."


def test_a_heading_in_html_is_no_description() -> None:
    text = '<h1 align="center">Parcel</h1>\n<h3 align="center">A tracker for parcels of many carriers</h3>\n'
    assert readme_title(text) == "Parcel"
    assert "<" not in readme_sentence(text)


@pytest.mark.parametrize("text", ["", "# Only a title\n", "```\ncode\n```\n", "[![b](x)](y)\n" * 50])
def test_a_readme_without_prose_says_nothing(text: str) -> None:
    assert readme_sentence(text) == ""


def test_the_words_at_the_head_of_a_file_describe_it_and_later_comments_do_not() -> None:
    description = "Invoices and how they are paid."
    assert file_description(f'"""{description}"""\nimport os\n', description) == description
    assert file_description(f"#!/usr/bin/env python\n# {description}\n", description) == description
    assert file_description(f"import os\n\n# {description}\nx = 1\n", description) == ""
    assert file_description("# Copyright 2020 Somebody and others.\n", "Copyright 2020 Somebody and others.") == ""
    assert file_description(
        "// Package mail sends what is due.\npackage mail\n", "Package mail sends what is due."
    ) == ("sends what is due.")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        "<" * 50_000,
        "`" * 50_000,
        "**" * 25_000,
        "a. " * 20_000,
        "<!--" * 20_000,
        "|" * 50_000,
        "_a" * 30_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    begin = time.process_time()
    readme_sentence(text)
    readme_sentence(text.replace("", "\n", 100))
    readme_title(text)
    first_sentence(text)
    assert time.process_time() - begin < 2.0


def test_a_sentence_about_the_thing_of_the_title_is_best() -> None:
    text = "OkMail\n======\n\nMail is the way people write to each other.\n\nOkMail is a client that is never late:\n"
    assert readme_sentence(text) == "OkMail is a client that is never late."
