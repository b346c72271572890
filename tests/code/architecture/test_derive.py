import json
from collections.abc import Callable, Mapping
from dataclasses import asdict

import pytest

from waypost.code.architecture import (
    Architecture,
    ArchitectureEvidence,
    CodePlace,
    derive_architecture,
    documents_of,
    find_evidence,
)
from waypost.code.architecture.frameworks import frameworks, table
from waypost.code.architecture.marks import key_word
from waypost.code.source import SourceFile

Describe = Callable[[Mapping[str, str]], Architecture]

PETS = {
    "pom.xml": "<project>\n<groupId>a</groupId>\n<artifactId>pets</artifactId>\n<dependencies>\n<dependency>\n"
    "<groupId>org.springframework.boot</groupId>\n<artifactId>spring-boot-starter-webmvc</artifactId>\n</dependency>\n</dependencies>\n</project>\n",
    "src/main/java/a/PetController.java": "import org.springframework.web.bind.annotation.GetMapping;\n@Controller\nclass PetController {\n"
    '  @GetMapping("/pets")\n  String list() { return ""; }\n}\n',
    "src/main/java/a/OwnerController.java": "@Controller\nclass OwnerController { }\n",
    "src/main/java/a/Pet.java": "@Entity\npublic class Pet { }\n",
    "src/main/resources/templates/pets.html": "<p></p>\n",
    "src/main/resources/templates/owner.html": "<p></p>\n",
}


def test_mvc_is_told_from_classes_entities_and_templates(describe: Describe) -> None:
    (mvc, *_) = describe(PETS).patterns
    assert mvc.name == "MVC"
    assert mvc.confidence > 0.8
    assert "controllers: PetController" in " ".join(mvc.reasons) or "OwnerController" in mvc.reasons[0]
    assert CodePlace("src/main/java/a/Pet.java", 2) in mvc.places


def test_one_directory_name_makes_no_pattern(describe: Describe) -> None:
    for folder in ("controllers", "domain", "ports", "services", "viewmodels", "plugins", "events", "hexagonal"):
        files = {f"src/{folder}/{name}.py": "x = 1\n" for name in "abcde"}
        assert describe(files).patterns == ()


def test_a_framework_is_used_with_its_version_and_places(describe: Describe) -> None:
    files = {
        "composer.json": '{\n "name": "me/shop",\n "require": {"laravel/framework": "^11.0"}\n}',
        "a.php": "<?php\n",
    }
    (laravel,) = describe(files).frameworks
    assert (laravel.name, laravel.role, laravel.version) == ("Laravel", "uses", "^11.0")
    assert laravel.places == (CodePlace("composer.json", 3),)


def test_the_source_of_a_framework_is_told_from_its_use(describe: Describe) -> None:
    files = {
        "pyproject.toml": '[project]\nname = "Flask"\nversion = "3.1"\ndependencies = ["click>=8"]\n',
        "examples/app.py": "from flask import Flask\napp = Flask(__name__)\n",
        "tests/test_x.py": "import celery\n",
    }
    by_name = {use.name: use.role for use in describe(files).frameworks}
    assert by_name["Flask"] == "implements"
    assert by_name["click"] == "uses"
    text = next(document.text for document in documents_of(describe(files)) if document.name == "Flask")
    assert "is Flask itself" in text


def test_a_go_module_of_a_major_version_is_the_framework_itself(describe: Describe) -> None:
    files = {"go.mod": "module github.com/go-chi/chi/v5\n\ngo 1.22\n"}
    assert [use.role for use in describe(files).frameworks] == ["implements"]


def test_a_framework_that_only_tests_import_is_said_so(describe: Describe) -> None:
    files = {f"tests/test_{name}.py": "import flask\n" for name in "abcdefgh"}
    assert {use.role for use in describe(files).frameworks} <= {"tests"}


def test_authentication_names_mechanisms_and_what_protects(describe: Describe) -> None:
    files = {
        "app/auth.py": "import jwt\nfrom passlib.context import CryptContext\n\npwd = CryptContext(schemes=['bcrypt'])\n\n"
        "def token(user):\n    return jwt.encode({'sub': user}, KEY)\n# OAuth2PasswordBearer is not used\n",
        "app/views.py": "from flask import Blueprint\nbp = Blueprint('a', __name__)\n\n@bp.get('/me')\n@jwt_required()\ndef me(): ...\n",
        "tests/test_auth.py": "from onelogin.saml2 import x\n",
    }
    mechanisms = {finding.name: finding for finding in describe(files).authentication}
    assert set(mechanisms) == {"JWT", "password hashing", "guards"}
    assert CodePlace("app/auth.py", 7) in mechanisms["JWT"].places
    assert "1 endpoints are protected by jwt_required" in mechanisms["guards"].reasons[-1]


@pytest.mark.slow
def test_configuration_knows_variables_of_many_languages(describe: Describe) -> None:
    files = {
        "a.py": "import os\nX = os.environ['PY_ONE']\nY = os.getenv('PY_TWO')\n",
        "b.ts": "const a = process.env.TS_ONE\nconst b = import.meta.env.VITE_TWO\n",
        "c.php": "<?php return ['k' => env('PHP_ONE')];\n",
        "d.rb": "A = ENV.fetch('RB_ONE')\nB = ENV['RB_TWO']\n",
        "e.go": 'package a\nvar x = os.Getenv("GO_ONE")\n',
        "f.rs": 'fn a() { std::env::var("RS_ONE"); }\n',
        "g.java": 'class A { String s = System.getenv("JAVA_ONE"); }\n',
        "docker-compose.yml": "services:\n  web:\n    build: .\n    image: ${IMAGE_NAME}\n",
        "config/app.php": "<?php return [];\n",
    }
    configuration = describe(files).configuration
    assert [name for name, _ in configuration.variables] == sorted(
        [
            "PY_ONE",
            "PY_TWO",
            "TS_ONE",
            "VITE_TWO",
            "PHP_ONE",
            "RB_ONE",
            "RB_TWO",
            "GO_ONE",
            "RS_ONE",
            "JAVA_ONE",
            "IMAGE_NAME",
        ]
    )
    assert configuration.files == ("config/app.php", "docker-compose.yml")
    assert dict(configuration.variables)["PY_TWO"] == (CodePlace("a.py", 3),)


