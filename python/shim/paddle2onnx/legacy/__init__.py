from fluid2onnx.compat.paddle2onnx.legacy import dygraph2onnx, program2onnx, run_convert

from . import command

__all__ = ["command", "dygraph2onnx", "program2onnx", "run_convert"]
