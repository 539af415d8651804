"""paddle2onnx.legacy.convert of 1.0."""
from ..api import dygraph2onnx, program2onnx

__all__ = ["dygraph2onnx", "program2onnx"]