def test_layers_know_their_directories_and_who_depends_on_whom() -> None:
    paths = ["src/controllers/a.py", "src/services/b.py", "src/repositories/c.py", "tests/controllers/t.py"]
    relations = [("src/controllers/a.py", "src/services/b.py"), ("src/services/b.py", "src/repositories/c.py")]
    layers = {layer.name: layer for layer in derive_architecture({}, paths, relations).layers}
    assert layers["presentation"].directories == ("src/controllers",)
    assert layers["presentation"].depends_on == (("application", 1),)
    assert layers["application"].depends_on == (("infrastructure", 1),)
    assert layers["infrastructure"].files == 1


def test_design_patterns_need_structure_beside_the_name(describe: Describe) -> None:
    files = {
        "a.py": "class UserRepository:\n    def find(self, id): ...\n    def save(self, user): ...\n\n"
        "class EmptyRepository:\n    pass\n\nclass Config:\n    _instance = None\n\n    @classmethod\n    def get_instance(cls):\n"
        "        return cls._instance\n\nclass Form:\n    def get_instance(self):\n        return self.model()\n\n"
        "class Bus:\n    def subscribe(self, f): ...\n    def publish(self, e): ...\n\n"
        "class Walker:\n    def visit_a(self): ...\n    def visit_b(self): ...\n\n"
        "class ShapeFactory:\n    def create(self, kind): ...\n\nclass TallFactory:\n    height = 3\n",
        "b.py": "class Cheap(PriceStrategy):\n    def price(self): ...\n\nclass Dear(PriceStrategy):\n    def price(self): ...\n",
        "c.py": "class OnlyOne(SortStrategy):\n    def sort(self): ...\n",
    }
    designs = {finding.name: " ".join(finding.reasons) for finding in describe(files).design_patterns}
    assert set(designs) == {"repository", "singleton", "observer", "visitor", "factory", "strategy"}
    assert "EmptyRepository" not in designs["repository"]
    assert "Config" in designs["singleton"] and "Form" not in designs["singleton"]
    assert "TallFactory" not in designs["factory"]


def test_a_monorepo_needs_packages_and_something_that_holds_them(describe: Describe) -> None:
    packages = {f"packages/{name}/package.json": f'{{"name": "{name}"}}' for name in "abc"}
    assert describe(packages).patterns == ()
    whole = packages | {"package.json": '{"name": "root", "workspaces": ["packages/*"]}'}
    assert [pattern.name for pattern in describe(whole).patterns] == ["monorepo"]


def test_entry_points_and_languages_are_told(describe: Describe) -> None:
    architecture = describe(
        {
            "cmd/main.go": "package main\n\nfunc main() {\n}\n",
            "a.py": "x = 1\n",
            "b.py": "y = 2\n",
            "README.md": "# x\n",
        }
    )
    assert architecture.entry_points == (("Go program", CodePlace("cmd/main.go", 3)),)
    assert architecture.languages == (("Python", 2, 0.667), ("Go", 1, 0.333))


def test_documents_are_sentences_with_places(describe: Describe) -> None:
    documents = documents_of(describe(PETS))
    endpoint = next(document for document in documents if document.type == "endpoint")
    assert endpoint.title == "GET /pets"
    assert endpoint.text == (
        "GET /pets is handled by PetController.list (src/main/java/a/PetController.java:5), "
        "declared in src/main/java/a/PetController.java:4 with Spring MVC."
    )
    assert {"overview", "framework", "pattern", "endpoint"} <= {document.type for document in documents}
    assert len({document.key for document in documents}) == len(documents)
    json.dumps([asdict(document) for document in documents])


def test_everything_turns_into_json_and_evidence_back(describe: Describe) -> None:
    data = json.loads(json.dumps(describe(PETS).to_json()))
    assert data["endpoints"][0]["place"] == {"path": "src/main/java/a/PetController.java", "line": 4}
    source = SourceFile("src/main/java/a/PetController.java", "java", PETS["src/main/java/a/PetController.java"])
    collected = find_evidence(source, None)
    assert collected
    assert (
        tuple(ArchitectureEvidence.from_json(json.loads(json.dumps(item.to_json()))) for item in collected) == collected
    )


def test_the_order_of_files_does_not_matter(describe: Describe) -> None:
    assert describe(dict(reversed(PETS.items()))) == describe(PETS)


def test_nothing_is_concluded_from_nothing() -> None:
    assert derive_architecture({}, []) == Architecture()
    assert documents_of(Architecture()) == ()


def test_the_tables_are_sound() -> None:
    for framework in frameworks().values():
        assert all(name in frameworks() for name in framework.implied)
    for kind in ("auth", "settings", "entry", "design"):
        for entry in table("marks.toml")[kind]:
            for mark in entry["marks"]:
                assert key_word(mark) in mark
    for pattern in table("patterns.toml")["pattern"]:
        assert 2 <= pattern["least"] <= len(pattern["groups"])
