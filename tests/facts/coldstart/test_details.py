"""Licences, tests, workspaces and other details that real projects write in many ways."""

from collections.abc import Callable

import pytest

from waypost.facts.coldstart.any_project import licence_name
from waypost.facts.coldstart.project_facts import FoundProject

Facts = Callable[..., dict[str, str]]

GPL2 = """GNU GENERAL PUBLIC LICENSE
Version 2, June 1991
Everyone is permitted to copy. (Some other software is covered by the GNU Lesser General Public License instead.)
"""
BSD = "Redistributions in binary form must reproduce the above copyright notice."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GPL2, "the GNU General Public License, version 2"),
        (f"{BSD} Neither the name of the project nor", "the BSD 3-Clause License"),
        (BSD, "the BSD 2-Clause License"),
        ("Copyright 2020 A\n\nPermission is hereby granted, free of charge, to any person", "the MIT License"),
        ("All rights reserved. Do not touch.", ""),
        ("", ""),
    ],
)
def test_a_licence_is_recognised_by_its_text(text: str, expected: str) -> None:
    assert licence_name(text) == expected


def test_two_licence_files_are_a_choice_unless_a_manifest_says_which(facts: Facts) -> None:
    files = {"LICENSE-MIT": "Permission is hereby granted, free of charge", "LICENSE-APACHE": "Apache License"}
    cargo = '[package]\nname = "ferry"\nlicense = "MIT OR Apache-2.0"\n'
    stated = facts({**files, "go.mod": "module x\n"})
    assert stated["project:licence"] == "project is licensed under the Apache License 2.0 or the MIT License."
    assert facts({**files, "Cargo.toml": cargo})["project:licence"] == "ferry is licensed under MIT OR Apache-2.0."


def test_a_folder_of_helpers_is_no_place_of_tests(facts: Facts) -> None:
    beside = {f"src/part{number}.test.ts": "" for number in range(4)}
    stated = facts({"package.json": "{}", "src/test/setup.ts": "", "src/test/render.tsx": "", "src/a.ts": "", **beside})
    assert stated["project:tests"] == "Tests lie beside the code they test, as `*.test.*`."


def test_tests_in_folders_and_beside_the_code_are_both_reported(facts: Facts) -> None:
    files = {f"src/part{number}.test.ts": "" for number in range(4)} | {"e2e/login.spec.ts": "", "e2e/cart.spec.ts": ""}
    assert facts({"package.json": "{}", **files})["project:tests"] == (
        "Tests lie in `e2e/`, and beside the code they test as `*.test.*`."
    )


def test_tests_without_names_of_tests_are_found_by_their_folder(facts: Facts) -> None:
    stated = facts({"package.json": "{}", "lib/app.js": "", "test/app.js": "", "test/router.js": ""})
    assert stated["project:tests"] == "Tests lie in `test/`."


def test_a_changelog_that_has_moved_does_not_count(facts: Facts) -> None:
    moved = "The changelog has moved and now lives in the folder of the library."
    assert "project:changes" not in facts({"go.mod": "module x\n", "CHANGELOG.md": moved})


def test_a_setup_module_inside_a_package_makes_no_package(project: Callable[..., FoundProject]) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "x"\n',
        "x/__init__.py": "",
        "x/handlers/__init__.py": "",
        "x/handlers/setup.py": "",
        "web/package.json": "{}",
        "web/index.js": "",
    }
    assert project(files).packages == ()


def test_steps_in_other_folders_and_with_variables_are_not_reported_as_commands(facts: Facts) -> None:
    workflow = """jobs:
  t:
    steps:
      - run: go test ./inner/...
        working-directory: cmd/x
      - run: go test ${{ matrix.flags }} ./...
"""
    files = {"go.mod": "module x\n", ".github/workflows/ci.yml": workflow, "a_test.go": "", "a.go": ""}
    assert facts(files)["project:test"] == "`go test ./...` runs the Go tests."


def test_scripts_of_package_json_do_not_test_other_languages(facts: Facts) -> None:
    files = {f"web/part{number}.js": "" for number in range(3)} | {f"api/part{number}.py": "" for number in range(9)}
    stated = facts(
        {
            "package.json": '{"scripts": {"test": "jest"}}',
            "pyproject.toml": '[project]\nname = "shop"\n',
            "Makefile": "test:\n\tpytest api\n",
            **files,
        }
    )
    assert stated["project:test"] == "`make test` runs the Python tests: `pytest api`."
    assert stated["project:test:node"] == "`npm test` runs the JavaScript tests: `jest`."


def test_build_logic_is_no_module_of_a_gradle_build(facts: Facts) -> None:
    settings = 'includeBuild("build-logic")\ninclude(":core")\ninclude(":app")\n'
    assert facts({"settings.gradle.kts": settings})["project:workspace"] == (
        "The build has the modules `core` and `app`."
    )


def test_a_workspace_is_spoken_for_by_the_package_of_its_name(facts: Facts) -> None:
    crate = '[package]\nname = "ferry"\ndescription = "Brings requests to their handlers, in good order."\n'
    stated = facts(
        {
            "Cargo.toml": '[workspace]\nmembers = ["project", "project-*"]\n',
            "project/Cargo.toml": crate,
            "project/src/lib.rs": "",
            "project-macros/Cargo.toml": '[package]\nname = "ferry-macros"\n',
            "project-macros/src/lib.rs": "",
        }
    )
    assert stated["project:purpose"] == 'project describes itself: "Brings requests to their handlers, in good order."'
    assert stated["project:workspace"] == "The Cargo workspace has the crates `project` and `project-macros`."


def test_a_step_for_one_crate_and_a_target_that_installs_are_no_commands_of_the_project(facts: Facts) -> None:
    workflow = "jobs:\n  t:\n    steps:\n      - run: cargo test -p ferry_lex\n      - run: cargo build --example git\n"
    rust = {"Cargo.toml": '[package]\nname = "ferry"\n', "src/lib.rs": "#[test]\nfn a() {}", "src/bin/fixture.rs": ""}
    stated = facts({**rust, ".github/workflows/ci.yml": workflow})
    assert stated["project:test"] == "`cargo test` runs the tests."
    assert "project:build" not in stated
    assert stated["project:entry"] == "The crate ferry is a library; it begins in `src/lib.rs`."
    python = {"setup.py": "setup(name='ferry')", "ferry/a.py": "", "Makefile": "run:\n\tpip install -e .\n"}
    assert "project:run" not in facts(python)


def test_a_heading_that_any_readme_may_have_is_no_name(facts: Facts) -> None:
    readme = "![logo](x.png)\n\n# Installation\n\nThis is the source code that runs the ferry.\n"
    stated = facts({"package.json": '{"name": "ferry"}', "README.md": readme, "a.js": ""})
    assert stated["project:purpose"] == 'ferry describes itself: "This is the source code that runs the ferry."'
