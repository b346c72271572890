"""The settings of a server: every mistake named, every one documented and shown with its default."""

import tomllib
from dataclasses import asdict, fields
from pathlib import Path

import pytest

from waypost import config
from waypost.config import ServeSettings
from waypost.errors import ConfigError
from waypost.faces.cli.entry import run as command_line

SETTINGS = Path(__file__).parents[3] / "docs" / "reference" / "settings.md"
METRICS = SETTINGS.with_name("metrics.md")


def loaded(home: Path, text: str) -> ServeSettings:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"[serve]\n{text}\n")
    return config.load({"WAYPOST_HOME": str(home), "HOME": str(home)}).serve


def test_what_the_page_of_settings_shows_is_every_setting_with_its_default(tmp_path: Path) -> None:
    toml = SETTINGS.read_text().split("```toml", 1)[1].split("```")[0]
    shown = tomllib.loads(toml)["serve"]
    assert list(shown) == [field.name for field in fields(ServeSettings)]
    defaults = asdict(ServeSettings())
    for name in shown.keys() - {"allowed_hosts", "trusted_proxies"}:
        assert shown[name] == defaults[name], name
    assert loaded(tmp_path, toml.split("[serve]\n", 1)[1]).trusted_proxies == ("127.0.0.1",)


def test_every_figure_is_documented() -> None:
    from waypost.faces.guard.access_log import Log
    from waypost.faces.serve.metrics import ServerMetrics, StoreFigures, of_log

    figures, log = ServerMetrics(), Log()
    log.close()
    page = METRICS.read_text()
    told = [*figures.all(), *StoreFigures(dict, figures).all(), of_log(log)]
    names = [*(one.name for one in told), figures.requests.counter, "waypost_jobs"]
    assert [name for name in names if name not in page and name != "waypost_build_info"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "colour"),
        ('log_format = "xml"', "log_format"),
        ("log_format = 3", "log_format"),
        ('open_metrics = "yes"', "open_metrics"),
        ("requests_per_minute = 0", "requests_per_minute"),
        ("requests_per_minute = 1.5", "requests_per_minute"),
        ("writes_per_minute = true", "writes_per_minute"),
        ("shutdown_seconds = nan", "shutdown_seconds"),
        ("shutdown_seconds = -1", "shutdown_seconds"),
        ('allowed_hosts = "memory.example.org"', "allowed_hosts"),
        ("allowed_hosts = [1]", "allowed_hosts"),
        ('allowed_hosts = [" "]', "allowed_hosts"),
        ('trusted_proxies = ["proxy"]', "trusted_proxies"),
        ('trusted_proxies = ["10.0.0.1/8"]', "trusted_proxies"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, text)
    assert said in str(caught.value)


def test_a_log_of_another_form_is_refused_by_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command_line(["-C", str(tmp_path), "serve", "--port", "0", "--log-format", "xml"]) == 2
    assert "text or json" in capsys.readouterr().err
