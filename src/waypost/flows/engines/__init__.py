"""Choose embedding models, and embed what is pending."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.engines import pending_vectors as pending_vectors
    from waypost.flows.engines import query as query

__getattr__ = lazy_modules(__name__)
