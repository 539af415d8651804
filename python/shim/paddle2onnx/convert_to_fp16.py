import sys

from fluid2onnx.compat.paddle2onnx.convert_to_fp16 import main

if __name__ == "__main__":
    sys.exit(main())
