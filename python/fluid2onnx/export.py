"""Exporting a live `paddle.nn.Layer`."""
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional, Sequence

from .convert import PathLike, convert
from .errors import MissingPackageError, ModelError


def export(
    layer: Any,
    output: PathLike,
    input_spec: Optional[Sequence[Any]] = None,
    *,
    opset: Optional[int] = None,
    **conversion: Any,
) -> Dict[str, Any]:
    """Saves a layer with `paddle.jit.save` to a temporary folder, and converts that.

    The layer is saved in evaluation mode and left in the mode that it was in.

    Args:
        layer: a `paddle.nn.Layer`, or a function made by `paddle.jit.to_static`.
        output: the ONNX file to write.
        input_spec: of `paddle.jit.save`: `InputSpec`s (shapes in elements, None for an unknown dim) or example
            tensors. Needed unless the layer's forward was decorated with one.
        opset: of ONNX.
        conversion: further arguments of `convert`, such as `precision`.

    Returns:
        The executable's report.

    Raises:
        ConversionError: the model was refused.
        MissingPackageError: Paddle or the executable is not installed.
        ModelError: Paddle could not save the layer.
    """
    try:
        import paddle
    except ImportError as error:
        raise MissingPackageError("exporting a layer needs paddlepaddle (pip install paddlepaddle)") from error

    was_training = bool(getattr(layer, "training", False))
    with tempfile.TemporaryDirectory(prefix="fluid2onnx-") as folder:
        prefix = Path(folder) / "model"
        if was_training:
            layer.eval()
        try:
            paddle.jit.save(layer, str(prefix), input_spec=input_spec)
        except Exception as error:  # whatever tracing the user's own Python raises
            raise ModelError(f"paddle.jit.save failed: {error}") from error
        finally:
            if was_training:
                layer.train()
        model = _saved_program(prefix)
        params = prefix.with_suffix(".pdiparams")
        return convert(model, os.fspath(output), params=params if params.exists() else None, opset=opset, **conversion)


def _saved_program(prefix: Path) -> Path:
    """Paddle 2 writes a ProgramDesc, Paddle 3 writes JSON."""
    for suffix in (".pdmodel", ".json"):
        program = prefix.with_suffix(suffix)
        if program.exists():
            return program
    raise ModelError("paddle.jit.save wrote neither .pdmodel nor .json")
