"""What this memory and others let each other read."""

from collections.abc import Iterable

from waypost import flows
from waypost.memory.handle import OpenMemoryBase
from waypost.model.share import Offer


class Sharing(OpenMemoryBase):
    def share_offer(
        self,
        project: str,
        *,
        kinds: Iterable[str] = (),
        domains: Iterable[str] = (),
        levels: Iterable[int] = (),
        code: bool = False,
    ) -> "flows.share.agreements.Share":
        """Let another project (its path, name or id) read facts and decisions of this one, once it has accepted; of some
        kinds, domains or levels, or all; with `code` also what was read out of the tree. Only a person may."""
        return flows.share.agreements.offer(self._space, project, Offer.of(kinds, domains, levels, code), self._caller)

    def share_accept(self, project: str) -> "flows.share.agreements.Share":
        """Read from now on what another project offers to this one. Only a person may."""
        return flows.share.agreements.accept(self._space, project, self._caller)

    def share_revoke(self, project: str, *, role: str | None = None) -> "tuple[flows.share.agreements.Share, ...]":
        """End it at once, from either side: what is given to a project (`role="gives"`), what is taken from it ("takes"),
        or both. Only a person may."""
        return flows.share.agreements.revoke(self._space, project, self._caller, role=role)

    def shares(self) -> "tuple[flows.share.agreements.Share, ...]":
        """What is given, taken, or offered to this memory, and what was revoked."""
        return flows.share.agreements.shares(self._space)
