"""Changes `config.toml`. Comments and all other bytes stay. Wrong values are refused before anything is written."""

from collections.abc import Callable
from pathlib import Path

from waypost import config
from waypost.errors import ConfigError


def change_config(home: Path, edit: Callable[[str], str]) -> Path:
    """Apply an edit to the text of `config.toml`. Only the owner can read the file afterwards: it can contain a password.

    Raises ConfigError if the result is not valid.
    """
    from waypost.faces.setup.jsonc import Malformed
    from waypost.system.platform import make_private_directory, write_private_file

    path = home / config.CONFIG_FILE
    try:
        text = path.read_bytes().decode() if path.exists() else ""
        changed = edit(text)
    except (Malformed, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be changed: {error}.", "Edit it yourself.") from error
    if changed != text:
        config.check_text(changed, home)
        make_private_directory(home)
        write_private_file(path, changed.encode(), replace=True)
    return path
