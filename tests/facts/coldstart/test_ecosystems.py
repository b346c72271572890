"""Each ecosystem: a small realistic project, and the facts that follow from it."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from waypost.facts.coldstart.project_facts import DetectedStack, FoundProject
from waypost.facts.coldstart.slots import Slot

Facts = Callable[..., dict[str, str]]
FindProject = Callable[..., FoundProject]


def test_a_python_package(facts: Facts) -> None:
    stated = facts(
        {
            "pyproject.toml": """
[project]
name = "parcel"
description = "Track parcels of several carriers in one place."
requires-python = ">=3.11"
license = "MIT"
dependencies = ["httpx>=0.27", "click"]
[project.scripts]
parcel = "parcel.cli:main"
[dependency-groups]
dev = ["pytest>=8", "ruff"]
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.ruff]
line-length = 120
[tool.mypy]
strict = true
""",
            "uv.lock": "",
            "Makefile": "test:\n\t@uv run pytest -q\n\nlint:\n\truff check .\n\nbuild:\n\tuv build\n",
            "README.md": "# Parcel\n\nA tracker.\n",
            "CHANGELOG.md": "",
            "src/parcel/__init__.py": "",
            "src/parcel/cli.py": "",
            "src/parcel/carriers.py": "",
            "tests/test_cli.py": "",
            "tests/test_carriers.py": "",
        }
    )
    assert stated["project:purpose"] == 'Parcel describes itself: "Track parcels of several carriers in one place."'
    assert stated["project:runtime"] == "Parcel needs Python >=3.11."
    assert stated["project:dependencies"] == "Python dependencies are managed with uv."
    assert stated["project:test"] == "`make test` runs the tests with pytest: `uv run pytest -q`."
    assert stated["project:lint"] == "Python code is checked with ruff and mypy."
    assert stated["project:entry"] == "Parcel installs the command `parcel` (parcel.cli:main)."
    assert stated["project:build"] == "The Python package parcel is built with Hatchling."
    assert stated["project:tests"] == "Tests lie in `tests/`."
    assert stated["project:licence"] == "Parcel is licensed under MIT."
    assert stated["project:targets"] == "`Makefile` has the targets `test`, `lint` and `build`."
    assert stated["project:parts"] == "The code of Parcel lies in `src/parcel/`."


def test_a_django_application_of_old(facts: Facts) -> None:
    manage = "if __name__ == '__main__':\n    from django.core.management import execute_from_command_line\n"
    stated = facts(
        {
            "requirements.txt": "Django==4.2\npsycopg2\n",
            "manage.py": manage,
            "shop/orders/models.py": "",
            "shop/orders/views.py": "",
            "shop/orders/migrations/0001_initial.py": "",
            "shop/orders/migrations/0002_total.py": "",
            "shop/orders/migrations/0003_state.py": "",
            "shop/catalog/models.py": "",
            "shop/catalog/views.py": "",
            "Procfile": "web: gunicorn shop.wsgi\n",
        }
    )
    assert stated["project:dependencies"] == "Python dependencies are listed in `requirements.txt`."
    assert (
        stated["project:test"] == "`python manage.py test` runs the tests; they are written for Django's test runner."
    )
    assert stated["project:entry"] == "Programs start in `manage.py`."
    assert stated["project:migrations"] == "Database migrations lie in `shop/orders/migrations/`."
    assert stated["project:processes"] == "The Procfile starts `web` with `gunicorn shop.wsgi`."
    assert stated["project:parts"] == (
        "The main parts of the code are catalog (`shop/catalog`) and orders (`shop/orders`)."
    )


def test_a_command_in_setup_py_is_reported_and_other_entry_points_are_not(facts: Facts) -> None:
    setup = """
