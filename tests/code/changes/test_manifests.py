"""Dependencies that were added, removed or changed in version."""

import time

import pytest

from waypost.code.changes.manifests import dependencies_of, dependency_changes, is_manifest
from waypost.model.change import ADDED, MODIFIED, REMOVED, DependencyChange

Row = tuple[str, str, str]

PYPROJECT = """
[project]
requires-python = ">=3.11"
dependencies = ["httpx[http2]>=0.27; python_version < '3.13'", "Click", "pkg @ git+https://example.org/pkg"]
[project.optional-dependencies]
postgres = ["psycopg>=3"]
test = ["pytest"]
format = ["fqdn"]
[dependency-groups]
dev = ["ruff==0.5", {include-group = "other"}]
[build-system]
requires = ["hatchling>=1.2"]
[tool.poetry.dependencies]
python = "^3.11"
rich = {version = "^13", optional = true}
[tool.poetry.group.dev.dependencies]
mypy = "*"
"""
POM = """<project>
  <parent><groupId>org.boot</groupId><artifactId>starter-parent</artifactId><version>3.2</version></parent>
  <properties><java.version>17</java.version><jackson.version>2.1</jackson.version></properties>
  <!-- <dependency><groupId>gone</groupId><artifactId>gone</artifactId></dependency> -->
  <dependencies>
    <dependency><groupId>com.x</groupId><artifactId>jackson</artifactId><version>${jackson.version}</version>
      <exclusions><exclusion><groupId>no</groupId><artifactId>no</artifactId></exclusion></exclusions></dependency>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>shade</artifactId><version>1</version></plugin></plugins></build>
</project>"""


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (
            "pyproject.toml",
            PYPROJECT,
            [
                ("python", ">=3.11", "language"),
                ("httpx", ">=0.27", "runtime"),
                ("Click", "", "runtime"),
                ("pkg", "git+https://example.org/pkg", "runtime"),
                ("rich", "^13", "runtime"),
                ("psycopg", ">=3", "optional"),
                ("pytest", "", "development"),
                ("fqdn", "", "optional"),
                ("ruff", "==0.5", "development"),
                ("mypy", "*", "development"),
                ("hatchling", ">=1.2", "build"),
            ],
        ),
        (
            "requirements.txt",
            "# Comment\n-r other.txt\nflask>=2 # why\nuvicorn[standard]==0.2 ; os_name == 'nt'\n\n",
            [("flask", ">=2", "runtime"), ("uvicorn", "==0.2", "runtime")],
        ),
        ("requirements-dev.txt", "pytest\n", [("pytest", "", "development")]),
        ("requirements/tests.in", "pytest\n", [("pytest", "", "development")]),
        (
            "setup.cfg",
            "[metadata]\nname = x\n[options]\npython_requires = >=3.8\ninstall_requires =\n    attrs>=1\n    six\n"
            "[options.extras_require]\ntest =\n    pytest\n",
            [
                ("python", ">=3.8", "language"),
                ("attrs", ">=1", "runtime"),
                ("six", "", "runtime"),
                ("pytest", "", "development"),
            ],
        ),
        (
            "package.json",
            '{"engines": {"node": ">=18"}, "dependencies": {"hono": "^4"}, "peerDependencies": {"react": ">=18"},'
            ' "devDependencies": {"vitest": "1"}, "optionalDependencies": {"fsevents": "2"}}',
            [
                ("node", ">=18", "language"),
                ("hono", "^4", "runtime"),
                ("react", ">=18", "runtime"),
                ("fsevents", "2", "optional"),
                ("vitest", "1", "development"),
            ],
        ),
        (
            "crates/a/Cargo.toml",
            '[package]\nname="a"\nedition="2021"\nrust-version="1.74"\n[dependencies]\nserde={version="1",optional=true}\n'
            'log="0.4"\n[dev-dependencies]\ninsta="1"\n[build-dependencies]\ncc="1"\n[target.\'cfg(unix)\'.dependencies]\n'
            'libc="0.2"\n',
            [
                ("rust", "1.74", "language"),
                ("rust edition", "2021", "language"),
                ("serde", "1", "optional"),
                ("log", "0.4", "runtime"),
                ("libc", "0.2", "runtime"),
                ("insta", "1", "development"),
                ("cc", "1", "build"),
            ],
        ),
        (
            "go.mod",
            "module example.org/me\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tgithub.com/c/d v0.1.0 // indirect\n)\n"
            "require golang.org/x/net v0.5.0\nreplace github.com/a/b => github.com/e/f v1.0.0\n",
            [
                ("go", "1.22", "language"),
                ("github.com/a/b", "v1.2.3", "runtime"),
                ("github.com/c/d", "v0.1.0", "indirect"),
                ("golang.org/x/net", "v0.5.0", "runtime"),
            ],
        ),
        (
            "pom.xml",
            POM,
            [
                ("java", "17", "language"),
                ("org.boot:starter-parent", "3.2", "build"),
                ("com.x:jackson", "2.1", "runtime"),
                ("junit:junit", "4", "development"),
                ("shade", "1", "build"),
            ],
        ),
        (
            "app/build.gradle.kts",
            'plugins {\n    id("org.kt") version "1.9"\n}\ndependencies {\n    implementation("a.b:c:1.0")\n'
            '    testImplementation \'j:unit:5\'\n    kapt("x.y:z:2")\n    // implementation("no:no:1")\n}\n',
            [
                ("org.kt", "1.9", "build"),
                ("a.b:c", "1.0", "runtime"),
                ("j:unit", "5", "development"),
                ("x.y:z", "2", "build"),
            ],
        ),
        (
            "src/App.csproj",
            '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>'
            '<ItemGroup><PackageReference Include="Serilog" Version="3.1" /><PackageReference Include="Old">\n'
            '<Version>2</Version></PackageReference><PackageReference Include="A" Version="1" PrivateAssets="all"/></ItemGroup>',
            [
                (".NET", "net8.0", "language"),
                ("Serilog", "3.1", "runtime"),
                ("Old", "2", "runtime"),
                ("A", "1", "development"),
            ],
        ),
        (
            "composer.json",
            '{"require": {"php": ">=8.1", "laravel/framework": "^11"}, "require-dev": {"phpunit/phpunit": "^10"}}',
            [
                ("php", ">=8.1", "language"),
                ("laravel/framework", "^11", "runtime"),
                ("phpunit/phpunit", "^10", "development"),
            ],
        ),
        (
            "Gemfile",
            "ruby '3.3'\ngem 'rails', '~> 7.1', '>= 7.1.2'\ngroup :development, :test do\n  gem 'rspec'\nend\ngem 'pg'\n"
            "gem 'rubocop', group: :development\n",
            [
                ("ruby", "3.3", "language"),
                ("rails", "~> 7.1, >= 7.1.2", "runtime"),
                ("rspec", "", "development"),
                ("pg", "", "runtime"),
                ("rubocop", "", "development"),
            ],
        ),
        (
            "x.gemspec",
            "s.required_ruby_version = '>= 3.0'\ns.add_dependency 'rack', '>= 2'\ns.add_development_dependency 'rake'\n",
            [("ruby", ">= 3.0", "language"), ("rack", ">= 2", "runtime"), ("rake", "", "development")],
        ),
    ],
)
def test_a_manifest_says_what_it_wants_and_for_what(path: str, text: str, wanted: list[Row]) -> None:
    assert list(dependencies_of(path, text).values()) == wanted


