"""`init` and `setup` fetch missing models at a terminal, and explain elsewhere how to get them."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.embed import install
from waypost.errors import EngineUnavailable
from waypost.faces.cli import models


@pytest.fixture
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAYPOST_MODELS", str(tmp_path / "none"))


def stand_in(monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> list[str]:
    """Instead of downloading: note the call, or fail."""
    calls: list[str] = []

    def pretend(settings: config.Settings, **_: object) -> list[object]:
        calls.append(settings.engine)
        if error is not None:
            raise error
        return []

    monkeypatch.setattr(install, "install", pretend)
    return calls


@pytest.mark.usefixtures("no_models")
def test_without_a_terminal_the_command_is_named_and_nothing_is_fetched(
    waypost: Waypost, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = stand_in(monkeypatch)
    done = waypost("init", "--no-wait")
    assert done.code == 0
    assert "waypost model install" in done.err
    assert "--from PATH" in done.err
    assert calls == []


@pytest.mark.usefixtures("no_models")
def test_at_a_terminal_they_are_fetched(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(models, "interactive", lambda: True)
    calls = stand_in(monkeypatch)
    models.ensure_models(config.load())
    assert calls == ["minilm"]
    assert "Fetching the embedding models" in capfd.readouterr().err


@pytest.mark.usefixtures("no_models")
@pytest.mark.parametrize(
    ("error", "says"),
    [(EngineUnavailable("No network.", "Do it elsewhere."), "No network. Do it elsewhere."), (KeyboardInterrupt(), "Skipped.")],
)  # fmt: skip
def test_a_failure_is_a_notice_with_the_offline_way(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: BaseException, says: str
) -> None:
    monkeypatch.setattr(models, "interactive", lambda: True)
    stand_in(monkeypatch, error)
    models.ensure_models(config.load())
    shown = capfd.readouterr().err
    assert says in shown
    assert "waypost model install --from PATH" in shown


@pytest.mark.usefixtures("no_models")
def test_another_embedding_model_needs_none_of_them(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAYPOST_ENGINE", "ollama")
    models.ensure_models(config.load())
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("prefix", "first"), [("share/uv/tools/waypost", "home"), ("pipx/venvs/waypost", "home"), ("venv", "prefix")]
)
def test_tools_keep_models_outside_of_their_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prefix: str, first: str
) -> None:
    environment = tmp_path / prefix
    environment.mkdir(parents=True)
    monkeypatch.setattr("sys.prefix", str(environment))
    folders = config.load({"WAYPOST_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}).models
    assert (
        folders[0]
        == {"home": tmp_path / "home" / "models", "prefix": environment / "share" / "waypost" / "models"}[first]
    )