setup(
    name="parcel",
    python_requires=">=3.9",
    entry_points={
        "console_scripts": ["parcel=parcel.cli:main"],
        "sqlalchemy.dialects": ["postgres = parcel.db:dialect"],
    },
)
"""
    stated = facts({"setup.py": setup, "parcel/__init__.py": "", "tox.ini": "[testenv]\ncommands = pytest\n"})
    assert stated["project:entry"] == "parcel installs the command `parcel` (parcel.cli:main)."
    assert stated["project:test"] == "`tox` runs the tests; they are written for pytest."


def test_a_node_application_in_typescript(facts: Facts) -> None:
    package = {
        "name": "@acme/board",
        "description": "A board of notes that several people can move at once.",
        "packageManager": "pnpm@9.1.0",
        "engines": {"node": ">=20"},
        "scripts": {"dev": "next dev", "build": "next build", "test": "vitest run", "lint": "eslint ."},
        "dependencies": {"next": "15.0.0"},
        "devDependencies": {"vitest": "^2", "eslint": "^9", "prettier": "^3"},
    }
    stated = facts(
        {
            "package.json": json.dumps(package),
            "pnpm-lock.yaml": "",
            "tsconfig.json": "{}",
            "src/app/page.tsx": "",
            "src/app/layout.tsx": "",
            ".env.example": "# where it listens\nDATABASE_URL=postgres://localhost/board\nPORT=3000\n",
        }
    )
    assert stated["project:test"] == "`pnpm test` runs the JavaScript tests: `vitest run`."
    assert stated["project:run"] == "`pnpm dev` starts the JavaScript code: `next dev`."
    assert stated["project:build"] == "`pnpm build` builds the JavaScript code: `next build`."
    assert stated["project:lint"] == "JavaScript code is checked with ESLint and Prettier; `pnpm lint` does it."
    assert stated["project:dependencies"] == "JavaScript dependencies are managed with pnpm."
    assert stated["project:environment"] == (
        "`.env.example` lists the environment variables that the project reads, such as `DATABASE_URL` and `PORT`."
    )


def test_a_script_that_only_complains_is_no_test(facts: Facts) -> None:
    package = {"name": "tiny", "scripts": {"test": 'echo "Error: no test specified" && exit 1'}, "main": "index.js"}
    stated = facts({"package.json": json.dumps(package), "index.js": ""})
    assert "project:test" not in stated
    assert stated["project:entry"] == "Importing the package tiny loads `index.js`."


def test_a_rust_workspace(facts: Facts) -> None:
    stated = facts(
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nedition = "2021"\nlicense = "MIT"\n',
            "crates/core/Cargo.toml": '[package]\nname = "finder-core"\ndescription = "Finds."\n',
            "crates/core/src/lib.rs": "#[test]\nfn it_finds() {}\n",
            "crates/cli/Cargo.toml": '[package]\nname = "finder"\n',
            "crates/cli/src/main.rs": "fn main() {}\n",
            "crates/cli/tests/cli.rs": "#[test]\nfn runs() {}\n",
            "rustfmt.toml": "",
            ".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n      - run: cargo clippy --all\n      - run: cargo test --all\n",
        }
    )
    assert stated["project:workspace"] == "The Cargo workspace has the crates `crates/cli` and `crates/core`."
    assert stated["project:entry"] == "The program `finder` starts in `crates/cli/src/main.rs`."
    assert stated["project:test"] == "`cargo test --all` runs the tests."
    assert stated["project:lint"] == "Rust code is checked with Clippy and rustfmt."
    assert stated["project:runtime"] == "project is written in the 2021 edition of Rust."
    assert stated["project:packages"].startswith("This repository is a monorepo of 2 packages")


def test_a_go_module_that_only_others_need_says_nothing_about_a_project(facts: Facts) -> None:
    module = "module example.org/acme/files\n\ngo 1.23\n\nrequire github.com/stretchr/testify v1.9.0{}\n"
    files = {"files.go": "package files\n", "files_test.go": "package files\n"}
    assert "project:testing-library" in facts({**files, "go.mod": module.format("")})
    assert "project:testing-library" not in facts({**files, "go.mod": module.format(" // indirect")})


def test_a_go_service(facts: Facts) -> None:
    stated = facts(
        {
            "go.mod": "module example.org/acme/ledger\n\ngo 1.23\n\nrequire github.com/stretchr/testify v1.9.0\n",
            "cmd/ledgerd/main.go": "package main\n\nfunc main() {\n}\n",
            "internal/journal/journal.go": "package journal\n",
            "internal/journal/entry.go": "package journal\n",
            "internal/journal/journal_test.go": "package journal\n",
            "internal/journal/entry_test.go": "package journal\n",
            "internal/report/report.go": "package report\n",
            "internal/report/report_test.go": "package report\n",
            ".golangci.yml": "",
            "Dockerfile": 'FROM scratch\nCOPY ledgerd /\nENTRYPOINT ["/ledgerd"]\nCMD ["--port", "80"]\n',
        }
    )
    assert stated["project:runtime"] == "The Go module example.org/acme/ledger needs Go 1.23."
    assert stated["project:entry"] == "Programs start in `cmd/ledgerd/main.go`."
    assert stated["project:test"] == "`go test ./...` runs the Go tests."
    assert stated["project:testing-library"] == "Go tests use testify."
    assert stated["project:lint"] == "Go code is checked with golangci-lint."
    assert stated["project:tests"] == "Tests lie beside the code they test, as `*_test.go`."
    assert stated["project:container"] == "The container image starts `/ledgerd --port 80`."


def test_a_maven_project(facts: Facts) -> None:
    pom = """<project>
  <parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId></parent>
  <groupId>org.acme</groupId><artifactId>clinic</artifactId><name>clinic</name>
  <description>Appointments of a clinic, for its doctors and their patients.</description>
  <properties><java.version>21</java.version></properties>
  <dependencies><dependency><artifactId>spring-boot-starter-test</artifactId></dependency></dependencies>
