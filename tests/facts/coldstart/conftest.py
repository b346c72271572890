"""Small projects for the cold start, as paths and texts without files on disk."""

import ast
from collections.abc import Callable, Mapping

import pytest

from waypost.facts.coldstart.project_facts import DetectedStack, FoundProject, find_project, part_facts
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.domains import Layout

Facts = Callable[..., dict[str, str]]


def tree_of(files: Mapping[str, str], name: str = "project") -> ProjectTree:
    def told(path: str) -> str:
        return ast.get_docstring(ast.parse(files[path])) or "" if path.endswith(".py") else ""

    return ProjectTree(files, lambda path: files[path], told, name)


def project_of(files: Mapping[str, str], detected: DetectedStack | None = None) -> FoundProject:
    return find_project(tree_of(files), Layout.of(files), detected or DetectedStack())


@pytest.fixture
def facts() -> Facts:
    """The texts of the facts about a project, by topic."""

    def found(files: Mapping[str, str], detected: DetectedStack | None = None) -> dict[str, str]:
        return {fact.topic: fact.text for fact in project_of(files, detected).facts}

    return found


@pytest.fixture
def parts() -> Facts:
    """The texts of the facts about a project's parts, by topic."""

    def found(files: Mapping[str, str]) -> dict[str, str]:
        return {fact.topic: fact.text for fact in part_facts(tree_of(files), Layout.of(files).domains())}

    return found


@pytest.fixture
def project() -> Callable[..., FoundProject]:
    return project_of
