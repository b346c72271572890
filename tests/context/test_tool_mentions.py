"""What a statement may call a file or a command that a tool is about to use."""

import pytest

from waypost.context.tool_mentions import ToolMentions, commands_in


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("pytest -q", ["pytest"]),
        ("cd /x && FOO=1 python3.12 -m pytest tests | tail -5", ["pytest"]),
        ("git push --force origin main; git status", ["git push", "git status"]),
        ("timeout 60 sudo -E make release VERSION=1", ["make release"]),
        ("uv run pytest -x\nnpm run build", ["pytest", "npm run"]),
        ("npx tox -e py312", ["tox"]),
        ("bash -lc 'cd src && pytest -q'", ["pytest"]),
        ("bash -lc pytest -q", ["pytest"]),
        ("grep -rn 'git push' . | head", []),
        ("python - <<'PY'\nimport flask; flask.run()\nPY", ["python"]),
        ("echo \"don't", []),
        ("'unclosed", []),
        ("", []),
        ("\x01;;&&", []),
    ],
)
def test_the_programs_of_a_command_line_are_read_without_what_wraps_them(line: str, commands: list[str]) -> None:
    assert [str(command) for command in commands_in(line)] == commands


@pytest.mark.parametrize(
    ("line", "text", "names"),
    [
        ("pytest -q", "plain pytest needs 9 min, run tox instead", True),
        ("pytest -q", "alle pytest-Läufe", False),
        ("git push origin x", "never git push --force on main", True),
        ("git status", "never git push --force on main", False),
        ("npm i left-pad", "Use pnpm, never npm.", True),
        ("npm i left-pad", "npm scripts are generated", False),
        ("make test", "make sure that it works, then go", False),
        ("make test", "`make test` braucht 9 Minuten", True),
        ("go build ./...", "now go on. All of it is done", False),
        ("curl https://stg-02.int:8443/health", "staging = stg-02.int:8443", True),
        ("kubectl --context prod-eu apply", "prod-eu не трогать по пятницам", True),
        ("echo stg-02.int", "staging is stg-02.int", False),
    ],
)
def test_a_text_names_a_command_or_an_argument_that_is_a_name(line: str, text: str, names: bool) -> None:
    assert ToolMentions(commands=commands_in(line)).name(text) is names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Alles unter src/shop/prices: Freigabe nur durch Ada", True),
        ("shop/prices/ is frozen", True),
        ("Everything in src/shop/prices/* is generated.", True),
        ("src/shop/prices.", True),
        ("всё в src/shop/prices проверяет Ада", True),
        ("src/shop/other.py must stay", False),
        ("src/shop/prices/tax.py must stay", False),
        ("see prices/euro.py", True),
        ("old/prices/euro.py", False),
        ("shop is open", False),
        ("prices are in cents", False),
        ("euro.py rounds twice", False),
        ("euro.pyc", False),
    ],
)
def test_a_text_names_a_file_by_its_path_or_a_folder_above_it(text: str, names: bool) -> None:
    assert ToolMentions(["src/shop/prices/euro.py"]).name(text) is names


def test_the_name_alone_counts_for_a_file_whose_name_no_other_has() -> None:
    path = "src/shop/euro.py"
    assert ToolMentions([path], single={path}).name("euro.py rounds twice")
    assert not ToolMentions([path]).name("euro.py rounds twice")
    assert ToolMentions(["go.mod"]).name("go.mod is vendored")
