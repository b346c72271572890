"""What commands print for people. Each module is imported when a command first uses it."""

from typing import TYPE_CHECKING

from waypost.lazy import lazy_modules

if TYPE_CHECKING:
    from waypost.faces.cli.output import code_links as code_links
    from waypost.faces.cli.output import editor_links as editor_links
    from waypost.faces.cli.output import facts as facts
    from waypost.faces.cli.output import index as index
    from waypost.faces.cli.output import journal as journal
    from waypost.faces.cli.output import memories as memories
    from waypost.faces.cli.output import progress as progress
    from waypost.faces.cli.output import structure as structure

__getattr__ = lazy_modules(__name__)
