"""A causal chain as a Mermaid diagram that renders with any text in it.

A label stands in double quotes. Characters with a meaning in Mermaid, Markdown or HTML are written as numbers (`#35;`).
All versions of Mermaid show them as the character. So a text cannot end a label, open a tag, or start a
directive, link, icon or formula.
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

LABEL = 120  # characters of a text in a node
MOST_LINKS = 400  # Mermaid draws at most 500
_MOST_TEXT = 45_000  # UTF-16 units; Mermaid reads at most 50,000
_SHORTEST = 20
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,'?!()/")
# Internally, Mermaid writes "&" as "ﬂ°" and ";" as "¶ß", and converts all of these back at the end.
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
    """The chain as the text of a diagram, the root first. Labels are shortened until Mermaid accepts the size."""
    longest = LABEL
    text = _draw(chain, longest)
    while len(text.encode("utf-16-le")) // 2 > _MOST_TEXT and longest > _SHORTEST:
        longest = max(_SHORTEST, longest // 2)
        text = _draw(chain, longest)
    return text


def _draw(chain: CausalChain, longest: int) -> str:
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
    return f"{name}{opening}{escape_label(shorten_label(node.text, longest))}{mark}{closing}"


def _link(edge: CausalEdge, names: dict[str, str]) -> str:
    word = _WORDS[edge.kind] + (f" {edge.strength:.2f}".replace(".", "#46;") if edge.strength < 1 else "")
    return f'{names[edge.from_id]} -->|"{word}"| {names[edge.to_id]}'


def _classes(chain: CausalChain, names: dict[str, str]) -> list[str]:
    """The class of each node. A replaced node outside the chain has only that class."""
    chain_ids = {node.id for node in chain.nodes}
    members: dict[str, list[str]] = {}
    for node in chain.nodes:
        members.setdefault(node.kind if node.kind in _SHAPES else "other", []).append(names[node.id])
        if node.is_stale:
            members.setdefault("stale", []).append(names[node.id])
    if chain.root is not None:
        members["root"] = [names[chain.root.id]]
    replaced: Sequence[str] = [names[n.id] for n in (*chain.replaces, *chain.replaced_by) if n.id not in chain_ids]
    if replaced:
        members["replaced"] = list(dict.fromkeys(replaced))
    return [f"class {','.join(nodes)} {name}" for name, nodes in members.items()]


def shorten_label(text: str, longest: int) -> str:
    """The text on one line of at most `longest` characters, without controls of the writing direction."""
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


def escape_label(text: str) -> str:
    """The text as a label that shows it letter by letter."""
    return "".join(_escape_character(text, position) for position in range(len(text)))


def _escape_character(text: str, position: int) -> str:
    character = text[position]
    if character in _PLAIN or ord(character) > 127:
        return character
    before, after = text[max(0, position - 1) : position], text[position + 1 : position + 2]
    if character == "." and before and not before.isdigit() and after in ("", " "):
        return character  # the end of a sentence, not of a list number or part of an address
    if character == "-" and before.isalnum() and after.isalnum():
        return character
    return f"#{ord(character)};"
