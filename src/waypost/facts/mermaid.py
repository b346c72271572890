"""A causal chain as a Mermaid diagram that renders, whatever the texts in it say.

A label stands in double quotes, and every character that Mermaid, Markdown or HTML could read as more than itself is
written as its number (`#35;`), which all versions of Mermaid show as the character. So a text can end no label, open
no tag, and start no directive, link, icon or formula.
"""

import unicodedata
from collections.abc import Sequence

from waypost.model.causal import (
    BLOCKS,
    CAUSES,
    CONSEQUENCE,
    CONSTRAINT,
    DECISION,
    JUSTIFIES,
    LEADS_TO,
    REASON,
    CausalChain,
    CausalEdge,
    CausalNode,
)

LABEL = 120  # characters of a text that a node shows
MOST_LINKS = 400  # Mermaid draws at most 500
_MOST_TEXT = 45_000  # UTF-16 units; Mermaid reads at most 50,000
_SHORTEST = 20
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,'?!()/")
# While it works, Mermaid writes "&" as "ﬂ°" and ";" as "¶ß", and takes all of these for its own in the end.
_NOT_MERMAIDS = str.maketrans({"ﬂ": "fl"})
_PARTED = ("¶ß", "¶ ß")
_JOINERS = frozenset("\u200c\u200d")  # parts of Persian words, and of emoji
_BROKEN = "\ufffd"

_SHAPES = {DECISION: ('{{"', '"}}'), REASON: ('("', '")'), CONSEQUENCE: ('(["', '"])'), CONSTRAINT: ('[/"', '"/]')}
_OTHER = ('["', '"]')
_WORDS = {JUSTIFIES: "justifies", LEADS_TO: "leads to", BLOCKS: "limits", CAUSES: "causes"}
_CLASSES = (
    "classDef decision fill:#dbeafe,stroke:#1d4ed8,color:#111827",
    "classDef reason fill:#dcfce7,stroke:#15803d,color:#111827",
    "classDef consequence fill:#fef3c7,stroke:#b45309,color:#111827",
    "classDef constraint fill:#fee2e2,stroke:#b91c1c,color:#111827",
    "classDef other fill:#f3f4f6,stroke:#4b5563,color:#111827",
    "classDef root stroke-width:3px",
    "classDef stale stroke-dasharray:5 3",
    "classDef replaced fill:#f3f4f6,stroke:#9ca3af,color:#6b7280",
)


def mermaid_of(chain: CausalChain) -> str:
    """The chain as the text of a diagram, the root first. Labels are shortened until Mermaid takes the whole."""
    longest = LABEL
    text = _drawn(chain, longest)
    while len(text.encode("utf-16-le")) // 2 > _MOST_TEXT and longest > _SHORTEST:
        longest = max(_SHORTEST, longest // 2)
        text = _drawn(chain, longest)
    return text


def _drawn(chain: CausalChain, longest: int) -> str:
    lines = ["graph TD"]
    names: dict[str, str] = {}
    for node in (*chain.nodes, *chain.replaces, *chain.replaced_by):
        if node.id not in names:
            names[node.id] = f"n{len(names) + 1}"
            lines.append(f"    {_node(names[node.id], node, longest)}")
    lines += [f"    {_link(edge, names)}" for edge in chain.edges[:MOST_LINKS]]
    lines += [f'    {names[edge.from_id]} -.->|"replaces"| {names[edge.to_id]}' for edge in chain.replacements]
    lines += [f"    {line}" for line in (*_CLASSES, *_classes(chain, names))]
    if len(chain.edges) > MOST_LINKS:
        lines.append(f"    %% {len(chain.edges) - MOST_LINKS} more links are not drawn")
    return "\n".join(lines) + "\n"


def _node(name: str, node: CausalNode, longest: int) -> str:
    opening, closing = _SHAPES.get(node.kind, _OTHER)
    mark = " (stale)" if node.is_stale else ""
    return f"{name}{opening}{escaped(shortened(node.text, longest))}{mark}{closing}"


def _link(edge: CausalEdge, names: dict[str, str]) -> str:
    word = _WORDS[edge.kind] + (f" {edge.strength:.2f}".replace(".", "#46;") if edge.strength < 1 else "")
    return f'{names[edge.from_id]} -->|"{word}"| {names[edge.to_id]}'


def _classes(chain: CausalChain, names: dict[str, str]) -> list[str]:
    """Which class each node has; one that stands beside the chain as replaced has only that."""
    shown = {node.id for node in chain.nodes}
    members: dict[str, list[str]] = {}
    for node in chain.nodes:
        members.setdefault(node.kind if node.kind in _SHAPES else "other", []).append(names[node.id])
        if node.is_stale:
            members.setdefault("stale", []).append(names[node.id])
    if chain.root is not None:
        members["root"] = [names[chain.root.id]]
    beside: Sequence[str] = [names[n.id] for n in (*chain.replaces, *chain.replaced_by) if n.id not in shown]
    if beside:
        members["replaced"] = list(dict.fromkeys(beside))
    return [f"class {','.join(nodes)} {name}" for name, nodes in members.items()]


def shortened(text: str, longest: int) -> str:
    """The text on one line, without what controls the writing direction, and at most so many characters."""
    line = " ".join("".join(map(_visible, text.translate(_NOT_MERMAIDS))).replace(*_PARTED).split()) or _BROKEN
    if len(line) <= longest:
        return line
    cut = line[: longest - 1]
    word = cut.rfind(" ")
    cut = cut[:word] if word > longest // 2 else cut
    while cut and (cut[-1] in _JOINERS or unicodedata.category(cut[-1]).startswith("M")):
        cut = cut[:-1]
    return f"{cut.rstrip()}…"


def _visible(character: str) -> str:
    if character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category.startswith("Z") or category == "Cc":
        return " "
    if category == "Cf":
        return ""
    is_character = category != "Cs" and ord(character) & 0xFFFE != 0xFFFE and not "\ufdd0" <= character <= "\ufdef"
    return character if is_character else _BROKEN


def escaped(text: str) -> str:
    """The text as a label shows it, letter by letter."""
    return "".join(_escaped(text, place) for place in range(len(text)))


def _escaped(text: str, place: int) -> str:
    character = text[place]
    if character in _PLAIN or ord(character) > 127:
        return character
    before, after = text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if character == "." and before and not before.isdigit() and after in ("", " "):
        return character  # the end of a sentence; not that of a list's number, nor within an address
    if character == "-" and before.isalnum() and after.isalnum():
        return character
    return f"#{ord(character)};"
