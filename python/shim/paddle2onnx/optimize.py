import sys

from fluid2onnx.compat.paddle2onnx.optimize import main

if __name__ == "__main__":
    sys.exit(main())
