"""python -m fluid2onnx.compat.paddle2onnx"""
import sys

from .command import main

sys.exit(main())
