import sys

from fluid2onnx.compat.paddle2onnx.command import arg_parser, c_paddle_to_onnx, main, program2onnx

__all__ = ["arg_parser", "c_paddle_to_onnx", "main", "program2onnx"]

if __name__ == "__main__":
    sys.exit(main())
