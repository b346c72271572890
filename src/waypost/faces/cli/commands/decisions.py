"""Commands for decisions: record one with its reasons, and ask why."""

from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost.errors import NotFound
from waypost.faces.cli.framework import AsOf, Ctx, Json, KnownAt, app, session_of
from waypost.faces.cli.output.memories import console, print_json, print_notices, print_receipt, safe
from waypost.model.code_link import plain_reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from waypost.facts.causal import ChainStep
    from waypost.flows.facts.decide import Decided
    from waypost.flows.recall.related import RelatedMemory
    from waypost.model.causal import CausalChain, CausalNode
    from waypost.model.receipt import Receipt

_PART = "text, or the id of a memory (repeatable)."
_LONGEST = 300  # characters of a text on its line
# Label of a link when it is printed below its effect, and below its cause.
_BACK = {"justifies": "because", "blocks": "given", "leads_to": "came of", "causes": "caused by"}
_ON = {"justifies": "justifies", "blocks": "limits", "leads_to": "leads to", "causes": "causes"}


@app.command()
def decide(
    context: Ctx,
    text: Annotated[
        str | None,
        Argument(metavar="[TEXT]", help="The decision, or the id of one to extend (default: write it in your editor)."),
    ] = None,
    because: Annotated[list[str] | None, Option("--because", metavar="REASON", help=f"Why: {_PART}")] = None,
    leads_to: Annotated[
        list[str] | None, Option("--leads-to", metavar="CONSEQUENCE", help=f"Consequence: {_PART}")
    ] = None,
    given: Annotated[list[str] | None, Option("--given", metavar="CONSTRAINT", help=f"Constraint: {_PART}")] = None,
    replaces: Annotated[str | None, Option(metavar="ID", help="The decision this one replaces.")] = None,
    strength: Annotated[float | None, Option(min=0, max=1, help="Certainty of the links, 0 to 1 (default: 1).")] = None,
    domain: Annotated[str | None, Option(help="The part of the project it is about.")] = None,
    level: Annotated[int | None, Option(help="0 project, 1 domain, 2 module, 3 code.")] = None,
    ref: Annotated[
        list[str] | None, Option("--ref", metavar="PATH#L1-L9", help="Code it is about (repeatable).")
    ] = None,
    evidence: Annotated[list[str] | None, Option("--evidence", help="An ADR, a pull request, a commit.")] = None,
    session: Annotated[str | None, Option(help="The conversation it belongs to.")] = None,
    valid_from: Annotated[str | None, Option(metavar="TIME", help="True since (default: now).")] = None,
    json: Json = False,
) -> None:
    """Record a decision with its reasons, consequences and constraints."""
    if text is None:
        from waypost.faces.cli.editor import edited_decision

        written = edited_decision()
        text = written.text
        because = [*(because or ()), *written.because]
        leads_to = [*(leads_to or ()), *written.leads_to]
        given = [*(given or ()), *written.given]
    done = (
        session_of(context)
        .memory()
        .decide(
            text,
            because=because or (),
            leads_to=leads_to or (),
            given=given or (),
            replaces=replaces,
            strength=strength,
            domain=domain,
            level=level,
            evidence=evidence,
            refs=session_of(context).refs(ref),
            session=session,
            valid_from=valid_from,
        )
    )
    print_json(done.to_json()) if json else print_decided(done)
    print_notices(session_of(context).no_project())
    if done.id is None:
        raise typer.Exit(1)


@app.command()
def why(
    context: Ctx,
    question: Annotated[str, Argument(metavar="QUESTION", help="For example: why do we use FastAPI?")],
    depth: Annotated[int, Option(help="Number of links to follow, 1 to 20.")] = 5,
    mermaid: Annotated[bool, Option("--mermaid", help="Print the chain as a Mermaid diagram.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Explain why something was decided: its reasons, constraints and consequences."""
    chain = session_of(context).memory().why(question, depth=depth, as_of=as_of, known_at=known_at)
    if json:
        print_json(chain.to_json())
    elif mermaid and chain.root:
        print(safe(chain.mermaid), end="")
    else:
        print_chain(chain)
    if chain.root is None:
        raise typer.Exit(NotFound.exit_code)


def print_decided(done: "Decided") -> None:
    print_receipt(done.decision)
    out = console()
    for word, receipts in (("because", done.reasons), ("leads to", done.consequences), ("given", done.constraints)):
        for receipt in receipts:
            out.print(f"  {word:<8}  {receipt.id or '-':<26}  {_status_text(receipt)}", markup=False)
    for edge in done.edges:
        if edge.kind == "causes":
            out.print(f"  also stated: {edge.from_id} causes {edge.to_id} ({edge.strength:.2f})", markup=False)


def _status_text(receipt: "Receipt") -> str:
    labels = {"added": "remembered", "merged": "merged", "duplicate": "already stored", "refused": "refused"}
    details = (receipt.reason or "", *(f"masked: {what}" for what in receipt.masked))
    return safe(": ".join((labels[receipt.status], *(detail for detail in details if detail))))


def print_chain(chain: "CausalChain") -> None:
    from waypost.facts.causal import MOST_NODES, chain_steps

    out = console()
    if chain.root is None:
        out.print("No decision answers this. `waypost ask` searches everything.")
        print_notices(chain.notices)
        return
    _print_node(out, chain.root, "", 0)
    if chain.stated_reason and not chain.reasons:
        out.print(f"  stated in the text: {safe(chain.stated_reason)}", markup=False)
    for step in chain_steps(chain):
        _print_node(out, step.node, _link(step), 2 * step.indent)
    for word, nodes in (("replaces", chain.replaces), ("replaced by", chain.replaced_by)):
        for node in nodes:
            _print_node(out, node, word, 2)
    if chain.left_out:
        out.print(
            f"  … {chain.left_out} more linked memories; raise --depth (at most {MOST_NODES} are shown)", style="dim"
        )
    print_notices(chain.notices)


def print_causes(related: "Iterable[RelatedMemory]") -> None:
    """The reasons, constraints and consequences one link away, below a memory that is shown."""
    causal = [link for link in related if link.kind in _ON and link.is_current]
    order = list(_ON)
    for link in sorted(causal, key=lambda link: (order.index(link.kind), link.version.number)):
        word = (_ON if link.outgoing else _BACK)[link.kind]
        console().print(f"{word}: {safe(link.version.text)}  ({link.version.memory_id})", markup=False)


def _link(step: "ChainStep") -> str:
    word = (_BACK if step.backwards else _ON)[step.edge.kind]
    return word + (f" ({step.edge.strength:.2f})" if step.edge.strength < 1 else "")


def _print_node(out: "Console", node: "CausalNode", link: str, indent: int) -> None:
    line = " ".join(safe(node.text).split())
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    out.print(f"{' ' * indent}{f'{link}: ' if link else ''}{line}", markup=False, style=None if link else "bold")
    inside = " " * (indent + 2)
    if node.is_stale:
        out.print(f"{inside}STALE: {safe(plain_reason(node.stale_reason))}", markup=False, style="red")
    until = f" until {node.valid_until:%Y-%m-%d}" if node.valid_until else ""
    proof = f" · {safe(', '.join(node.evidence))}" if node.evidence else ""
    who = node.source if node.actor == node.source else f"{node.source} {safe(node.actor)}"
    origin = f"{node.kind} · {who} · {node.valid_from:%Y-%m-%d}{until}{proof} · {node.id}"
    out.print(f"{inside}{origin}", markup=False, style="dim")
