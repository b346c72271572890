"""Small trees as the cold start sees them: paths and texts, nothing on the disk."""

import ast
from collections.abc import Callable, Mapping

import pytest

from waypost.facts.coldstart.find import Known, Project, find_project, part_facts
from waypost.facts.coldstart.tree import Tree
from waypost.facts.domains import Layout

Facts = Callable[..., dict[str, str]]


def tree_of(files: Mapping[str, str], name: str = "project") -> Tree:
    def told(path: str) -> str:
        return ast.get_docstring(ast.parse(files[path])) or "" if path.endswith(".py") else ""

    return Tree(files, lambda path: files[path], told, name)


def project_of(files: Mapping[str, str], known: Known | None = None) -> Project:
    return find_project(tree_of(files), Layout.of(files), known or Known())


@pytest.fixture
def facts() -> Facts:
    """The texts of the facts about a project, by topic."""

    def found(files: Mapping[str, str], known: Known | None = None) -> dict[str, str]:
        return {fact.topic: fact.text for fact in project_of(files, known).facts}

    return found


@pytest.fixture
def parts() -> Facts:
    """The texts of the facts about a project's parts, by topic."""

    def found(files: Mapping[str, str]) -> dict[str, str]:
        layout = Layout.of(files)
        return {fact.topic: fact.text for fact in part_facts(tree_of(files), layout, layout.domains())}

    return found


@pytest.fixture
def project() -> Callable[..., Project]:
    return project_of
