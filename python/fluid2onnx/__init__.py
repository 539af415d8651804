"""Convert PaddlePaddle models to ONNX, and check the result against Paddle.

`convert` and `export` call the fluid2onnx executable; `validate` runs Paddle and ONNX Runtime. Neither of these is
imported before it is needed, so that `import fluid2onnx` is quick and works without them.
"""
from .convert import convert
from .errors import ConversionError, MissingPackageError, ModelError, Fluid2OnnxError
from .export import export

__version__ = "0.1.0"
__all__ = [
    "ConversionError",
    "Fluid2OnnxError",
    "MissingPackageError",
    "ModelError",
    "convert",
    "export",
    "validate",
]


def validate(*args, **kwargs):
    """Runs a Paddle model and its ONNX conversion on the same inputs; see `fluid2onnx.validation.validate`."""
    from .validation import validate as implementation

    return implementation(*args, **kwargs)
