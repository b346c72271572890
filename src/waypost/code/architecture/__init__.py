"""The architecture of a project: evidence from each file, and what follows from all of it."""

from waypost.code.architecture.derive import derive_architecture
from waypost.code.architecture.documents import documents_of
from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.find import find_evidence
from waypost.code.architecture.result import Architecture, ArchitectureDocument, CodePlace, Endpoint

__all__ = [
    "Architecture",
    "ArchitectureDocument",
    "ArchitectureEvidence",
    "CodePlace",
    "Endpoint",
    "derive_architecture",
    "documents_of",
    "find_evidence",
]
