from fluid2onnx.compat.paddle2onnx.legacy.convert import *  # noqa: F403
