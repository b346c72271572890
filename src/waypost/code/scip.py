"""Symbol ids in SCIP syntax: `scip-python pip shop src/\\`cart.py\\`/Cart#add().`

The parts after the package are descriptors: `name/` a folder, file or namespace, `Name#` a type, `name().` a function,
`name.` a constant, `name!` a macro. Other characters than letters, digits and `_+-$` need backticks. A number
separates functions with the same id: `add(+1).`
"""

import re

NOTHING = "."  # stands for an unknown manager or package

_SIMPLE = re.compile(r"[\w+\-$]+", re.ASCII)
_TYPES = ("class", "interface", "trait", "struct", "enum", "type")
_SUFFIXES = dict.fromkeys(_TYPES, "#") | {"module": "/", "constant": ".", "macro": "!"}
_SCHEMES = {"tsx": "typescript", "shell": "bash"}


def scip_prefix(path: str, language: str, *, manager: str = NOTHING, package: str = NOTHING) -> str:
    """The common prefix of all ids in a file."""
    folders = "".join(f"{escaped(part)}/" for part in path.split("/") if part)
    scheme = f"scip-{_SCHEMES.get(language, language)}"
    return f"{scheme} {_field(manager)} {_field(package)} {folders}"


def descriptor(name: str, kind: str, number: int = 0) -> str:
    """The descriptor of a symbol. `number` counts functions of the same name in the same place from 0."""
    suffix = _SUFFIXES.get(kind)
    if suffix is None:
        suffix = f"(+{number})." if number else "()."
    return escaped(name) + suffix


def escaped(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _field(value: str) -> str:
    """A space ends a field, so spaces in it are doubled."""
    return value.replace(" ", "  ") if value else NOTHING
