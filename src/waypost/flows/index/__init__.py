"""Index a repository and keep the index up to date."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.index import analyze as analyze
    from waypost.flows.index import build as build
    from waypost.flows.index import index_export as index_export
    from waypost.flows.index import source_view as source_view
    from waypost.flows.index import summarize as summarize
    from waypost.flows.index import track as track

__getattr__ = lazy_modules(__name__)
