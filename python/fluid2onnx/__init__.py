"""Convert PaddlePaddle models to ONNX, and check the result against Paddle.

`convert`, `inspect` and `operators` need neither Paddle nor ONNX; `export` saves layers and programs with Paddle, and
`validate` runs Paddle and ONNX Runtime. Neither of these is imported before it is needed.
"""
TYPE_CHECKING = False  # as mypy knows it; importing typing takes a while
if TYPE_CHECKING:
    from typing import Any

    from .conversion import convert
    from .errors import ConversionError, Fluid2OnnxError, MissingPackageError, ModelError
    from .exporting import export
    from .inspection import inspect, operators
    from .report import CustomNode, Inspection, Operator, Port, Problem, Report
    from .sequences import pack_sequences, split_sequences
    from .validation import validate

    __version__: str

__all__ = [
    "ConversionError",
    "Fluid2OnnxError",
    "CustomNode",
    "Inspection",
    "MissingPackageError",
    "ModelError",
    "Operator",
    "Port",
    "Problem",
    "Report",
    "convert",
    "export",
    "inspect",
    "operators",
    "pack_sequences",
    "split_sequences",
    "validate",
]

_MODULES = {
    "convert": "conversion",
    "export": "exporting",
    "inspect": "inspection",
    "operators": "inspection",
    "pack_sequences": "sequences",
    "split_sequences": "sequences",
    "validate": "validation",
    **dict.fromkeys(("ConversionError", "Fluid2OnnxError", "MissingPackageError", "ModelError"), "errors"),
    **dict.fromkeys(("CustomNode", "Inspection", "Operator", "Port", "Problem", "Report"), "report"),
}


def __getattr__(name: str) -> "Any":
    """Imports what is asked for: the commands, which begin here too, start in half of the time."""
    if name == "__version__":
        return _version()
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from importlib import import_module

    try:
        found = getattr(import_module("." + _MODULES[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        from .errors import MissingPackageError

        raise MissingPackageError(f"{name} needs numpy: pip install 'fluid2onnx[validate]'") from error
    globals()[name] = found
    return found


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fluid2onnx")
    except PackageNotFoundError:
        return "0+checkout"
