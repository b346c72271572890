"""The architecture of a project: what each file says of it, and what follows from all of them together."""

from waypost.code.architecture.conclude import conclude
from waypost.code.architecture.evidence import Evidence
from waypost.code.architecture.find import find_evidence
from waypost.code.architecture.result import Architecture, Document, Endpoint, Place

__all__ = ["Architecture", "Document", "Endpoint", "Evidence", "Place", "conclude", "find_evidence"]
