from fluid2onnx.compat.paddle2onnx import __version__, version

__all__ = ["__version__", "version"]
