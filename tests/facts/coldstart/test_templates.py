"""Templates: a fact is stated only with all its values from the project."""

from collections.abc import Callable

import pytest

from waypost.facts.coldstart.project_facts import MOST_FACTS, DetectedStack, FoundProject
from waypost.facts.coldstart.slots import Slot, seen_slot
from waypost.facts.coldstart.templates import ANY, Fact, fill, templates
from waypost.facts.coldstart.tree import ProjectTree

Facts = Callable[..., dict[str, str]]
FRAMEWORK = Fact("{project} is built with {frameworks}.", "project:frameworks")


def empty_tree() -> ProjectTree:
    return ProjectTree((), lambda _: "", lambda _: "")


def test_a_fact_without_a_value_for_each_of_its_places_is_left_out() -> None:
    assert fill(empty_tree(), [FRAMEWORK], {"project": Slot("shop", ())}) == []
    assert fill(empty_tree(), [FRAMEWORK], {"project": Slot("shop", ()), "frameworks": Slot("", ())}) == []


def test_a_fact_is_as_sure_as_its_least_sure_value_and_says_where_it_stands() -> None:
    slots = {"project": Slot("shop", ("README.md",)), "frameworks": Slot("Flask", ("setup.py",), 0.7)}
    ((_, fact),) = fill(empty_tree(), [FRAMEWORK], slots)
    assert (fact.text, fact.confidence, fact.refs) == ("shop is built with Flask.", 0.7, ("setup.py",))
    assert (fact.origin, fact.topic, fact.level) == ("cold_start", "project:frameworks", 0)


def test_what_a_file_tells_by_being_there_is_evidence_and_no_reference() -> None:
    facts = [Fact("Changes are recorded in {changelog}.", "project:changes")]
    ((_, fact),) = fill(empty_tree(), facts, {"changelog": seen_slot("`CHANGES.md`", ["CHANGES.md"])})
    assert fact.refs == ()
    assert fact.evidence == ("CHANGES.md is in the tree",)


def test_a_reference_points_at_the_one_line_that_says_so() -> None:
    tree = ProjectTree(
        ["pyproject.toml"], lambda _: '[project]\nname = "x"\nrequires-python = ">=3.11"\n', lambda _: ""
    )
    tree.text("pyproject.toml")
    facts = [Fact("It needs Python {requires}.", "project:runtime")]
    ((_, fact),) = fill(tree, facts, {"requires": Slot(">=3.11", ("pyproject.toml",))})
    assert fact.refs == ("pyproject.toml#L3",)


def test_of_several_facts_on_one_topic_the_first_that_can_be_filled_counts() -> None:
    facts = [Fact("{a} and {b}", "t"), Fact("only {a}", "t"), Fact("again {a}", "t")]
    assert [fact.text for _, fact in fill(empty_tree(), facts, {"a": Slot("one", ("a.txt",))})] == ["only one"]


def test_a_value_that_looks_like_a_place_is_not_filled_again() -> None:
    slots = {"project": Slot("{frameworks}", ()), "frameworks": Slot("Flask", ("a.txt",))}
    ((_, fact),) = fill(empty_tree(), [FRAMEWORK], slots)
    assert fact.text == "{frameworks} is built with Flask."


def test_a_fact_that_cites_nothing_is_not_stated() -> None:
    assert fill(empty_tree(), [FRAMEWORK], {"project": Slot("x", ()), "frameworks": Slot("Flask", ())}) == []


@pytest.mark.parametrize("name", sorted(templates()))
def test_every_fact_of_a_template_has_a_place_to_fill(name: str) -> None:
    template = templates()[name]
    assert all(fact.places for fact in (*template.facts, *template.parts))
    assert all(set(fact.places) - {"project", "part"} for fact in (*template.facts, *template.parts))
    assert all(fact.topic.startswith("project:") and fact.weight for fact in template.facts)
    assert name == ANY or (template.signatures and template.endings)


def test_an_empty_tree_has_no_facts(facts: Facts) -> None:
    assert facts({}) == {}


def test_a_python_project_that_says_nothing_gets_no_empty_phrases(facts: Facts) -> None:
    assert facts({"setup.py": "from setuptools import setup\nsetup()\n", "one.py": ""}) == {
        "project:build": "The Python package is built with setuptools."
    }


def test_what_others_found_out_about_the_tree_is_stated_too(facts: Facts) -> None:
    detected = DetectedStack(languages=seen_slot("Go", ("a.go",)), frameworks=Slot("chi v5", ("go.mod",)))
    stated = facts({"go.mod": "module example.org/x\n"}, detected)
    assert stated["project:languages"] == "The code is written in Go."
    assert stated["project:frameworks"] == "Frameworks that project uses: chi v5."
    assert "project:libraries" not in stated


def test_there_are_never_more_facts_about_a_project_than_a_briefing_bears(project: Callable[..., FoundProject]) -> None:
    files = {
        "package.json": '{"name": "x", "description": "Everything that a project can have at once.", "bin": "x.js",'
        '"scripts": {"test": "jest", "build": "tsc", "dev": "tsc -w"}, "engines": {"node": ">=20"},'
        '"workspaces": ["packages/*"], "license": "MIT", "devDependencies": {"eslint": "9"}}',
        "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\n[project.scripts]\nx = "x:y"\n'
        "[tool.ruff]\n[tool.pytest]\n",
        "Makefile": "test:\n\tpytest\nlint:\n\truff\nrun:\n\tpython x.py\n",
        "nx.json": "{}",
        "package-lock.json": "",
        "poetry.lock": "",
        "x.js": "",
        "y.py": "",
        "Dockerfile": 'CMD ["x"]\n',
        "compose.yaml": "services:\n  db: {}\n",
        "Procfile": "web: x\n",
        ".env.example": "A_KEY=\n",
        "AGENTS.md": "",
        "CONTRIBUTING.md": "",
        "CHANGELOG.md": "",
        "docs/a.md": "",
        "docs/b.md": "",
        "docs/c.md": "",
        "mkdocs.yml": "",
        ".github/workflows/ci.yml": "name: ci\n",
        ".pre-commit-config.yaml": "",
        "tests/test_a.py": "",
        "tests/test_b.py": "",
        "db/migrate/1.sql": "",
        "db/migrate/2.sql": "",
        "db/migrate/3.sql": "",
    }
    detected = DetectedStack(Slot("Python", ()), Slot("Flask", ()), Slot("Celery", ()))
    stated = project(files, detected)
    assert len(stated.facts) == MOST_FACTS
    assert stated.facts[0].topic == "project:purpose"
    assert "project:test" in {fact.topic for fact in stated.facts}


def test_parts_say_what_they_are_for_or_nothing(parts: Facts) -> None:
    stated = parts(
        {
            "shop/billing/__init__.py": '"""Invoices and how they are paid. Nothing else."""\n',
            "shop/billing/invoice.py": "",
            "shop/billing/payment.py": "",
            "shop/search/__init__.py": "# For backwards compatibility.\n",
            "shop/search/index.py": "",
            "shop/search/query.py": "",
            "shop/mail/README.md": "# Mail\n\nThis folder holds all that is sent to customers.\n",
            "shop/mail/send.py": "",
            "shop/mail/render.py": "",
        }
    )
    assert stated["domain:billing"] == (
        'The part billing (`shop/billing/`) describes itself: "Invoices and how they are paid."'
    )
    assert "domain:search" not in stated  # it says nothing about itself
    assert stated["domain:mail"].endswith('describes itself: "This folder holds all that is sent to customers."')
