from fluid2onnx.compat.paddle2onnx.convert import *  # noqa: F403
