"""Questions about the structure of the code: what exists, who uses it, what a change may break, what is unused."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.structure import about as about
    from waypost.flows.structure import answers as answers
    from waypost.flows.structure import impact as impact
    from waypost.flows.structure import lookup as lookup
    from waypost.flows.structure import unused as unused
    from waypost.flows.structure import uses as uses

__getattr__ = lazy_modules(__name__)
