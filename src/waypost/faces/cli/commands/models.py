"""`waypost model`: the weights of the built-in engines."""

import sys
from pathlib import Path

from waypost import config
from waypost.embed import install as installing
from waypost.faces.cli.output.memories import print_json


def install(source: Path | None, *, json: bool) -> None:
    def progress(line: str) -> None:
        print(line, file=sys.stderr)

    done = installing.install(config.load(), source, progress)
    if json:
        rows = [{"name": m.name, "path": str(m.path), "size": m.size, "fresh": m.fresh} for m in done]
        print_json({"models": rows})
        return
    for model in done:
        state = "installed" if model.fresh else "is there and whole"
        print(f"{model.name} {state}: {model.path} ({model.size / 1e6:.0f} MB)")


def print_status(*, json: bool) -> None:
    found = installing.status(config.load())
    if json:
        rows = [
            {
                "name": m.name,
                "installed": m.installed,
                "path": None if m.path is None else str(m.path),
                "size": m.size,
                "intact": m.intact,
                "reason": m.reason,
            }
            for m in found
        ]
        print_json({"models": rows})
        return
    for model in found:
        print(f"{model.name}: {'installed in ' + str(model.path) if model.installed else 'missing: ' + model.reason}")
