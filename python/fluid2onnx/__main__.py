"""`python -m fluid2onnx` is the program `fluid2onnx`."""
from .programs import fluid2onnx

fluid2onnx()
