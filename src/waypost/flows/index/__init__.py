"""Index a repository and keep the index up to date."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.flows.index import analyze as analyze
    from waypost.flows.index import build as build
    from waypost.flows.index import code_memories as code_memories
    from waypost.flows.index import digest_pool as digest_pool
    from waypost.flows.index import file_digest as file_digest
    from waypost.flows.index import freshness as freshness
    from waypost.flows.index import live_schema as live_schema
    from waypost.flows.index import patterns as patterns
    from waypost.flows.index import project_analysis as project_analysis
    from waypost.flows.index import source_view as source_view
    from waypost.flows.index import summarize as summarize
    from waypost.flows.index import track as track

__getattr__ = lazy_modules(__name__)