def test_what_came_went_and_changed_is_told_once_each() -> None:
    before = '[project]\ndependencies = ["requests>=2", "attrs", "six"]\n'
    after = '[project]\ndependencies = ["httpx>=0.27", "attrs", "six>=1"]\n'
    assert list(dependency_changes("pyproject.toml", before, after)) == [
        DependencyChange("httpx", ADDED, ">=0.27"),
        DependencyChange("six", MODIFIED, ">=1", ""),
        DependencyChange("requests", REMOVED, "", ">=2"),
    ]


def test_the_spelling_of_a_python_name_is_no_change() -> None:
    assert list(dependency_changes("requirements.txt", "Flask_Login==1\n", "flask-login==1\n")) == []


def test_a_dependency_that_becomes_a_runtime_one_changed() -> None:
    before, after = '{"devDependencies": {"a": "1"}}', '{"dependencies": {"a": "1"}}'
    assert list(dependency_changes("package.json", before, after)) == [
        DependencyChange("a", MODIFIED, "1", "1", "runtime")
    ]


def test_a_go_module_that_only_others_still_need_did_not_go_and_one_needed_directly_came() -> None:
    direct, indirect, gone = ("require a.org/b v1.0.0", "require a.org/b v1.0.0 // indirect", "")
    assert list(dependency_changes("go.mod", direct, indirect)) == []
    assert list(dependency_changes("go.mod", gone, indirect)) == []
    assert list(dependency_changes("go.mod", indirect, gone)) == []
    assert list(dependency_changes("go.mod", indirect, direct)) == [
        DependencyChange("a.org/b", ADDED, "v1.0.0", "", "runtime")
    ]


@pytest.mark.parametrize("path", ["package-lock.json", "poetry.lock", "go.sum", "Cargo.lock", "Gemfile.lock", "a.toml"])
def test_lock_files_and_others_are_no_manifests(path: str) -> None:
    assert not is_manifest(path)


@pytest.mark.parametrize(
    "path",
    ["pyproject.toml", "requirements.txt", "setup.cfg", "package.json", "go.mod", "pom.xml", "build.gradle", "Gemfile"],
)
def test_hostile_manifests_are_read_in_time(path: str) -> None:
    started = time.process_time()
    for text in (
        "<plugin>" * 50_000,
        "a" + " " * 200_000,
        "[" * 100_000,
        "<!--" * 50_000,
        '{"a":' * 50_000,
        "group :a " * 50_000,
    ):
        dependencies_of(path, text)
    assert time.process_time() - started < 4