</project>"""
    main = "class ClinicApplication { public static void main(String[] args) {} }"
    stated = facts(
        {
            "pom.xml": pom,
            "mvnw": "",
            "src/main/java/org/acme/clinic/ClinicApplication.java": main,
            "src/main/java/org/acme/clinic/visits/Visit.java": "",
            "src/test/java/org/acme/clinic/ClinicTests.java": "",
            "src/test/java/org/acme/clinic/VisitTests.java": "",
        }
    )
    assert stated["project:runtime"] == "clinic is compiled for Java 21."
    assert stated["project:test"] == "`./mvnw test` runs the tests, written with JUnit."
    assert stated["project:build"] == "clinic is built with Maven; `./mvnw package` builds clinic."
    assert stated["project:entry"].endswith("`src/main/java/org/acme/clinic/ClinicApplication.java`.")
    assert stated["project:artifact"] == "The artifact is org.acme:clinic."
    assert "Appointments of a clinic" in stated["project:purpose"]


def test_a_gradle_build_in_kotlin(facts: Facts) -> None:
    stated = facts(
        {
            "settings.gradle.kts": 'rootProject.name = "courier"\ninclude(":core", ":app")\n',
            "build.gradle.kts": 'plugins { id("com.diffplug.spotless") }\nkotlin { jvmToolchain(17) }\n',
            "gradlew": "",
            "core/build.gradle.kts": "",
            "core/src/main/kotlin/courier/Route.kt": "",
            "app/build.gradle.kts": "",
            "app/src/main/kotlin/courier/Main.kt": "fun main() {}\n",
            "app/src/test/kotlin/courier/MainTest.kt": "",
        }
    )
    assert stated["project:workspace"] == "The build has the modules `core` and `app`."
    assert stated["project:runtime"] == "courier is compiled for Java 17."
    assert stated["project:test"] == "`./gradlew test` runs the tests."
    assert stated["project:lint"] == "Code is checked with Spotless."
    assert stated["project:entry"] == "The program starts in `app/src/main/kotlin/courier/Main.kt`."


def test_a_solution_in_csharp(facts: Facts) -> None:
    web = '<Project Sdk="Microsoft.NET.Sdk.Web"><TargetFramework>net9.0</TargetFramework></Project>'
    tests = (
        '<Project><PackageReference Include="Microsoft.NET.Test.Sdk" /><PackageReference Include="xunit" /></Project>'
    )
    stated = facts(
        {
            "Shop.sln": "",
            "global.json": '{"sdk": {"version": "9.0.100"}}',
            "Directory.Packages.props": '<PackageVersion Include="xunit" Version="2.9" />',
            "src/Basket.API/Basket.API.csproj": web,
            "src/Basket.API/Program.cs": "",
            "src/Ordering/Ordering.csproj": "<Project><TargetFramework>net9.0</TargetFramework></Project>",
            "src/Ordering/Order.cs": "",
            "tests/Basket.UnitTests/Basket.UnitTests.csproj": tests,
            "tests/Basket.UnitTests/BasketTest.cs": "",
        }
    )
    assert stated["project:runtime"] == "project targets .NET 9.0."
    assert stated["project:solution"] == "The solution is `Shop.sln`, with 3 projects."
    assert stated["project:test"] == "`dotnet test` runs the tests, written with xUnit, of `Basket.UnitTests`."
    assert stated["project:entry"] == "Programs start in `src/Basket.API/Program.cs`."
    assert stated["project:sdk"] == "project asks for version 9.0.100 of the .NET SDK."


def test_a_laravel_application(facts: Facts) -> None:
    composer = {
        "name": "acme/wiki",
        "require": {"php": "^8.2", "laravel/framework": "^11"},
        "require-dev": {"phpunit/phpunit": "^11", "larastan/larastan": "^2"},
        "autoload": {"psr-4": {"Acme\\Wiki\\": "app/"}},
        "scripts": {"lint": "phpcs", "post-install-cmd": ["@php artisan optimize"]},
    }
    stated = facts(
        {
            "composer.json": json.dumps(composer),
            "artisan": "",
            "public/index.php": "",
            "app/Pages/Page.php": "",
            "app/Pages/PageRepo.php": "",
            "app/Users/User.php": "",
            "app/Users/UserRepo.php": "",
            "phpunit.xml": "",
        }
    )
    assert stated["project:runtime"] == "project needs PHP ^8.2."
    assert stated["project:test"] == "`php artisan test` runs the tests with PHPUnit."
    assert stated["project:entry"] == "Requests come in at `public/index.php`; commands are run with `artisan`."
    assert stated["project:lint"] == "PHP code is checked with PHPStan."
    assert stated["project:namespaces"] == "Classes of `Acme\\Wiki` lie in `app/`."


def test_a_rails_application(facts: Facts) -> None:
    stated = facts(
        {
            "Gemfile": 'source "https://example.org"\nruby "3.3.0"\ngem "rails", "~> 7.1"\ngem "rspec-rails"\n',
            ".rspec": "",
            ".rubocop.yml": "",
            "bin/rails": "",
            "config/routes.rb": "",
            "db/schema.rb": "",
            "db/migrate/20240101000000_create_users.rb": "",
            "db/migrate/20240102000000_create_posts.rb": "",
            "db/migrate/20240103000000_add_title.rb": "",
            "app/models/user.rb": "",
            "app/models/post.rb": "",
            "app/controllers/posts_controller.rb": "",
            "app/controllers/users_controller.rb": "",
            "spec/models/user_spec.rb": "",
            "spec/models/post_spec.rb": "",
        }
    )
    assert stated["project:runtime"] == "project needs Ruby 3.3.0."
    assert stated["project:test"] == "`bundle exec rspec` runs the tests, written with RSpec."
    assert stated["project:entry"] == (
        "project is a Rails application: `bin/rails` runs its commands, and `config/routes.rb` lists its routes."
    )
    assert stated["project:database"] == "The database schema is kept in `db/schema.rb`."
    assert stated["project:migrations"] == "Database migrations lie in `db/migrate/`."
    assert stated["project:lint"] == "Ruby code is checked with RuboCop."


def test_a_gem(facts: Facts) -> None:
    gemspec = """Gem::Specification.new do |spec|
  spec.name = "ferry"
  spec.summary = "Moves files between hosts without losing any."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.0"
  spec.executables = ["ferry"]
