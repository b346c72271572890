"""Readers of each ecosystem's manifests: from a folder of the project to slots."""

from collections.abc import Callable, Mapping

from waypost.facts.coldstart.ecosystems import dotnet, elixir, golang, jvm, native, node, ocaml, php, python, ruby, rust
from waypost.facts.coldstart.slots import Slots
from waypost.facts.coldstart.tree import ProjectTree

READERS: Mapping[str, Callable[[ProjectTree, str], Slots]] = {
    "python": python.read,
    "node": node.read,
    "rust": rust.read,
    "go": golang.read,
    "java": jvm.read,
    "csharp": dotnet.read,
    "php": php.read,
    "ruby": ruby.read,
    "c": native.read,
    "elixir": elixir.read,
    "ocaml": ocaml.read,
}
