"""Procedures of gRPC services in .proto files."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.routes.base import route

_RPC = re.compile(r"^[ \t]*(?:(package)[ \t]+([\w.]+)|(service)[ \t]+(\w+)|(rpc)[ \t]+(\w+)[ \t]*\()", re.MULTILINE)


def read(text: str) -> Iterator[ArchitectureEvidence]:
    package = service = ""
    for match in _RPC.finditer(text):
        if match[1]:
            package = match[2]
        elif match[3]:
            service = match[4]
        elif match[5] and service:
            line = text.count("\n", 0, match.start(5)) + 1
            full = f"{package}.{service}" if package else service
            yield route("RPC", f"/{full}/{match[6]}", f"{service}.{match[6]}", line, "gRPC")