end
"""
    stated = facts({"ferry.gemspec": gemspec, "exe/ferry": "", "lib/ferry.rb": "", "Rakefile": "", ".standard.yml": ""})
    assert stated["project:runtime"] == "ferry needs Ruby >= 3.0."
    assert stated["project:entry"] == "The gem ferry installs the command `ferry`."
    assert "Moves files between hosts" in stated["project:purpose"]


def test_several_ecosystems_in_one_repository_each_say_how_they_are_tested(project: FindProject) -> None:
    files: Mapping[str, Any] = {
        "README.md": "# Harbour\n\nHarbour is a place where ships are told apart.\n",
        "server/go.mod": "module example.org/harbour\n\ngo 1.22\n",
        "server/main.go": "package main\n\nfunc main() {\n}\n",
        "server/ships.go": "package main\n",
        "server/ships_test.go": "package main\n",
        "web/package.json": '{"name": "web", "scripts": {"test": "vitest"}, "engines": {"node": ">=20"}}',
        "web/src/main.ts": "",
        "web/src/ship.ts": "",
        "web/src/port.ts": "",
        "web/src/map.ts": "",
    }
    stated = project(files)
    texts = {fact.topic: fact.text for fact in stated.facts}
    assert stated.types == ("node", "go")
    assert stated.packages == ("web", "server")
    assert texts["project:packages"] == "This repository is a monorepo of 2 packages, among them `web` and `server`."
    assert texts["project:test"] == "In `web/`: `npm test` runs the JavaScript tests: `vitest`."
    assert texts["project:test:go"] == "In `server/`: `go test ./...` runs the Go tests."
    assert texts["project:purpose"] == 'Harbour describes itself: "Harbour is a place where ships are told apart."'


def test_a_package_json_for_tools_alone_makes_no_node_project(project: FindProject) -> None:
    files = {f"app/part{number}.py": "" for number in range(40)}
    files |= {"pyproject.toml": '[project]\nname = "app"\n', "package.json": '{"devDependencies": {"prettier": "3"}}'}
    assert project(files).types == ("python",)


def test_a_c_program_is_not_what_its_scripts_are_written_in(project: FindProject) -> None:
    files = {f"src/part{number}.c": "" for number in range(30)}
    files |= {f"utils/check{number}.py": "" for number in range(4)}
    files |= {f"deps/lua/part{number}.c": "" for number in range(9)}
    files |= {"deps/lua/README.md": "# Lua\n\nLua is a language.\n", "utils/requirements.txt": "redis==4.5.1\n"}
    files |= {"Makefile": "all:\n\tcd src && make\n", "README.md": "# What is it?\n\nCache is a store of data.\n"}
    detected = DetectedStack(libraries=Slot("Redis ==4.5.1", ("utils/requirements.txt",)))
    stated = project(files, detected)
    texts = {fact.topic: fact.text for fact in stated.facts}
    assert stated.types == ("c",)
    assert texts["project:build"] == "project is built with Make."
    assert texts["project:purpose"] == 'project describes itself: "Cache is a store of data."'
    assert texts["project:parts"] == "The code of project lies in `src/`."
    assert not any("lua" in text.lower() or "Redis" in text or "Python" in text for text in texts.values())


def test_a_cmake_project(facts: Facts) -> None:
    cmake = """cmake_minimum_required(VERSION 3.8...3.28)
