from fluid2onnx.compat.paddle2onnx.legacy.command import *  # noqa: F403
