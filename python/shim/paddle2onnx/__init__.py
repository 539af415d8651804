"""fluid2onnx, for code that imports paddle2onnx."""
from typing import Any

from fluid2onnx.compat.paddle2onnx import dygraph2onnx, export, load_parameter, program2onnx, run_convert, save_program

from .version import version

__version__ = version
__all__ = ["__version__", "dygraph2onnx", "export", "load_parameter", "program2onnx", "run_convert", "save_program", "version"]


def __getattr__(name: str) -> Any:
    """Imports a submodule on first use: an import of `command` here would make `python -m paddle2onnx.command` warn."""
    if name not in ("command", "convert", "legacy", "utils"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"{__name__}.{name}")
