"""paddle2onnx.legacy of 1.0."""
from ..api import dygraph2onnx, program2onnx, run_convert
from . import command

__all__ = ["command", "dygraph2onnx", "program2onnx", "run_convert"]
