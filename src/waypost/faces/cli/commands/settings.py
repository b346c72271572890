"""`waypost config`: show and change settings."""

from typing import Annotated, Any

from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.config_file import change_config
from waypost.faces.cli.framework import Ctx, Json, app, command_group
from waypost.faces.cli.output.memories import print_json, print_pairs, safe

config_app = command_group("Show and change settings.", runs_alone=True)
app.add_typer(config_app, name="config")

Key = Annotated[str, Argument(metavar="KEY", help="A setting, such as links or journal.timezone.")]


@config_app.callback()
def config_(context: Ctx) -> None:
    if context.invoked_subcommand is None:
        list_()


@config_app.command("list")
def list_(
    changed: Annotated[bool, Option("--changed", help="Only settings that differ from their defaults.")] = False,
    json: Json = False,
) -> None:
    """List all settings with their values, and where each comes from."""
    rows = [row for row in _rows() if not changed or row["origin"] != "default"]
    if json:
        print_json({"settings": rows})
        return
    print_pairs({row["key"]: _line(row) for row in rows})


@config_app.command("get")
def get(key: Key, json: Json = False) -> None:
    """Print the value of one setting."""
    row = next((row for row in _rows() if row["key"] == key), None)
    if row is None:
        raise NotFound(f"Unknown setting {key[:60]!r}.", "`waypost config` lists all settings.")
    print_json(row) if json else print(safe(_text(row["value"])))


@config_app.command("set")
def set_(
    pairs: Annotated[list[str], Argument(metavar="KEY VALUE...", help="A setting and its value; several together.")],
    json: Json = False,
) -> None:
    """Set one or several settings in config.toml. Comments stay."""
    from waypost.config.listing import file_value
    from waypost.faces.setup.toml_edit import put_value

    if len(pairs) % 2:
        raise InvalidInput("A setting has no value.", "Write waypost config set KEY VALUE.")
    values = {key: file_value(key, text) for key, text in zip(pairs[::2], pairs[1::2], strict=True)}

    def edit(text: str) -> str:
        for key, value in values.items():
            text = put_value(text, tuple(key.split(".")), value)
        return text

    path = change_config(config.load().home, edit)
    print_json({"path": str(path), "set": list(values)}) if json else print(f"Set {', '.join(values)} in {path}.")


@config_app.command("unset")
def unset(key: Key, json: Json = False) -> None:
    """Remove a setting from config.toml, so that its default applies."""
    from waypost.config.listing import file_value
    from waypost.faces.setup.toml_edit import drop_value, read, value_at

    file_value(key, "")  # refuses unknown settings
    name = tuple(key.split("."))
    given: list[Any] = []

    def edit(text: str) -> str:
        given.append(value_at(read(text), name))
        return drop_value(text, name)

    path = change_config(config.load().home, edit)
    if given[0] is None:
        raise NotFound(f"{key} is not set in {path}.", "`waypost config` shows where each setting comes from.")
    print_json({"path": str(path), "unset": key}) if json else print(f"Removed {key} from {path}.")


@config_app.command("path")
def path_(json: Json = False) -> None:
    """Print the path of config.toml."""
    path = config.load().home / config.CONFIG_FILE
    print_json({"path": str(path), "exists": path.exists()}) if json else print(path)


def _rows() -> list[dict[str, Any]]:
    from waypost.config.listing import rows

    listed = [row.to_json() for row in rows(config.load(), config.environment())]
    return [
        row | ({"value": config.without_secret(row["value"])} if row["key"] == "store" and row["value"] else {})
        for row in listed
    ]


def _line(row: dict[str, Any]) -> str:
    text = _text(row["value"]) or "-"
    return text if row["origin"] == "default" else f"{text}  ({row['origin']})"


def _text(value: Any) -> str:
    from waypost.config.listing import written

    return written(value)
