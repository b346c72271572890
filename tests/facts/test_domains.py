"""The domains of a project, by its paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.facts.domains import Layout


def names(*paths: str) -> list[str]:
    return [domain.name for domain in Layout.of(paths).domains()]


def several(folder: str, ending: str = "py", count: int = 3) -> list[str]:
    return [f"{folder}/part{number}.{ending}" for number in range(count)]


def test_the_one_top_package_of_a_python_project_is_looked_through() -> None:
    paths = [
        *several("src/shop/billing", count=4),
        *several("src/shop/auth"),
        "src/shop/__init__.py",
        "src/shop/cli.py",
        "tests/billing/test_invoice.py",
        "docs/conf.py",
        "docs/index.py",
    ]

    layout = Layout.of(paths)

    assert [(domain.name, domain.folder, domain.files) for domain in layout.domains()] == [
        ("billing", "src/shop/billing", 4),
        ("auth", "src/shop/auth", 3),
    ]
    assert layout.domain("src/shop/billing/part1.py") == "billing"
    assert layout.domain("src/shop/cli.py") == ""
    assert layout.domain("docs/conf.py") == ""
    assert layout.domain("src/shop/billing/new_one.py") == "billing"


def test_a_test_belongs_to_what_it_tests() -> None:
    layout = Layout.of([*several("shop/billing"), *several("shop/auth"), "tests/billing/test_invoice.py"])

    assert layout.domain("tests/billing/test_invoice.py") == "billing"
    assert layout.domain("tests/test_everything.py") == ""


def test_java_packages_are_named_by_what_comes_after_the_company() -> None:
    base = "src/main/java/org/springframework/samples/petclinic"
    paths = [*several(f"{base}/owner", "java"), *several(f"{base}/vet", "java", 2), f"{base}/PetClinicApplication.java"]

    assert names(*paths) == ["owner", "vet"]
    assert Layout.of(paths).domain("src/test/java/org/springframework/samples/petclinic/vet/VetTests.java") == "vet"


def test_packages_of_a_monorepo_are_domains_even_with_one_file() -> None:
    paths = [
        "package.json",
        "packages/core/package.json",
        *several("packages/core/src", "ts", 9),
        "packages/cli/package.json",
        "packages/cli/src/index.ts",
        "services/mailer/package.json",
        "services/mailer/index.js",
        "examples/hello/package.json",
        "examples/hello/index.js",
    ]

    assert names(*paths) == ["core", "cli", "mailer"]


def test_crates_and_go_commands_are_domains() -> None:
    crates = ["crates/printer/Cargo.toml", "crates/printer/src/lib.rs", "crates/core/Cargo.toml"]
    assert names(*crates, *several("crates/core/src", "rs")) == ["core", "printer"]
    assert names(*several("cmd/server", "go", 2), *several("internal/storage", "go"), "main.go") == [
        "storage",
        "server",
    ]


def test_projects_of_a_solution_are_domains_and_its_test_projects_are_not() -> None:
    paths = ["Shop.sln"]
    for project in ("Basket.API", "Ordering.Domain"):
        paths += [f"src/{project}/{project}.csproj", f"src/{project}/Program.cs"]
    paths += ["src/Basket.UnitTests/Basket.UnitTests.csproj", "src/Basket.UnitTests/BasketTest.cs"]

    assert names(*paths) == ["basket.api", "ordering.domain"]


def test_layers_are_parts_only_of_a_project_that_has_no_others() -> None:
    rails = [*several("app/models", "rb", 5), *several("app/controllers", "rb", 4), *several("app/helpers", "rb")]
    sliced = [*rails, *several("app/features/checkout", "rb", 20), *several("app/features/search", "rb", 9)]

    assert names(*rails) == ["models", "controllers"]
    assert names(*sliced) == ["checkout", "search"]


def test_a_large_part_is_divided_by_what_its_parts_are_about() -> None:
    server = [path for part in ("billing", "search", "mail") for path in several(f"server/src/{part}", "ts", 60)]
    web = [path for part in ("components", "hooks", "pages") for path in several(f"web/src/{part}", "ts", 60)]
    paths = ["server/package.json", "web/package.json", *server, *web]

    layout = Layout.of(paths)

    assert {domain.name for domain in layout.domains()} == {"server", "web", "billing", "search", "mail"}
    assert layout.domain("server/src/index.ts") == "server"
    assert layout.domain("server/src/mail/part1.ts") == "mail"


def test_two_domains_of_one_name_are_distinguished() -> None:
    paths = [*several("backend/auth"), *several("frontend/auth", "ts")]
    paths = [f"{path.split('/')[0]}/package.json" for path in paths[::3]] + paths
    for part in ("auth", "orders", "users"):
        paths += several(f"backend/{part}", count=90) + several(f"frontend/{part}", "ts", 90)

    domains = names(*paths)

    assert "backend/auth" in domains and "frontend/auth" in domains
    assert len(domains) == len(set(domains))


@pytest.mark.parametrize("paths", [["main.py", "tool.py"], ["lib/express.js", "lib/router.js"], ["README.md"], []])
def test_a_flat_project_has_no_domains(paths: list[str]) -> None:
    assert names(*paths) == []


def test_modules_are_named_by_folder_or_file_below_the_domain() -> None:
    layout = Layout.of(
        [*several("src/shop/billing/tax"), *several("src/shop/billing"), *several("src/shop/auth"), "src/shop/cli.py"]
    )

    assert layout.module("src/shop/billing/tax/part1.py") == "tax"
    assert layout.module("src/shop/billing/invoice.py") == "invoice"
    assert layout.module("src/shop/billing/__init__.py") == "billing"
    assert layout.module("src/shop/cli.py") == "cli"


def test_tests_documents_examples_and_tools_are_no_domains() -> None:
    folders = ("tests", "spec", "docs", "examples", ".github/scripts", "scripts", "vendor/acme", "node_modules/x")
    assert names(*(path for folder in folders for path in several(folder))) == []


def test_the_order_of_the_paths_does_not_matter() -> None:
    paths = [*several("a/one"), *several("b/one"), *several("c/two"), *several("c/three")]

    assert Layout.of(paths).domains() == Layout.of(reversed(paths)).domains()


@given(st.lists(st.text(alphabet="ab/._ \n\x00src", max_size=40), max_size=30))
def test_any_paths_have_a_layout(paths: list[str]) -> None:
    layout = Layout.of(paths)

    for path in paths:
        assert isinstance(layout.domain(path), str)
        assert isinstance(layout.module(path), str)


def test_a_very_deep_path_is_no_trouble() -> None:
    deep = "/".join(["a"] * 20_000)

    layout = Layout.of([f"{deep}/x.py", f"{deep}/y.py"])

    assert len(layout.domains()) < 2
    assert layout.module(f"{deep}/x.py")
