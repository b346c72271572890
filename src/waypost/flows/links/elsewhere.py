"""Where code that is gone from this checkout still is: on another branch, or in another checkout."""

from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.links.cause import CauseSearch
from waypost.flows.links.follow import pin_of
from waypost.flows.links.staleness import SECONDS_FOR_ONE
from waypost.flows.open_space import OpenSpace
from waypost.model.code_verdict import CHANGED, MOVED, UNCHANGED
from waypost.model.reference import CodeReference

_ALIVE = (UNCHANGED, MOVED, CHANGED)


def where_alive(space: OpenSpace, tree: TreeNow, number: int, place: int, reference: CodeReference) -> str:
    """The branch or checkout that still has the code, or empty if none is known to have it."""
    search, pin = CauseSearch(tree, SECONDS_FOR_ONE), pin_of(reference)
    for branch, commit in tree.other_branches().items():
        if reference.anchor and search.followed_at(reference, pin, (pin.path,), commit).state in _ALIVE:
            return f"the branch {branch}"
    with space.store.read() as reader:
        for checkout, root in reader.code.checkouts().items():
            verdict = None
            if checkout != space.identity.checkout_id:
                verdict = reader.references.verdicts(checkout, [number]).get((number, place))
            if verdict is not None and verdict.finding.state in _ALIVE:
                return f"the checkout {root or checkout}"
    return ""
