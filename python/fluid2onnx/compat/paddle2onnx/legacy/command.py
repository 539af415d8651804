"""paddle2onnx.legacy.command of 1.0."""
from ..command import program2onnx

__all__ = ["program2onnx"]
