"""Where the files of a saved model are: as `fluid2onnx convert` finds them."""
import os
from pathlib import Path

from .errors import ModelError

_SUFFIXES = (".pdmodel", ".json")


def find_program(model: "os.PathLike[str] | str") -> Path:
    """The program file: the path itself, the only one in a folder, or the one whose prefix it is.

    Raises:
        ModelError: no model, or more than one.
    """
    text = os.fspath(model)
    path = Path(text)
    if path.is_file():
        return path
    found = [Path(text + suffix) for suffix in _SUFFIXES if not text.endswith("/") and Path(text + suffix).is_file()]
    if path.is_dir():
        inside = sorted(entry for entry in path.iterdir() if entry.is_file())
        programs = [entry for entry in inside if entry.name == "__model__" or entry.suffix == ".pdmodel"]
        found = programs or found or [entry for entry in inside if entry.name == "model" or entry.suffix == ".json"]
    if not found:
        raise ModelError(f"{text}: no model in this folder" if path.is_dir() else f"{text}: no such file or folder, and no prefix of X.pdmodel or X.json")
    if len(found) > 1:
        raise ModelError(f"{text}: ambiguous between {' and '.join(str(file) for file in found)}; pass the path of one of them")
    return found[0]


def find_parameters(program: Path, given: "os.PathLike[str] | str | None" = None) -> Path:
    """The file of combined parameters, or the folder that holds a file per parameter."""
    if given is not None:
        return Path(given)
    beside = [_combined(program), program.parent / "__params__", program.parent / "params"]
    return next((file for file in beside if file.is_file()), program.parent)


def _combined(program: Path) -> Path:
    stem = program.name[: -len(program.suffix)] if program.suffix in _SUFFIXES else program.name
    return program.parent / (stem + ".pdiparams")
