"""Convert PaddlePaddle models to ONNX, and check the result against Paddle.

`convert`, `inspect` and `operators` need neither Paddle nor ONNX; `export` saves layers and programs with Paddle, and
`validate` runs Paddle and ONNX Runtime. Neither of these is imported before it is needed.
"""
from typing import TYPE_CHECKING, Any

from .convert import convert
from .errors import ConversionError, Fluid2OnnxError, MissingPackageError, ModelError
from .export import export
from .inspection import inspect, operators
from .report import Inspection, Operator, Port, Problem, Report

if TYPE_CHECKING:
    from .validation import validate

    __version__: str

__all__ = [
    "ConversionError",
    "Fluid2OnnxError",
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
    "validate",
]


def __getattr__(name: str) -> Any:
    # numpy takes as long to import as all else together, and few ask for the version.
    if name == "validate":
        from .validation import validate as found

        return found
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("fluid2onnx")
        except PackageNotFoundError:
            return "0+checkout"
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
