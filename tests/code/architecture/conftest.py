"""A small project written in the test, and the architecture derived from it."""

from collections.abc import Callable, Mapping

import pytest

from waypost.code.architecture import Architecture, ArchitectureEvidence, derive_architecture, find_evidence
from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.source import SourceFile

Describe = Callable[[Mapping[str, str]], Architecture]


def evidence_of(files: Mapping[str, str]) -> dict[str, tuple[ArchitectureEvidence, ...]]:
    evidence_by_path = {}
    for path, text in files.items():
        source = SourceFile(path, language_of_path(path, text), text)
        evidence_by_path[path] = find_evidence(source, parse(source))
    return evidence_by_path


@pytest.fixture
def describe() -> Describe:
    def of(files: Mapping[str, str]) -> Architecture:
        return derive_architecture(evidence_of(files), list(files))

    return of


Routes = Callable[[Mapping[str, str]], list[str]]


@pytest.fixture
def routes(describe: Describe) -> Routes:
    """The endpoints as `METHOD path handler file:line`."""

    def of(files: Mapping[str, str]) -> list[str]:
        return [
            f"{endpoint.method} {endpoint.path} {endpoint.handler} {endpoint.place}"
            for endpoint in describe(files).endpoints
        ]

    return of
