"""Fetches the embedding models when a person at a terminal first needs them, or explains how to get them offline."""

import sys

from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.faces.cli.output.memories import print_notices
from waypost.faces.cli.session import interactive

_BUILT_IN = "minilm"  # the setting whose models Waypost installs itself
_LATER = "Search uses keywords until then. Offline: `waypost model install --from PATH` (see `waypost help model`)."


def ensure_models(settings: Settings) -> None:
    """Install missing models at a terminal; elsewhere print how to. A failure is a notice: keywords work without them."""
    from waypost.embed.install import install, status
    from waypost.embed.weights import MINILM, MODELS

    wanted = MODELS if settings.multilingual else (MINILM,)
    if settings.engine != _BUILT_IN or all(model.installed for model in status(settings, hashes=False, models=wanted)):
        return
    if not interactive():
        print_notices((f"The embedding models are not installed: run `waypost model install` once. {_LATER}",))
        return
    print("Fetching the embedding models, once (about 115 MB; Ctrl-C skips it).", file=sys.stderr)
    try:
        install(settings, progress=lambda line: print(line, file=sys.stderr))
    except WaypostError as error:
        print_notices((f"{error.what} {error.remedy}", _LATER))
    except KeyboardInterrupt:
        print_notices((f"Skipped. Run `waypost model install` later. {_LATER}",))
