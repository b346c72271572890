"""The commands on a tree, as a person or a script sees them."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

CODE = '''\
"""Uploads of large files."""

SECRET_FREE = 1


def upload_parts(path: str, size: int = 5) -> list[str]:
    """Send a file to the object store in parts."""
    return [path] * size


class Uploader:
    def resume(self, token: str) -> bool:
        return bool(token)
'''


@pytest.fixture
def tree(project: Path) -> Path:
    (project / "src").mkdir()
    (project / "src" / "upload.py").write_text(CODE)
    (project / "README.md").write_text("# Store\n\nKeeps files.\n")
    (project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    return project


def test_init_counts_what_it_found(waypost: Waypost, tree: Path) -> None:
    done = waypost("init", "--json")
    assert done.code == 0, done
    counted = {key: done.json[key] for key in ("files", "functions", "classes", "tables", "endpoints", "read")}
    assert counted == {"files": 2, "functions": 2, "classes": 1, "tables": 0, "endpoints": 0, "read": 2}
    assert done.json.keys() >= {"storage_bytes", "seconds", "answers_after", "structure_after", "pending", "skipped"}
    assert waypost("init", "--json").json["unchanged"] == 2


def test_an_index_goes_to_a_file_and_back(waypost: Waypost, tree: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "team.idx")
    assert waypost("index", "export", file).code == 2, "nothing is indexed yet"
    waypost("init")
    written = waypost("index", "export", file, "--json").json
    assert written.keys() == {"path", "files", "vectors", "left_out", "pending", "size"}
    assert written["files"] == 2
    again = waypost("index", "export", file)
    assert (again.code, "exists" in again.err) == (2, True)
    (tree / "src" / "upload.py").write_text("x = 1\n")
    waypost("init")
    (tree / "src" / "upload.py").write_text(CODE)
    taken = waypost("index", "import", file, "--json").json
    assert taken.keys() >= {"files", "read", "pending", "taken", "refused", "vectors", "notices"}
    assert taken["taken"] == 1
    assert "Taken over: " in waypost("index", "import", file).out


def test_init_tells_people_what_to_do_next(waypost: Waypost, tree: Path) -> None:
    done = waypost("init")
    assert done.code == 0
    assert "functions and methods  2" in done.out
    assert "waypost ask" in done.out


def test_init_explains_what_it_skipped(waypost: Waypost, tree: Path) -> None:
    rows = waypost("init", "--explain", "--json").json["skipped_files"]
    assert "logo.png" in {row["path"] for row in rows}
    assert "logo.png: " in waypost("init", "--explain").out


def test_init_names_files_with_syntax_errors(waypost: Waypost, tree: Path) -> None:
    for number in range(4):
        (tree / f"bad{number}.py").write_text("x = (\n")
    assert "4 files have syntax errors and were indexed partly: bad0.py, bad1.py, bad2.py, …" in waypost("init").out
    (tree / "bad0.py").write_text("y = (\n")
    os.utime(tree / "bad1.py")  # read again, and the same
    assert "1 file has syntax errors and was indexed partly: bad0.py\n" in waypost("init").out


def test_init_takes_a_path(waypost: Waypost, tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert waypost("init", str(tree), "--json").json["files"] == 2
    assert waypost("-C", str(tree), "status", "--json").json["tree"]["files"] == 2


def test_ask_points_at_the_line(waypost: Waypost, tree: Path) -> None:
    waypost("init", "--json")
    hit = waypost("ask", "how is a file sent in parts?", "--in", "functions", "--json").json["hits"][0]
    assert (hit["path"], hit["line"], hit["name"], hit["type"]) == ("src/upload.py", 6, "upload_parts", "function")
    out = waypost("ask", "how is a file sent in parts?", "--in", "functions", "-k", "1").out
    assert "src/upload.py:6" in out
    assert "upload_parts ─ Send a file to the object store in parts." in out


def test_ask_takes_words_without_quotes(waypost: Waypost, tree: Path) -> None:
    waypost("init")
    assert waypost("ask", "upload", "-k", "1", "files").out == waypost("ask", "upload files", "-k", "1").out


def test_ask_in_an_empty_scope_finds_nothing(waypost: Waypost, tree: Path) -> None:
    waypost("init", "--json")
    assert waypost("ask", "uploads", "--in", "database", "--json").code == 3


def test_analyze_shows_a_file_without_keeping_it(waypost: Waypost, tree: Path) -> None:
    (parsed,) = waypost("analyze", "src/upload.py", "--json").json["files"]
    symbols = {one["qualified_name"]: one for one in parsed["symbols"]}
    assert symbols["upload_parts"]["parameters"] == ["path", "size"]
    assert (symbols["Uploader.resume"]["line"], symbols["Uploader.resume"]["end_line"]) == (12, 13)
    shown = waypost("analyze", "src/upload.py").out
    assert "function def" not in shown and "method def" not in shown
    assert "def upload_parts(path: str, size: int = 5) -> list[str]" in shown
    assert "class Uploader" in shown and "class class" not in shown
    assert waypost("status", "--json").json["tree"] is None


def test_analyze_of_something_outside_or_missing_is_an_error(waypost: Waypost, tree: Path) -> None:
    assert waypost("analyze", "../..", "--json").code == 1
    assert waypost("analyze", "nothing.py", "--json").code in {1, 3}


def test_paths_are_taken_from_where_one_stands(waypost: Waypost, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    monkeypatch.chdir(tree / "src")
    assert waypost("analyze", "upload.py", "--json").json["files"][0]["path"] == "src/upload.py"
    assert "PURPOSE" in waypost("summary", "upload.py").out


def test_summarize_describes_every_file_once(waypost: Waypost, tree: Path) -> None:
    waypost("init", "--json")
    assert waypost("summarize", "--json").json["made"] == 2
    assert waypost("summarize", "--json").json["skipped"] == 2
    assert waypost("summarize", "src/upload.py", "--force", "--json").json["made"] == 1
    assert "Uploads of large files" in waypost("summary", "src/upload.py").out


def test_summarize_needs_an_index(waypost: Waypost, tree: Path) -> None:
    done = waypost("summarize")
    assert done.code != 0
    assert "waypost init" in done.err


def test_architecture_is_told_with_and_without_an_index(waypost: Waypost, tree: Path) -> None:
    (tree / "requirements.txt").write_text("flask==3.0\n")
    (tree / "src" / "web.py").write_text(
        "from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get('/health')\ndef health():\n    return 'ok'\n"
    )
    before = waypost("architecture", "--json").json
    assert "Flask" in {one["name"] for one in before["frameworks"]}
    assert waypost("init", "--json").json["endpoints"] == 1
    assert waypost("architecture", "--json").json["endpoints"] == before["endpoints"]
    shown = waypost("architecture").out
    assert "  GET /health → health  src/web.py:" in shown
    assert "Entry points\n  WSGI application  src/web.py:3\n" in shown
    assert waypost("ask", "GET /health handled by health with Flask", "--in", "architecture", "--json").json["hits"]


def test_the_scope_of_a_task_is_told_within_its_budget(waypost: Waypost, tree: Path) -> None:
    assert "waypost init" in waypost("context", "fix uploads", "--preset", "scope").out
    waypost("init", "--json")
    found = waypost("context", "upload parts of a file to the object store", "--preset", "scope", "--json").json
    assert found.keys() == {"dna", "text", "tokens", "memories", "confidence", "explanation"}
    assert found["tokens"] <= 500
    assert "src/upload.py" in found["text"]
    assert waypost("context", "x", "--preset", "nonsense").code == 2


def test_a_live_database_is_read_too(waypost: Waypost, tree: Path) -> None:
    import apsw

    apsw.Connection(str(tree / "app.db")).execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT UNIQUE)")
    done = waypost("init", "--db", f"sqlite:///{tree / 'app.db'}", "--json")
    assert (done.code, done.json["tables"]) == (0, 1)
    hit = waypost("ask", "customers email", "--in", "database", "--json").json["hits"][0]
    assert (hit["name"], hit["type"]) == ("customers", "table")
    assert waypost("init", "--json").json["tables"] == 1
    assert waypost("init", "--db", "oracle://x", "--json").code != 0


@pytest.mark.slow
def test_a_link_that_loops_is_no_crash(waypost: Waypost, project: Path) -> None:
    (project / "loop").symlink_to("loop")
    done = waypost("analyze", "loop")
    assert "unexpected" not in done.err
    assert done.code in (1, 2, 3)


@pytest.mark.slow
def test_patterns_that_leave_nothing_are_told(waypost: Waypost, project: Path) -> None:
    (project / "a.py").write_text("def apple():\n    return 1\n")
    waypost("init")
    told = waypost("init", "--include", "src/**")
    assert told.code == 2 and "src/**" in told.err, "everything would be removed without a word"
    later = waypost("init")
    assert later.code == 0 and "1 unchanged" in later.out, "a pattern of another day hides the tree"


@pytest.mark.slow
def test_an_import_says_that_code_is_not_imported(waypost: Waypost, project: Path, tmp_path: Path) -> None:
    (project / "a.py").write_text("def apple():\n    return 1\n")
    waypost("init")
    waypost("export", "--code", str(tmp_path / "all.jsonl"))
    assert "Nothing to do" not in waypost("import", str(tmp_path / "all.jsonl")).out
