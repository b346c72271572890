"""Places in code as a terminal, a pipe and an editor get them."""

import re
import socket
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.config import LINKS
from waypost.errors import ConfigError
from waypost.faces.cli.output import editor_links
from waypost.faces.cli.output.editor_links import EditorLinks, place_text, target

ROOT = Path("/home/anna/shop")
HARMLESS = re.compile(r"[A-Za-z0-9%/:._~?&=#-]*")
WRITTEN = re.compile(r"\x1b\]8;id=[^;\x1b]*;([^\x1b]*)\x1b\\([^\x1b]*)\x1b\]8;;\x1b\\\n")
HOST = socket.gethostname()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor_links, "_clickable", lambda: True)


def shown(place: object) -> str:
    out = StringIO()
    Console(file=out, force_terminal=True, color_system="standard", no_color=True, soft_wrap=True).print(place)
    return out.getvalue()


@pytest.mark.parametrize(
    ("editor", "url"),
    [
        ("file", f"file://{HOST}/home/anna/shop/src/app.py#42"),
        ("vscode", "vscode://file/home/anna/shop/src/app.py:42:1"),
        ("vscode-insiders", "vscode-insiders://file/home/anna/shop/src/app.py:42:1"),
        ("cursor", "cursor://file/home/anna/shop/src/app.py:42:1"),
        ("windsurf", "windsurf://file/home/anna/shop/src/app.py:42:1"),
        ("zed", "zed://file/home/anna/shop/src/app.py:42:1"),
        ("idea", "idea://open?file=/home/anna/shop/src/app.py&line=42"),
        ("none", None),
    ],
)
def test_every_editor_gets_its_own_url(editor: str, url: str | None) -> None:
    assert EditorLinks(ROOT, editor).target("src/app.py", 42) == url
    assert editor in LINKS


def test_every_setting_has_a_url() -> None:
    assert {name for name in LINKS if EditorLinks(ROOT, name).target("a.py") is None} == {"none"}


def test_a_file_without_a_line_is_opened_at_its_top() -> None:
    assert EditorLinks(ROOT, "file").target("a.py") == f"file://{HOST}/home/anna/shop/a.py"
    assert EditorLinks(ROOT, "vscode").target("a.py") == "vscode://file/home/anna/shop/a.py:1:1"


def test_a_path_of_windows_keeps_its_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    assert target("vscode", "C:\\shop\\a b.py", 3) == "vscode://file/C:/shop/a%20b.py:3:1"
    assert editor_links._inside("C:\\shop", "src/a.py") == "C:\\shop\\src\\a.py"
    assert editor_links._inside("C:\\shop", "D:\\other\\a.py") is None


def test_a_terminal_gets_the_words_with_their_target(terminal: None) -> None:
    written = WRITTEN.fullmatch(shown(EditorLinks(ROOT, "zed").text("src/app.py", 42)))
    assert written is not None
    assert written.groups() == ("zed://file/home/anna/shop/src/app.py:42:1", "src/app.py:42")


def test_a_pipe_gets_the_words_alone() -> None:
    assert shown(EditorLinks(ROOT, "vscode").text("src/app.py", 42)) == "src/app.py:42\n"


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "src/../../shop2/a.py", ".", "a\0b"])
def test_what_is_outside_the_tree_is_no_link(path: str) -> None:
    assert EditorLinks(ROOT, "vscode").target(path, 1) is None


def test_an_absolute_path_inside_the_tree_is_a_link() -> None:
    assert EditorLinks(ROOT, "zed").target("/home/anna/shop/a.py", 1) == "zed://file/home/anna/shop/a.py:1:1"


def test_a_person_has_nothing_to_open(terminal: None) -> None:
    assert shown(EditorLinks(None, "vscode").text("a.py", 1)) == "a.py:1\n"


def test_a_target_too_long_for_a_terminal_is_left_out() -> None:
    assert EditorLinks(ROOT, "zed").target("a" * 3000, 1) is None


def test_marks_of_a_url_in_a_path_are_encoded() -> None:
    assert EditorLinks(ROOT, "idea").target("a&line=9#x?y;z%41.py", 2) == (
        "idea://open?file=/home/anna/shop/a%26line%3D9%23x%3Fy%3Bz%2541.py&line=2"
    )