project(FMT CXX)
# option(OLD "no longer there")
set(CMAKE_CXX_STANDARD 17)
option(FMT_DOC "Generate the doc target." ON)
option(FMT_TEST "Generate the test target." ON)
enable_testing()
"""
    stated = facts(
        {
            "CMakeLists.txt": cmake,
            "include/fmt/core.h": "",
            "include/fmt/base.h": "",
            "src/format.cc": "",
            "test/CMakeLists.txt": "target_link_libraries(test gtest)\n",
            "support/build.gradle": "",
            ".clang-format": "",
        }
    )
    assert stated["project:build"] == "FMT is built with CMake, version 3.8 or newer."
    assert stated["project:test"] == "Tests are registered with CTest; they use GoogleTest."
    assert stated["project:standard"] == "The C++ code is compiled for C++17."
    assert stated["project:options"] == "CMake options of FMT: `FMT_DOC` and `FMT_TEST`."
    assert not any("Gradle" in text for text in stated.values())


def test_an_elixir_project_with_a_javascript_client(project: FindProject) -> None:
    mix = """defmodule Ferry.MixProject do
  use Mix.Project
  @elixir_requirement "~> 1.15"
  def project do
    [app: :ferry, elixir: @elixir_requirement, description: "Moves ships between harbours of the world."]
  end
