from fluid2onnx.compat.paddle2onnx.utils import *  # noqa: F403
