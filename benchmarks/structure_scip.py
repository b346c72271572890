"""Compare the calls that Waypost resolves by names with those of a SCIP index.

    python -m benchmarks.structure_scip TREE INDEX [SHOWN]

`INDEX` was made from the checkout `TREE`, by scip-python or scip-typescript. An edge is a function or file that calls a
function or type, both in files of the index. A constructor counts as its type. Calls of a function inside of itself are
left out, and so are calls that the index gives another symbol with another name. `SHOWN` prints that many differences of each kind.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchmarks.structure_graph import read_outlines

from waypost.code.outline import Outline
from waypost.code.relations import SymbolPlace, relate
from waypost.code.scip_index import read_scip
from waypost.code.scip_uses import FileUses, misnamed_uses, scip_uses

CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor"})
SEED = 3
Edge = tuple[SymbolPlace, SymbolPlace]


def main() -> None:
    tree, index = Path(sys.argv[1]), Path(sys.argv[2])
    shown = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    outlines, manifests, texts = read_outlines(tree)
    documents = list(read_scip(index.read_bytes()))
    exact = scip_uses(documents, outlines, texts)
    misnamed = misnamed_uses(documents, outlines, texts)
    ours: dict[Edge, float] = {}
    lines: dict[Edge, int] = {}
    left_out = 0
    for edge in relate(outlines, manifests).edges:
        name = edge.target.qualified.rpartition(".")[2]
        if edge.kind == "calls" and all((edge.source.path, line, name) in misnamed for line in edge.lines):
            left_out += 1
        elif edge.kind == "calls" and edge.source.path in exact and edge.target.path in exact:
            key = _type_of(outlines, edge.source), _type_of(outlines, edge.target)
            if key[0] != key[1]:
                ours[key] = max(edge.strength, ours.get(key, 0.0))
                lines[key] = edge.lines[0]
    theirs = _calls(outlines, exact)
    both = ours.keys() & theirs.keys()
    print(
        f"{index.stem}: {len(exact)} files, ours {len(ours)}, theirs {len(theirs)},"
        f" precision {len(both) / max(1, len(ours)):.3f}, recall {len(both) / max(1, len(theirs)):.3f}"
        + (f"; {left_out} calls left out that the index confuses with another name" if left_out else "")
    )
    classes: dict[float, list[bool]] = defaultdict(list)
    for key, strength in ours.items():
        classes[round(strength, 2)].append(key in both)
    for strength, right in sorted(classes.items()):
        print(f"  certainty {strength}: {len(right)} calls, precision {sum(right) / len(right):.3f}")
    lines |= theirs
    for name, keys in (("only ours", ours.keys() - both), ("only theirs", theirs.keys() - both)):
        for key in random.Random(SEED).sample(sorted(keys), min(shown, len(keys))):
            text = texts[key[0].path].split("\n")[lines[key] - 1].strip()[:110]
            print(
                f"  {name}: {key[0].path}:{lines[key]} {key[0].qualified} -> {key[1].path} {key[1].qualified}\n      {text}"
            )


def _calls(outlines: Mapping[str, Outline], exact: Mapping[str, FileUses]) -> dict[Edge, int]:
    """The calls by the index, each with a line."""
    calls: dict[Edge, int] = {}
    for path, uses in exact.items():
        symbols = outlines[path].symbols
        for use in outlines[path].uses:
            if not use.is_call:
                continue
            owner = symbols[use.owner] if use.owner >= 0 else None
            source = SymbolPlace(path, owner.qualified, owner.start) if owner else SymbolPlace(path)
            for line in use.lines:
                for target in uses.targets.get((line, use.name), ()):
                    key = _type_of(outlines, source), _type_of(outlines, target)
                    if key[0] != key[1]:
                        calls.setdefault(key, line)
    return calls


def _type_of(outlines: Mapping[str, Outline], place: SymbolPlace) -> SymbolPlace:
    """The type of a constructor; any other place as it is."""
    owner, _, name = place.qualified.rpartition(".")
    if name in CONSTRUCTORS:
        for symbol in outlines[place.path].symbols:
            if symbol.qualified == owner:
                return SymbolPlace(place.path, owner, symbol.start)
    return place


if __name__ == "__main__":
    main()