end
"""
    files = {f"lib/ferry/part{number}.ex": "" for number in range(20)}
    files |= {"mix.exs": mix, "test/ferry_test.exs": "", "lib/ferry/application.ex": ""}
    files |= {"package.json": '{"name": "ferry", "description": "The JavaScript client of Ferry."}', "assets/a.js": ""}
    stated = project(files)
    texts = {fact.topic: fact.text for fact in stated.facts}
    assert stated.types == ("elixir",)
    assert texts["project:purpose"].endswith('"Moves ships between harbours of the world."')
    assert texts["project:runtime"] == "The Mix project `:ferry` needs Elixir ~> 1.15."
    assert texts["project:test"] == "`mix test` runs the tests."
    assert texts["project:entry"] == "The application starts in `lib/ferry/application.ex`."


def test_an_ocaml_project(facts: Facts) -> None:
    stated = facts(
        {
            "dune-project": "(lang dune 3.8)\n(name cohttp)\n(package\n (name cohttp)\n (depends (ocaml (>= 4.08))))\n",
            "cohttp.opam": 'opam-version: "2.0"\nsynopsis: "An OCaml library for HTTP clients and servers"\n',
            "cohttp-lwt.opam": "",
            "Makefile": "test:\n\tdune runtest\n",
            "cohttp/src/body.ml": "",
            ".ocamlformat": "",
        }
    )
    assert stated["project:build"] == "cohttp is built with Dune 3.8 or newer."
    assert stated["project:runtime"] == "cohttp needs OCaml >= 4.08."
    assert stated["project:test"] == "`make test` runs the tests: `dune runtest`."
    assert stated["project:workspace"] == "It has the opam packages `cohttp-lwt` and `cohttp`."
    assert stated["project:purpose"] == 'cohttp describes itself: "An OCaml library for HTTP clients and servers."'


def test_notebooks_and_documents_are_told_as_what_they_are(facts: Facts) -> None:
    notebooks = facts({f"0{number}_part.ipynb": "" for number in range(4)} | {"environment.yml": "name: x\n"})
    assert notebooks["project:notebooks"].startswith(
        "Jupyter notebooks lie in the root folder, such as `00_part.ipynb`"
    )
    assert notebooks["project:dependencies"] == "Python dependencies are managed with Conda."
    pages = {f"pages/page{number}.md": "" for number in range(12)} | {"README.md": "# Guide\n\nHelp translate this!\n"}
    assert facts(pages) == {"project:documents": "The repository consists mostly of documents (Markdown), not of code."}
    program = {f"app/part{number}.py": "" for number in range(3)} | {"pyproject.toml": '[project]\nname = "app"\n'}
    assert "project:documents" not in facts(pages | program)


def test_a_language_without_template_withholds_the_kinds_of_others(project: FindProject) -> None:
    files = {f"Sources/App/part{number}.swift": "" for number in range(20)}
    files |= {
        "package.json": '{"name": "tools", "description": "Tools that build the site of this app."}',
        "a.js": "",
        "b.js": "",
    }
    stated = project(files)
    assert stated.types == ()
    assert not any("Tools that build" in fact.text for fact in stated.facts)
