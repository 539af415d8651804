"""paddle2onnx.convert: export() and the functions beside it."""
from .api import dygraph2onnx, export, program2onnx
from .programs import load_parameter, save_program

__all__ = ["dygraph2onnx", "export", "load_parameter", "program2onnx", "save_program"]
