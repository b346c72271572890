"""Diagrams of causal chains, read and drawn by Mermaid itself, show the texts and nothing else."""

import json
import random
import shutil
import subprocess
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.facts.mermaid import LABEL, MOST_LINKS, escape_label, mermaid_of, shorten_label
from waypost.model.causal import CAUSAL_KINDS, CAUSAL_LINKS, REPLACES, CausalChain, CausalEdge, CausalNode

pytestmark = pytest.mark.slow  # too slow for the fast suite

DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)
MERMAID = Path(__file__).parents[1] / "mermaid"
DRAWN = 44  # diagrams; drawing takes longer than reading
WORDS = {"justifies": "justifies", "leads_to": "leads to", "blocks": "limits", "causes": "causes"}

HOSTILE = (
    'We use "FastAPI"',
    'x"] --> evil["y',
    'x"}}\n    click n1 "javascript:alert(1)"',
    "n1 --> n2; n3[evil]",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "#quot; #35; #lt;b#gt; #",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "%% comment",
    "---\ntitle: x\n---",
    "end",
    "subgraph one\nend",
    "`code` **bold** __bold__ *it* ~~no~~ [a](http://b.c) ![i](j)",
    "1. first\n2. second",
    "- a list\n+ another\n* third",
    "# A heading",
    "> a quotation",
    "fa:fa-car fab:fa-github",
    "$$x^2$$",
    "style n1 fill:#f00; classDef a fill:#0f0;",
    "a|b||c",
    "back\\slash \\n \\u0041",
    "accTitle: x",
    "www.example.org http://example.org a@b.example",
    "<br/> <br> line\u2028other\u2029third\tfourth",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200eleft\u200f",
    "שלום עולם مرحبا",
    "Привет, мир: «да» — нет…",
    "👩‍👩‍👧 🏳️‍🌈 é e\u0301",
    "ﬂ°lt¶ßscript ﬂ°°60¶ß ¶ß",
    "x" * 5_000,
    "#;" * 5_000,
    "n1",
    "graph TD",
    ":::decision",
    "@{ shape: circle }",
    "a & b --> c",
    "\ufffe\ufdd0",
    "\u200d",
)
FRAGMENTS = (*HOSTILE[:30], *"\"'`#;|[](){}<>/\\&%*_~-=.:^$@!?,+ \n\t", "end", "ab", "ß", "ﬂ°", "¶", "Ж", "漢", "🙂")


def node(name: str, kind: str, text: str, **more: Any) -> CausalNode:
    return CausalNode(name, kind, text, "person", "anna", DAY, DAY, **more)


def chain(nodes: list[CausalNode], edges: list[CausalEdge] | None = None, **more: Any) -> CausalChain:
    return CausalChain("why?", 5, root=nodes[0], nodes=tuple(nodes), edges=tuple(edges or ()), **more)


def random_chain(dice: random.Random) -> CausalChain:
    kinds = (*CAUSAL_KINDS, "fact", "learning")
    nodes = [
        node(
            f"id{n}",
            dice.choice(kinds),
            "".join(dice.choices(FRAGMENTS, k=dice.randint(1, 8))),
            is_stale=dice.random() < 0.2,
        )
        for n in range(dice.randint(1, 8))
    ]
    edges = {
        (kind, start.id, other.id): CausalEdge(kind, start.id, other.id, dice.choice((1.0, 0.5, 0.333)))
        for start, other in (dice.choices(nodes, k=2) for _ in nodes)
        for kind in dice.choices(CAUSAL_LINKS)
    }
    return chain(nodes, list(edges.values()))


def chains() -> list[CausalChain]:
    alone = [chain([node("a", CAUSAL_KINDS[n % 4], text)]) for n, text in enumerate(HOSTILE)]
    old, new = node("old", "decision", "We use Flask"), node("new", "decision", "We use Starlette")
    replacing = chain(
        [node("a", "decision", "We use FastAPI")],
        replaces=(old,),
        replaced_by=(new,),
        replacements=(CausalEdge(REPLACES, "a", "old"), CausalEdge(REPLACES, "new", "a")),
    )
    dice = random.Random(7)
    return [replacing, *alone, *(random_chain(dice) for _ in range(150))]