HOSTILE = "a\x1b]8;;http:/evil\x07b\x1b\\c;d\r\ne\u202ef\u2028g\x9ch\tü[bold]x[/bold]\udcff.py"


def test_a_hostile_path_stays_inside_its_sequence(terminal: None) -> None:
    written = WRITTEN.fullmatch(shown(EditorLinks(ROOT, "file").text(HOSTILE, 7)))
    assert written is not None
    url, words = written.groups()
    assert HARMLESS.fullmatch(url)
    assert unquote(url, errors="surrogateescape") == f"file://{HOST}/home/anna/shop/{HOSTILE}#7"
    assert not set("\x07\r\n\t\x1b\x9c\u202e\u2028") & set(words)
    assert "[bold]" in words


@pytest.mark.slow
@given(st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF, exclude_categories=()), max_size=60))
def test_no_path_adds_anything_to_a_target(path: str) -> None:
    for editor in ("file", "vscode", "idea"):
        url = EditorLinks(ROOT, editor).target(path, 3)
        assert url is None or HARMLESS.fullmatch(url)
    assert len(place_text(path, 3).splitlines()) == 1


@pytest.fixture
def asked(waypost: Waypost, project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    (project / "pay.py").write_text('def pay() -> int:\n    """Take the money."""\n    return 1\n')
    waypost("init", "--json")
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm-256color", "WAYPOST_LINKS": "zed"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return lambda: waypost("ask", "who takes the money?", "--in", "functions", "-k", "1").out


def test_an_answer_at_a_terminal_opens_the_place(asked: Callable[[], str], terminal: None, project: Path) -> None:
    assert f";zed://file{project}/pay.py:1:1\x1b\\\x1b[32mpay.py:1" in asked()


def test_colour_that_is_forced_into_a_pipe_brings_no_links(asked: Callable[[], str]) -> None:
    assert "\x1b[32mpay.py:1" in asked()
    assert "\x1b]8" not in asked()


def test_a_dumb_terminal_gets_no_links(
    asked: Callable[[], str], terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "pay.py:1" in asked()
    assert "\x1b" not in asked()


def around(**environment: str) -> str:
    return config.load({"HOME": "/nowhere", "WAYPOST_HOME": "/nowhere/w", **environment}).links


@pytest.mark.parametrize(
    ("environment", "editor"),
    [
        ({}, "file"),
        ({"TERM_PROGRAM": "iTerm.app", "SSH_CONNECTION": "1"}, "file"),
        ({"TERM_PROGRAM": "vscode"}, "vscode"),
        ({"TERM_PROGRAM": "vscode", "TERM_PROGRAM_VERSION": "1.99.0-insider"}, "vscode-insiders"),
        ({"TERM_PROGRAM": "vscode", "CURSOR_TRACE_ID": "x"}, "cursor"),
        ({"TERM_PROGRAM": "vscode", "VSCODE_GIT_ASKPASS_NODE": "/Applications/Cursor.app/x"}, "cursor"),
        ({"TERM_PROGRAM": "vscode", "VSCODE_GIT_ASKPASS_NODE": "/opt/windsurf/windsurf"}, "windsurf"),
        ({"TERM_PROGRAM": "vscode", "SSH_CONNECTION": "1"}, "none"),
        ({"TERM_PROGRAM": "zed"}, "zed"),
        ({"TERMINAL_EMULATOR": "JetBrains-JediTerm"}, "none"),
        ({"WSL_DISTRO_NAME": "Debian"}, "none"),
        ({"WAYPOST_LINKS": "idea", "TERM_PROGRAM": "vscode"}, "idea"),
        ({"WAYPOST_LINKS": "auto", "TERM_PROGRAM": "zed"}, "zed"),
    ],
)
def test_the_terminal_tells_what_places_open_in(environment: dict[str, str], editor: str) -> None:
    assert around(**environment) == editor


def test_an_unknown_setting_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ConfigError, match=r"(?s)emacs.*windsurf"):
        around(WAYPOST_LINKS="emacs")
