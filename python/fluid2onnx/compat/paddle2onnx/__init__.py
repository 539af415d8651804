"""The functions of Paddle2ONNX 1.0 to 2.1, so that a script changes one word.

docs/paddle2onnx.md lists what is the same and what differs.
"""
from .api import API_VERSION, dygraph2onnx, export, program2onnx

__version__ = version = API_VERSION
__all__ = ["dygraph2onnx", "export", "program2onnx", "version"]
