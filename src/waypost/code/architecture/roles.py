"""The purpose of a path: product code, test, example or documentation."""

import re
from collections.abc import Iterator
from functools import lru_cache

from waypost.code.architecture.evidence import ArchitectureEvidence, EvidenceByPath
from waypost.code.files.languages import is_test_path

_EXAMPLE = frozenset(("example", "examples", "sample", "samples", "demo", "demos", "playground", "sandbox", "fixtures"))
_EXAMPLE |= frozenset(
    {"template", "templates_project", "_examples", "_example", "benchmark", "benchmarks", "stubs"}
    | {"skeleton", "integration"}
)
_DOCS = frozenset(("doc", "docs", "documentation", "docs_src", "website", "tutorial", "tutorials", "guides"))
_SOURCES = re.compile(r"(?<=src/main/)(?:java|kotlin|scala)/")
_TEST = re.compile(r"(?:^|/)(?:[\w.\-]*\.)?(?:UnitTests|FunctionalTests|IntegrationTests|PublicApiIntegrationTests)/")


@lru_cache(maxsize=50_000)
def role_of(path: str) -> str:
    """ "" for product code, else "test", "example" or "docs"."""
    if is_test_path(path) or _TEST.search(path):
        return "test"
    # Java packages have arbitrary names: `src/main/java/org/example` is the product.
    folders = _SOURCES.split(path.lower(), maxsplit=1)[0].split("/")[:-1]
    if any(folder in _EXAMPLE for folder in folders):
        return "example"
    if any(folder in _DOCS for folder in folders):
        return "docs"
    return ""


def product_items(evidence: EvidenceByPath, *kinds: str) -> Iterator[tuple[str, ArchitectureEvidence]]:
    """Evidence of these kinds with its path, without that of tests, examples and documentation."""
    for path, items in evidence.items():
        if role_of(path) == "":
            yield from ((path, item) for item in items if item.kind in kinds)


def weight_of(path: str) -> float:
    """The weight of evidence in this path."""
    return {"": 1.0, "test": 0.2, "example": 0.25, "docs": 0.2}[role_of(path)]
