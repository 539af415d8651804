"""fluid2onnx, for code that imports paddle2onnx."""
from fluid2onnx.compat.paddle2onnx import __version__, dygraph2onnx, export, program2onnx, version

__all__ = ["__version__", "dygraph2onnx", "export", "program2onnx", "version"]