@pytest.fixture(scope="module")
def read_by_mermaid() -> list[tuple[CausalChain, dict[str, Any]]]:
    """Every chain with Mermaid's reading of its diagram. Node starts once."""
    given = chains()
    node_program = shutil.which("node")
    if node_program is None or not (MERMAID / "node_modules").is_dir():
        pytest.fail("Mermaid is not installed. Install Node.js 20 or later and run: npm ci --prefix tests/mermaid")
    request = json.dumps({"diagrams": [mermaid_of(chain) for chain in given], "render": DRAWN})
    command = [node_program, str(MERMAID / "read_diagrams.mjs")]
    done = subprocess.run(command, check=False, input=request, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return list(zip(given, json.loads(done.stdout), strict=True))


def labels(chain: CausalChain) -> list[str]:
    every = (*chain.nodes, *chain.replaces, *chain.replaced_by)
    return [f"{shorten_label(node.text, LABEL)}{' (stale)' if node.is_stale else ''}" for node in every]


def links(chain: CausalChain) -> list[tuple[str, str, str]]:
    every = (*chain.nodes, *chain.replaces, *chain.replaced_by)
    name = {node.id: f"n{n}" for n, node in enumerate(every, 1)}
    said = [WORDS[e.kind] + (f" {e.strength:.2f}" if e.strength < 1 else "") for e in chain.edges]
    drawn = [(name[e.from_id], name[e.to_id], word) for e, word in zip(chain.edges, said, strict=True)]
    return drawn + [(name[e.from_id], name[e.to_id], "replaces") for e in chain.replacements]


def test_mermaid_reads_every_diagram_as_exactly_our_nodes_and_links(
    read_by_mermaid: list[tuple[CausalChain, dict[str, Any]]],
) -> None:
    for chain, read in read_by_mermaid:
        assert "error" not in read, (read, mermaid_of(chain))
        assert [n["id"] for n in read["nodes"]] == [f"n{n}" for n in range(1, len(labels(chain)) + 1)]
        assert [n["text"] for n in read["nodes"]] == labels(chain)
        assert [(e["from"], e["to"], e["text"]) for e in read["edges"]] == links(chain)
        assert read["groups"] == 0
        assert not any(n["link"] for n in read["nodes"])
        assert {n["kind"] for n in read["nodes"]} == {"string"}


def test_mermaid_draws_the_texts_as_they_are_and_nothing_that_acts(
    read_by_mermaid: list[tuple[CausalChain, dict[str, Any]]],
) -> None:
    plain = set(read_by_mermaid[0][1]["drawn"]["elements"])
    assert plain.isdisjoint({"script", "img", "a", "i", "b", "em", "strong", "math", "iframe", "ul", "ol", "h1"})
    for chain, read in read_by_mermaid[:DRAWN]:
        drawn = read["drawn"]
        assert drawn["nodes"] == labels(chain)
        assert drawn["edges"] == [word for _, _, word in links(chain)]
        assert set(drawn["elements"]) <= plain
        assert drawn["acting"] == []


def test_kinds_have_shapes_and_classes_of_their_own(read_by_mermaid: list[tuple[CausalChain, dict[str, Any]]]) -> None:
    shapes: dict[str, set[str]] = {}
    for chain, read in read_by_mermaid:
        for ours, theirs in zip(chain.nodes, read["nodes"], strict=False):
            shapes.setdefault(ours.kind, set()).add(theirs["shape"])
            assert (ours.kind if ours.kind in CAUSAL_KINDS else "other") in theirs["classes"]
            assert ("stale" in theirs["classes"]) is ours.is_stale
        assert "root" in read["nodes"][0]["classes"]
    assert {kind: shapes[kind] for kind in CAUSAL_KINDS} == {
        "decision": {"hexagon"},
        "reason": {"round"},
        "consequence": {"stadium"},
        "constraint": {"lean_right"},
    }


def test_a_replaced_decision_stands_beside_the_chain(
    read_by_mermaid: list[tuple[CausalChain, dict[str, Any]]],
) -> None:
    _, read = read_by_mermaid[0]
    assert [(e["from"], e["to"], e["stroke"]) for e in read["edges"]] == [
        ("n1", "n2", "dotted"),
        ("n3", "n1", "dotted"),
    ]
    assert [n["classes"] for n in read["nodes"]] == [["decision", "root"], ["replaced"], ["replaced"]]


def test_a_chain_of_many_long_texts_stays_within_what_mermaid_takes() -> None:
    nodes = [node(f"id{n}", "reason", '"#;' * 500) for n in range(100)]
    edges = [CausalEdge("causes", start.id, other.id) for start in nodes for other in nodes[:10]]
    text = mermaid_of(chain(nodes, edges))
    assert len(text.encode("utf-16-le")) // 2 < 50_000
    assert text.count("-->") == MOST_LINKS
    assert f"%% {len(edges) - MOST_LINKS} more links are not drawn" in text


def test_plain_sentences_stay_readable() -> None:
    text = "Uploads are re-used, since S3 is slow (see the docs). Why not?"
    assert escape_label(text) == text


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("1. first", "1#46; first"),  # some versions of Mermaid read a number and a full stop as a list
        ("www.example.org", "www#46;example#46;org"),
        ("-1", "#45;1"),
        ('say "no"', "say #34;no#34;"),
    ],
)
def test_what_could_mean_more_than_itself_is_numbered(text: str, label: str) -> None:
    assert escape_label(text) == label


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\u202egnp.exe\u202c\u200f", "gnp.exe"),
        (" one\ttwo\r\n\u2028three ", "one two three"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\ufdd0\ufffe", "\ufffd\ufffd"),
        ("\u202e", "\ufffd"),
    ],
)
def test_what_cannot_be_seen_is_left_out(text: str, line: str) -> None:
    assert shorten_label(text, LABEL) == line


@given(st.text(max_size=200))
def test_a_label_holds_no_character_that_could_end_it(text: str) -> None:
    label = escape_label(shorten_label(text, LABEL))
    assert label
    for number in (bare := label).split("#")[1:]:
        assert number.partition(";")[0].isdigit()
        bare = bare.replace(f"#{number.partition(';')[0]};", "")
    assert set(bare).isdisjoint('"`#;|[]{}<>&%*_\\$:@^~=+\n\r')
    assert not any(unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") for c in label)


@given(st.text(max_size=400), st.integers(20, 120))
def test_a_shortened_text_is_at_most_so_long_and_on_one_line(text: str, longest: int) -> None:
    line = shorten_label(text, longest)
    assert 1 <= len(line) <= longest
    assert line == " ".join(line.split())
