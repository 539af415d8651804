"""The functions of Paddle2ONNX 1.0 to 2.1, so that a script changes one word.

docs/paddle2onnx.md lists the differences.
"""
from typing import Any

from .api import API_VERSION, dygraph2onnx, export, program2onnx, run_convert
from .programs import load_parameter, save_program

__version__ = version = API_VERSION
__all__ = ["dygraph2onnx", "export", "load_parameter", "program2onnx", "run_convert", "save_program", "version"]


def __getattr__(name: str) -> Any:
    """Imports `paddle2onnx.command` and `paddle2onnx.legacy` on first use, as Paddle2ONNX has them without an import."""
    if name not in ("command", "convert", "legacy", "utils"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"{__name__}.{name}")
